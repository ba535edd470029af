import type { Family, Operation } from './api/operation.ts';
import type { CallState, Drop } from './call-state.ts';
import { type Context, isSwitchedOn, type PromptPort } from './context.ts';
import type { CredentialPlace } from './credentials/store.ts';
import { Failure, type Notice, note } from './failure.ts';
import { lockPorts } from './files/lock-ports.ts';
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

/** The services of a call, each opened at its first use. */
interface Services {
  open(family: Family, session: Session): Promise<Service>;
  permit(operation: Operation): void;
  close(): Promise<void>;
}

interface Changing {
  settings: Settings;
  /** Chosen at its first use. */
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
  /** Questions to the user, abandoned after `idleMs` without a key. */
  promptUntil(idleMs?: number, onLostPaste?: () => void): PromptPort;
}

type Basics = 'context' | 'operation' | 'policy' | 'preferences' | 'prompt' | 'listener' | 'done';
type Own = Pick<Session, Basics | 'common' | 'places' | 'faults' | 'canAsk'>;

/** What a derived session may override. */
type Hooks = 'via' | 'isAtDesk' | 'service' | 'print' | 'openRows' | 'notify' | 'recorder';
type Replaceable = Pick<Session, Basics | Hooks>;

/** How a running command reaches the world. Everything is made at its first use. */
export class Session {
  readonly #parts: SessionParts;
  /** The session at the root, for which services are opened. */
  readonly #root: Session;
  declare readonly context: Context;
  /** Dotted path for errors and history: `card.block`. */
  declare readonly operation: string;
  declare readonly common: CommonOptions;
  declare readonly policy: CallPolicy;
  declare readonly preferences: ResolvedPreferences;
  declare readonly places: Places;
  /** Faults of the common options: nothing may be sent, and they are reported with the call's own faults. */
  declare readonly faults: readonly Failure[];
  /** Could the user be asked, if the call had no faults? */
  declare readonly canAsk: boolean;
  /** Steps on this machine that are done (`the credential is stored`). Later failures name them. */
  declare readonly done: string[];
  declare readonly prompt: PromptPort;
  /** What the http layer reports during waits and, with --verbose, exchanges. */
  declare readonly listener: CallListener;
  /** Who passes the user's changes on, recorded beside the user: `mcp`. */
  declare readonly via: string | undefined;
  /** The call is made at the desk: each change asks, and the desk says how it ended. */
  readonly isAtDesk: boolean = false;

  constructor(parts: SessionParts, root?: Session) {
    this.#parts = parts;
    this.#root = root ?? this;
    Object.assign(this, parts.own);
  }

