import { type After, type Also, messageOf, statementOf } from './failure-message.ts';
import type { JsonValue } from './json/value.ts';
import type { Hint } from './next-step.ts';

export type { After } from './failure-message.ts';
export type { Hint } from './next-step.ts';

/** How a change can end. */
export const OUTCOMES = ['applied', 'confirmed_by_read', 'skipped', 'rejected', 'not_sent', 'unknown'] as const;

export type Outcome = (typeof OUTCOMES)[number];

interface FailureRow {
  readonly exitCode: number;
  /** What the code means, for the help topic `exit-codes` and its reference page. */
  readonly meaning: string;
  /** May the same call be repeated as it is? */
  readonly repeat: string;
}

/** THE table of failures, of which help, pages and `schema` are made. Codes are never reused; 9, 12 to 14 are Node's. */
export const FAILURES = {
  INTERNAL: { exitCode: 1, meaning: 'a bug in frontdesk', repeat: '' },
  USAGE: {
    exitCode: 2,
    meaning:
      'invalid option, argument, input file, configuration or environment, a token that is not visible ASCII, or no terminal to confirm on; nothing was sent',
    repeat: 'after fixing it',
  },
  NOT_FOUND: { exitCode: 3, meaning: 'the service returned 404', repeat: '' },
  AUTH: { exitCode: 4, meaning: 'no credential, an expired one, an unsafe file, or 401', repeat: 'after logging in' },
  FORBIDDEN: { exitCode: 5, meaning: '403, or not allowed here: read-only, maxRows', repeat: '' },
  REJECTED: {
    exitCode: 6,
    meaning: 'any other 4xx; a redirect of a read (never followed); 307 or 308 to a change',
    repeat: '',
  },
  UNREACHABLE: {
    exitCode: 7,
    meaning: 'nothing was sent, proven: DNS, refused, TLS, proxy, connect timeout',
    repeat: 'yes',
  },
  OUTCOME_UNKNOWN: {
    exitCode: 8,
    meaning:
      'outcome unknown: a change was sent, and no readable response says whether it was applied (any 5xx, a 2xx that cannot be read, a 408, a redirect except 307 and 308), and no card check showed it',
    repeat: 'no, check first',
  },
  BAD_REPLY: {
    exitCode: 10,
    meaning: 'a read failed: 5xx, no response after it was sent, or one that cannot be read',
    repeat: 'yes',
  },
  BUSY: { exitCode: 11, meaning: "429, or a read's 408, retries used up", repeat: 'yes, later' },
  PARTIAL: {
    exitCode: 15,
    meaning: 'part of what was asked for is missing: some rows rejected or not sent, or an incomplete list',
    repeat: 'see the rows',
  },
  LOCAL_IO: {
    exitCode: 16,
    meaning: 'stdout, a file or a record could not be written; the message says whether the change was applied',
    repeat: 'see the message',
  },
  PRECONDITION: {
    exitCode: 17,
    meaning:
      '--expect, --expect-rows or --expect-changes did not hold, the card changed before the answer, the same was sent or is open already (--again), or a plan has expired; nothing was sent',
    repeat: '',
  },
  TIMEOUT: { exitCode: 124, meaning: '`card wait`: the card did not reach the status in time', repeat: 'yes' },
  CANCELLED: {
    exitCode: 130,
    meaning:
      'a signal (130 SIGINT, 143 SIGTERM, 129 SIGHUP), "no" at a prompt (130), or the reader of stdout went away (141); nothing is unknown',
    repeat: '',
  },
} as const satisfies Record<string, FailureRow>;

export type FailureCode = keyof typeof FAILURES;

/** The exit codes of CANCELLED: by the signal, or for a lost reader of stdout. */
export const CANCELLED_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, EPIPE: 141 } as const;

/** The exit code after an abort for this reason: the name of a signal, or anything else, which counts as Ctrl-C. */
export function cancelledExitCode(by: unknown): number {
  return CANCELLED_EXIT_CODES[by === 'SIGTERM' || by === 'SIGHUP' ? by : 'SIGINT'];
}

