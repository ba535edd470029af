import { OUTCOMES } from '../failure.ts';
import type { JsonSchema } from './json-schema.ts';

const TEXT: JsonSchema = { type: 'string' };
const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] };
const BOOLEAN: JsonSchema = { type: 'boolean' };
const INTEGER: JsonSchema = { type: 'integer' };
const INTEGER_OR_NULL: JsonSchema = { type: ['integer', 'null'] };

function object(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required };
}

function all(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return object(properties, Object.keys(properties));
}

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

const OUTCOME: JsonSchema = { enum: [...OUTCOMES] };

/** The object that a failure prints on stderr with -o json or ndjson. */
export const ERROR_OUTPUT: JsonSchema = all({
  error: object(
    {
      code: TEXT,
      exitCode: INTEGER,
      message: TEXT,
      hint: TEXT,
      operation: TEXT,
      id: TEXT,
      outcome: OUTCOME,
      row: INTEGER,
      http: object({ status: INTEGER, requestId: TEXT }, ['status']),
      service: object({ errorCode: TEXT, message: TEXT, details: { type: 'object' } }, ['errorCode', 'message']),
      body: { description: 'any other body: JSON, or text cut to 500 characters' },
      attempts: INTEGER,
    },
    ['code', 'exitCode', 'message'],
  ),
});

/** What `--dry-run` prints instead of sending. */
export const DRY_RUN_OUTPUT: JsonSchema = all({
  dryRun: { const: true },
  requests: list(
    object({ method: TEXT, url: TEXT, headers: { type: 'object' }, body: {} }, ['method', 'url', 'headers']),
  ),
});

/** The last line on stderr of a run with many rows, with -o json or ndjson. */
export const SUMMARY_OUTPUT: JsonSchema = all({
  summary: object(
    {
      run: TEXT_OR_NULL,
      rows: INTEGER,
      outcomes: { type: 'object', additionalProperties: INTEGER },
      exitCode: INTEGER,
      resume: TEXT_OR_NULL,
    },
    ['rows', 'outcomes', 'exitCode'],
  ),
});

/** One row of a write with many rows; `resource` is what the service answered. */
export function rowOutput(resource: JsonSchema, outcome: JsonSchema = OUTCOME): JsonSchema {
  return object(
    {
      row: INTEGER,
      id: TEXT_OR_NULL,
      outcome,
      httpStatus: INTEGER_OR_NULL,
      attempts: INTEGER,
      resultId: TEXT_OR_NULL,
      resource,
      error: { type: 'object' },
    },
    ['row', 'outcome', 'attempts'],
  );
}

const PROFILE = object(
  {
    name: TEXT,
    current: BOOLEAN,
    cardsUrl: TEXT,
    calendarUrl: TEXT,
    readOnly: BOOLEAN,
    requireReason: TEXT,
    requireReasonHint: TEXT,
    output: TEXT,
    approvers: TEXT,
    approvals: INTEGER,
  },
  ['name', 'current'],
);

const HISTORY_ENTRY = object(
  {
    entry: TEXT,
    time: TEXT,
    user: TEXT,
    profile: TEXT,
    host: TEXT,
    operation: TEXT,
    id: TEXT_OR_NULL,
    resultId: TEXT_OR_NULL,
    reason: TEXT_OR_NULL,
    outcome: OUTCOME,
    httpStatus: INTEGER_OR_NULL,
    requestId: TEXT_OR_NULL,
    durationMs: { type: ['number', 'null'] },
    run: TEXT_OR_NULL,
  },
  ['entry', 'time', 'operation', 'outcome'],
);

const RUN = object(
  {
    run: TEXT,
    operation: TEXT,
    profile: TEXT,
    state: { enum: ['running', 'finished', 'stopped', 'interrupted'] },
    rows: INTEGER,
    outcomes: { type: 'object', additionalProperties: INTEGER },
    startedAt: TEXT,
  },
  ['run', 'operation', 'profile', 'state', 'rows', 'outcomes', 'startedAt'],
);

