import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { Failure } from '../../../../src/base/failure.ts';
import { printJson } from '../../../../src/base/json/print.ts';
import type { InputFile } from '../../../../src/input/input-file.ts';
import { readChangedFrom } from '../../../../src/input/records/changed-from.ts';
import { checkInput } from '../../../../src/input/records/check-input.ts';
import { ColumnRoles } from '../../../../src/input/records/columns.ts';
import type { InputOptions } from '../../../../src/input/records/findings.ts';
import type { GoodRow } from '../../../../src/input/records/interpret.ts';
import { readShape } from '../../../../src/input/records/shape.ts';
import { readRows } from '../../../../src/input/rows/row-file.ts';
import type { Operation } from '../../../../src/service/api/operation.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import { handMadeWorkbook, MAIN, sheetJsWorkbook, textRow } from '../../../support/workbooks.ts';
import { temporaryFolder } from '../../base/files/place.ts';
import { inPieces } from './parse-records.ts';

const CARD = '5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11';
const OTHER = '00000000-0000-0000-0000-000000000001';

function fileOf(text: string | Uint8Array): InputFile {
  return {
    name: 'stdin',
    bytes: () => inPieces(typeof text === 'string' ? Buffer.from(text) : text, 100),
    close: async () => undefined,
  };
}

function optionsFor(operation: Operation, more: Partial<InputOptions> = {}): InputOptions {
  return {
    operation,
    path: '-',
    format: undefined,
    csvRaw: false,
    sheet: undefined,
    shard: undefined,
    defaults: {},
    emptyCells: 'keep',
    resendUnknown: false,
    expectations: [],
    ...more,
  };
}

async function check(
  operation: Operation,
  text: string | Uint8Array,
  more: Partial<InputOptions> = {},
  allowDuplicates = false,
) {
  return checkInput(fileOf(text), optionsFor(operation, more), {
    duplicates: allowDuplicates ? 'accepted' : 'refused',
  });
}

async function failureOf(operation: Operation, text: string | Uint8Array, more: Partial<InputOptions> = {}) {
  const error = await check(operation, text, more).catch((thrown: unknown) => thrown);
  if (!(error instanceof Failure) || error.code !== 'USAGE') throw error;
  return error;
}

const placed = ({ faults }: Failure) => faults.map(({ where, problem }) => `${where}: ${problem}`);

async function faultsOf(operation: Operation, text: string, more: Partial<InputOptions> = {}) {
  const { parts, problem } = await failureOf(operation, text, more);
  return parts?.problems ?? problem.split(/^[^:]* in stdin: /).slice(1);
}

/** What would be sent: id and body of every row. */
async function callsOf(operation: Operation, text: string, more: Partial<InputOptions> = {}) {
  const options = optionsFor(operation, more);
  const rowsTo = join(temporaryFolder(), 'rows');
  const input = await checkInput(fileOf(text), options, { duplicates: 'accepted', rowsTo });
  const calls: unknown[] = [];
  for await (const rows of readRows(rowsTo, input.shape)) {
    for (const { id, body } of rows) calls.push([id, body === undefined ? undefined : printJson(body)]);
  }
  expect(calls).toHaveLength(input.selected);
  return calls;
}

const NEAR = 'unknown column "emial": did you mean email?';
const NAMELESS = 'a column has no name: write one there, or delete the column';
const NO_ID = 'line 1: the column id is missing: the first row must have the names of the columns';
const DATES = 'such as 2026-05-01, 2026-05-01T18:30 or 2026-05-01T18:30:00+02:00 (with a T between day and time)';
const NO_BOOLEAN = (text: string) => `must be true or false, not "${text}". Or save as .xlsx, which needs no words`;
const SPREADSHEET = 'is a spreadsheet error, not a value: correct the formula, and export it again';
const LOOK = 'A card ID has 36 characters with dashes, like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
const UNKNOWN = `column _outcome: the outcome of this row is unknown: it may have been applied. Find out first (\`frontdesk runs\` lists its run). Send it again with --resend-unknown only if it was not`;

const DONE =
  'column _outcome: this row is done already. `frontdesk runs results <run> --outcome rejected,not_sent --as-input` prints the others. --ignore-columns _outcome sends it again';
const ROUNDED =
  '"6,51E+31" is an ID that a spreadsheet has rounded, so it is lost: store the column as text, and export it again';
const KEPT = `id,email,_row,_outcome,_error`;

const XLSX = { path: 'rows.xlsx' };
const { cardBlock, cardActivate, cardGet, subscriberUpdate, calendarUpdate, eventCreate } = OPERATIONS;

it('rows of an input become calls: cells are fields, options fill what is lacking, and only what was given is sent', async () => {
  const text = `cardId,reason\n${CARD},lost\n${OTHER},\n`;
  expect(await callsOf(cardBlock, text)).toEqual([
    [CARD, '{"reason":"lost"}'],
    [OTHER, '{}'],
  ]);
  expect(await callsOf(cardBlock, text, { defaults: { reason: 'ticket 4711' } })).toEqual([
    [CARD, '{"reason":"lost"}'],
    [OTHER, '{"reason":"ticket 4711"}'],
  ]);
  expect((await check(cardBlock, text, { defaults: { reason: 'ticket 4711' } })).emptyCells.size).toBe(0);
  expect(await callsOf(cardActivate, `${CARD}\n${OTHER}`)).toEqual([
    [CARD, undefined],
    [OTHER, undefined],
  ]);
});

it.each([
  ['cardId,New Card', ['New Card=id', 'cardId=reason']],
  ['cardId,New Card', ['New Card=cardId', 'cardId=reason']],
  ['cardId,id', ['cardId=reason']],
  ['cardId,New Card', ['New Card=cardId'], ['cardId']],
  ['id,New Card', ['New Card=cardId'], ['id']],
])('a column that is mapped away or ignored is not the ID: %s %j %j', async (names, map, ignoreColumns = []) => {
  const more = { shape: readShape({ map, ignoreColumns }, [], []), ignoreColumns };
  const call = [[OTHER, ignoreColumns.length > 0 ? '{}' : `{"reason":"${CARD}"}`]];
  expect(await callsOf(cardBlock, `${names}\n${CARD},${OTHER}\n`, more)).toEqual(call);
  const [one = '', two = ''] = names.split(',');
  expect(await callsOf(cardBlock, `${JSON.stringify({ [one]: CARD, [two]: OTHER })}\n`, more)).toEqual(call);
});

it('an input with --map becomes the same calls as one whose columns have the names of the fields', async () => {
  const fields = ['id', 'email', 'first_name', 'last_name'];
  const headers = fc.integer({ min: 1, max: fields.length }).chain((length) =>
    fc.tuple(
      fc.shuffledSubarray(fields, { minLength: length, maxLength: length }).filter((names) => names.includes('id')),
      fc.shuffledSubarray([...fields, 'cardId', 'A'], { minLength: length, maxLength: length }),
      fc.constantFrom('csv', 'ndjson'),
    ),
  );
  const inputOf = (names: readonly string[], format: string) =>
    format === 'csv'
      ? `${names.join(',')}\n${names.map((_, at) => `v${at}`).join(',')}\n`
      : `${JSON.stringify(Object.fromEntries(names.map((name, at) => [name, `v${at}`])))}\n`;
  await fc.assert(
    fc.asyncProperty(headers, async ([wanted, given, format]) => {
      const map = given.flatMap((name, at) => (name === wanted[at] ? [] : [`${name}=${wanted[at]}`]));
      const more = { defaults: { last_name: 'Flag' } };
      const shape = readShape({ map }, [], []);
      expect(await callsOf(subscriberUpdate, inputOf(given, format), { ...more, shape })).toEqual(
        await callsOf(subscriberUpdate, inputOf(wanted, format), more),
      );
    }),
  );
});

