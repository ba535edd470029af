import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { parseJson } from '../../../../src/base/json/parse.ts';
import { schemaViolations } from '../../../../src/base/json/schema-violations.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import { NAMES, type OperationName, SAMPLE_CALLS, sampleId } from '../../../support/sample-calls.ts';

// Responses are described twice: as plain data that the program checks itself, and here by zod, from the service's own
// tables. Both have to say the same of every response.

const TEXT_OR_NULL = z.string().nullable().optional();
const TEXT = z.string().optional();

const CARD = z.looseObject({
  ...{ cardId: z.string(), clientReference: z.string(), status: z.string(), design: z.string() },
  ...{ expiryDate: z.string(), createdAt: z.string(), updatedAt: z.string(), metadata: z.looseObject({}) },
  ...{ activatedAt: TEXT_OR_NULL, cancelledAt: TEXT_OR_NULL, cancellationAction: TEXT_OR_NULL },
  ...{ initialBalance: z.number(), currentBalance: z.number().optional() },
  cancellationAmount: z.number().nullable().optional(),
  transactions: z
    .array(z.looseObject({ transactionId: z.string(), amount: z.number(), type: z.string(), createdAt: z.string() }))
    .optional(),
});

const LISTED = { id: TEXT, object: TEXT, active: z.boolean().optional(), created: TEXT, updated: TEXT };
const NAMED = { ...LISTED, name: TEXT, description: TEXT_OR_NULL, url: TEXT_OR_NULL };

const CALENDAR = z.looseObject({ ...NAMED, image: TEXT });
// The service declares no type for the calendar of an event.
const EVENT = z.looseObject({ ...NAMED, start: TEXT, end: TEXT, location: TEXT, calendar: z.unknown().optional() });
const SUBSCRIBER = z.looseObject({ ...LISTED, email: TEXT, first_name: TEXT, last_name: TEXT });

const RESPONSES: Readonly<Record<OperationName, z.ZodType>> = {
  cardGet: CARD,
  cardActivate: CARD,
  cardBlock: CARD,
  cardReissue: CARD,
  cardProvisionWalletA: z.looseObject({ encryptedPaymentInstrument: z.string() }),
  cardProvisionWalletB: z.looseObject({
    primaryAccountNumberPrefix: z.string(),
    activationData: z.string(),
    authenticationData: z.string(),
  }),
  calendarUpdate: CALENDAR,
  subscribersList: z.looseObject({ object: z.string(), data: z.array(SUBSCRIBER), url: z.string().optional() }),
  subscriberUpdate: SUBSCRIBER,
  eventCreate: EVENT,
};

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const KINDS: readonly Json[] = [null, true, 0, -1.5, 1e21, '', 'text', [], {}, [{}], { a: 1 }];

const VALUE = fc.oneof(
  fc.constantFrom(...KINDS),
  // Any JSON value.
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
);

/** Members of the description itself are known to neither: `__proto__` would be one of each object. */
const NAME = fc.string().filter((name) => name !== '__proto__');

/** A response whose members, and entries of lists, are removed, replaced and added. */
function changed(response: Json, names: readonly string[]): fc.Arbitrary<Json> {
  if (typeof response !== 'object' || response === null || Array.isArray(response)) return VALUE;
  const members: Readonly<Record<string, Json>> = { ...response } as Readonly<Record<string, Json>>;
  // One at a time, so that each member alone decides often enough.
  const taken = fc.subarray(Object.keys(members), { maxLength: 1 });
  const given = fc.dictionary(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, NAME), VALUE, {
    maxKeys: 3,
  });
  const nested = Object.entries(members).filter(([, value]) => Array.isArray(value) && value.length > 0);
  const entries = nested.map(([name, list]) => {
    const [first = null] = list as readonly Json[];
    return fc.array(changed(first, Object.keys(first ?? {})), { maxLength: 3 }).map((value) => [name, value] as const);
  });
  return fc.tuple(taken, given, fc.tuple(...entries)).map(([without, more, lists]) => {
    const whole = { ...members, ...Object.fromEntries(lists), ...more };
    return Object.fromEntries(Object.entries(whole).filter(([name]) => !without.includes(name)));
  });
}

it.each(NAMES)('the description of a response says the same as a schema of zod, of whatever comes: %s', (name) => {
  const { response } = OPERATIONS[name];
  // A sample is JSON; with a list in it each kind of entry is reached.
  const sample = SAMPLE_CALLS[name].response(sampleId(name) ?? '') as Record<string, Json>;
  const entry = { transactionId: 't', amount: 1, type: 'LOAD', createdAt: 'x' };
  const whole: Readonly<Record<string, Json>> =
    'transactions' in response.properties ? { ...sample, transactions: [entry] } : sample;
  const seen = { whole: 0, other: 0 };
  const judge = (value: Json) => {
    const byZod = RESPONSES[name].safeParse(value).success;
    seen[byZod ? 'whole' : 'other'] += 1;
    expect(schemaViolations(response, parseJson(JSON.stringify(value))).length === 0).toBe(byZod);
  };
  judge(whole);
  // Each member with each kind of value, and without it.
  for (const member of Object.keys(response.properties)) {
    for (const value of KINDS) judge({ ...whole, [member]: value });
    judge(Object.fromEntries(Object.entries(whole).filter(([other]) => other !== member)));
  }
  const changes = { weight: 9, arbitrary: changed(whole, Object.keys(response.properties)) };
  fc.assert(fc.property(fc.oneof(changes, { weight: 1, arbitrary: VALUE }), judge), { numRuns: 500 });
  // Neither verdict was left out.
  expect(Math.min(seen.whole, seen.other)).toBeGreaterThan(20);
});
