import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../../../src/base/json/parse.ts';
import type { JsonObject } from '../../../../src/base/json/value.ts';
import type { PlanHeader, PlanRow } from '../../../../src/runs/plan/plan-file.ts';
import { changeLines } from '../../../../src/runs/plan/plan-row-lines.ts';
import { DecimalSum, PlanSurvey, type PlanView, planView } from '../../../../src/runs/plan/plan-view.ts';
import { peopleTime } from '../../../../src/screen/people-text.ts';
import { safeText } from '../../../../src/screen/text.ts';
import { drawnWidth, JOINED } from '../../../support/drawn-width.ts';

const UPDATE = 'calendar.subscribers.update';
const STYLE = { width: 80, colour: false, unicode: true, now: Date.parse('2026-05-01T12:30:00Z') };

function row(number: number, fields: Partial<PlanRow>): PlanRow {
  return { row: number, id: `sub_${number}`, body: undefined, drift: 'unchecked', ...fields };
}

function view(rows: readonly PlanRow[], more: Partial<PlanView> = {}): PlanView {
  const survey = new PlanSurvey();
  for (const one of rows) survey.add(one);
  const origin = { operation: UPDATE, url: 'https://calendar.example.com', profile: 'live', createdBy: 'ann' };
  const times = { createdAt: '2026-05-01T12:00:00.000123Z', expiresAt: '2026-05-02T12:00:00.000Z' };
  const counts = { rows: rows.length, unchanged: 0, skipped: 0 };
  const header = { plan: '0123456789ab', ...origin, ...times, ...counts, sha256: '' };
  return { header, state: 'new', survey, allRows: 'frontdesk plan show p -o csv', ...more };
}

const change = (field: string, old: string, next: string) =>
  row(1, { body: new Map([[field, next]]), before: new Map([[field, old]]) });
const EMAILS = change('email', 'ann@old.example', 'ann@new.example');

it('a plan on a terminal says what, where, by whom, until when, and shows old and new exactly as they are', () => {
  const body = new Map<string, string | boolean>(Object.entries({ email: 'x', active: false }));
  expect(planView(view([EMAILS, row(2, { body, before: new Map([['active', true]]) })]), STYLE)).toBe(
    [
      'Plan 0123456789ab: calendar subscribers update of 2 rows',
      'State                new',
      'At                   https://calendar.example.com (profile live)',
      `Made                 ${peopleTime('2026-05-01T12:00:00Z')} (30 minutes ago) by ann`,
      `Expires              ${peopleTime('2026-05-02T12:00:00Z')} (in 23 hours)`,
      'Fields               2 email, 1 active',
      'Old values           as the plan says: no command can read them again',
      'Compared             not possible: the service documents no way to read these,',
      '                     so changes by others go unnoticed',
      '',
      'row 1 sub_1  email: ann@old.example → ann@new.example',
      '      email in code points: U+0061 U+006E U+006E U+0040 U+006E U+0065 U+0077',
      '        U+002E U+0065 U+0078 U+0061 U+006D U+0070 U+006C U+0065',
      'row 2 sub_2  email: (not known) → x; active: true → false',
      '',
    ].join('\n'),
  );
});

it('a value or an ID in a plan that could pass for more changes stands in quotes, and a long one is soon shown', () => {
  const shown = (one: PlanRow) => changeLines([one], UPDATE, { statusHeader: 'NOW' }, { ...STYLE, width: 160 });
  const posing = 'Eve; active: true → false';
  expect(shown(change('first_name', 'Ann', posing))).toEqual([`row 1 sub_1  first_name: Ann → "${posing}"`]);
  expect(shown({ ...change('email', 'a@x', 'b@x'), id: 's  email: a' })).toEqual([
    'row 1 "s  email: a"  email: a@x → b@x',
  ]);
  expect(shown(row(1, { body: new Map([['email', ' b']]) }))).toEqual(['row 1 sub_1  email: " b"']);
  expect(shown(change('description', 'a', 'b'.repeat(500_000))).length).toBeGreaterThan(3000);
});

it('a plan on a terminal marks what was put in or taken out by its style alone', () => {
  const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
  const check = (old: string, next: string, shown: string) =>
    expect(planView(view([change('email', old, next)]), { ...STYLE, colour: true })).toContain(`email: ${shown}\n`);
  check('a@example.com', 'a@new.example.com', `a@example.com → a@${bold('new.')}example.com`);
  check('p2@example.com', 'new@example.com', `${bold('p2')}@example.com → ${bold('new')}@example.com`);
  check('a@x', '', `${bold('a@x')} → ${bold('(empty)')}`);
  check('😀a', '😁a', `${bold('😀')}a → ${bold('😁')}a`);
});

const card = (number: number, status: string, more: Partial<PlanRow> = {}) =>
  row(number, {
    id: `card-${number}`,
    drift: 'checked',
    body: new Map([['reason', 'INC-7']]),
    before: new Map([['status', status]]),
    about: parseJson(`{"clientReference":"order-${9 + number}","currentBalance":${number}.10}`) as JsonObject,
    ...more,
  });
