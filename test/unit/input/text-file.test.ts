import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import type { InputPort } from '../../../src/base/context.ts';
import { openInput } from '../../../src/input/input-file.ts';
import { readTextFile } from '../../../src/input/text-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'frontdesk-input-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function stdinOf(bytes: Uint8Array, isTerminal = false): InputPort {
  return {
    isTerminal,
    read: async function* () {
      yield bytes;
    },
  };
}
const noStdin = stdinOf(new Uint8Array(0), true);

test.each([['line\n'], ['a\r\nb\r\n\r\n'], ['\ufeffwith a mark'], ['日本 \u{1f3ab}\u0000'], ['']])(
  'readTextFile gives the text %j exactly',
  async (text) => {
    const path = join(folder, 'text');
    writeFileSync(path, text);
    expect(await readTextFile(path, noStdin, '--description-file')).toBe(text);
    expect(await readTextFile('-', stdinOf(Buffer.from(text)), '--description-file')).toBe(text);
  },
);

it('readTextFile refuses bytes that are not UTF-8', async () => {
  const path = join(folder, 'latin1');
  writeFileSync(path, Buffer.from([0x63, 0x61, 0x66, 0xe9]));
  await expect(readTextFile(path, noStdin, '--description-file')).rejects.toMatchObject({
    code: 'USAGE',
    message: `--description-file: "${path.length > 60 ? `…${path.slice(-59)}` : path}" is not UTF-8 text. Nothing was sent.`,
  });
});

it('readTextFile refuses a file that is far too large', async () => {
  await expect(readTextFile('-', stdinOf(Buffer.alloc(11)), '--data', 10)).rejects.toMatchObject({
    code: 'USAGE',
    message: '--data: stdin is larger than 10 bytes. Nothing was sent.',
  });
});

test.each([
  ['missing.csv', /no such file or folder/],
  [`${'folder/'.repeat(20)}rows of May.csv`, /could not read "…r(?:\/folder){6}\/rows of May\.csv": no such file/],
  ['.', /it is a folder/],
  ['\0', /a path cannot have a NUL character/],
])('openInput refuses the path %j', async (name, reason) => {
  await expect(openInput(name === '\0' ? name : join(folder, name), noStdin, '--from')).rejects.toMatchObject({
    code: 'USAGE',
    exitCode: 2,
    message: expect.stringMatching(reason),
  });
});

it('openInput refuses an empty path and a terminal as stdin instead of waiting', async () => {
  await expect(openInput('', noStdin, '--from')).rejects.toMatchObject({ code: 'USAGE' });
  await expect(openInput('-', noStdin, '--from')).rejects.toMatchObject({
    code: 'USAGE',
    message: '--from: - reads stdin, and stdin is a terminal. Nothing was sent.',
  });
});

it('openInput says so when stdin itself cannot be read', async () => {
  const stdin: InputPort = {
    isTerminal: false,
    // biome-ignore lint/correctness/useYield: it fails before its first piece
    read: async function* () {
      throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
    },
  };
  await expect(readTextFile('-', stdin, '--from')).rejects.toMatchObject({
    code: 'USAGE',
    message: '--from: could not read stdin: it is a folder (EISDIR). Nothing was sent.',
  });
});