it('rows of an input have one hash whatever their format and the case of an ID, and another where one or a body differs', async () => {
  const hashOf = async (text: string) => (await check(cardBlock, text)).rowsSha256;
  const hash = await hashOf(`cardId,reason\n${CARD},lost\n`);
  expect(await hashOf(`{"cardId":"${CARD.toUpperCase()}","reason":"lost"}\n`)).toBe(hash);
  expect(await hashOf(`cardId,reason\n${CARD},Lost\n`)).not.toBe(hash);
  expect(await hashOf(`cardId,reason\n${OTHER},lost\n`)).not.toBe(hash);
});

it('rows of an input ignore what is known from responses, so that cards that were read can be written', async () => {
  const card = `{"cardId":"${CARD}","clientReference":"r","status":"ACTIVE","initialBalance":5.0,"metadata":{"a":1},"transactions":[],"metadata.shop":"x"}`;
  expect(await callsOf(cardBlock, card)).toEqual([[CARD, '{}']]);
  expect(await callsOf(cardBlock, `[${card}]`)).toEqual([[CARD, '{}']]);
  expect(await callsOf(cardBlock, `cardId,status,metadata.shop,transactions.0.amount\n${CARD},ACTIVE,x,1\n`)).toEqual([
    [CARD, '{}'],
  ]);
  expect(await callsOf(cardBlock, `id,_row,_outcome,_error\n${CARD},7,rejected,x\n`)).toEqual([[CARD, '{}']]);
});

it('rows of an input read booleans of spreadsheets and take the guard before formulas away', async () => {
  const text = "id;object;active;email;created\ns1;subscriber;TRUE;'=x@y;2026\ns2;subscriber;False;'tis;2026\n";
  expect(await callsOf(subscriberUpdate, text)).toEqual([
    ['s1', '{"email":"=x@y","active":true}'],
    ['s2', '{"email":"\'tis","active":false}'],
  ]);
});

it('rows of an input keep empty, null and not given apart', async () => {
  const csv = 'id,email,first_name\ns1,,Ann\n';
  expect(await callsOf(subscriberUpdate, csv)).toEqual([['s1', '{"first_name":"Ann"}']]);
  expect(await callsOf(subscriberUpdate, csv, { emptyCells: 'clear' })).toEqual([
    ['s1', '{"email":"","first_name":"Ann"}'],
  ]);
  expect(await callsOf(subscriberUpdate, '{"id":"s1","email":""}')).toEqual([['s1', '{"email":""}']]);
  const event = '{"calendar":"c","name":"n","start":"2026-05-01"';
  expect(await callsOf(eventCreate, `${event},"url":null}`)).toEqual([
    [undefined, '{"calendar":"c","name":"n","start":"2026-05-01","url":null}'],
  ]);
});

it('rows of an input are those of the shard, counted in the whole input', async () => {
  const text = 'a1\na2\na3\na4\na5\n';
  const more = { defaults: { active: false }, format: 'ids' as const };
  expect(await callsOf(subscriberUpdate, text, { ...more, shard: { index: 2, count: 2 } })).toEqual([
    ['a2', '{"active":false}'],
    ['a4', '{"active":false}'],
  ]);
  expect(await check(subscriberUpdate, text, { ...more, shard: { index: 3, count: 3 } })).toMatchObject({
    rows: 5,
    selected: 1,
    first: [{ row: 3, id: 'a3' }],
  });
});

it('rows of an input are kept with all that makes calls of them', async () => {
  const skipIf = [{ field: 'status', values: ['BLOCKED'] }];
  const parts = ['ticket ', { column: 'Note' }];
  const more = { skipIf, templates: { reason: parts }, defaults: { reason: 't' }, ...REFERENCE };
  const shape = readShape({ map: ['Card=cardId'] }, ['Note'], []);
  const same = { sendsEmpty: false, expects: [], onlyChanges: false };
  expect((await check(cardBlock, `Card,Note,clientReference\n${CARD},n,r\n`, { ...more, shape })).shape).toEqual({
    ...{ ...same, form: 'cells', columns: ['Card', 'Note', 'clientReference'], columnOf: { cardId: 'Card' } },
    ...{ idParam: 'cardId', ids: ['cardId', 'id'], fields: [{ name: 'reason', value: 't', parts }], skipIf },
    expects: [{ field: 'clientReference' }],
  });
  const ignoring = { ignoreColumns: ['email', 'name', 'first_name'], defaults: { email: 'a@x' } };
  const ofJson = await check(subscriberUpdate, '{"id":"s1","email":"e","name":"n","first_name":"f"}', ignoring);
  const fields = [
    { name: 'email', isIgnored: true, value: 'a@x' },
    { name: 'last_name' },
    { name: 'active', isBoolean: true },
  ];
  expect(ofJson.shape).toEqual({ ...same, form: 'json', columns: [], idParam: 'id', ids: ['id'], fields });
  expect((await check(cardGet, `${CARD}\n`)).shape).toMatchObject({ form: 'id', fields: null });
  expect((await check(eventCreate, '[]')).shape).toMatchObject({ form: 'json', idParam: null, ids: [] });
});

it('rows of an input carry what --expect asks of them', async () => {
  const expectations = [
    { field: 'clientReference', value: undefined },
    { field: 'status', value: 'ACTIVE' },
    { field: 'metadata.shop', value: undefined },
  ];
  for (const text of [
    `cardId,clientReference,metadata.shop\n${CARD},order-1,berlin\n`,
    `{"cardId":"${CARD}","clientReference":"order-1","metadata":{"shop":"berlin"}}`,
  ]) {
    expect(await check(cardBlock, text, { expectations })).toMatchObject({
      first: [
        {
          expects: [
            { field: 'clientReference', value: 'order-1' },
            { field: 'status', value: 'ACTIVE' },
            { field: 'metadata.shop', value: 'berlin' },
          ],
        },
      ],
    });
  }
});

it('an input without faults is counted, with the empty cells that leave a field unchanged', async () => {
  expect(await check(subscriberUpdate, 'id,email,first_name,created\ns1,,Ann,\ns2,b@x,,\ns3,,Cay,\n')).toMatchObject({
    format: 'csv',
    rows: 3,
    selected: 3,
    ...{ changed: 3, unchanged: 0, hidden: 0, hiddenColumns: [] },
    columns: ['id', 'email', 'first_name', 'created'],
    warnings: [],
    emptyCells: new Map([
      ['email', 2],
      ['first_name', 1],
    ]),
    sha256: 'c89fb5a15e294da26dee7a3a3c501d78036bb784eaf50bd33a6f2ccdabed0d1f',
  });
});

test.each(['', '\n', 'cardId,reason\n', '[]'])('an input without faults may have no rows: %j', async (text) =>
  expect(await check(cardBlock, text)).toMatchObject({ rows: 0, selected: 0 }),
);

it.each([
  ['s\u200b1', '"s<U+200B>1" has U+200B (zero width space), which no ID has'],
  ['s\u00a01', '"s\u00a01" has U+00A0, which no ID has'],
  ['“s1”', `"'s1'" has quotes around it (“…”), which no ID has`],
])('an id with what nobody can see or has typed is a fault: %j', async (id, problem) => {
  expect(await faultsOf(subscriberUpdate, `id,email\n${`${id},a@x\n`.repeat(2)}`)).toEqual([
    `row 1, line 2 and 1 more, column id: ${problem}`,
  ]);
});

it.each([
  ['a\u200b@x', 'U+200B (zero width space)'],
  ['a@x\ufffd', 'U+FFFD (replacement character, where a program lost another one)'],
  ['“a@x”', 'quotes around it (“…”)'],
  ['a@x\u200d', 'U+200D'],
  ['a\0@x', 'U+0000'],
  ['a@\u001bx', 'U+001B'],
  ['"a@x\n"', 'U+000A at its end'],
  ['#Sale!', 'the look of an error of a spreadsheet'],
  ['GÃ¼nther@x', 'text that was opened in the wrong encoding ("GÃ¼nther@x" for "Günther@x")'],
])('a text with what nobody can see or has typed is warned about: %j', async (email, suspicion) => {
  expect((await check(subscriberUpdate, `id,email\ns1,${email}\n`)).warnings.map(({ message }) => message)).toEqual([
    `1 cell of column email (row 1) has ${suspicion}, and is sent as given`,
  ]);
});

