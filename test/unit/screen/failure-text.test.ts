import { expect, it } from 'vitest';
import { Failure } from '../../../src/base/failure.ts';
import { parseJson } from '../../../src/base/json/parse.ts';
import { paintCount, paintsErrors, renderFailure, renderNotice } from '../../../src/screen/failure-text.ts';

const PIPE = { argv: [], env: {}, stderr: { isTerminal: false, columns: undefined } };
const DEBUG = { ...PIPE, env: { FRONTDESK_DEBUG: '1' } };

function terminal(columns: number, env: Readonly<Record<string, string>> = { NO_COLOR: '1' }) {
  return { argv: [], env, stderr: { isTerminal: true, columns } };
}

it('renderFailure is one line and at most two hints for people, without a stack', () => {
  const failure = new Failure('NOT_FOUND', 'no card x', { hints: ['check the id', 'try -v', 'third'] });
  expect(renderFailure(failure, 'table', PIPE)).toBe('frontdesk: no card x\nhint: check the id\nhint: try -v\n');
  expect(renderFailure(new Failure('INTERNAL', 'x'), 'csv', PIPE)).toBe('frontdesk: x\n');
});

it("renderFailure is one line of JSON with every known member in the contract's order", () => {
  const failure = new Failure('OUTCOME_UNKNOWN', 'said "x"\u001b', {
    hints: ['look', 'wait'],
    details: {
      ...{ retryAt: '2026-01-01T00:00:00Z', resultId: 'r', observed: parseJson('{"status":"ACTIVE","reads":2}') },
      ...{ phase: 'awaiting_headers', sentAt: '2026-01-01T00:00:00Z', row: 3, attempts: 1, body: 'text' },
      service: parseJson('{"errorCode":"E","message":"m","details":{"n":10.10}}'),
      ...{ http: { status: 500, requestId: 'req' }, outcome: 'unknown', id: 'i', operation: 'card.block' },
    },
  });
  expect(renderFailure(failure, 'ndjson', PIPE)).toBe(
    '{"error":{"code":"OUTCOME_UNKNOWN","exitCode":8,"message":"said \\"x\\"\\u001b","hint":"look\\nwait","operation":"card.block","id":"i","outcome":"unknown","http":{"status":500,"requestId":"req"},"service":{"errorCode":"E","message":"m","details":{"n":10.10}},"body":"text","attempts":1,"row":3,"sentAt":"2026-01-01T00:00:00Z","phase":"awaiting_headers","observed":{"status":"ACTIVE","reads":2},"resultId":"r","retryAt":"2026-01-01T00:00:00Z"}}\n',
  );
});

it('renderFailure begins in bold and a color in a terminal that shows them, and has the same text without', () => {
  const colours = terminal(80, {});
  expect(renderFailure(new Failure('NOT_FOUND', 'no card x', { hints: ['check the id'] }), 'table', colours)).toBe(
    '\u001b[1;31mfrontdesk:\u001b[0m no card x\nhint: check the id\n',
  );
  const unknown = new Failure('OUTCOME_UNKNOWN', 'It was cut.', { attempted: 'block card x' });
  expect(renderFailure(unknown, 'table', colours)).toBe(
    '\u001b[1;35mfrontdesk: OUTCOME UNKNOWN\u001b[0m - block card x. It was cut.\n',
  );
  const warned = { code: 'W', message: 'the list may be cut', level: 'warning' as const };
  expect(renderNotice(warned, 'table', colours)).toBe('\u001b[1;33mfrontdesk: warning:\u001b[0m the list may be cut\n');
  expect(renderNotice({ ...warned, level: 'note' }, 'table', colours)).toBe('frontdesk: note: the list may be cut\n');
});

it.each([
  [[], {}, true, true],
  [[], {}, false, false],
  [['--no-color'], {}, true, false],
  [['--', '--no-color'], {}, true, true],
  [[], { NO_COLOR: '1' }, true, false],
  [[], { TERM: 'dumb' }, true, false],
  [[], { TERM: 'dumb', FORCE_COLOR: '1' }, true, true],
  [[], { FORCE_COLOR: '0' }, true, false],
  [[], { FORCE_COLOR: 'false' }, true, false],
])('renderFailure: %j with %j, on a terminal: %s: paints %s', (argv, env, isTerminal, paints) => {
  const stderr = { isTerminal, columns: 80, write: async () => undefined };
  expect(paintsErrors({ argv, env, stderr })).toBe(paints);
});

it('renderFailure leaves out what is not known', () => {
  expect(renderFailure(new Failure('USAGE', 'm'), 'json', PIPE)).toBe(
    '{"error":{"code":"USAGE","exitCode":2,"message":"m"}}\n',
  );
});

it('renderFailure shows outside text safely and on one line', () => {
  expect(renderFailure(new Failure('REJECTED', 'a\n\u001b[2J\u202e'), 'table', PIPE)).toBe(
    'frontdesk: a\\n\\x1b[2J<U+202E>\n',
  );
});