/** What is known of a failed call, with the names of the JSON error object. */
export interface FailureDetails {
  /** Dotted command path: `card.block`. */
  readonly operation?: string | undefined;
  readonly id?: string | undefined;
  /** Only for changes. */
  readonly outcome?: Outcome | undefined;
  /** Present if there was a response. */
  readonly http?: { readonly status: number; readonly requestId?: string | undefined } | undefined;
  /** A body of the gift-card API's error shape, as sent. */
  readonly service?: JsonValue | undefined;
  /** Any other body: JSON, or text cut to 500 characters. */
  readonly body?: JsonValue | undefined;
  readonly attempts?: number | undefined;
  /** 1-based position in the whole input of a run. */
  readonly row?: number | undefined;
  /** ISO 8601 time at which the first byte of the last attempt may have left. */
  readonly sentAt?: string | undefined;
  readonly phase?: string | undefined;
  /** What the card check showed: `{ status, reads }`. */
  readonly observed?: JsonValue | undefined;
  /** The ID in the response of reissue and event create, which no later read shows. */
  readonly resultId?: string | undefined;
  /** ISO 8601 time before which the service asked not to be called again. */
  readonly retryAt?: string | undefined;
  /** Of the card, as it was read before the change. Not part of the JSON. */
  readonly seen?: { readonly status?: string | undefined; readonly clientReference?: string | undefined } | undefined;
}

export interface FailureOptions {
  /** What was attempted, on what: `block card 7c0e…`. The problem does not repeat it. */
  readonly attempted?: string | undefined;
  /** At most two are shown. */
  readonly hints?: readonly Hint[];
  readonly details?: FailureDetails;
  /** Only CANCELLED has several: 130, 143, 129, 141. */
  readonly exitCode?: number | undefined;
  /** The parts of a problem, if it has several: people see one per line. */
  readonly parts?: Parts | undefined;
  /** Lines that a terminal shows instead of the message, for what must not be misread. */
  readonly screen?: readonly string[] | undefined;
  /** What a terminal shows instead of the hints: steps in their order. */
  readonly steps?: readonly Hint[] | undefined;
  readonly after?: After | undefined;
  readonly also?: readonly Also[];
  readonly faults?: readonly Fault[];
  readonly faultCount?: number | undefined;
  readonly cause?: unknown;
}

/** Parts of a problem. With a heading (`3 faults`) they are faults, indented below it. */
interface Parts {
  readonly heading?: string;
  readonly problems: readonly string[];
}

/**
 * The one error that is thrown on purpose; any other is a bug (INTERNAL). It is data, of which `message` is made once:
 * nothing parses it. It may hold text from outside, which writers make safe.
 */
export class Failure extends Error {
  readonly code: FailureCode;
  /** Why it failed, without what was attempted if that is known apart. */
  readonly problem: string;
  readonly attempted: string | undefined;
  readonly after: After;
  readonly also: readonly Also[];
  readonly exitCode: number;
  readonly hints: readonly Hint[];
  readonly details: FailureDetails;
  readonly parts: Parts | undefined;
  readonly screen: readonly string[] | undefined;
  readonly steps: readonly Hint[];
  readonly faults: readonly Fault[];
  readonly faultCount: number;

  constructor(code: FailureCode, problem: string, options: FailureOptions = {}) {
    const { attempted, after = 'silent', also = [], cause } = options;
    super(messageOf({ code, problem, attempted, after, also }), cause === undefined ? undefined : { cause });
    this.name = 'Failure';
    this.code = code;
    this.problem = problem;
    this.attempted = attempted;
    this.after = after;
    this.also = also;
    this.exitCode = options.exitCode ?? FAILURES[code].exitCode;
    this.hints = options.hints ?? [];
    this.details = options.details ?? {};
    this.parts = options.parts;
    this.screen = options.screen;
    this.steps = options.steps ?? [];
    this.faults = options.faults ?? [];
    this.faultCount = options.faultCount ?? this.faults.length;
  }

  /** A failure before the first byte of a request left. */
  static unsent(code: FailureCode, problem: string, options?: FailureOptions): Failure {
    return new Failure(code, problem, { ...options, after: 'unsent' });
  }

  /** A failure that left everything unchanged, at the service or on this machine. */
  static unchanged(code: FailureCode, problem: string, options?: FailureOptions): Failure {
    return new Failure(code, problem, { ...options, after: 'unchanged' });
  }