it('a joiner within a word or an emoji is ordinary', async () =>
  expect((await check(subscriberUpdate, 'id,first_name\ns1,می\u200cخواهم\ns2,👩\u200d🚀\n')).warnings).toEqual([]));

it.each(['#WERT!', '#NV', '#BEZUG!', '#¿NOMBRE?', '#CALC!', 'Err:502', '#N/A', '#ERROR!'])(
  'a spreadsheet error is a fault in a table: %s',
  async (error) => {
    expect(await faultsOf(subscriberUpdate, `id,first_name\ns1,${error}\n`)).toEqual([
      `row 1, line 2, column first_name: ${error} ${SPREADSHEET}`,
    ]);
    expect(await check(subscriberUpdate, `{"id":"s1","first_name":"${error}"}\n`)).toMatchObject({ rows: 1 });
  },
);

it.each(['"=""00042"""', '="00042"'])('a guard of zeros is a fault that gives the value: %s', async (cell) => {
  const problem = `="00042" is a formula for "00042", as exports guard zeros: store "00042" in a column formatted as text`;
  expect(await faultsOf(subscriberUpdate, `id,email\n${cell},a@x\ns2,b@x\n`)).toEqual([
    `row 1, line 2, column id: ${problem}`,
  ]);
  expect(await faultsOf(subscriberUpdate, `id,first_name\ns1,${cell}\n`)).toEqual([
    `row 1, line 2, column first_name: ${problem}`,
  ]);
  expect(await callsOf(subscriberUpdate, `id,first_name\ns1,"'=""00042"""\n`)).toEqual([
    ['s1', '{"first_name":"=\\"00042\\""}'],
  ]);
});

it('a header that is nearly a field is a fault whose hint is the whole --map, and no hint names an ignored column', async () => {
  expect(await failureOf(subscriberUpdate, 'ID,First Name,Subject\ns1,Ann,x\n')).toMatchObject({
    hints: ['read them as these fields: `--map "ID=id" --map "First Name=first_name"`'],
    faults: [
      { problem: 'unknown column "ID": --map "ID=id"' },
      { problem: 'unknown column "First Name": --map "First Name=first_name"' },
      { problem: expect.stringContaining('unknown column "Subject": the columns are id, ') },
      { problem: 'the column id is missing' },
    ],
  });
});

it.each([
  ['Mail=email'],
  ['Shop=metadata.shop'],
  ['_outcome=email', '_outcome is no other field: it says which rows must not be sent again'],
  ['Mail=emial', '"Mail=emial" names no field: did you mean email?'],
  ['Mail=x', '"Mail=x" names no field: the fields are id, active, email, first_name, last_name, metadata.shop'],
])('--map %s names a field, or is refused with the nearest, or all', (map, ...problems) => {
  const roles = new ColumnRoles(subscriberUpdate, [], readShape({ map: [map] }, [], []));
  expect(roles.mapProblems(['metadata.shop'])).toEqual(problems);
});

it('the one column of another name that has card ids is named as the column of the ID', async () => {
  const hintsOf = async (header: string, row: string) => (await failureOf(cardBlock, `${header}\n${row}\n`)).hints;
  expect(await hintsOf('Card Number,Reason', `${CARD},lost`)).toEqual([
    'read them as these fields: `--map "Reason=reason" --map "Card Number=cardId"`',
  ]);
  for (const [name, other] of [
    ['Card ID', 'Note'],
    ['Card Number', 'reason'],
  ])
    expect(await hintsOf(`${name},${other}`, `${CARD},${OTHER}`)).toEqual([
      `read them as these fields: \`--map "${name}=cardId"\``,
    ]);
  expect(await hintsOf('Card Number,New Card', `${CARD},${CARD}`)).toEqual([]);
  expect(await failureOf(cardBlock, `Card Number,cardId\n${CARD},${CARD}\n`, REFERENCE)).toMatchObject({ hints: [] });
});

it('of unknown members only the first 1,000 are guessed, and named of a row: a file may have millions', async () => {
  const row = (names: readonly string[]) =>
    JSON.stringify(Object.fromEntries(['id', ...names].map((name) => [name, 'x'])));
  const many = Array.from({ length: 1500 }, (_, at) => `k${at}`);
  const text = [['emial'], many, ['emial', 'Email', 'emali']].map(row).join('\n');
  const { faultCount, faults } = await failureOf(subscriberUpdate, text);
  expect([faultCount, faults[0]?.problem]).toEqual([1 + 1000 + 3 + 5, NEAR]);
  const roles = new ColumnRoles(subscriberUpdate);
  const problems = ['emial', ...many, 'emali', 'emial'].map((name) => roles.unknownProblem(name));
  expect([problems[0], problems.at(-1)]).toEqual([NEAR, NEAR]);
  expect(problems.at(-2)).toMatch(/^unknown column "emali": the columns are id, active, email/);
});

it('ids are refused for an operation that has none, with its columns', async () => {
  const { problem } = await failureOf(eventCreate, `${CARD}\n`, { format: 'ids' });
  expect(problem).toMatch(/^stdin: calendar event create takes no IDs\. Its columns are calendar, name, start/);
});

const EVENTS = ['c,n,2026-05-01,TRUE', 'c,n,2026-05-02,true', 'c,n,2026-05-01,true'].join('\n');

