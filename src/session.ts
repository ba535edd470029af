import type { Family, Operation } from './api/operation.ts';
import { type Context, isSwitchedOn, type PromptPort, type SignalName } from './context.ts';
import type { CredentialPlace } from './credentials/store.ts';
import { Failure, type Notice, note } from './failure.ts';
import { lockPorts } from './files/lock-ports.ts';
import type { ResultFile } from './files/new-file.ts';
import { type Places, requirePlace } from './files/paths.ts';
import type { WriteRecorder } from './history/record.ts';
import type { CallListener, CallPolicy, HttpClient } from './http/call.ts';
import type { CommonOptions } from './options/common.ts';
import type { Column } from './output/column.ts';
import { renderFailure, renderNotice } from './output/failure-text.ts';
import {
  asFormat,
  type Format,
  type OutputOptions,
  type Result,
  type RowStream,
  type Surroundings,
} from './output/options.ts';
import { openRowWriter, renderResult, writingBeside } from './output/render.ts';
import { type ResolvedPreferences, type ResolvedProfile, resolveProfile, resolveTarget } from './settings/resolve.ts';
import { SANDBOX_URL, type Settings } from './settings/settings.ts';

/** One family of the service as the chosen profile reaches it. */
export interface Service {
  readonly client: HttpClient;
  /** Origin and path prefix. */
  readonly url: string;
  /** scheme://host[:port], as credentials and runs are bound to it. */
  readonly origin: string;
  /** host[:port], for questions, history and messages. */
  readonly host: string;
  /** Remaining life of the token in milliseconds, by its own word; undefined: not known. */
  remainingMs(): Promise<number | undefined>;
  /** Calls are made with this token from now on. */
  useToken(token: string): void;
  /** Rejects with AUTH where a call would, before anything is sent: there is no credential, or it has ended. */
  checkCredential(): Promise<void>;
}

/** What is known of the call so far, for the report of a failure at any moment. */
export interface CallState {
  format: Format;
  operation: string | undefined;
  /** The command line is of a write. */
  writes: boolean;
  /** It is of one, or of a command that may send some: only then it is said what was not sent. */
  maySend: boolean;
  /** Takes frontdesk's own tokens out of a text; the second net under everything that is reported. */
  mask?: (text: string) => string;
  /** Writes whose request may have left and whose outcome is not known yet. */
  writesUnderWay: number;
  /** How many signals ended an action at hand alone, as Ctrl-C does at the desk. */
  forgiven: number;
  readonly done: string[];
  /** An error that nothing caught is being reported. */
  isCrashing: boolean;
  /** Takes away what is drawn on the terminal, before a report that could not be foreseen. */
  clearDisplay?: () => void;
  /** Files and folders with customers' data that must not outlive a call that a signal ends. */
  readonly temporary: Set<string>;
}

/**
 * The signal since which no write may leave, looked at where the first byte would go: what a handler says to be not sent
 * never leaves afterwards, however long its report takes. A crash stops writes as Ctrl-C does.
 */
export function stoppedWrites(
  { signals: { received } }: Pick<Context, 'signals'>,
  { forgiven, isCrashing }: Pick<CallState, 'forgiven' | 'isCrashing'>,
): SignalName | undefined {
  return received[forgiven] ?? received.find((name) => name !== 'SIGINT') ?? (isCrashing ? 'SIGINT' : undefined);
}

/** The services of a call, each opened when it is first asked for. */
interface Services {
  open(family: Family, session: Session): Promise<Service>;
  permit(operation: Operation): void;
  close(): Promise<void>;
}

interface Changing {
  settings: Settings;
  /** Chosen when it is first asked for. */
  profile: ResolvedProfile | undefined;
  output: OutputOptions;
}

export interface SessionParts {
  readonly own: Own & Partial<Replaceable>;
  readonly state: CallState;
  readonly changing: Changing;
  readonly display: { clear(): void };
  readonly services: Services;
  chooseProfile(settings: Settings): ResolvedProfile;
  /** Questions to the person at the terminal, left unanswered when no key was pressed for `idleMs`. */
  promptUntil(idleMs?: number, onLostPaste?: () => void): PromptPort;
}

type Basics = 'context' | 'operation' | 'policy' | 'preferences' | 'prompt' | 'listener' | 'done';
type Own = Pick<Session, Basics | 'common' | 'places' | 'faults' | 'canAsk'>;

/** What a derived session may have of its own. */
type Hooks = 'via' | 'isAtDesk' | 'service' | 'print' | 'openRows' | 'notify' | 'recorder';
type Replaceable = Pick<Session, Basics | Hooks>;

