import type { Family, Operation } from './api/operation.ts';
import type { CallState, Drop } from './call-state.ts';
import type { Context, PromptPort } from './context.ts';
import type { CredentialPlace } from './credentials/store.ts';
import { Failure, type Notice, note } from './failure.ts';
import type { LockPorts } from './files/lock.ts';
import { lockPorts } from './files/lock-ports.ts';
import { type Places, requirePlace } from './files/paths.ts';
import type { WriteRecorder } from './history/record.ts';
import type { CallListener, CallPolicy, HttpClient } from './http/call.ts';
import type { CommonOptions } from './options/common.ts';
import type { Column } from './output/column.ts';
import { renderFailure, renderNotice } from './output/failure-text.ts';
import type { Format, OutputOptions, Result, RowStream, Surroundings } from './output/options.ts';
import { openRowWriter, renderResult, writingBeside } from './output/render.ts';
import {
  isImplied,
  type ResolvedPreferences,
  type ResolvedProfile,
  resolveProfile,
  resolveTarget,
} from './settings/resolve.ts';
import { SANDBOX_URL, type Settings } from './settings/settings.ts';

/** One family of the service for the chosen profile. */
export interface Service {
  readonly client: HttpClient;
  /** Origin and path prefix. */
  readonly url: string;
  /** scheme://host[:port], to which credentials and runs are bound. */
  readonly origin: string;
  /** host[:port], for questions, history and messages. */
  readonly host: string;
  /** Milliseconds until the token expires, by its own claim; undefined: not known. */
  remainingMs(): Promise<number | undefined>;
  useToken(token: string): void;
  /** Rejects with AUTH, before anything is sent, if there is no credential or it has expired. */
  checkCredential(): Promise<void>;
}

/** What a call was given, and what is known of it from the beginning. */
export interface Facts {
  /** Dotted path for errors and history: `card.block`. */
  readonly operation: string;
  readonly common: CommonOptions;
  readonly preferences: ResolvedPreferences;
  readonly places: Places;
  /** Faults of the common options: nothing may be sent, and they are reported with the call's own faults. */
  readonly faults: readonly Failure[];
  /** Could the user be asked, if the call had no faults? */
  readonly canAsk: boolean;
  /** Are changes recorded? Not with `--no-history` or FRONTDESK_NO_HISTORY. */
  readonly keepsHistory: boolean;
  /** Steps on this machine that are done (`the credential is stored`). Later failures name them. */
  readonly done: string[];
  /** The questions of this call, abandoned after `idleMs` without a key. */
  promptUntil(idleMs?: number, onLostPaste?: () => void): PromptPort;
  /** Lets the services of this call send changes of an operation. Only `guardWrite` calls it. */
  permitWrites(operation: Operation): void;
  /** Ends the call: a file that it began and did not keep goes, whatever failed. */
  close(): Promise<void>;
}

/** The settings of a call, the profile that was chosen from them, and how to choose one. */
interface Chosen {
  readonly settings: Settings;
  readonly profile: ResolvedProfile | undefined;
  choose(settings: Settings): ResolvedProfile;
}

/** The profile of a call, and the settings that it is chosen from. */
function openProfile(
  { common, places }: Pick<Facts, 'common' | 'places'>,
  { env, platform }: Context,
  lock: LockPorts,
  { choose, ...first }: Chosen,
) {
  let { settings, profile } = first;
  return {
    /** Chosen at its first use. USAGE if there is none. */
    get profile(): ResolvedProfile {
      profile ??= choose(settings);
      return profile;
    },
    settings: () => settings,
    async changeSettings(change: (settings: Settings) => Settings): Promise<Settings> {
      settings = await (await import('./settings/write.ts')).changeSettings(this.credentialPlace(), change);
      profile = undefined;
      return settings;
    },
    /** Takes over the profile of a resumed run. USAGE for another profile. */
    adoptProfile(name: string): void {
      const given = common.profile;
      if (given !== undefined && given !== name) {
        throw Failure.unsent('USAGE', `the run belongs to profile ${name}, not ${given}`);
      }
      const flagProfile = given === undefined && isImplied(name, settings, env) ? undefined : name;
      profile = resolveProfile({ flagProfile, env, settings });
    },
    /** Folder of settings and credentials. USAGE if it is not known. */
    configDir: (): string => requirePlace(places, 'configDir'),
    /** Folder of history, runs and the sandbox's state. USAGE if it is not known. */
    stateDir: (): string => requirePlace(places, 'stateDir'),
    credentialPlace(): CredentialPlace {
      return { configDir: this.configDir(), platform, ...lock };
    },
    /** Base URL of the profile without opening anything, for `--dry-run`. */
    baseUrl(family: Family): string {
      return this.profile.isSandbox ? SANDBOX_URL : resolveTarget(this.profile, family).url;
    },
    /** Where changes of a family go, for plans, runs and the history. The sandbox has another port each time. */
    placeOf(family: Family): string {
      return this.profile.isSandbox ? 'sandbox' : this.baseUrl(family);
    },
  };
}