it.each<[string, Operation, string, ...string[]]>([
  ['an unknown column', subscriberUpdate, 'id,emial,active\ns1,a,true\n', `line 1, column 2: ${NEAR}`],
  ['one of JSON', subscriberUpdate, '{"id":"s1","emial":"a","active":true}', `line 1, column emial: ${NEAR}`],
  [
    'a dotted column of a plain field',
    ...([subscriberUpdate, 'id,email.x,active\ns1,a,true\n'] as const),
    'line 1, column 2: unknown column "email.x": did you mean email?',
  ],
  ['a doubled column', subscriberUpdate, 'id,email,email\ns1,a,b\n', 'line 1, column 3: there are two columns email'],
  [
    'cells without anything above the header',
    ...([subscriberUpdate, ',\nid,email\ns1,a\n'] as const),
    ...[`line 1, column 1: ${NAMELESS}`, `line 1, column 2: ${NAMELESS}`, NO_ID],
  ],
  ['a column without a name', subscriberUpdate, 'id,email,\ns1,a,b\n', `line 1, column 3: ${NAMELESS}`],
  [
    'a delimiter that is none of the three',
    ...([subscriberUpdate, 'id|mail\ns1|a\n'] as const),
    expect.stringMatching(/^line 1, column 1: unknown column "id\|mail".*If \| separates the columns, write sep=\| as/),
    NO_ID,
  ],
  [
    'a field that a JSON row lacks',
    ...([eventCreate, '{"calendar":"c","start":"2026-05-01"}\n{"name":"n","start":"2026-05-01"}\n'] as const),
    ...['line 1, name: is required', 'line 2, calendar: is required'],
  ],
  [
    'an hour of one digit',
    ...([eventCreate, `calendar,name,start\n${'c,n,2026-05-01T9:00\n'.repeat(2)}`] as const),
    'row 1, line 2 and 1 more, column start: needs two digits for the hour (2026-05-01T09:00): "2026-05-01T9:00"',
  ],
  ['no id column', cardBlock, 'reason\nlost\nstolen\n', 'line 1: the column cardId (or id) is missing'],
  [
    'missing columns of an event',
    ...([eventCreate, 'name,end\nConcert,2026-05-01\nOpera,tomorrow\n'] as const),
    'line 1: the column calendar is missing (--calendar gives all rows one value)',
    'line 1: the column start is missing (--start gives all rows one value)',
    `row 2, line 3, column end: is not an ISO 8601 date, ${DATES}: "tomorrow"`,
  ],
  [
    'a card id that is none',
    ...([cardBlock, `reason,id\nx,${CARD}\ny,{${OTHER}}\nz,\n`] as const),
    `row 2, line 3, column id: "{${OTHER}}" is not a card ID: did you mean ${OTHER}?`,
    `row 3, line 4, column id: is empty. ${LOOK}`,
  ],
  [
    'JSON that is broken in one way in several places',
    ...([cardBlock, `{"cardId":"${CARD}",}\n{"cardId":"1",}\n{"cardId":"12",}\n{"cardId":}\n`] as const),
    'line 1 and 2 more, column 50: a comma after the last member: delete it',
    'line 4, column 11: expected a value',
  ],
  [
    'two ids in one row',
    ...([cardBlock, `cardId,id\n${CARD},${OTHER}\n${OTHER},\n,\n,${CARD}\n`] as const),
    'row 1, line 2, column cardId: the columns cardId and id name two different cards',
    'line 4: the row is empty, but rows follow it: delete it',
  ],
  [
    'a bad boolean, below a quoted line break',
    ...([subscriberUpdate, 'id,first_name,active\ns1,"a\nb",yes\n'] as const),
    `row 1, line 3, column active: ${NO_BOOLEAN('yes')}`,
  ],
  [
    'booleans of other languages as one',
    ...([subscriberUpdate, 'id,active\ns1,WAHR\ns2,faux\n'] as const),
    `row 1, line 2 and 1 more, column active: ${NO_BOOLEAN('WAHR')}`,
  ],
  [
    'an ID that is an error, and one beside an error',
    ...([cardBlock, 'reason,id\nx,#REF!\n#REF!,bad\n#REF!,bad\n'] as const),
    `row 1, line 2, column id: #REF! ${SPREADSHEET}`,
    `row 2, line 3 and 1 more, column reason: #REF! ${SPREADSHEET}`,
    `row 2, line 3 and 1 more, column id: "bad" is not a card ID. ${LOOK}`,
  ],
  [
    'wrong JSON types',
    ...([subscriberUpdate, '{"id":"s1","active":"TRUE","email":5,"first_name":null}\n{"id":7,"email":"a"}'] as const),
    'line 1, column email: must be a text, not 5',
    'line 1, column first_name: must not be null: omit the field, or give an empty text to clear it',
    'line 1, column active: must be true or false, not "TRUE"',
    'line 2, column id: must be a text, not 7',
  ],
  [
    'an ID in an array',
    ...([cardBlock, `{"cardId":["${CARD}"]}`] as const),
    'line 1, column cardId: must be a text, not an array',
  ],
  ['no ID in JSON', ...([subscriberUpdate, '{"email":"a","active":true}'] as const), 'line 1, id: is required'],
  [
    'I15 an update without any field',
    ...([subscriberUpdate, 'id,email\ns1,\n'] as const),
    'row 1, line 2: nothing to change: give at least one field',
  ],
  [
    'ids of calendars, which are never guessed',
    ...([calendarUpdate, 'cal_1\ncal_2\n'] as const),
    'line 1, column 1: unknown column "cal_1": the columns are id, active, name, description, image, url (--ignore-columns skips others, --map reads one as a field). One ID per line needs --from-format ids',
    NO_ID,
  ],
  [
    'a row whose outcome is unknown',
    ...([cardBlock, `cardId,_outcome,_error\n${CARD},unknown,\n${OTHER},rejected,x\n`] as const),
    `row 1, line 2, ${UNKNOWN}`,
  ],
  [
    'an unknown outcome as a person types it',
    ...([cardBlock, `cardId,_outcome\n${CARD}, Unknown \n${OTHER},UNKNOWN\n`] as const),
    `row 1, line 2 and 1 more, ${UNKNOWN}`,
  ],
  [
    'rows that are done',
    ...([cardBlock, `cardId,_outcome\n${CARD},applied\n${OTHER}, Confirmed_By_Read\n`] as const),
    `row 1, line 2 and 1 more, ${DONE}`,
  ],
  [
    'IDs that a spreadsheet rounded, but none that only look so',
    ...([subscriberUpdate, `id,email\n"6,51E+31",a\n65e+31,b\nx6E+31,c\n6E+31x,d\n6x51E+31,e\n`] as const),
    `row 1, line 2 and 1 more, column id: ${ROUNDED}`,
  ],
  [
    'I23 the same card in another case',
    ...([cardBlock, `${CARD}\n${OTHER}\n${CARD.toUpperCase()}\n`] as const),
    `line 3: the same id as in line 1 (${CARD.toUpperCase()}). --allow-duplicates accepts that`,
  ],
  [
    'the same card in an array',
    ...([cardBlock, `[\n{"cardId":"${CARD}"},\n{"cardId":"${CARD}"}]`] as const),
    `row 2, line 3, column cardId: the same id as in row 1 (${CARD}). --allow-duplicates accepts that`,
  ],
  [
    'a subscriber of two lists with two values',
    ...([subscriberUpdate, 'calendar,id,email\nc1,s1,a@x\nc2,s1,b@x\n'] as const),
    'row 2, line 3, column id: the same id as in line 2 ("s1"). --allow-duplicates accepts that',
  ],
  [
    'the same event twice',
    ...([eventCreate, `calendar,name,start,active\n${EVENTS}\n`] as const),
    'row 3, line 4: the same event as in line 2 ("n"). --allow-duplicates accepts that',
  ],
])('faults of an input name %s', async (_, operation, text, ...faults) =>
  expect(await faultsOf(operation, text)).toEqual(faults),
);

const UNKNOWN_ROW = `cardId,_outcome\n${CARD},unknown\n`;
const DONE_ROW = `cardId,_outcome\n${CARD},applied\n`;
const TWO_EVENTS = 'name,start,calendar\nA,2026-05-01,c\nA,2026-05-01,c\n';
const IGNORED = { ignoreColumns: ['note'] };

it.each<[string, Operation, string, Partial<InputOptions>?, boolean?]>([
  ['the same card twice with --allow-duplicates', cardBlock, `${CARD}\n${CARD}\n`, {}, true],
  ['the same event twice with --allow-duplicates', eventCreate, TWO_EVENTS, {}, true],
  ['the same card read twice', cardGet, `${CARD}\n${CARD}\n`],
  ['a subscriber of two lists', subscriberUpdate, 'calendar,id,email\nc1,s1,a@x\nc2,s1,a@x\n'],
  ['IDs that differ in case', subscriberUpdate, `id,email\n${CARD},a@x\n${CARD.toUpperCase()},b@x\n`],
  ['an unknown outcome with --resend-unknown', cardBlock, UNKNOWN_ROW, { resendUnknown: true }],
  ['an unknown outcome that is read', cardGet, UNKNOWN_ROW],
  ['a row that is done, where its outcome is ignored', cardBlock, DONE_ROW, { ignoreColumns: ['_outcome'] }],
  ['an outcome beside empty cells', subscriberUpdate, 'id,email,_row,_outcome\ns1,a@x,1,x\n', { emptyCells: 'clear' }],
  ['a row that is done, and is read', cardGet, DONE_ROW],
  ['an ignored column', subscriberUpdate, 'id,email,note\ns1,a@x,#REF!\n', IGNORED],
])('faults of an input are none for %s', async (_, operation, text, more, allowDuplicates) =>
  expect(await check(operation, text, more, allowDuplicates)).toMatchObject({ warnings: [] }),
);

it('faults of an input are none for fields that options give to all rows', async () => {
  expect(await callsOf(eventCreate, 'name\nConcert\n', { defaults: { calendar: 'c', start: '2026-05-01' } })).toEqual([
    [undefined, '{"calendar":"c","name":"Concert","start":"2026-05-01"}'],
  ]);
});

const CHECKED_REASON = async (rows: readonly GoodRow[]) =>
  rows.map(({ row }) =>
    row.body?.get('reason') === 'x' ? { field: 'reason', problem: 'has no ticket number' } : undefined,
  );
const NOTE = { templates: { name: [{ column: 'Note' }] }, defaults: { name: 'n' }, shape: readShape({}, ['Note'], []) };
const REFERENCE = { expectations: [{ field: 'clientReference', value: undefined }] };