const SANDBOX_INFO = object(
  {
    cards: list(object({ cardId: TEXT, status: TEXT }, ['cardId', 'status'])),
    calendars: list(object({ id: TEXT }, ['id'])),
    subscribers: list(object({ id: TEXT, calendar: TEXT }, ['id', 'calendar'])),
    choices: list({}),
  },
  ['cards', 'calendars', 'subscribers', 'choices'],
);

const PLAN_HEADER: Readonly<Record<string, JsonSchema>> = {
  frontdeskPlan: INTEGER,
  plan: TEXT,
  operation: TEXT,
  url: TEXT,
  profile: TEXT,
  createdBy: TEXT,
  createdAt: TEXT,
  expiresAt: TEXT,
  rows: INTEGER,
  unchanged: INTEGER,
  sha256: TEXT,
};

/** A plan as `plan show` prints it. */
const PLAN = all({
  plan: all({ ...PLAN_HEADER, state: { enum: ['new', 'expired', 'running', 'stopped', 'finished'] } }),
  approvals: list(all({ as: TEXT, key: TEXT })),
  rows: list(
    object(
      {
        row: INTEGER,
        id: TEXT_OR_NULL,
        body: { type: 'object' },
        before: { type: 'object' },
        drift: { enum: ['checked', 'unchecked'] },
      },
      ['row', 'id', 'drift'],
    ),
  ),
});

const ROW = { type: 'object' } as const;
const ROWS = list(rowOutput(ROW));

/** Of a run that a process works on, also rows that wait for their answer. */
const STORED_ROWS = list(rowOutput(ROW, { enum: [...OUTCOMES, 'in_flight'] }));

/** Text, a count, or null where nothing is set. */
const PREFERENCE: JsonSchema = { type: ['string', 'integer', 'null'] };

/**
 * What commands about this machine print as JSON. Those that are not named here print what only the call
 * itself can tell (`api`: the answer of the service as sent).
 */
export const LOCAL_OUTPUT: Readonly<Record<string, JsonSchema>> = {
  'auth login': object({ profile: TEXT, family: TEXT, origin: TEXT, kind: TEXT, lastFour: TEXT, expiresAt: TEXT }, [
    'profile',
    'family',
    'origin',
    'kind',
  ]),
  'auth status': list(
    object(
      {
        family: TEXT,
        origin: TEXT,
        source: TEXT_OR_NULL,
        lastFour: TEXT_OR_NULL,
        expiresAt: TEXT_OR_NULL,
        problem: TEXT_OR_NULL,
      },
      ['family', 'origin'],
    ),
  ),
  'auth logout': all({ profile: TEXT, removed: list(all({ family: TEXT, origin: TEXT })) }),
  'profile list': list(PROFILE),
  'profile show': PROFILE,
  'profile set': PROFILE,
  'profile use': PROFILE,
  'profile remove': all({ removed: TEXT }),
  'config list': { type: 'object', additionalProperties: PREFERENCE },
  'config get': PREFERENCE,
  'config set': PREFERENCE,
  'config unset': PREFERENCE,
  'config path': TEXT,
  'history list': list(HISTORY_ENTRY),
  'history show': HISTORY_ENTRY,
  'history prune': all({ removed: INTEGER }),
  'plan show': PLAN,
  'plan approve': all({ plan: TEXT, as: TEXT, key: TEXT_OR_NULL, file: TEXT }),
  'plan apply': ROWS,
  'runs list': list(RUN),
  'runs show': RUN,
  'runs report': all({ run: TEXT, as: { enum: ['html', 'junit', 'markdown'] }, document: TEXT }),
  'runs results': STORED_ROWS,
  'runs resume': ROWS,
  'runs revert': all(PLAN_HEADER),
  'runs remove': all({ removed: list(TEXT) }),
  doctor: all({
    checks: list(
      object({ name: TEXT, status: { enum: ['ok', 'warning', 'problem'] }, message: TEXT, fix: TEXT }, [
        'name',
        'status',
        'message',
      ]),
    ),
  }),
  completion: all({ shell: TEXT, script: TEXT }),
  'sandbox info': SANDBOX_INFO,
  'sandbox reset': all({ reset: { const: true } }),
  'sandbox serve': all({ url: TEXT, cardsToken: TEXT, calendarToken: TEXT }),
};