/** What a running command reaches the world through. Everything is made at first use. */
export class Session {
  readonly #parts: SessionParts;
  /** The session that this one was derived from, at the end of the line: services are opened for it. */
  readonly #root: Session;
  declare readonly context: Context;
  /** Dotted command path for errors and history: `card.block`. */
  declare readonly operation: string;
  declare readonly common: CommonOptions;
  declare readonly policy: CallPolicy;
  declare readonly preferences: ResolvedPreferences;
  declare readonly places: Places;
  /** What is wrong with the common options: nothing may be sent, and the call's own faults are reported with it. */
  declare readonly faults: readonly Failure[];
  /** Whether a person could be asked if the call had no faults. */
  declare readonly canAsk: boolean;
  /** Steps on this machine that are done (`the credential is stored`): what fails after them says so. */
  declare readonly done: string[];
  declare readonly prompt: PromptPort;
  /** What the http layer reports while it waits and, with --verbose, exchanges. */
  declare readonly listener: CallListener;
  /** What carries a person's writes here, recorded beside the user: `mcp`. */
  declare readonly via: string | undefined;
  /** The call is made at the desk: each write asks, and the desk says how it ended. */
  readonly isAtDesk: boolean = false;

  constructor(parts: SessionParts, root?: Session) {
    this.#parts = parts;
    this.#root = root ?? this;
    Object.assign(this, parts.own);
  }

