import type { Context, HeardAtQuestions, PromptPort } from '../base/context.ts';
import { Failure, type Notice, note } from '../base/failure.ts';
import type { LockPorts } from '../base/files/lock.ts';
import { lockPorts } from '../base/files/lock-ports.ts';
import { type Places, requirePlace } from '../base/files/paths.ts';
import type { CommonOptions } from '../input/options/common.ts';
import type { CredentialPlace } from '../profile/credentials/store.ts';
import {
  isImplied,
  placeOfUrl,
  type ResolvedPreferences,
  type ResolvedProfile,
  resolveProfile,
  resolveTarget,
} from '../profile/resolve.ts';
import { SANDBOX_URL, type Settings } from '../profile/settings.ts';
import type { WriteRecorder } from '../records/record.ts';
import type { Column } from '../screen/column.ts';
import { renderFailure, renderNotice } from '../screen/failure-text.ts';
import type { Format, OutputOptions, Result, RowStream, Surroundings } from '../screen/options.ts';
import { openRowWriter, renderResult, writingBeside } from '../screen/render.ts';
import type { Family, Operation } from '../service/api/operation.ts';
import type { CallInput, CallListener, CallOptions, CallPolicy, CallResult, HttpClient } from '../service/http/call.ts';
import { type CallState, type Drop, stoppedWrites } from './call-state.ts';

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
  promptUntil(how?: HeardAtQuestions & { readonly idleMs?: number }): PromptPort;
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
  const current = (): ResolvedProfile => {
    profile ??= choose(settings);
    return profile;
  };
  const configDir = (): string => requirePlace(places, 'configDir');
  const credentialPlace = (): CredentialPlace => ({ configDir: configDir(), platform, ...lock });
  const baseUrl = (family: Family): string =>
    current().isSandbox ? SANDBOX_URL : resolveTarget(current(), family).url;
  return {
    /** Chosen at its first use. USAGE if there is none. */
    selectedProfile: current,
    settings: () => settings,
    async changeSettings(change: (settings: Settings) => Settings): Promise<Settings> {
      settings = await (await import('../profile/write.ts')).changeSettings(credentialPlace(), change);
      profile = undefined;
      return settings;
    },
    /** Takes over the profile of a resumed run. USAGE for another profile. */
    adoptProfile(name: string): void {
      const input = common.profile;
      if (input !== undefined && input !== name) {
        throw Failure.unsent('USAGE', `the run belongs to profile ${name}, not ${input}`);
      }
      const flagProfile = input === undefined && isImplied(name, settings, env) ? undefined : name;
      profile = resolveProfile({ flagProfile, env, settings });
    },
    /**
     * Takes over what the profile allows now: a process that lasts must hear that it was made read-only, or removed
     * (USAGE). Its base URLs stay those of the beginning.
     */
    async renewProfile(): Promise<void> {
      const { name, stored } = current();
      settings = await (await import('../profile/read.ts')).readSettings(places.configDir);
      // The environment's profile has no settings, unless somebody stores some.
      if (!stored && !settings.profiles.has(name)) return;
      const now = resolveProfile({ flagProfile: name, env, settings });
      const { readOnly, requireReason, requireReasonHint, maxRows, cardsUrl, calendarUrl } = now;
      const before = [current().cardsUrl?.url, current().calendarUrl?.url];
      if (stored && (cardsUrl?.url !== before[0] || calendarUrl?.url !== before[1])) {
        const hints = ['start frontdesk again'];
        throw Failure.unsent('USAGE', `profile ${name} has another base URL now`, { hints });
      }
      profile = { ...current(), stored: true, readOnly, requireReason, requireReasonHint, maxRows };
    },
    /** Folder of settings and credentials. USAGE if it is not known. */
    configDir,
    /** Folder of history, runs and the sandbox's state. USAGE if it is not known. */
    stateDir: (): string => requirePlace(places, 'stateDir'),
    credentialPlace,
    /** Base URL of the profile without opening anything, for `--dry-run`. */
    baseUrl,
    /** Where changes of a family go, for plans, runs and the history. The sandbox has another port each time. */
    placeOf: (family: Family): string => (current().isSandbox ? 'sandbox' : placeOfUrl(baseUrl(family))),
  };
}

/** How results are printed, which a command may change before it prints. */
function openFormat({ stdout }: Context, state: CallState, first: OutputOptions) {
  const output: { -readonly [Name in keyof OutputOptions]: OutputOptions[Name] } = { ...first };
  const isForPeople = (): boolean => output.format === 'table' && stdout.isTerminal;
  return {
    output: output as OutputOptions,
    /** Is a part of what was asked for missing in what was printed? */
    isPartial: () => state.isPartial,
    /** Do people read the result, with remarks that programs do not need? */
    isForPeople,
    /** Do they read it as frontdesk lays it out, without columns or a query of their own? */
    isPage: () => isForPeople() && output.columns === undefined && output.query === undefined,
    /** Prints in another format from now on. */
    useFormat(format: Format, dialect?: OutputOptions['dialect']): void {
      output.format = format;
      output.dialect = dialect;
      state.format = format;
    },
    /** Shows one-time secrets in tables and CSV from now on, as with --show-sensitive. */
    showSensitive(): void {
      output.hideSensitive = [];
    },
    /** Suggests no further commands with a result: they would repeat an open write. */
    nameNoCommands(): void {
      output.suggestions = undefined;
    },
  };
}

