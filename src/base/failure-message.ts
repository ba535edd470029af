import { outside } from './json/outside-text.ts';

/** The sentences about what a failure leaves behind. No other place says them, and nothing takes them out of a text. */
const LEFT = {
  unsent: 'Nothing was sent.',
  unchanged: 'Nothing was changed.',
  /** A read or a listing, or a failure that says it itself. */
  silent: '',
  applied: 'The change WAS applied.',
  confirmed: 'The change counts as applied: checking the card showed it.',
  rejected: 'The change was rejected. Nothing was changed.',
  unknown: 'The outcome is unknown: check before you run it again.',
  underWay: 'A change was in progress and may have been applied.',
  untouched: 'Nothing was sent or changed.',
  kept: 'The earlier content is unchanged.',
  partly: 'A part of it may be left.',
  unremoved: 'It was not removed.',
  recorded: "What was sent is in the run's record.",
  results: 'The results so far are kept in the run.',
  handedOver: 'Nothing more of it is sent from here.',
  unopened: 'Whether an earlier change is open is not known.',
} as const;

/** The same of a change beside an earlier one that may have been applied: it is about this request alone. */
const LEFT_BESIDE_EARLIER: Partial<Record<keyof typeof LEFT, string>> = {
  unsent: 'This request was not sent.',
  unchanged: 'This request changed nothing.',
  rejected: 'This request was rejected, and changed nothing.',
};

/** What was done on this machine before the step that failed: `the credential is stored`. */
interface Steps {
  readonly done: readonly string[];
}

/** What a failure leaves behind. It alone decides whether a sentence is said, whatever words the rest holds. */
export type After = keyof typeof LEFT | Steps;

/** What else is true of a change that failed, or of its response. */
export type Also =
  | { readonly kind: 'record'; readonly problem: string }
  /** The same change was sent before, and its outcome is unknown. */
  | { readonly kind: 'earlier' }
  /** `problem`: why it is not where it belongs. */
  | { readonly kind: 'response'; readonly where: string; readonly problem?: string | undefined }
  | { readonly kind: 'result'; readonly id: string };

function alsoSentence(also: Also): string {
  if (also.kind === 'earlier') return 'An earlier one may have been applied.';
  if (also.kind === 'record') return `The end of its record could not be written: ${also.problem}.`;
  if (also.kind === 'response') {
    return `${also.problem === undefined ? 'The response' : `A response came, but ${also.problem}. It`} ${also.where}.`;
  }
  return `The ID in the response is ${outside(also.id)}.`;
}

function afterSentence({ after, also }: Pick<MessageParts, 'after' | 'also'>): string {
  if (typeof after === 'string') {
    const isSecond = also.some(({ kind }) => kind === 'earlier');
    return (isSecond ? LEFT_BESIDE_EARLIER[after] : undefined) ?? LEFT[after];
  }
  return after.done.length === 0 ? '' : `Done before that: ${after.done.join(' and ')}.`;
}

interface MessageParts {
  readonly code: string;
  readonly problem: string;
  readonly attempted: string | undefined;
  readonly after: After;
  readonly also: readonly Also[];
}

/** What is said of a change that was done before what went wrong with its result. */
const DONE: Partial<Record<keyof typeof LEFT, string>> = {
  applied: 'this change WAS applied',
  confirmed: 'this change counts as applied, as checking the card showed',
};

/** What was attempted, and why it failed, without what that leaves behind. */
export function statementOf({ code, problem, attempted, after }: MessageParts): string {
  if (problem === '') return attempted === undefined ? 'cancelled' : `cancelled: ${attempted}`;
  if (attempted === undefined) return problem;
  if (code === 'OUTCOME_UNKNOWN') return `OUTCOME UNKNOWN - ${attempted}. ${problem}`;
  const done = typeof after === 'string' ? DONE[after] : undefined;
  if (done !== undefined) return `${attempted}: ${done}, but ${problem}`;
  return `could not ${attempted}: ${problem}`;
}

/** The message beside the ID of a row, which says what was attempted. */
export function rowMessageOf(parts: MessageParts): string {
  return messageOf({ ...parts, attempted: undefined });
}

/** THE message of a failure: what was attempted, why it failed, what that leaves behind, and what else is true. */
export function messageOf(parts: MessageParts): string {
  const statement = statementOf(parts);
  const isSaid = parts.attempted !== undefined && typeof parts.after === 'string' && parts.after in DONE;
  const sentences = [isSaid ? '' : afterSentence(parts), ...parts.also.map(alsoSentence)].filter(Boolean);
  return sentences.length === 0 ? statement : [ended(statement), ...sentences].join(' ');
}

function ended(text: string): string {
  return text.endsWith('.') || text.endsWith('?') ? text : `${text}.`;
}