  /** What was attempted, and why it failed, for a sentence that says on its own what that leaves behind. */
  get statement(): string {
    return statementOf(this);
  }

  but(changes: FailureOptions): Failure {
    return new Failure(this.code, this.problem, { ...this, cause: this.cause, ...changes });
  }

  /** The failure with more details, from a layer that knows the command or the row. */
  with(more: FailureDetails, hints?: readonly Hint[]): Failure {
    const known = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
    return this.but({ details: { ...this.details, ...known }, hints: hints ?? this.hints });
  }

  /** The failure of a read or a listing, which says neither that nothing was sent nor that nothing was changed. */
  ofRead(): Failure {
    return this.after === 'unsent' || this.after === 'unchanged' ? this.but({ after: 'silent' }) : this;
  }

  /** The failure of a call that has done these steps, which it names, unless it knows which are left of them. */
  afterSteps(done: readonly string[]): Failure {
    return done.length === 0 || typeof this.after !== 'string' ? this : this.but({ after: { done } });
  }

  /** The failure of a change with these notices, which may say that an earlier one of the same may have been applied. */
  beside(notices: readonly Notice[]): Failure {
    const { outcome = 'not_sent' } = this.details;
    const isRefused = outcome === 'not_sent' || outcome === 'rejected';
    return isRefused && notices.some(({ code }) => code === EARLIER_OPEN)
      ? this.but({ also: [...this.also, { kind: 'earlier' }] })
      : this;
  }

  /** The failure of a change that ended before its request was begun, unless it knows of another outcome. */
  ofUnsent(): Failure {
    const { outcome = 'not_sent' } = this.details;
    return this.but({ after: outcome === 'not_sent' ? 'unsent' : this.after, details: { ...this.details, outcome } });
  }
}

/** Something the user should know of a call that did not fail. */
export interface Notice {
  /** `CONFIRMED_BY_READ`, `MISSING_FIELD`, `RETRY`, … */
  readonly code: string;
  readonly message: string;
  /** `--quiet` drops a note, not a warning. */
  readonly level: 'note' | 'warning';
  readonly facts?: Readonly<Record<string, number | readonly number[]>>;
}

/** The code of the notice that an earlier change of the same is open. */
export const EARLIER_OPEN = 'STILL_OPEN';

/** A notice that `--quiet` drops. */
export function note(code: string, message: string): Notice {
  return { code, message, level: 'note' };
}

/** A notice that is shown with `--quiet` too. */
export function warning(code: string, message: string): Notice {
  return { code, message, level: 'warning' };
}

/** What failed besides the call itself, whose end is reported on its own. */
export function warningOf(failure: Failure): Notice {
  return warning(failure.code, failure.ofRead().message);
}

/** One fault of a call's input. All are reported together. */
export interface Fault {
  /** The option or argument as typed (`--limit`, `<cardId>`), or a column name. */
  readonly where: string;
  readonly problem: string;
  /** In an input: line and row from 1, column if known, and the field or the column's name. */
  readonly line?: number | undefined;
  readonly row?: number | undefined;
  readonly column?: number | undefined;
  readonly field?: string | undefined;
  /** How many of its kind there are, if it stands for several. */
  readonly count?: number | undefined;
  /** What was given as a card ID. It may contain the right one. */
  readonly refusedId?: string | undefined;
  /** Words that follow where nothing was expected. */
  readonly unexpected?: readonly string[];
}

export function usageFailure(faults: readonly Fault[], hints: readonly Hint[] = []): Failure {
  const problems = faults.map((fault) => `${fault.where}: ${fault.problem}`);
  return joinUsage(problems, { hints, faults });
}

/** One USAGE failure of several sentences, which people see on a line each. */
export function joinUsage(
  problems: readonly string[],
  more: Pick<FailureOptions, 'hints' | 'after' | 'faults' | 'faultCount'>,
): Failure {
  const parts = problems.length > 1 ? { heading: `${problems.length} faults`, problems } : undefined;
  return new Failure('USAGE', problems.join('; '), { after: 'unsent', ...more, parts });
}

/** Does the work. Its USAGE failure is kept, and reported with the other faults of the call. */
export async function collect<Result>(faults: Failure[], work: () => Result | Promise<Result>) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'USAGE') throw error;
    faults.push(error);
    return undefined;
  }
}
