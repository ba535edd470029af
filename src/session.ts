import type { Family, Operation } from './api/operation.ts';
import type { Context, PromptPort } from './context.ts';
import type { CredentialPlace } from './credentials/store.ts';
import type { Failure, Notice } from './failure.ts';
import type { Places } from './files/paths.ts';
import type { WriteRecorder } from './history/record.ts';
import type { CallListener, CallPolicy, HttpClient } from './http/call.ts';
import type { Column } from './output/column.ts';
import type { Format, OutputOptions, Result, RowStream, Surroundings } from './output/options.ts';
import type { ResolvedProfile } from './settings/resolve.ts';
import type { ResolvedPreferences } from './settings/resolve-preferences.ts';
import type { Settings } from './settings/settings.ts';

/** The common switches of one call. */
export interface CommonInput {
  /** Of `--profile`. */
  readonly profile: string | undefined;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  /** False with `--no-history` or FRONTDESK_NO_HISTORY=1. */
  readonly history: boolean;
  readonly ignoreExpiry: boolean;
  /** File of certificates to trust besides the built-in ones, and what named it. */
  readonly caFile: { readonly path: string; readonly where: string } | undefined;
}

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
}

/**
 * What a running command reaches the world through. Everything is made at first use: a command pays
 * only for what it asks for.
 */
export interface Session {
  readonly context: Context;
  /** Dotted command path for errors and history: `card.block`. */
  readonly operation: string;
  readonly common: CommonInput;
  readonly output: OutputOptions;
  readonly policy: CallPolicy;
  readonly preferences: ResolvedPreferences;
  /** The profile of this call; throws USAGE when there is none that can be meant. */
  readonly profile: ResolvedProfile;
  readonly prompt: PromptPort;
  /** The call is one of many of a sitting at the desk: each write asks, and what became of it is said there. */
  readonly isSitting?: boolean;
  /** What the http layer reports while it waits and, with --verbose, exchanges. */
  readonly listener: CallListener;
  readonly places: Places;
  /** Folder of settings and credentials; USAGE when nothing says where it is. */
  configDir(): string;
  /** Folder of history, runs and the sandbox's state; USAGE when nothing says where it is. */
  stateDir(): string;
  settings(): Promise<Settings>;
  changeSettings(change: (settings: Settings) => Settings): Promise<Settings>;
  credentialPlace(): CredentialPlace;
  /** Base URL as the profile has it, without opening anything: for `--dry-run`. */
  baseUrl(family: Family): string;
  /** Checks address and trust; the token is read when the first request is made. */
  service(family: Family): Promise<Service>;
  /** `via`: what carries a person's write here, recorded beside the user: `mcp`. */
  recorder(via?: string): Promise<WriteRecorder>;
  /** Lets the services of this session send writes of an operation: `guardWrite` alone says so. */
  permitWrites(operation: Operation): void;
  /** Takes over the profile of a run that goes on, and its output format unless one was given. */
  adoptRun(run: { readonly profile: string; readonly output: unknown }): void;
  /** Names a temporary file or folder that a signal must not leave behind; undefined: it is gone, or kept. */
  dropAtSignal(path: string | undefined): void;
  /** Prints in another format than the one that was resolved. */
  useFormat(format: Format, dialect?: OutputOptions['dialect']): void;
  /** Shows one-time secrets in tables and csv from now on, as with --show-sensitive. */
  showSensitive(): void;
  print(result: Result): Promise<void>;
  /** `around`: what else stands on the terminal that the rows go to. */
  openRows(columns: readonly Column[], expectedRows: number, around?: Surroundings): Promise<RowStream>;
  /** Reports on stderr what went wrong, and goes on. */
  report(failure: Failure): Promise<void>;
  /** Reported on stderr; a note is left out with --quiet. */
  notify(notice: Notice): Promise<void>;
}