  /** A session that differs in these members and shares everything else, later changes included. */
  with(replaced: Partial<Replaceable>): Session {
    return new Session({ ...this.#parts, own: { ...this.#parts.own, ...replaced } }, this.#root);
  }

  get output(): OutputOptions {
    return this.#parts.changing.output;
  }

  /** The profile of this call. USAGE if there is none. */
  get profile(): ResolvedProfile {
    const { changing } = this.#parts;
    changing.profile ??= this.#parts.chooseProfile(changing.settings);
    return changing.profile;
  }

  /** Folder of settings and credentials. USAGE if it is not known. */
  configDir(): string {
    return requirePlace(this.places, 'configDir');
  }

  /** Folder of history, runs and the sandbox's state. USAGE if it is not known. */
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

  /** Base URL of the profile without opening anything, for `--dry-run`. */
  baseUrl(family: Family): string {
    return this.profile.isSandbox ? SANDBOX_URL : resolveTarget(this.profile, family).url;
  }

  /** Where changes of a family go, for plans, runs and the history. The sandbox has another port each time. */
  placeOf(family: Family): string {
    return this.profile.isSandbox ? 'sandbox' : this.baseUrl(family);
  }

  /** Checks address and trust. The token is read at the first request. */
  service(family: Family): Promise<Service> {
    return this.#parts.services.open(family, this.#root);
  }

  /** Lets the services of this call send changes of an operation. Only `guardWrite` calls it. */
  permitWrites(operation: Operation): void {
    this.#parts.services.permit(operation);
  }

  /** Are changes recorded? Not with `--no-history` or FRONTDESK_NO_HISTORY. */
  get keepsHistory(): boolean {
    return this.common.noHistory !== true && isSwitchedOn(this.context.env, 'FRONTDESK_NO_HISTORY') !== true;
  }

  /** The record of changes, by options and environment. LOCAL_IO if it has no place. */
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

  /** Takes over the profile of a resumed run, and its output format unless one was given. USAGE for another profile. */
  adoptRun(run: { readonly profile: string; readonly output: unknown }): void {
    const given = this.common.profile;
    if (given !== undefined && given !== run.profile) {
      throw Failure.unsent('USAGE', `the run belongs to profile ${run.profile}, not ${given}`);
    }
    const { changing } = this.#parts;
    // The environment's profile has no stored settings to name.
    const flagProfile =
      run.profile !== 'default' || changing.settings.profiles.has('default') ? run.profile : undefined;
    changing.profile = resolveProfile({ flagProfile, env: this.context.env, settings: changing.settings });
    const { value, source } = this.preferences.output;
    if (source !== 'flag') this.useFormat(asFormat(run.output) ?? value);
  }

  /** Begins an action that a Ctrl-C ends alone: an earlier signal no longer holds its changes back. */
  forgiveSignals(): void {
    this.#parts.state.forgiven = this.context.signals.received.length;
  }

  /** Registers what removes a file or folder that a signal must not leave. Returns how to forget it. */
  dropAtSignal(drop: Drop): () => void {
    this.#parts.state.temporary.add(drop);
    return () => this.#parts.state.temporary.delete(drop);
  }

  /** Counts a change as in progress, and keeps whether its outcome is unknown: a crash reports both. */
  async underWay<Result>(write: Promise<Result>, isUnknown: (result: Result) => boolean): Promise<Result> {
    const { state } = this.#parts;
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
  }

  /** Prints in another format from now on. */
  useFormat(format: Format, dialect?: OutputOptions['dialect']): void {
    const { changing, state } = this.#parts;
    changing.output = { ...changing.output, format, dialect };
    state.format = format;
  }

  /** Shows one-time secrets in tables and CSV from now on, as with --show-sensitive. */
  showSensitive(): void {
    const { changing } = this.#parts;
    changing.output = { ...changing.output, hideSensitive: [] };
  }

  /** Suggests no further commands with a result: they would repeat an open write. */
  nameNoCommands(): void {
    const { changing } = this.#parts;
    changing.output = { ...changing.output, command: undefined };
  }

  /** Do people read the result, with remarks that programs do not need? */
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

  /** A stream of rows to stdout. `around`: what else is on their terminal. */
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

  /** The file of a workbook, instead of stdout. */
  async #openOut() {
    const { out: path } = this.output;
    if (path === undefined) return undefined;
    const { openResultFile } = await import('./files/new-file.ts');
    const onSaved = () => this.notify(note('SAVED', `saved in ${path}`));
    return openResultFile(path, (drop) => this.dropAtSignal(drop), onSaved);
  }

  async report(failure: Failure): Promise<void> {
    this.#parts.display.clear();
    const said = this.#parts.state.maySend ? failure : failure.asSilent();
    await this.context.stderr.write(renderFailure(said, this.output.format, this.context, this.output.mask));
  }

  /** Reports on stderr. A note is left out with --quiet. */
  async notify(notice: Notice): Promise<void> {
    this.#parts.display.clear();
    if (notice.level === 'note' && this.common.quiet) return;
    const { format, mask } = this.output;
    await this.context.stderr.write(renderNotice(notice, format, this.context, mask));
  }

  /** The questions of this session, abandoned after `idleMs` without a key. */
  promptUntil(idleMs: number, onLostPaste: () => void): PromptPort {
    return this.#parts.promptUntil(idleMs, onLostPaste);
  }

  /** Ends the call: a file that it began and did not keep goes, whatever failed. */
  async close(): Promise<void> {
    this.#parts.display.clear();
    for (const drop of this.#parts.state.temporary) await drop().catch(() => undefined);
    await this.#parts.services.close();
  }
}