const blocks = (rows: readonly PlanRow[], more: Partial<PlanHeader> = {}) => {
  const cards = view(rows);
  return { ...cards, header: { ...cards.header, operation: 'card.block', ...more } };
};

it('a plan on a terminal counts cards by their status when planned, adds up what is on them, and has reference and balance beside ids', () => {
  const expects = (reference: string) => [
    { field: 'status', value: 'ACTIVE' },
    { field: 'clientReference', value: reference },
  ];
  const rows = [
    card(1, 'ACTIVE', { expects: expects('order-10') }),
    card(2, 'ACTIVE', { expects: expects('order-11') }),
    card(3, 'BLOCKED', { about: new Map([['clientReference', 'r']]) }),
  ];
  const text = planView(blocks(rows, { source: 'stolen.csv', expect: ['status', 'clientReference'] }), STYLE);
  expect(text).toContain('From                 stolen.csv (as the plan says)\n');
  expect(text).toContain('Status when planned  2 ACTIVE, 1 BLOCKED\n');
  expect(text).toContain('Balances             3.20 in all (of 2 of 3 rows)\n');
  expect(text).toContain('Sends                reason: INC-7\n');
  expect(text).toContain("Expected             status=ACTIVE, each row's clientReference: true when\n");
  expect(text).toContain(
    [
      'ROW  CARD    REFERENCE  BALANCE  WHEN PLANNED',
      '  1  card-1  order-10      1.10  ACTIVE',
      '  2  card-2  order-11      2.10  ACTIVE',
      '  3  card-3  r                   BLOCKED  ▲ already\n',
    ].join('\n'),
  );
});

it('a status or a balance that has no room in the list of cards stands below its row, and is marked', () => {
  const [, shown, ...below] = changeLines(
    [card(1, `ACTIVE${' '.repeat(60)}✔ BLOCKED at 14:02`)],
    'card.block',
    { statusHeader: 'NOW', isShared: true },
    STYLE,
  );
  expect(shown).toBe('  1  card-1  order-10      1.10');
  expect(below.join('\n')).toMatch(/^ {5}"ACTIVE +✔\n {5}\| BLOCKED at 14:02"/);
});

it.each([2, 3])('a plan on a terminal says of %i cards that each is compared with its own reference', (count) => {
  const rows = Array.from({ length: count }, (_, at) =>
    row(at + 1, { drift: 'checked', expects: [{ field: 'clientReference', value: `order-${at}` }] }),
  );
  const all = view(rows);
  const text = planView({ ...all, header: { ...all.header, expect: ['clientReference'] } }, { ...STYLE, width: 120 });
  expect(text).toContain("\nExpected             each row's clientReference: true when planned,");
});

it('a plan on a terminal puts the reference elsewhere where a row is too long, and cuts nothing', () => {
  const id = '50cfc163-84a7-42df-9196-a374cfe50606';
  const rows = [card(5, 'WAITING_ACTIVATION', { id }), card(6, 'ACTIVE', { id })];
  expect(planView(blocks(rows), { ...STYLE, width: 80 })).toContain(
    [
      `ROW  CARD${' '.repeat(34)}BALANCE  WHEN PLANNED`,
      `  5  ${id}     5.10  WAITING_ACTIVATION  order-14`,
      `  6  ${id}     6.10  ACTIVE  order-15\n`,
    ].join('\n'),
  );
});

it('a plan on a terminal breaks what fits on no line, and cuts nothing', () => {
  const [old, next] = [`https://example.com/${'a'.repeat(100)}`, `https://example.com/${'a'.repeat(99)}b`];
  const text = planView(view([change('url', old, next)]), { ...STYLE, width: 60 });
  expect(text.slice(text.indexOf('row 1')).split('\n')).toEqual([
    'row 1 sub_1',
    `      url: https://example.com/${'a'.repeat(29)}`,
    `      | ${'a'.repeat(52)}`,
    `      | ${'a'.repeat(19)}`,
    `        → https://example.com/${'a'.repeat(30)}`,
    `      | ${'a'.repeat(52)}`,
    `      | ${'a'.repeat(17)}b`,
    expect.stringMatching(/^ {6}url in code points: U\+0068 /),
    ...Array.from({ length: 17 }, () => expect.stringMatching(/^ {8}U\+/)),
    '',
  ]);
});

it.each(JOINED)('a plan on a terminal draws no line wider than it, and cuts nothing: %s', (_what, letters) => {
  const name = `x${letters.repeat(60)}`;
  const style = { ...STYLE, width: 24 };
  const lines = changeLines([change('first_name', letters, name)], UPDATE, { statusHeader: 'STATUS' }, style);
  expect(lines.filter((line) => drawnWidth(line) > 24)).toEqual([]);
  expect(lines.map((line) => line.replace(/^ *(?:\| )?/, '')).join('')).toContain(safeText(name));
});