/** How results are printed, which a command may change before it prints. */
function openFormat({ stdout }: Context, state: CallState, first: OutputOptions) {
  let output = first;
  return {
    get output(): OutputOptions {
      return output;
    },
    /** Do people read the result, with remarks that programs do not need? */
    get isForPeople(): boolean {
      return output.format === 'table' && stdout.isTerminal;
    },
    /** Prints in another format from now on. */
    useFormat(format: Format, dialect?: OutputOptions['dialect']): void {
      output = { ...output, format, dialect };
      state.format = format;
    },
    /** Shows one-time secrets in tables and CSV from now on, as with --show-sensitive. */
    showSensitive(): void {
      output = { ...output, hideSensitive: [] };
    },
    /** Suggests no further commands with a result: they would repeat an open write. */
    nameNoCommands(): void {
      output = { ...output, command: undefined };
    },
  };
}

/** What a signal or a crash must know of a call. */
function openWatch({ signals }: Context, state: CallState) {
  return {
    /** Begins an action that a Ctrl-C ends alone: an earlier signal no longer holds its changes back. */
    forgiveSignals(): void {
      state.forgiven = signals.received.length;
    },
    /** Registers what removes a file or folder that a signal must not leave. Returns how to forget it. */
    dropAtSignal(drop: Drop): () => void {
      state.temporary.add(drop);
      return () => state.temporary.delete(drop);
    },
    /** Counts a change as in progress, and keeps whether its outcome is unknown: a crash reports both. */
    async underWay<Result>(write: Promise<Result>, isUnknown: (result: Result) => boolean): Promise<Result> {
      state.writesUnderWay += 1;
      try {
        const result = await write;
        state.isUnknown ||= isUnknown(result);
        return result;
      } catch (error) {
        state.isUnknown ||= error instanceof Failure && error.code === 'OUTCOME_UNKNOWN';
        throw error;
      } finally {
        state.writesUnderWay -= 1;
        if (state.writesUnderWay === 0) state.onQuiet?.();
      }
    },
  };
}

/** Writes results to stdout, or the file of a workbook, and messages to stderr. */
function openPrinter(context: Context, quiet: boolean | undefined, state: CallState, shared: Formatted & Watch) {
  const { stdout, stderr } = context;
  const printing = (): OutputOptions => ({ ...shared.output, refuse: report });
  /** The file of a workbook, instead of stdout. */
  const openOut = async () => {
    const { out: path } = shared.output;
    if (path === undefined) return undefined;
    const { openResultFile } = await import('./files/new-file.ts');
    return openResultFile(path, shared.dropAtSignal, () => notify(note('SAVED', `saved in ${path}`)));
  };
  const report = async (failure: Failure): Promise<void> => {
    state.clearDisplay?.();
    const said = state.maySend ? failure : failure.asSilent();
    await stderr.write(renderFailure(said, shared.output.format, context, state.mask));
  };
  /** Reports on stderr. A note is left out with --quiet. */
  const notify = async (notice: Notice): Promise<void> => {
    state.clearDisplay?.();
    if (notice.level === 'note' && quiet) return;
    await stderr.write(renderNotice(notice, shared.output.format, context, state.mask));
  };
  return {
    report,
    notify,
    async print(result: Result): Promise<void> {
      state.clearDisplay?.();
      const file = await openOut();
      const rendering = renderResult(result, printing(), file ?? stdout);
      await (file?.ending(rendering) ?? rendering);
    },
    /** A stream of rows to stdout. `around`: what else is on their terminal. */
    async openRows(columns: readonly Column[], expectedRows: number, around?: Surroundings): Promise<RowStream> {
      const file = await openOut();
      if (file !== undefined) {
        const rows = await openRowWriter(columns, printing(), file, expectedRows).catch(file.drop);
        return { ...rows, close: () => file.ending(rows.close()) };
      }
      const stream = around === undefined ? stdout : writingBeside(stdout, around);
      return openRowWriter(columns, printing(), stream, expectedRows);
    },
  };
}

