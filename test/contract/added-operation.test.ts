import { expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { operationAt } from '../../src/cli/commands/api-path.ts';
import { callCommand, optionsOf } from '../../src/command/command.ts';
import type { Session } from '../../src/command/session.ts';
import { isUpdate, type Operation } from '../../src/service/api/operation.ts';
import { ALL_OPERATIONS, OPERATIONS } from '../../src/service/api/operations.ts';
import { decideNext } from '../../src/service/http/retry.ts';
import { guardWrite, type WriteScope } from '../../src/writes/write-guards.ts';

// Nothing below names the operation: the row gives it its guards.

/** A row as somebody would add it, with the careful value wherever the service says nothing. */
const SUSPEND: Operation = {
  ...OPERATIONS.cardBlock,
  name: 'card.suspend',
  command: 'card.suspend',
  path: '/v1/cards/{cardId}/suspend',
  verbPhrase: 'suspend card',
  verb: 'suspend',
  effect: {
    kind: 'write',
    done: 'Suspended',
    noun: 'suspension',
    confirm: true,
    cardCheck: 'none',
    unavailable: 'never',
    unknownHint: 'check the card before you run this again',
    second: 'a second suspension',
  },
  echoes: null,
};

/** What the guard reads of a session, and nothing else. */
function sessionOf(profile: object, env: Readonly<Record<string, string>> = {}) {
  const permitted: string[] = [];
  const session = {
    context: { env },
    selectedProfile: () => ({ name: 'live', readOnly: false, ...profile }),
    common: {},
    keepsHistory: true,
    output: {},
    permitWrites: ({ name }: Operation) => permitted.push(name),
  } as unknown as Session;
  return { session, permitted };
}

function exitCodeOf(work: () => void): number {
  try {
    work();
    return 0;
  } catch (error) {
    if (error instanceof Failure) return error.exitCode;
    throw error;
  }
}

const by = (reason?: string): WriteScope => ({ kind: 'one', reason });

it.each(['/v1/cards/x/suspend', '/v1/cards/x/SUSPEND/', '/v1/cards/x/%73uspend'])(
  'an operation that is added is found at %s, so that `api POST` gives its command',
  (path) => {
    expect(operationAt(path, [...ALL_OPERATIONS, SUSPEND])).toEqual({ operation: SUSPEND, params: { cardId: 'x' } });
  },
);

it.each([
  ['a read-only profile', { readOnly: true }, {}],
  ['FRONTDESK_READ_ONLY', {}, { FRONTDESK_READ_ONLY: '1' }],
])('an operation that is added is refused by %s', (_, profile, env) => {
  const { session, permitted } = sessionOf(profile, env);
  expect([exitCodeOf(() => guardWrite(session, SUSPEND, by('T-1'))), permitted]).toEqual([5, []]);
});

it('an operation that is added needs the reason that the profile requires', () => {
  const { session, permitted } = sessionOf({ requireReason: 'T-[0-9]+' });
  for (const way of [by(), by('no ticket')]) expect(exitCodeOf(() => guardWrite(session, SUSPEND, way))).toBe(2);
  expect(permitted).toEqual([]);
  guardWrite(session, SUSPEND, by('T-1'));
  expect(permitted).toEqual(['card.suspend']);
});

it('an operation that is added is never sent twice with the careful values', () => {
  const event = { effect: SUSPEND.effect, onceSpent: false, retryAfterMs: 0, remainingMs: 60_000, random: 0 };
  const tries = { retriesDone: 0, retriesAllowed: 2 };
  for (const name of ['unavailable', 'server_error', 'broken', 'unreadable'] as const)
    expect(decideNext({ ...event, ...tries, event: name })).toMatchObject({ kind: 'end' });
  expect(isUpdate(SUSPEND)).toBe(false);
});

it('an operation that is added has its options and exit codes from the row', () => {
  const command = callCommand({
    description: '',
    operation: SUSPEND,
    columns: [],
    argument: { name: 'cardId', text: '' },
    expect: true,
    examples: {},
  });
  const options = optionsOf(command).map(({ long }) => long);
  for (const long of ['reason', 'expect', 'yes', 'dry-run', 'no-history', 'from', 'plan'])
    expect(options).toContain(long);
  expect(command.exitCodes).toContain(8);
  expect(command.exitCodes).toContain(17);
});