it('a plan on a terminal that has no room for an emoji is drawn to its end', () => {
  const added = row(1, { body: new Map([['first_name', '👨‍👩‍👧‍👦'.repeat(3)]]) });
  const lines = changeLines([added], UPDATE, { statusHeader: 'STATUS' }, { ...STYLE, width: 6 });
  expect(lines.map((line) => line.replace(/^ *(?:\| )?/, '')).join('')).toContain('👨‍👩‍👧‍👦'.repeat(3));
});

it('a plan on a terminal shows the code points of a new text where at most 3 characters differ, or one is not ASCII', () => {
  const cells = (old: string, next: string) => planView(view([change('email', old, next)]), STYLE);
  const under = '\n      email in code points: ';
  expect(cells('bob@x', 'b\u043eb@x')).toContain(`${under}U+0062 U+043E U+0062 U+0040 U+0078\n`);
  expect(cells('bob@\u200bx', 'bob@x')).toContain(`${under}U+0062 U+006F U+0062 U+0040 U+0078\n`);
  expect(cells('bob@x', 'mia@\u{1f600}y')).toContain(`${under}U+006D U+0069 U+0061 U+0040 U+1F600 U+0079\n`);
  expect(cells('carn', 'cam')).toContain(`${under}U+0063 U+0061 U+006D\n`);
  expect(cells('a', '')).toContain(`${under}none\n`);
  expect(cells('\u00e5bcde', '\u00e5vwxyz')).not.toContain('code points');
  expect(cells('abcd', 'wxyz')).not.toContain('code points');
  expect(cells('same', 'same')).not.toContain('code points');
});

it('a plan on a terminal says with each row what it sends where that differs', () => {
  const other = card(2, 'ACTIVE', { body: new Map([['reason', 'INC-8']]) });
  const text = planView(blocks([card(1, 'ACTIVE'), other]), STYLE);
  expect(text).not.toContain('Sends');
  expect(text).toContain('  2  card-2  order-11      2.10  ACTIVE        INC-8\n');
});

it('a plan on a terminal says its state: the run, when, and its counts', () => {
  const outcomes = { applied: 1200, not_sent: 1 };
  const run = { run: 'plan-0123456789ab', startedAt: '2026-05-01T12:10:00.000Z', outcomes };
  const text = planView({ ...blocks([card(1, 'ACTIVE')]), state: 'stopped', run }, { ...STYLE, width: 120 });
  expect(text).toContain('State                stopped\n');
  expect(text).toContain(
    `Run                  plan-0123456789ab, begun ${peopleTime('2026-05-01T12:10:00Z')} (20 minutes ago): 1,200 applied, 1 not sent\n`,
  );
});

it('a plan on a terminal says what an older file had and the input has not', () => {
  const shown = view([EMAILS]);
  expect(planView({ ...shown, header: { ...shown.header, unchanged: 5, missing: 2, emptied: 1 } }, STYLE)).toContain(
    [
      'Left out             5 rows without a change',
      '                     2 rows in the older file but not in the input',
      '                     1 cell emptied since the older file, left unchanged',
      '',
    ].join('\n'),
  );
});

it('a plan on a terminal shows the first 200 rows, each on one line of the terminal, and says how to see the others', () => {
  const rows = Array.from({ length: 1200 }, (_, index) =>
    row(index + 1, { body: new Map([['email', 'x'.repeat(200)]]) }),
  );
  const lines = planView(view(rows), { ...STYLE, width: 40, unicode: false }).split('\n');
  const shown = lines.filter((line) => line.startsWith('row ')).map((line) => line.length);
  expect([shown.length, Math.max(...shown) <= 40]).toEqual([200, true]);
  expect(lines.at(-2)).toBe('and 1,000 more: frontdesk plan show p -o csv');
});

it('a plan on a terminal lets nothing from outside act on the terminal', () => {
  const bad = row(1, { id: 'a\u001b[2J', body: new Map([['email', '\u202ex\u0007']]), before: new Map() });
  expect(planView(view([bad]), STYLE)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
});

function sumOf(texts: readonly string[]): [text: string, count: number] {
  const sum = new DecimalSum();
  for (const text of texts) sum.add(text);
  return [sum.text(), sum.count];
}

it.each<[readonly string[], string, number]>([
  [[], '0', 0],
  [['10.10', '5'], '15.10', 2],
  [['0.1', '0.2'], '0.3', 2],
  [['12345678901234567.89', '0.01'], '12345678901234567.90', 2],
  [['-0.50', '0.25'], '-0.25', 2],
  [['-1', '1.00'], '0.00', 2],
  [['1e3', '2'], '1002', 2],
  [['1e9999', '2.50'], '1e9999', 1],
])('the sum of balances: %j is added to %s', (texts, sum, count) => expect(sumOf(texts)).toEqual([sum, count]));

it('the sum of balances adds cents as whole numbers do, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 1 }), (cents) => {
      const text = (value: number) => `${value < 0 ? '-' : ''}${(Math.abs(value) / 100).toFixed(2)}`;
      const total = cents.reduce((sum, value) => sum + value, 0);
      expect(sumOf(cents.map(text))).toEqual([text(total), cents.length]);
      expect(sumOf(cents.map(text).reverse())).toEqual([text(total), cents.length]);
    }),
  );
});