/** The record of changes, by options and environment. LOCAL_IO if it has no place. */
async function openRecord(
  { keepsHistory, places: { stateDir } }: Pick<Facts, 'keepsHistory' | 'places'>,
  { env, clock, pid }: Context,
  user: string,
): Promise<WriteRecorder> {
  const { openRecorder, NO_RECORD } = await import('./history/record.ts');
  const auditPath = env['FRONTDESK_AUDIT_LOG'] ?? '';
  const audit = auditPath === '' ? undefined : (await import('./history/audit-log.ts')).openAuditLog(auditPath);
  const ports = { clock, pid, user, audit };
  if (!keepsHistory) return audit === undefined ? NO_RECORD : openRecorder({ ...ports, stateDir: undefined });
  if (stateDir !== undefined) return openRecorder({ ...ports, stateDir });
  throw Failure.unsent(
    'LOCAL_IO',
    'could not write the history: there is no home folder, and FRONTDESK_STATE_DIR is not set',
    { hints: [{ text: 'set FRONTDESK_STATE_DIR, or add --no-history to keep no record of this change' }] },
  );
}

export type Profiled = ReturnType<typeof openProfile>;
export type Formatted = ReturnType<typeof openFormat>;
type Watch = ReturnType<typeof openWatch>;
export type Printer = ReturnType<typeof openPrinter>;

/** What the sessions of a process share. */
type Shared = Facts & Profiled & Formatted & Watch;

/** What a call reaches the world through. The desk and the server of assistants give some of it themselves. */
export interface Ports extends Printer {
  readonly context: Context;
  readonly policy: CallPolicy;
  readonly prompt: PromptPort;
  /** What the http layer reports during waits and, with --verbose, exchanges. */
  readonly listener: CallListener;
  /** Who makes the call. At the desk each change asks, and the desk says how it ended. */
  readonly caller: 'command' | 'desk' | 'mcp';
  /** Who makes changes: the user of this machine, unless given. */
  recorder(user?: string): Promise<WriteRecorder>;
  /** Checks address and trust. The token is read at the first request. */
  service(family: Family): Promise<Service>;
}

/** How a running command reaches the world. */
export type Session = Shared & Ports;

/** A session of these ports. Nothing that is shared uses them. */
export function createSession(shared: Shared, ports: Ports): Session {
  return Object.assign(Object.create(shared), ports);
}

/** One object with the members of both. A getter stays one. */
function join<One extends object, Other extends object>(one: One, other: Other): One & Other {
  // It was given the members of the other.
  return Object.defineProperties(one, Object.getOwnPropertyDescriptors(other)) as One & Other;
}

/** What the sessions of a process share, and how they print and record. */
export function openShared(
  context: Context,
  state: CallState,
  facts: Facts,
  first: Chosen & { readonly output: OutputOptions },
) {
  const changing = join(openFormat(context, state, first.output), openWatch(context, state));
  const printer = openPrinter(context, facts.common.quiet, state, changing);
  const lock = lockPorts({ context, notify: printer.notify });
  const shared: Shared = join(changing, join(openProfile(facts, context, lock, first), facts));
  return { shared, ...printer, recorder: (user = context.user) => openRecord(facts, context, user) };
}