it.each<[string, Operation, string, Partial<InputOptions>, ...string[]]>([
  [
    'a boolean that --empty-cells clear would have to empty',
    ...([subscriberUpdate, 'id,email,active\ns1,a,\n', { emptyCells: 'clear' }] as const),
    `row 1, line 2, column active: ${NO_BOOLEAN('')}`,
  ],
  [
    'the text of an option that a cell makes too long',
    ...([calendarUpdate, `id,Note\ns1,n\ns2,${'x'.repeat(5001)}\n`, NOTE] as const),
    expect.stringContaining('row 2, line 3, name: has 5001 characters, but the limit is 5000'),
  ],
  [
    'what an option gives, after a row that brings its own',
    ...([subscriberUpdate, '{"id":"s1","active":5}\n{"id":"s2"}', { defaults: { active: true } }] as const),
    'line 1, column active: must be true or false, not 5',
  ],
  [
    'the same card of two calendars, which cards do not have',
    ...([cardBlock, `cardId,calendar\n${CARD},a\n${CARD},b\n`, { ignoreColumns: ['calendar'] }] as const),
    `row 2, line 3, column cardId: the same id as in line 2 (${CARD}). --allow-duplicates accepts that`,
  ],
  [
    'a row without a value for --expect',
    ...([cardBlock, `{"cardId":"${CARD}","clientReference":""}\n{"cardId":"${OTHER}"}`, REFERENCE] as const),
    'line 1 and 1 more, column clientReference: has no value for --expect clientReference to compare with',
  ],
  [
    'no column for --expect',
    ...([cardBlock, `cardId\n${CARD}\n`, REFERENCE] as const),
    'line 1: the column clientReference is missing, which --expect clientReference compares with',
  ],
  [
    'those of a rule of the profile',
    ...([cardBlock, `cardId,reason\n${CARD},x\n${OTHER},y\n`, { checkRows: CHECKED_REASON }] as const),
    'row 1, line 2, column reason: has no ticket number',
  ],
  [
    'half a surrogate pair',
    ...([subscriberUpdate, '{"id":"s1","email":"a\\ud83d"}\n', {}] as const),
    'line 1, column email: has half of a surrogate pair: a program has cut the text',
  ],
  [
    'doubled line ends, once',
    ...([subscriberUpdate, 'id,email\r\r\ns1,a@x\r\r\ns2,b@x\r\r\n', {}] as const),
    'line 2: each line end is there twice (\\r\\r\\n): save the file again with one line end for each row',
  ],
  [
    'a column that --ignore-columns names and that is not there',
    ...([subscriberUpdate, 'id,email,note\ns1,a,#REF!\n', { ignoreColumns: ['note', 'Nota'] }] as const),
    'line 1: --ignore-columns: the input has no column "Nota": did you mean note?',
  ],
  [
    'the column of the ID that --ignore-columns names',
    ...([subscriberUpdate, 'id,email\ns1,a\n', { ignoreColumns: ['id'] }] as const),
    'line 1: the column id is missing',
    'line 1: --ignore-columns: id is the column of the ID',
  ],
  [
    'an unknown outcome, even if --ignore-columns names its column',
    ...([cardBlock, UNKNOWN_ROW, { ignoreColumns: ['_outcome'] }] as const),
    `row 1, line 2, ${UNKNOWN}`,
  ],
  [
    'the empty cells of a file of --failed that --empty-cells clear would clear',
    ...([subscriberUpdate, `${KEPT}\ns1,a,1,rejected,x\n`, { emptyCells: 'clear' }] as const),
    'line 1: this is a file of --failed, in which an empty cell means unchanged, but --empty-cells clear would clear it. Use a file that ends in .ndjson',
  ],
  [
    'a column that --where names and that is not there, and judge no row',
    ...([subscriberUpdate, 'id,email\n,a\n', { shape: readShape({ where: ['Shop=1'] }, [], []) }] as const),
    'line 1: --where: the input has no column "Shop": its columns are "id", "email"',
  ],
])('faults of an input include %s', async (_, operation, text, more, ...faults) =>
  expect(await faultsOf(operation, text, more)).toEqual(faults),
);

it('faults of an input are all counted, and the first 20 reported in order', async () => {
  const text = `cardId\n${'bad\n'.repeat(30)}"x`;
  expect(await faultsOf(cardBlock, text)).toEqual([
    `row 1, line 2 and 29 more, column cardId: "bad" is not a card ID. ${LOOK}`,
    'line 32, column 1: a quote that is not closed. Nothing after it was read',
  ]);
  await expect(check(cardBlock, text)).rejects.toMatchObject({ faultCount: 31, faults: [{ count: 30 }, {}] });
});

