import { describe, expect, it } from 'vitest';
import { linesOf } from '../../../../src/base/files/lines.ts';
import { hashFirstLine } from '../../../../src/runs/plan/plan-file.ts';
import { openSeal } from '../../../../src/runs/plan/read-plan.ts';

// The header is what was read of line 1; the seal looks at the bytes.
const LINE = '{"plan":"","sha256":"","note":"ü"}\n';
const ROWS = ['{"row":1,"a":"ü"}\n', '{"row":2}\n'];
const WHOLE = LINE + ROWS.join('');
const sha256 = hashFirstLine(LINE).update(ROWS.join('')).digest('hex');

async function judged(text: string, pieceLength: number, name = '"p.plan"') {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceLength) yield bytes.subarray(at, at + pieceLength);
    yield new Uint8Array();
  }
  let seal: ReturnType<typeof openSeal> | undefined;
  for await (const lines of linesOf(pieces())) {
    for (const line of lines) {
      seal?.take(line);
      seal ??= openSeal(name, { sha256, rows: 2 }, line);
    }
  }
  return seal?.judge();
}

const CHANGED = 'could not use "p.plan" as a plan: line 1: its hash does not match: the file was edited or cut off';
const LINE_ENDS =
  'could not use "p.plan" as a plan: line 1: only its line ends were changed, as git and some editors do';

// Pieces end in the middle of a line, of a character and of a line end.
describe.each([1, 2, 3, 5, 7, 1000])('pieces of %i bytes', (pieceLength) => {
  it('a plan that is read in pieces is what was written', async () => {
    expect(await judged(WHOLE, pieceLength)).toBeUndefined();
  });

  it.each([
    ['each line', WHOLE.replaceAll('\n', '\r\n')],
    ['each line, but no last one', WHOLE.replaceAll('\n', '\r\n').slice(0, -2)],
    ['no last line', WHOLE.slice(0, -1)],
    ['the first line', LINE.replace('\n', '\r\n') + ROWS.join('')],
  ])('a plan that has other line ends at %s is refused, and how to keep git from it is said', async (_, text) => {
    expect(await judged(text, pieceLength)).toMatchObject({
      code: 'USAGE',
      message: `${LINE_ENDS}. Nothing was sent.`,
      hints: ['add the line `*.plan -text` to .gitattributes, commit it, and get the original file'],
    });
  });

  it.each([
    ['a letter', WHOLE.replace('"row":2', '"row":3')],
    ['a letter, with other line ends', WHOLE.replace('"row":2', '"row":3').replaceAll('\n', '\r\n')],
    ['a line too many', `${WHOLE}\n`],
    ['a carriage return within a line', WHOLE.replace('"row":2', '"row":\r2')],
    ['the same, with other line ends', WHOLE.replace('"row":2', '"row":\r2').replaceAll('\n', '\r\n')],
    ['a cut', WHOLE.slice(0, -4)],
    ['a cut in line 1', LINE.slice(0, 10)],
  ])('a plan that has %s was changed', async (_, text) => {
    expect(await judged(text, pieceLength)).toMatchObject({
      code: 'USAGE',
      message: `${CHANGED}. Nothing was sent.`,
      hints: ['make the plan again, or get the original file'],
    });
  });
});

it.each([
  ['"a.b/june.jsonl"', '*.jsonl'],
  ['june.plan2', '*.plan2'],
  ['"june"', '*.plan'],
  ['"a.b/june"', '*.plan'],
])('names for git the files like %s by %s', async (name, pattern) => {
  expect((await judged(WHOLE.slice(0, -1), 1000, name))?.hints).toEqual([
    `add the line \`${pattern} -text\` to .gitattributes, commit it, and get the original file`,
  ]);
});