  /** Returns a session that differs in these members and shares everything else, changes while it runs included. */
  with(replaced: Partial<Replaceable>): Session {
    return new Session({ ...this.#parts, own: { ...this.#parts.own, ...replaced } }, this.#root);
  }

  get output(): OutputOptions {
    return this.#parts.changing.output;
  }

  /** The profile of this call; throws USAGE when there is none that can be meant. */
  get profile(): ResolvedProfile {
    const { changing } = this.#parts;
    changing.profile ??= this.#parts.chooseProfile(changing.settings);
    return changing.profile;
  }

  /** Folder of settings and credentials; USAGE when nothing says where it is. */
  configDir(): string {
    return requirePlace(this.places, 'configDir');
  }

  /** Folder of history, runs and the sandbox's state; USAGE when nothing says where it is. */
  stateDir(): string {
    return requirePlace(this.places, 'stateDir');
  }

  settings(): Settings {
    return this.#parts.changing.settings;
  }

  async changeSettings(change: (settings: Settings) => Settings): Promise<Settings> {
    const settings = await (await import('./settings/write.ts')).changeSettings(this.credentialPlace(), change);
    Object.assign(this.#parts.changing, { settings, profile: undefined });
    return settings;
  }

  credentialPlace(): CredentialPlace {
    return { configDir: this.configDir(), platform: this.context.platform, ...lockPorts(this) };
  }

  /** Base URL as the profile has it, without opening anything: for `--dry-run`. */
  baseUrl(family: Family): string {
    return this.profile.isSandbox ? SANDBOX_URL : resolveTarget(this.profile, family).url;
  }

  /** Where writes of a family go, as plans, runs and the history keep it: the sandbox has another port each time. */
  placeOf(family: Family): string {
    return this.profile.isSandbox ? 'sandbox' : this.baseUrl(family);
  }

  /** Checks address and trust; the token is read when the first request is made. */
  service(family: Family): Promise<Service> {
    return this.#parts.services.open(family, this.#root);
  }

  /** Lets the services of this call send writes of an operation: `guardWrite` alone says so. */
  permitWrites(operation: Operation): void {
    this.#parts.services.permit(operation);
  }

  /** Whether writes are recorded: neither `--no-history` nor FRONTDESK_NO_HISTORY says otherwise. */
  get keepsHistory(): boolean {
    return this.common.noHistory !== true && isSwitchedOn(this.context.env, 'FRONTDESK_NO_HISTORY') !== true;
  }

  /** The record of writes, as flags and environment want it. LOCAL_IO when there is no place for it. */
  async recorder(): Promise<WriteRecorder> {
    const { env, clock, pid, user } = this.context;
    const { openRecorder, NO_RECORD } = await import('./history/record.ts');
    const auditPath = env['FRONTDESK_AUDIT_LOG'] ?? '';
    const audit = auditPath === '' ? undefined : (await import('./history/audit-log.ts')).openAuditLog(auditPath);
    const ports = { clock, pid, user: this.via === undefined ? user : `${user} via ${this.via}`, audit };
    if (!this.keepsHistory) return audit === undefined ? NO_RECORD : openRecorder({ ...ports, stateDir: undefined });
    const { stateDir } = this.places;
    if (stateDir !== undefined) return openRecorder({ ...ports, stateDir });
    throw Failure.unsent(
      'LOCAL_IO',
      'could not write the history: there is no home folder, and FRONTDESK_STATE_DIR is not set',
      { hints: [{ text: 'set FRONTDESK_STATE_DIR, or add --no-history to keep no record of this change' }] },
    );
  }

  /** Takes over the profile of a run that goes on, and its output format unless one was given. USAGE for another profile. */
  adoptRun(run: { readonly profile: string; readonly output: unknown }): void {
    const given = this.common.profile;
    if (given !== undefined && given !== run.profile) {
      throw Failure.unsent('USAGE', `the run belongs to profile ${run.profile}, not ${given}`);
    }
    const { changing } = this.#parts;
    // The profile that the environment makes up has no stored settings to name.
    const flagProfile =
      run.profile !== 'default' || changing.settings.profiles.has('default') ? run.profile : undefined;
    changing.profile = resolveProfile({ flagProfile, env: this.context.env, settings: changing.settings });
    const { value, source } = this.preferences.output;
    if (source !== 'flag') this.useFormat(asFormat(run.output) ?? value);
  }

  /** Begins an action that a Ctrl-C ends alone: one of before keeps its writes back no more. */
  forgiveSignals(): void {
    this.#parts.state.forgiven = this.context.signals.received.length;
  }

  /** Names a file or folder that a signal must not leave behind. Returns what forgets it: it is gone, or kept. */
  dropAtSignal(path: string): () => void {
    this.#parts.state.temporary.add(path);
    return () => this.#parts.state.temporary.delete(path);
  }

  /** Prints in another format than the one that was resolved. */
  useFormat(format: Format, dialect?: OutputOptions['dialect']): void {
    const { changing, state } = this.#parts;
    changing.output = { ...changing.output, format, dialect };
    state.format = format;
  }

  /** Shows one-time secrets in tables and csv from now on, as with --show-sensitive. */
  showSensitive(): void {
    const { changing } = this.#parts;
    changing.output = { ...changing.output, hideSensitive: [] };
  }

  /** Names no further commands with a result from now on: the write that they would repeat is open. */
  nameNoCommands(): void {
    const { changing } = this.#parts;
    changing.output = { ...changing.output, command: undefined };
  }

  /** Whether a person reads the result, and is told what a program would have to be spared. */
  get isForPeople(): boolean {
    return this.output.format === 'table' && this.context.stdout.isTerminal;
  }

  async print(result: Result): Promise<void> {
    this.#parts.display.clear();
    const said = result.kind === 'list' && result.rows.length === 0 && this.isForPeople ? result.whenEmpty : undefined;
    const shown: Result = said === undefined ? result : { kind: 'text', text: said, json: [] };
    const file = await this.#openOut();
    const rendering = renderResult(shown, this.#printing, file ?? this.context.stdout);
    await (file?.ending(rendering) ?? rendering);
  }

  /** Returns a stream of rows to stdout. `around`: what else stands on the terminal that they go to. */
  async openRows(columns: readonly Column[], expectedRows: number, around?: Surroundings): Promise<RowStream> {
    const { stdout } = this.context;
    const file = await this.#openOut();
    if (file !== undefined) {
      const rows = await openRowWriter(columns, this.#printing, file, expectedRows).catch(file.drop);
      return { ...rows, close: () => file.ending(rows.close()) };
    }
    const stream = around === undefined ? stdout : writingBeside(stdout, around);
    return openRowWriter(columns, this.#printing, stream, expectedRows);
  }

  get #printing(): OutputOptions {
    return { ...this.output, refuse: (failure) => this.report(failure) };
  }

  /** The file of a workbook, in the place of stdout. */
  async #openOut(): Promise<ResultFile | undefined> {
    const { out: path } = this.output;
    if (path === undefined) return undefined;
    const { openResultFile } = await import('./files/new-file.ts');
    return openResultFile(path, this.dropAtSignal(path), () => this.notify(note('SAVED', `saved in ${path}`)));
  }

  async report(failure: Failure): Promise<void> {
    this.#parts.display.clear();
    const said = this.#parts.state.maySend ? failure : failure.asSilent();
    await this.context.stderr.write(renderFailure(said, this.output.format, this.context, this.output.mask));
  }

  /** Reports on stderr; a note is left out with --quiet. */
  async notify(notice: Notice): Promise<void> {
    this.#parts.display.clear();
    if (notice.level === 'note' && this.common.quiet) return;
    const { format, mask } = this.output;
    await this.context.stderr.write(renderNotice(notice, format, this.context, mask));
  }

  /** Returns the questions of this session, left without an answer when no key was pressed for `idleMs`. */
  promptUntil(idleMs: number, onLostPaste: () => void): PromptPort {
    return this.#parts.promptUntil(idleMs, onLostPaste);
  }

  async close(): Promise<void> {
    this.#parts.display.clear();
    await this.#parts.services.close();
  }
}