it('faults of an input name each line that is no ID, and always the one that ended the reading', async () => {
  const text = [CARD, ...Array.from({ length: 30 }, (_, index) => `bad ${index}`)].join('\n');
  const faults = await faultsOf(cardBlock, `${text}\n\u{1f3ab}`, { format: 'ids' });
  expect([faults.length, faults[0]?.slice(0, 15), faults[19]?.slice(0, 17), faults[20]]).toEqual([
    21,
    'line 2: "bad 0"',
    'line 21: "bad 19"',
    'and 11 more',
  ]);
  expect((await faultsOf(cardBlock, `cardId\n${`${CARD}\n`.repeat(30)}"x`)).slice(18)).toEqual([
    expect.stringMatching(/^row 20, line 21, column cardId: the same id/),
    'line 32, column 1: a quote that is not closed. Nothing after it was read',
    'and 10 more',
  ]);
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'frontdesk-copy-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the file of the rows of an input has the rows that will be sent, is only for its owner, and hashes to what the check says', async () => {
  const text = `\ufeffcardId;reason\r\n${CARD};lost\r\n${OTHER};"a ""b"""\r\n`;
  const rowsTo = join(folder, 'good');
  const read = await checkInput(fileOf(text), optionsFor(cardBlock), { duplicates: 'refused', rowsTo, isStored: true });
  const written = `[1,["${CARD}","lost"],2,["${OTHER}","a \\"b\\""]]\n`;
  expect([readFileSync(rowsTo, 'utf8'), statSync(rowsTo).mode & 0o777]).toEqual([written, 0o600]);
  expect(read).toMatchObject({
    sha256: createHash('sha256').update(text).digest('hex'),
    fileSha256: createHash('sha256').update(written).digest('hex'),
    columns: ['cardId', 'reason'],
    dialect: { delimiter: ';', lineEnd: '\r\n', mark: '\ufeff' },
  });
});

it('the file of the rows of an input is removed again when the input has faults', async () => {
  const rowsTo = join(folder, 'faulty');
  const checking = checkInput(fileOf('cardId\nx\n'), optionsFor(cardBlock), { duplicates: 'refused', rowsTo });
  await expect(checking).rejects.toMatchObject({ code: 'USAGE' });
  expect(existsSync(rowsTo)).toBe(false);
});

it('the file of the rows of an input is never made over a file that exists', async () => {
  const rowsTo = join(folder, 'there');
  writeFileSync(rowsTo, 'mine');
  const checking = checkInput(fileOf(CARD), optionsFor(cardBlock), { duplicates: 'refused', rowsTo });
  await expect(checking).rejects.toMatchObject({ code: 'LOCAL_IO' });
  expect(readFileSync(rowsTo, 'utf8')).toBe('mine');
});

const changedFrom = (text: string, operation: Operation = subscriberUpdate) =>
  readChangedFrom(fileOf(text), { operation, path: 'old.csv', csvRaw: false, sheet: undefined });
const OLDER = 'id,email,first_name\n00000101,a@x,\ns1,a@x,Günther\ns2,b@x,Zoë\ns3,,Ann\n';
const OLD = 'id,object,active,email,first_name\ns1,subscriber,true,a@x,Ann\ns2,subscriber,TRUE,b@x,\n';

it.each<[string, Operation, string, string, Partial<InputOptions>, ...(readonly [string, string])[]]>([
  [
    'an emptied cell apart from an unchanged empty one when empty cells clear',
    ...([subscriberUpdate, OLD, 'id,email,first_name\ns1,,Ann\ns2,b@x,\n', { emptyCells: 'clear' }] as const),
    ['s1', '{"email":""}'],
  ],
  [
    'the same ID twice, where that is accepted',
    ...([subscriberUpdate, OLD, 'id,email\ns1,a@y\ns1,b@y\n', {}] as const),
    ...([
      ['s1', '{"email":"a@y"}'],
      ['s1', '{"email":"b@y"}'],
    ] as const),
  ],
  [
    'a cell whose column the older file does not have',
    ...([subscriberUpdate, OLD, 'id,last_name\ns1,Lee\n', {}] as const),
    ['s1', '{"last_name":"Lee"}'],
  ],
  [
    'what has changed, and does not judge what has not',
    ...([calendarUpdate, 'id,url,name\nc1,ftp://old,a\n', 'id,url,name\nc1,ftp://old,b\n', {}] as const),
    ['c1', '{"name":"b"}'],
  ],
  [
    'what has changed, and does not judge a cell that has not, be it empty where empty cells clear',
    ...([subscriberUpdate, 'id,active,email\ns1,WAHR,a@x\ns2,,b@x\n'] as const),
    ...(['id,active,email\ns1,WAHR,a@y\ns2,,b@y\n', { emptyCells: 'clear' }] as const),
    ...([
      ['s1', '{"email":"a@y"}'],
      ['s2', '{"email":"b@y"}'],
    ] as const),
  ],
])('--changed-from sends %s', async (_, operation, old, text, more, ...calls) =>
  expect(await callsOf(operation, text, { ...more, changedFrom: await changedFrom(old, operation) })).toEqual(calls),
);

it.each([
  ['an unknown id', 'id,email\ns9,c@x\n', 'row 1, line 2, column id: "s9" is not in stdin, so its changes are unknown'],
  [
    'an id that lost its zeros, and names the one that it was',
    'id,email\n101,a@y\n',
    'row 1, line 2, column id: "101" is not in stdin, which has "00000101": was a zero lost, or the case changed?',
  ],
  ['an empty ID, once', 'id,email\n,c@x\n', 'row 1, line 2, column id: is empty'],
  [
    'the same id twice when one of the rows has not changed',
    'id,email\ns1,a@x\ns1,new@x\n',
    'row 2, line 3, column id: the same id as in line 2 ("s1"). --allow-duplicates accepts that',
  ],
  [
    'text that was opened in the wrong encoding, once for the whole file',
    'id,first_name\ns1,GÃ¼nther\ns2,ZoÃ«\ns3,Anna\n',
    'line 2: 2 cells are the older text, opened as Windows-1252 or Latin-1 and saved (first_name: "Günther" became "GÃ¼nther"): export it as a workbook (-o xlsx) or import it as UTF-8, and change it there',
  ],
])('--changed-from refuses %s', async (_, text, fault) =>
  expect(await faultsOf(subscriberUpdate, text, { changedFrom: await changedFrom(OLDER) })).toEqual([fault]),
);

it('--changed-from sends only cells that differ, and leaves rows without any out', async () => {
  const text = 'id,active,email,first_name\ns1,TRUE,a@x,Anna\ns2,true,b@x,\n';
  const more = { changedFrom: await changedFrom(OLD) };
  expect(await callsOf(subscriberUpdate, text, more)).toEqual([['s1', '{"first_name":"Anna"}']]);
  const counted = [
    { selected: 1, unchanged: 1 },
    { selected: 1, unchanged: 0 },
    { selected: 0, unchanged: 1 },
  ];
  for (const [index, counts] of counted.entries()) {
    const shard = index === 0 ? undefined : { index, count: 2 };
    expect(await check(subscriberUpdate, text, { ...more, shard })).toMatchObject({ rows: 2, changed: 1, ...counts });
  }
});

it('--changed-from does not judge a guard of zeros that has not changed', async () => {
  const old = await changedFrom('id,email,first_name\ns1,a@x,="007"\ns2,b@x,="008"\n');
  const row = (id: string, email: string, name: string) => `id,email,first_name\n${id},${email},${name}\n`;
  const more = { changedFrom: old };
  expect(await callsOf(subscriberUpdate, row('s1', 'a@y', '="007"'), more)).toEqual([['s1', '{"email":"a@y"}']]);
  expect(await faultsOf(subscriberUpdate, row('s2', 'b@x', '="009"'), more)).toEqual([
    expect.stringContaining('column first_name: ="009" is a formula for "009"'),
  ]);
});

it.each([
  ['€5', 'â‚¬5'],
  ['日本', 'æ—¥æœ¬'],
  ['Ни', 'Ð\u009dÐ¸'],
])('%j is recognized in what Windows-1252 makes of it, %j', async (text, garbled) => {
  const [older, newer] = [text, garbled].map((cell) => `id,first_name\ns1,${cell}\n`);
  const old = await changedFrom(older ?? '');
  expect((await faultsOf(subscriberUpdate, newer ?? '', { changedFrom: old }))[0]).toContain('opened as Windows-1252');
  expect((await check(subscriberUpdate, newer ?? '')).warnings[0]?.message).toContain(`for "${text}"`);
});

it('what spreadsheets leave behind: rows of empty cells at the end are skipped, with a note; one in between is a fault', async () => {
  const rows = 'id;email;first_name\ns1;a@x;Ann\n;;\n;;\n;;\n';
  expect(await check(subscriberUpdate, rows)).toMatchObject({
    rows: 1,
    notes: ['3 rows of empty cells at the end skipped (from line 3)'],
  });
  expect(await callsOf(subscriberUpdate, rows)).toEqual([['s1', '{"email":"a@x","first_name":"Ann"}']]);
  const between = await faultsOf(subscriberUpdate, 'id;email;first_name\n;;\ns1;a@x;Ann\n');
  expect(between[0]).toBe('line 2: the row is empty, but rows follow it: delete it');
});

it('what spreadsheets leave behind cells that were perhaps not meant are warned about, once for each column', async () => {
  const rows =
    'id,email,first_name,last_name\ns1, a@x,Ann,GÃ¼nther\ns2,b@x ,Bob\u00a0,ZoÃ«\ns3,c@x,Cid,Müller\ns4,example.com,,Ã\ns5,,A\\nB,Â£\n';
  expect(await check(subscriberUpdate, rows)).toMatchObject({
    warnings: [
      '2 cells of column email (row 1 and others) have a space before or after the text, and are sent as given',
      '3 cells of column last_name (row 1 and others) have text that was opened in the wrong encoding ("GÃ¼nther" for "Günther"), and are sent as given',
      '1 cell of column first_name (row 2) has U+00A0 at its end, and is sent as given',
      '1 cell of column email (row 4) has no @, and is sent as given',
      '1 cell of column first_name (row 5) has a backslash and an n, not a line break, and is sent as given',
    ].map((message) => ({ level: 'warning', code: 'SUSPICIOUS_VALUE', message })),
  });
});

it('what spreadsheets leave behind events that start in the past are counted', async () => {
  const rows = 'name,start\nA,2026-04-02T18:00\nB,2026-04-03\nC,2026-04-02T10:00Z\n';
  const nowMs = Date.UTC(2026, 3, 3, 11);
  expect(await check(eventCreate, rows, { nowMs, defaults: { calendar: 'cal_1' } })).toMatchObject({ past: 2 });
});

it('rows that lack a required reason have a hint that says where to give it', async () => {
  const checkRows = async (good: readonly GoodRow[]) =>
    good.map(() => ({ field: 'reason', kind: 'reason', problem: 'is required' }));
  await expect(check(OPERATIONS.cardBlock, `cardId\n${CARD}\n${OTHER}\n`, { checkRows })).rejects.toMatchObject({
    hints: ['give it with --reason, or in a column reason'],
    faultCount: 2,
  });
});

const NO_REASON = async (rows: readonly GoodRow[]) => rows.map(() => ({ field: 'reason', problem: 'is required' }));
const NO_CARD = `is not a card ID. ${LOOK}`;
const ID_LIST = { format: 'ids', isArguments: true } as const;

it.each<[string, string, Partial<InputOptions>, string, ...string[]]>([
  ['one', 'cardId\nx\n', {}, '1 fault in stdin', `row 1, line 2, column cardId: "x" ${NO_CARD}`],
  [
    'two',
    ...(['cardId\nx\n"y', {}, '2 faults in stdin'] as const),
    `row 1, line 2, column cardId: "x" ${NO_CARD}`,
    'line 3, column 1: a quote that is not closed. Nothing after it was read',
  ],
  ['a word that is no ID', 'one\n', ID_LIST, '1 of these is not a card ID', `<cardId> 1: "one" ${NO_CARD}`],
  [
    'words that are no IDs',
    ...(['one\ntwo\n', ID_LIST, '2 of these are not card IDs'] as const),
    ...[`<cardId> 1: "one" ${NO_CARD}`, `<cardId> 2: "two" ${NO_CARD}`],
  ],
  [
    'two cards with one fault',
    ...([`${CARD}\n${OTHER}\n`, { ...ID_LIST, checkRows: NO_REASON }, '2 faults in stdin'] as const),
    ...['<cardId> 1: is required', '<cardId> 2: is required'],
  ],
  [
    'an ID twice and a word that is none',
    ...([`${CARD}\none\n${CARD}\n`, ID_LIST, '2 faults in stdin'] as const),
    `<cardId> 2: "one" ${NO_CARD}`,
    `<cardId> 3: the same id as in argument 1 (${CARD}). --allow-duplicates accepts that`,
  ],
])('the faults of an input are counted and named, each on its line: %s', async (_, text, more, what, ...problems) => {
  expect(await failureOf(cardBlock, text, more)).toMatchObject({
    problem: `${what}: ${problems.join('; ')}`,
    after: 'unsent',
    hints: [],
    faultCount: problems.length,
    parts: problems.length === 1 ? undefined : { heading: what, problems },
  });
});

it.each<[string | undefined, string | undefined, readonly string[]]>([
  ['reason', 'reason', ['give it with --reason, or in a column reason']],
  ['reason', undefined, []],
  ['cardId', 'reason', []],
])('a rule judges good rows alone, and what it says of %s as %s has these hints: %j', async (field, kind, hints) => {
  const asked: number[] = [];
  const checkRows: InputOptions['checkRows'] = async (good) => {
    asked.push(...good.map(({ row }) => row.row));
    return good.map(() => ({ field: field ?? '', kind, problem: 'is required' }));
  };
  const text = `cardId,_outcome\nbad,\n${OTHER},unknown\n${CARD},\n`;
  await expect(check(cardBlock, text, { checkRows })).rejects.toMatchObject({ faultCount: 3, hints });
  expect(asked).toEqual([3]);
});

it.each<[string, readonly string[], readonly string[]]>([
  ['an unknown name', ['id', 'emial'], ['Rows!B1: unknown column "emial": did you mean email?']],
  ['no ID', ['email', 'active'], ['Rows, line 1: the column id is missing']],
  [
    'one name, which may be no list of IDs',
    ['cal|name'],
    [
      'Rows!A1: unknown column "cal|name": the columns are id, active, email, first_name, last_name (--ignore-columns skips others, --map reads one as a field)',
      'Rows, line 1: the column id is missing: the first row must have the names of the columns',
    ],
  ],
  ['nothing', [], ['Rows, line 1: the row is empty, but must contain the names of the columns']],
])('of a sheet whose header has %s rows are not judged, and other sheets are named', async (_, names, problems) => {
  const rows = [names, ['x', 12.5]] as const;
  const bytes = sheetJsWorkbook([
    { name: 'Rows', rows },
    { name: 'Other', rows: [['id']] },
  ]);
  const failure = await failureOf(subscriberUpdate, bytes, XLSX);
  expect(placed(failure)).toEqual(problems);
  expect(failure.hints.at(-1)).toContain('the first sheet, "Rows", is read, and not "Other"');
});

it('of a sheet the faults of its rows are named with their cells', async () => {
  const rows = [
    ['id', 'email', 'first_name', 'active'],
    ['s1', 'a@x', 12.5, 12.5],
    ['s1', 'b@x', 'Ben', 'maybe'],
    [null, 'c@x', 'Cy', true],
  ];
  expect(placed(await failureOf(subscriberUpdate, sheetJsWorkbook([{ name: 'Rows', rows }]), XLSX))).toEqual([
    ...['C2, column first_name', 'D2, column active'].map(
      (cell) =>
        `row 1, Rows!${cell}: is a number that spreadsheets may show otherwise (stored as 12.5). Store it as text`,
    ),
    'row 2, Rows!D3, column active: must be true or false, not "maybe"',
    'row 2, Rows!A3, column id: the same id as in line 2 ("s1"). --allow-duplicates accepts that',
    'row 3, Rows!A4, column id: is empty',
  ]);
});

it('of a sheet whose header cannot be taken its own faults are named, and none of its rows', async () => {
  const rows = [
    ['id', 12.5],
    ['s1', 'a', 'x'],
  ];
  const failure = await failureOf(subscriberUpdate, sheetJsWorkbook([{ name: 'Rows', rows }]), XLSX);
  expect(failure.faults.map(({ where }) => where)).toEqual(['Rows!B1', 'Rows!B1']);
});

it('what was skipped of a table is no hint about its faults, and the last row is that of the rows that were taken', async () => {
  expect(await failureOf(subscriberUpdate, 'id,email\n,a\n,\n,\n')).toMatchObject({ faultCount: 1, hints: [] });
  const shape = readShape({ rows: '1-2' }, [], []);
  const text = `id,email\n${Array.from({ length: 30 }, (_, at) => `s${at},a@x\n`).join('')}`;
  expect(await check(subscriberUpdate, text, { shape })).toMatchObject({ rows: 2, lastRow: 2, leftOut: 28 });
  expect((await check(subscriberUpdate, text)).first).toHaveLength(10);
});

/** A sheet of three subscribers, with these elements before and after its rows. */
function subscribersWith(before: string, after: string, ofRow = ''): Uint8Array {
  const rows = [1, 2, 3, 4].map((row) =>
    textRow(row, row === 1 ? ['id', 'email', 'created'] : [`s${row}`, 'a@x', '2026']),
  );
  const sheet = `<worksheet xmlns="${MAIN}">${before}<sheetData>${rows.join('').replace('r="3"', `r="3" ${ofRow}`)}</sheetData>${after}</worksheet>`;
  return handMadeWorkbook({ rows: '', parts: { 'xl/worksheets/sheet1.xml': sheet } });
}

it('hidden rows and columns are counted that are sent, not columns that are known from responses', async () => {
  const bytes = subscribersWith('<cols><col min="2" max="3" width="9" hidden="1"/></cols>', '', 'hidden="1"');
  expect(await check(subscriberUpdate, bytes, XLSX)).toMatchObject({ hidden: 1, hiddenColumns: ['email'] });
});

it('IDs that look unintended are warned about, the first five, by their line or argument', async () => {
  const ids = ['s0', 's1', 's2', 's3', 's4', 's5'].map((id) => `${id} `);
  const odd = (id: string) => `the id "${id}" begins or ends with a space, and is sent as given`;
  const table = await check(subscriberUpdate, `id,email\n${ids.map((id) => `"${id}",a@x\n`).join('')}`);
  expect(table.warnings.map(({ message }) => message)).toEqual(
    ids.slice(0, 5).map((id, at) => `line ${at + 2}: ${odd(id)}`),
  );
  const list = await check(subscriberUpdate, 's\u202e0\n', { ...ID_LIST, defaults: { email: 'a@x' } });
  const hidden = 'argument 1: the id "s<U+202E>0" has invisible characters, and is sent as given';
  expect(list.warnings).toMatchObject([{ code: 'SUSPICIOUS_ID', message: hidden }]);
});

it('values that rows empty are counted by their field', async () => {
  const { clears } = await check(subscriberUpdate, 'id,email,first_name\ns1,,\ns2,,x\n', { emptyCells: 'clear' });
  expect([...clears]).toEqual([
    ['email', 2],
    ['first_name', 1],
  ]);
});

it('a card is twice in no plan', async () => {
  const twice = checkInput(fileOf(`${CARD}\n${CARD}\n`), optionsFor(cardBlock), { duplicates: 'never' });
  await expect(twice).rejects.toThrow(`line 2: the same id as in line 1 (${CARD}). A plan can have a card only once`);
});

it('merged cells are a fault where they are sent, and none where they are known from responses', async () => {
  const merged = (range: string) => subscribersWith('', `<mergeCells><mergeCell ref="${range}"/></mergeCells>`);
  expect(await check(subscriberUpdate, merged('C2:C3'), XLSX)).toMatchObject({ rows: 3 });
  expect((await failureOf(subscriberUpdate, merged('B2:B3'), XLSX)).problem).toContain('column email: is merged');
});

const MERGED = (range: string) => `<mergeCells><mergeCell ref="${range}"/></mergeCells>`;
const FORMATTED = (...ranges: readonly string[]) =>
  ranges.map((range) => `<conditionalFormatting sqref="${range}"><cfRule dxfId="0"/></conditionalFormatting>`).join('');
const NOTES = ['n1', 'n2'].map((note, at) => textRow(at + 2, [note, `s${at + 1}`, 'a@x'])).join('');
const IGNORING = { ignoreColumns: ['note'] };
const taking = (rows: string, ...where: string[]) => ({ ...IGNORING, shape: readShape({ rows, where }, [], []) });

it.each<[string, string, Partial<InputOptions>, ...string[]]>([
  ['merged cells that begin in an ignored column', MERGED('A2:B2'), IGNORING, 'row 1, Rows!B2, column id'],
  [
    'merged cells over several columns',
    MERGED('A2:C2'),
    IGNORING,
    'row 1, Rows!B2, column id',
    'row 1, Rows!C2, column email',
  ],
  ['merged cells of the row before', MERGED('B2:B3'), taking('2-2'), 'row 1, Rows!B2, column id'],
  ['merged cells of other rows', MERGED('B2:B3'), taking('3-9')],
  ['a conditional format that begins a row before', FORMATTED('B1:B3'), taking('2-2'), 'row 1, Rows!B2, column id'],
  ['a conditional format of each row', FORMATTED('B2', 'B3'), taking('2-2'), 'row 2, Rows!B3, column id'],
  ['conditional formats of other rows', FORMATTED('B2', 'B4'), taking('2-2')],
])('faults of a range are those of its columns and rows that are taken: %s', async (_, behind, more, ...faults) => {
  const styles = '<dxfs><dxf><numFmt numFmtId="170" formatCode="0"/></dxf></dxfs>';
  const rows = `${textRow(1, ['note', 'id', 'email'])}${NOTES}</sheetData>${behind}<sheetData>`;
  const checking = check(subscriberUpdate, handMadeWorkbook({ styles, rows }), { ...XLSX, ...more });
  if (faults.length === 0) await checking;
  else await expect(checking).rejects.toMatchObject({ faults: faults.map((where) => ({ where })) });
});

it('a range is one of rows that are taken, though empty rows above it were left out', async () => {
  const rows = `${textRow(1, ['note', 'id', 'email'])}${NOTES.replace('r="3"', 'r="9"')}</sheetData>${MERGED('B9:C9')}<sheetData>`;
  const checking = check(subscriberUpdate, handMadeWorkbook({ rows }), { ...XLSX, ...taking('2-2', 'note=n2') });
  await expect(checking).rejects.toMatchObject({ faultCount: 2 });
});

const FORMULA = textRow(2, ['n1', 's1', 'a@x']).replace(/<c .*?<.c>/, '<c t="str"><f>"n2"</f><v>n1</v></c>');
const IN_ROW_1 = 'row 1, Rows!A2, column note';

it.each<[string, string, Partial<InputOptions>, ...string[]]>([
  ['a row that it would take', FORMULA, taking('1-9', 'note=n1'), IN_ROW_1],
  ['a row that it would leave out', FORMULA, taking('1-9', 'note=n9'), IN_ROW_1],
  ['a row that another condition leaves out', FORMULA, taking('1-9', 'id=s9', 'note=n1'), IN_ROW_1],
  ['a row that --rows leaves out', FORMULA, taking('2-2', 'note=n1')],
  ['merged cells', `${NOTES}</sheetData>${MERGED('A2:A3')}<sheetData>`, taking('2-2', 'note=n2'), IN_ROW_1],
  ['a key', FORMULA.replace(/(<c t.*?<.c>)(<c .*?<.c>)/, '$2$1'), taking('1-9', 'id=n1'), 'row 1, Rows!B2, column id'],
])('--where does not choose by what a cell may not show: %s', async (_, rows, more, ...faults) => {
  const bytes = handMadeWorkbook({ rows: textRow(1, ['note', 'id', 'email']) + rows });
  const checking = check(subscriberUpdate, bytes, { ...XLSX, ...more });
  if (faults.length === 0) await checking;
  else await expect(checking).rejects.toMatchObject({ faults: faults.map((where) => ({ where })) });
});

it('--where names a cell that may not show its text by its column, though --map reads that as a field', async () => {
  const shape = readShape({ map: ['note=first_name'], where: ['note=n1'] }, [], []);
  const bytes = handMadeWorkbook({ rows: textRow(1, ['note', 'id', 'email']) + FORMULA });
  expect(placed(await failureOf(subscriberUpdate, bytes, { ...XLSX, shape }))).toEqual([
    `${IN_ROW_1}: is a formula (stored as "='n2'"). Store its value as text`,
  ]);
});

it('shaping never changes which row number, ID and body go together', async () => {
  const cell = fc.constantFrom('', '1', '2', 'x');
  const holds: Readonly<Record<string, (a: string, b: string) => boolean>> = {
    'A=1': (a) => a === '1',
    'A!=': (a) => a !== '',
    'B!=2': (_, b) => b !== '2',
  };
  const takes = async (
    cells: readonly (readonly [string, string])[],
    where: readonly string[],
    [first, length]: readonly [number, number],
    format: 'csv' | 'ndjson',
  ) => {
    const map = ['Key=id', 'A=email', 'B=first_name', 'C=last_name'];
    const shape = readShape({ map, where, rows: `${first}-${first + length}` }, [], []);
    const rows = cells.map(([A, B], index) => ({ Key: `i${index + 1}`, A, B, C: `c${index + 1}` }));
    const lines =
      format === 'csv'
        ? ['Key,A,B,C', ...rows.map((row) => Object.values(row).join(','))]
        : rows.map((row) => JSON.stringify(row));
    const options = optionsFor(OPERATIONS.subscriberUpdate, { shape, format, emptyCells: 'clear' });
    const rowsTo = join(temporaryFolder(), 'rows');
    const input = await checkInput(fileOf(`${lines.join('\n')}\n`), options, { duplicates: 'refused', rowsTo });
    const made: unknown[] = [];
    for await (const batch of readRows(rowsTo, input.shape)) {
      for (const { row, id, body } of batch) made.push([row, id, Object.fromEntries(body ?? [])]);
    }
    const expected = rows.flatMap(({ Key, A, B, C }, index) =>
      index + 1 >= first && index < first + length && where.every((text) => holds[text]?.(A, B))
        ? [[index + 1, Key, { email: A, first_name: B, last_name: C }]]
        : [],
    );
    expect(made).toEqual(expected);
    expect(input).toMatchObject({ rows: expected.length, leftOut: rows.length - expected.length });
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { maxLength: 30 }),
      fc.subarray(Object.keys(holds)),
      fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 20 })),
      fc.constantFrom('csv', 'ndjson'),
      takes,
    ),
  );
});
