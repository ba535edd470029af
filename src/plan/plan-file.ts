import { createHash, type Hash } from 'node:crypto';
import { fromPlain } from '../json/plain.ts';
import { printJson } from '../json/print.ts';
import { ANY_OBJECT, INTEGER, list, nullable, object, oneOf, type ShapeOf, TEXT } from '../json/shape.ts';
import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';

/** Layout of a plan. A higher number is refused: a newer frontdesk wrote it. */
export const PLAN_VERSION = 1;

/** Hex digits of the file's hash that name a plan. */
export const PLAN_NAME_LENGTH = 12;

const HEADER = {
  /** The first twelve hex digits of `sha256`. */
  plan: TEXT,
  /** Dotted command path: `card.block`. */
  operation: TEXT,
  /** Base URL of the family. */
  url: TEXT,
  profile: TEXT,
  /** Name of the operating-system user. */
  createdBy: TEXT,
  /** ISO 8601. */
  createdAt: TEXT,
  expiresAt: TEXT,
  rows: INTEGER,
  /** Rows of the input that `--changed-from` left out. */
  unchanged: INTEGER,
  /** Of the whole file, with the values of `plan` and `sha256` in line 1 empty. */
  sha256: TEXT,
} as const;

/** What a plan may say of where its rows come from, for reviewers. */
const ORIGIN = {
  /** Name of the input file, without its folder; absent for ids of the command line and stdin. */
  source: TEXT,
  /** What `--expect` compared: `status=ACTIVE`, or a field that was compared with the row's own column. */
  expect: list(TEXT),
  /** Rows of the file of `--changed-from` that the input lacks; absent where none. */
  missing: INTEGER,
  /** Cells that are empty now and had a value there, left as they are; absent where none. */
  emptied: INTEGER,
} as const;

const HEADER_SHAPE = object(HEADER, ORIGIN);

/** Line 1 of a plan. `plan` and `sha256` follow from everything else in the file. */
export type PlanHeader = ShapeOf<typeof HEADER_SHAPE>;

/** What a header holds before the file has its hash. */
export type PlanDraft = Omit<PlanHeader, 'plan' | 'sha256'>;

/** What is known of a plan before it is begun. */
export type PlanOrigin = Omit<PlanDraft, 'createdBy' | 'createdAt' | 'expiresAt'>;

const LINE_1 = { frontdeskPlan: INTEGER, ...HEADER } as const;

/** Line 1 as it is written and printed: with the layout's number before it. */
export const PLAN_HEADER_OUTPUT = object(LINE_1, ORIGIN);

/** Names of the members of line 1, in their order: those of the object above, the hash last. */
export const HEADER_MEMBERS = Object.keys({ ...LINE_1, ...ORIGIN })
  .filter((name) => name !== 'sha256')
  .concat('sha256') as readonly (keyof typeof LINE_1 | keyof typeof ORIGIN)[];

/** What became of a plan on this machine. */
const PLAN_STATE = oneOf(['new', 'expired', 'running', 'unsettled', 'stopped', 'finished']);

export type PlanState = ShapeOf<typeof PLAN_STATE>;

/** A signature that counts: for whom, and by which key (its fingerprint). */
const APPROVAL = object({ as: TEXT, key: TEXT });

export type Approval = ShapeOf<typeof APPROVAL>;

const DRIFT = oneOf(['checked', 'unchecked']);

/** One row: what will be sent, and what was known when it was planned. */
export interface PlanRow {
  /** 1-based in the whole input; ascending. */
  readonly row: number;
  /** Undefined where the operation has no id (an event that is created). */
  readonly id: string | undefined;
  /** Undefined: the request has no body. */
  readonly body: JsonObject | undefined;
  /** A card: status and updatedAt as read. An update against an older file: the old cells. */
  readonly before?: JsonObject | undefined;
  /** Of a card: its reference and balance as read, for reviewers; never compared. */
  readonly about?: JsonObject | undefined;
  /** Whether the row is compared again right before it is sent. */
  readonly drift: ShapeOf<typeof DRIFT>;
}

const ROW = object(
  { row: INTEGER, id: nullable(TEXT), drift: DRIFT },
  { body: ANY_OBJECT, before: ANY_OBJECT, about: ANY_OBJECT },
);

/** A whole plan as `plan show` prints it. */
export const PLAN_OUTPUT = object({
  plan: object({ ...LINE_1, state: PLAN_STATE }, ORIGIN),
  approvals: list(APPROVAL),
  rows: list(ROW),
});

/** Name of the run that applies a plan: the plan names it, so that a second apply finds the first. */
export function planRunName(plan: string): string {
  return `plan-${plan}`;
}

/** Line 1 with its newline. */
export function encodeHeader(facts: PlanDraft, sha256: string): string {
  return `${printJson(headerObject({ ...facts, plan: sha256.slice(0, PLAN_NAME_LENGTH), sha256 }))}\n`;
}

/** The header as JSON, in the order in which the file has it. */
export function headerObject(header: PlanHeader): JsonObject {
  const line = { frontdeskPlan: PLAN_VERSION, ...header };
  return new Map(HEADER_MEMBERS.flatMap((name) => (line[name] === undefined ? [] : [[name, fromPlain(line[name])]])));
}

/** A row as JSON, in the order in which the file has it; members that may be absent are where there is none. */
export function rowObject({ row, id, body, before, about, drift }: PlanRow): JsonObject {
  const members = new Map<keyof ShapeOf<typeof ROW>, JsonValue>([
    ['row', new JsonNumber(String(row))],
    ['id', id ?? null],
  ]);
  if (body !== undefined) members.set('body', body);
  if (before !== undefined) members.set('before', before);
  if (about !== undefined) members.set('about', about);
  return members.set('drift', drift);
}

const OWN_NAMES = /("(?:plan|sha256)"\s*:\s*)"[0-9a-f]*"/g;

/** Begins the hash of a plan with its line 1, in which the two values that follow from the hash are empty. */
export function hashFirstLine(line: string): Hash {
  // A quote inside a text is escaped, so that what looks like a member is one.
  return createHash('sha256').update(line.replace(OWN_NAMES, '$1""'));
}