it('renderFailure masks the token of the call in every format', () => {
  const mask = (text: string) => text.replaceAll('tok', '***');
  const failure = new Failure('REJECTED', 'tok', { hints: ['tok'], details: { body: 'tok' } });
  expect(renderFailure(failure, 'table', DEBUG, mask)).not.toContain('tok');
  expect(renderFailure(failure, 'json', PIPE, mask)).not.toContain('tok');
});

it('T13 renderFailure adds the stack, causes included, only for FRONTDESK_DEBUG', () => {
  const text = renderFailure(new Failure('INTERNAL', 'm', { cause: new Error('deep') }), 'table', DEBUG);
  expect(text).toContain('\nFailure: m\n');
  expect(text).toContain('\ncaused by:\nError: deep\n');
});

it('renderFailure lets no message begin a line of the stack', () => {
  const failure = new Failure('REJECTED', 'no\n::error::x\nhint: y', {
    cause: new Error('no\n    at z\nfrontdesk card'),
  });
  const lines = renderFailure(failure, 'table', DEBUG).split('\n');
  expect(lines).toContain('Error: no\\n    at z\\nfrontdesk card');
  expect(lines.filter((line) => /^(?:::|hint|frontdesk card| +at z)/.test(line))).toEqual([]);
});

const note = { code: 'RETRY', message: 'waiting\u001b', level: 'note' } as const;
it.each([
  ['table', false, 'frontdesk: note: waiting\\x1b\n'],
  ['json', true, 'frontdesk: note: waiting\\x1b\n'],
  ['json', false, '{"notice":{"code":"RETRY","message":"waiting\\u001b"}}\n'],
  ['ndjson', false, '{"notice":{"code":"RETRY","message":"waiting\\u001b"}}\n'],
] as const)('renderNotice in %s mode with stderr terminal %s is %j', (format, isTerminal, text) => {
  expect(renderNotice(note, format, isTerminal ? terminal(80) : PIPE)).toBe(text);
});

it('renderNotice names a warning as such, and masks it', () => {
  const warning = { code: 'FULL', message: 'tok', level: 'warning' } as const;
  expect(renderNotice(warning, 'csv', terminal(80), () => '***')).toBe('frontdesk: warning: ***\n');
});

const style = terminal(40);

it('a failure on a terminal breaks long lines between words, and none off a terminal', () => {
  const problem = 'could not read card 7c0e1111-2222-3333-4444-555566667777: the service returned 500';
  const failure = new Failure('BAD_REPLY', problem, { hints: ['see `frontdesk history` and do what it says there'] });
  expect(renderFailure(failure, 'table', style).split('\n')).toEqual([
    'frontdesk: could not read card',
    '7c0e1111-2222-3333-4444-555566667777:',
    'the service returned 500',
    'hint: see `frontdesk history` and do',
    'what it says there',
    '',
  ]);
  expect(renderFailure(failure, 'table', PIPE).split('\n')).toHaveLength(3);
});

it('a failure on a terminal has a command that does not fit on a line of its own, unbroken', () => {
  const command = 'frontdesk card get 7c0e1111-2222-3333-4444-555566667777 -p live';
  const failure = new Failure('REJECTED', 'no', { hints: [`see the card as it is now: ${command}`] });
  expect(renderFailure(failure, 'table', style)).toBe(
    `frontdesk: no\nhint: see the card as it is now:\n  ${command}\n`,
  );
});

it('a failure on a terminal shows its screen in the place of the message, the command apart', () => {
  const failure = new Failure('OUTCOME_UNKNOWN', 'one line', {
    screen: ['OUTCOME UNKNOWN - x', '  Sent  now\u001b'],
    hints: ['do not repeat', 'check with: frontdesk x'],
  });
  expect(renderFailure(failure, 'table', style)).toBe(
    'frontdesk: OUTCOME UNKNOWN - x\n  Sent  now\\x1b\nhint: do not repeat\nhint: check with: frontdesk x\n',
  );
  expect(renderFailure(failure, 'table', PIPE)).toBe(
    'frontdesk: one line\nhint: do not repeat\nhint: check with: frontdesk x\n',
  );
});

it.each([
  ['1,200 UNKNOWN: 1,200 OUTCOME_UNKNOWN', '\u001b[1;35m1,200 UNKNOWN:\u001b[0m 1,200 OUTCOME_UNKNOWN'],
  ['2 rejected: 2 CARD_EXPIRED', '\u001b[1;31m2 rejected:\u001b[0m 2 CARD_EXPIRED'],
  ['3 not sent: 3 not reached', '\u001b[1;33m3 not sent:\u001b[0m 3 not reached'],
  ['card block: 2 rows: 2 applied', 'card block: 2 rows: 2 applied'],
])('a count of rows that did not succeed is painted like the failure of one: %s', (line, painted) => {
  expect(paintCount([line, 'more'])).toEqual([painted, 'more']);
});