/** What a signal or a crash must know of a call. */
function openWatch(context: Context, state: CallState) {
  const { signals } = context;
  return {
    /** Begins an action that a Ctrl-C ends alone: an earlier signal no longer holds its changes back. */
    forgiveSignals(): void {
      const lasting = signals.received.filter((name) => name !== 'SIGINT');
      signals.received.splice(0, Number.POSITIVE_INFINITY, ...lasting);
    },
    /** Registers what removes a file or folder that a signal must not leave. Returns how to forget it. */
    dropAtSignal(drop: Drop): () => void {
      state.temporary.add(drop);
      return () => state.temporary.delete(drop);
    },
    /** The signal after which no change may leave, and no row may begin. A crash stops them like Ctrl-C. */
    stoppedBy: () => stoppedWrites(context, state),
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
function openPrinter(
  context: Context,
  { common: { quiet } }: Facts,
  state: CallState,
  { output, dropAtSignal }: Formatted & Watch,
) {
  const { stdout, stderr } = context;
  const warn = async (notice: Notice, isPartial: boolean): Promise<void> => {
    state.isPartial ||= isPartial;
    await notify(notice);
  };
  const printing = (): OutputOptions => ({ ...output, refuse: report, warn });
  /** The file of a workbook, instead of stdout. */
  const openOut = async () => {
    const { out: path } = output;
    if (path === undefined) return undefined;
    const { openResultFile } = await import('../base/files/new-file.ts');
    return openResultFile(path, dropAtSignal, () => notify(note('SAVED', `saved in ${path}`)));
  };
  const report = async (failure: Failure): Promise<void> => {
    state.clearDisplay?.();
    const shown = state.maySend ? failure : failure.ofRead();
    await stderr.write(renderFailure(shown, output.format, context, state.mask));
  };
  /** Reports on stderr. A note is left out with --quiet. */
  const notify = async (notice: Notice): Promise<void> => {
    state.clearDisplay?.();
    if (notice.level === 'note' && quiet) return;
    await stderr.write(renderNotice(notice, output.format, context, state.mask));
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
  mask: OutputOptions['mask'],
): Promise<WriteRecorder> {
  const { openRecorder, NO_RECORD } = await import('../records/record.ts');
  const auditPath = env['FRONTDESK_AUDIT_LOG'] ?? '';
  const audit = auditPath === '' ? undefined : (await import('../records/audit-log.ts')).openAuditLog(auditPath);
  const ports = { clock, pid, user, audit, mask };
  if (!keepsHistory) return audit === undefined ? NO_RECORD : openRecorder({ ...ports, stateDir: undefined });
  if (stateDir !== undefined) return openRecorder({ ...ports, stateDir });
  throw Failure.unsent(
    'USAGE',
    'could not write the history: there is no home folder, and FRONTDESK_STATE_DIR is not set',
    { hints: ['set FRONTDESK_STATE_DIR, or add --no-history to keep no record of this change'] },
  );
}

export type Profiled = ReturnType<typeof openProfile>;
export type Formatted = ReturnType<typeof openFormat>;
type Watch = ReturnType<typeof openWatch>;
export type Printer = ReturnType<typeof openPrinter>;

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
  /** What is heard of the user during a call; absent: signals only. */
  during?(
    input: CallInput,
    options: CallOptions,
    call: (options: CallOptions) => Promise<CallResult>,
  ): Promise<CallResult>;
}

/** How a running command reaches the world. What is made of one, `{ ...session, prompt }`, has its profile and output. */
export type Session = Facts & Profiled & Formatted & Watch & Ports;

export function createSession(
  context: Context,
  state: CallState,
  facts: Facts,
  first: Chosen & { readonly output: OutputOptions },
  ports: Pick<Ports, 'policy' | 'prompt' | 'listener' | 'caller' | 'service'>,
): Session {
  const changing = { ...openFormat(context, state, first.output), ...openWatch(context, state) };
  const printer = openPrinter(context, facts, state, changing);
  return {
    context,
    ...facts,
    ...changing,
    ...openProfile(facts, context, lockPorts({ context, notify: printer.notify }), first),
    ...printer,
    recorder: (user = context.user) => openRecord(facts, context, user, first.output.mask),
    ...ports,
  };
}
