import fs, { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { endsInLine } from '../../../src/base/files/lines.ts';
import { machineName } from '../../../src/base/files/process-identity.ts';
import {
  appendLines,
  hasAnyRecord,
  ledgerFile,
  ledgerFiles,
  linesAbout,
  nameTime,
  openToRead,
  pruneLedger,
  readLines,
  readLinesBack,
} from '../../../src/records/ledger.ts';
import { temporaryFolder } from '../base/files/place.ts';

const { open, stat } = fs.promises;
const PIECE = 262_144;

function replace(functions: object): void {
  Object.assign(fs.promises, functions);
  syncBuiltinESMExports();
}

afterEach(() => replace({ open, stat }));

/** Hands every file and folder that is opened from now on to `change`. */
function onOpen(change: (file: FileHandle, path: string) => void): void {
  replace({
    open: async (...args: Parameters<typeof open>) => {
      const file = await open(...args);
      change(file, String(args[0]));
      return file;
    },
  });
}

/** Notes what is done with every file and folder that is opened from now on. */
function watched(): string[] {
  const done: string[] = [];
  onOpen((file, path) => {
    const name = path.endsWith('.ndjson') ? 'file' : 'folder';
    for (const method of ['write', 'chmod', 'datasync', 'sync', 'close'] as const) {
      const original = file[method].bind(file) as (...args: unknown[]) => unknown;
      const noting = (...args: unknown[]) => {
        done.push(`${method} ${name}`);
        return original(...args);
      };
      Object.assign(file, { [method]: noting });
    }
  });
  return done;
}

/** This machine's file of a day, with this in it. */
function fileOf(content?: string): string {
  const path = ledgerFile(temporaryFolder(), '20260501T120000000-1-aaaaaa');
  mkdirSync(dirname(path), { mode: 0o700 });
  if (content !== undefined) writeFileSync(path, content, { mode: 0o600 });
  return path;
}

const textOf = (path: string) => readFileSync(path, 'utf8');

it('lines that are appended are synced after the folder that names a new file, and the file is closed', async () => {
  const path = fileOf();
  const done = watched();
  await appendLines(path, 'one\n');
  expect(done).toEqual(['sync folder', 'close folder', 'write file', 'datasync file', 'close file']);
  done.length = 0;
  await appendLines(path, 'two\nthree\n');
  expect([done, textOf(path)]).toEqual([['write file', 'datasync file', 'close file'], 'one\ntwo\nthree\n']);
});

it.each([0o644, 0o640, 0o604, 0o600, 0o700])('lines that are appended keep a file of %o for its user', async (mode) => {
  const path = fileOf('one\n');
  fs.chmodSync(path, mode);
  await appendLines(path, 'two\n');
  expect([statSync(path).mode & 0o777, textOf(path)]).toEqual([mode & 0o700, 'one\ntwo\n']);
});

it('lines that are appended begin a line of their own where another process died in the middle of one', async () => {
  const path = fileOf('one\nha');
  await appendLines(path, '');
  expect(textOf(path)).toBe('one\nha');
  await appendLines(path, 'two\n');
  expect(textOf(path)).toBe('one\nha\ntwo\n');
});

it('lines that are appended of which only a part was written are a failure, and are not written again', async () => {
  const path = fileOf('one\n');
  const done = watched();
  const { open: watching } = fs.promises;
  replace({
    open: async (...args: Parameters<typeof open>) => {
      const file = await watching(...args);
      const write = file.write.bind(file) as (bytes: Buffer) => ReturnType<FileHandle['write']>;
      return Object.assign(file, { write: (bytes: Buffer) => write(bytes.subarray(0, 2)) });
    },
  });
  const partly = { code: 'ENOSPC', message: 'only a part was written' };
  await expect(appendLines(path, 'two\n')).rejects.toMatchObject(partly);
  expect([done, textOf(path)]).toEqual([['write file', 'close file'], 'one\ntw']);
});

/** Changes the file after each sync of it, or the first ones; gives how often it was opened. */
function onSync(path: string, change: (path: string) => void, times = 99): () => number {
  let opened = 0;
  onOpen((file, name) => {
    if (name !== path) return;
    opened += 1;
    if (opened > times) return;
    const datasync = file.datasync.bind(file);
    file.datasync = async () => {
      await datasync();
      change(path);
    };
  });
  return () => opened;
}

function replaceFile(path: string): void {
  writeFileSync(`${path}.new`, '', { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

it.each([
  ['was removed', rmSync],
  ['was replaced', replaceFile],
])('lines that are appended are written again where the file %s meanwhile', async (_, change) => {
  const path = fileOf('one\n');
  const opened = onSync(path, change, 1);
  await appendLines(path, 'two\n');
  expect([opened(), textOf(path)]).toEqual([2, 'two\n']);
});

it('lines that are appended are written again where a file of another disk has the same number', async () => {
  const path = fileOf('one\n');
  let looks = 0;
  replace({
    stat: async (name: string) => {
      const facts = await stat(name);
      if (name === path) looks += 1;
      return name === path && looks === 1 ? Object.assign(facts, { dev: facts.dev + 1 }) : facts;
    },
  });
  await appendLines(path, 'two\n');
  expect([looks, textOf(path)]).toEqual([2, 'one\ntwo\ntwo\n']);
});

it('lines that are appended are given up after ten rounds', async () => {
  const path = fileOf('one\n');
  const opened = onSync(path, rmSync);
  await expect(appendLines(path, 'two\n')).rejects.toThrow(
    'the file was replaced again and again while it was written',
  );
  expect(opened()).toBe(10);
});

it('lines that are appended go to no file that others could have written', async () => {
  const path = fileOf('one\n');
  fs.chmodSync(path, 0o622);
  await expect(appendLines(path, 'two\n')).rejects.toMatchObject({ code: 'AUTH' });
  expect(textOf(path)).toBe('one\n');
});

it('lines that are appended make the folder, for this user only', async () => {
  const path = join(temporaryFolder(), 'state', 'writes', '20260501.00000000.ndjson');
  await appendLines(path, 'one\n');
  for (const folder of [dirname(path), dirname(dirname(path))]) expect(statSync(folder).mode & 0o777).toBe(0o700);
});

it('a file ends in a line if it is empty, or its last byte is a newline', async () => {
  const ends = async (content: string) => {
    const file = await open(fileOf(content));
    return endsInLine(file, content.length).finally(() => file.close());
  };
  for (const content of ['', '\n', 'one\n']) expect(await ends(content)).toBe(true);
  for (const content of ['one', 'one\nt']) expect(await ends(content)).toBe(false);
});

const opened = async (path: string) => openToRead({ path, day: '20260501', machine: '00000000', isApart: false });

it('the file of a day is opened if there is one', async () => {
  const path = fileOf('one\n');
  const file = await opened(path);
  expect(await file?.readFile('utf8')).toBe('one\n');
  await file?.close();
  rmSync(path);
  expect(await opened(path)).toBeUndefined();
});

const noFileFree = () => Promise.reject(Object.assign(new Error('no'), { code: 'EMFILE' }));

it.each([
  ['others could have written is not believed', (path: string) => fs.chmodSync(path, 0o602), 'AUTH'],
  ['cannot be opened fails with the error of the system', () => replace({ open: noFileFree }), 'EMFILE'],
])('the file of a day that %s', async (_, change, code) => {
  const path = fileOf('one\n');
  change(path);
  await expect(opened(path)).rejects.toMatchObject({ code });
});

it('a folder in place of the file of a day is a failure, not an empty day', async () => {
  const path = fileOf();
  mkdirSync(path, { mode: 0o700 });
  await expect(opened(path)).rejects.toMatchObject({ code: 'EISDIR' });
});

it('the files of the ledger are listed newest day first, without names that frontdesk does not make', async () => {
  const folder = dirname(fileOf());
  const kept = ['20260430.aaaaaaaa', '20260501.aaaaaaaa', '20260501.bbbbbbbb-0123456789ab', '20260502.aaaaaaaa'];
  const names = kept.map((name) => `${name}.ndjson`);
  const others = [
    ...['20260502.aaaaaaaa.ndjson.bak', '.nfs0000', 'x20260502.aaaaaaaa.ndjson', '2026050.aaaaaaaa.ndjson'],
    ...['20260502.aaaaaaa.ndjson', '20260502.gggggggg.ndjson', '20260502.aaaaaaaa-0123.ndjson', 'day.aaaaaaaa.ndjson'],
  ];
  for (const name of [...names, ...others]) writeFileSync(join(folder, name), '');
  const listed = async (day?: string) =>
    (await ledgerFiles(dirname(folder), day)).map((each) => each.path.slice(folder.length + 1));
  expect([await listed(), await listed('20260501')]).toEqual([names.toReversed(), [names[2], names[1]]]);
  const [first] = await ledgerFiles(dirname(folder), '20260501');
  expect(first).toMatchObject({ day: '20260501', machine: 'bbbbbbbb' });
  expect(await ledgerFiles(temporaryFolder())).toEqual([]);
});

it.each<[string, boolean]>([
  ['writes/one', true],
  ['open/one', true],
  ['runs/one', true],
  ['runs/.one', false],
  ['sandbox/one', false],
])('a state folder that holds %s has a record: %s', async (path, has) => {
  const stateDir = temporaryFolder();
  mkdirSync(join(stateDir, path), { recursive: true });
  expect(await hasAnyRecord(stateDir)).toBe(has);
});

it('an entry is named by its time, and its file by its day', () => {
  expect(nameTime(Date.UTC(2026, 4, 1, 12, 0, 0, 7))).toBe('20260501T120000007');
  expect(ledgerFile('state', '20260501T120000007-1-aaaaaa')).toMatch(/^state.writes.20260501\.[0-9a-f]{8}\.ndjson$/);
});

it('the lines about an entry are those of its day that begin with its name, of every machine, the oldest first', async () => {
  const path = fileOf();
  const entry = '20260501T120000000-1-aaaaaa';
  const line = (at: number, name = entry) =>
    `{"at":"2026-05-01T12:00:0${at}.000Z","entry":"${name}","of":"${entry}"}\n`;
  const write = (name: string, text: string) => writeFileSync(join(dirname(path), name), text, { mode: 0o600 });
  writeFileSync(path, `${line(2)}${line(1, 'other')}{"of":"${entry}"}\n${line(4).slice(0, -1)}`, { mode: 0o600 });
  write('20260501.00000000.ndjson', line(1));
  write('20260502.aaaaaaaa.ndjson', line(3));
  const done = watched();
  expect(await linesAbout(dirname(dirname(path)), entry)).toEqual([line(1), line(2)]);
  expect([done, await linesAbout(temporaryFolder(), entry)]).toEqual([['close file', 'close file'], []]);
});

const linesOf = async (content: string) => {
  const file = await open(fileOf(content));
  const pieces: string[][] = [];
  for await (const lines of readLines(file)) pieces.push(lines.map(String));
  await file.close();
  return pieces;
};

it('lines read from the beginning are the whole ones, each with its newline, also over the end of a piece', async () => {
  expect([await linesOf('two\n\nthree\nha'), await linesOf('')]).toEqual([[['two\n', '\n', 'three\n'], []], []]);
  const long = `${'a'.repeat(PIECE)}\n`;
  expect(await linesOf(`${long}two\n`)).toEqual([[long, 'two\n']]);
});

const linesBack = async (content: string, change: (file: FileHandle) => void = () => undefined, most = 99) => {
  const file = await open(fileOf(content));
  change(file);
  const lines: string[] = [];
  await readLinesBack(file, (line) => lines.push(line) === most);
  await file.close();
  return lines;
};
const readsAtMost = (bytes: (at: number) => number) => (file: FileHandle) => {
  const read = file.read.bind(file) as (...args: unknown[]) => ReturnType<FileHandle['read']>;
  const short = (buffer: Buffer, offset: number, length: number, at: number) =>
    read(buffer, offset, Math.min(length, bytes(at)), at);
  Object.assign(file, { read: short });
};

it('lines read from the end come the last one first, without the empty ones and with half a line', async () => {
  expect([await linesBack('one\n\ntwo\nha'), await linesBack('\none\n')]).toEqual([['ha', 'two', 'one'], ['one']]);
  expect(await linesBack('')).toEqual([]);
  expect(await linesBack(`${'one\n'.repeat(PIECE)}two\nthree\n`, undefined, 2)).toEqual(['three', 'two']);
});

it('lines read from the end are whole where a read gives less than it was asked for', async () => {
  expect(
    await linesBack(
      'one\ntwo\nthree\n',
      readsAtMost(() => 3),
    ),
  ).toEqual(['three', 'two', 'one']);
});

it('lines read from the end are those that are left where the file was cut short meanwhile', async () => {
  const cut = readsAtMost((at) => Math.max(0, 8 - at));
  expect(await linesBack('one\ntwo\nthree\n', cut)).toEqual(['two', 'one']);
});

it('lines read from the end leave out one that is too long, and nothing beside it', async () => {
  const long = 'a'.repeat(PIECE + 9);
  expect(await linesBack(`${long}\n${'\0'.repeat(5 * PIECE)}\ntwo\n`)).toEqual(['two', long]);
  for (const bytes of [5 * PIECE, 5 * PIECE + 9, 12 * PIECE - 9]) {
    expect(await linesBack(`one\n${'\0'.repeat(bytes)}\ntwo\n`)).toEqual(['two', 'one']);
    expect(await linesBack(`one\n${'\0'.repeat(bytes)}\n${'\0'.repeat(bytes)}\ntwo\n`)).toEqual(['two', 'one']);
  }
});

const recordAt = (time: string, more = '') =>
  `{"at":"2026-05-09T12:00:00.000Z","entry":"2026${time}00000-1-aaaaaa"${more}}\n`;
/** By letter: records from before and after noon on 1 May, and a line that is none. */
const LINES: Readonly<Record<string, string>> = {
  d: recordAt('0430T2359'),
  o: recordAt('0501T1158'),
  c: recordAt('0501T1158', ',"supersededBy":"later"'),
  p: recordAt('0501T1159'),
  e: recordAt('0501T1200'),
  y: recordAt('0501T1201'),
  n: '{"at":"2026-05-01T11:00:00.000Z"}\n',
};
type Files = Readonly<Record<string, string>>;

function ledgerOf(files: Files) {
  const stateDir = temporaryFolder();
  const folder = join(stateDir, 'writes');
  mkdirSync(folder, { mode: 0o700 });
  for (const [name, letters] of Object.entries(files)) {
    const text = [...letters].map((letter) => LINES[letter]).join('');
    writeFileSync(join(folder, `${name.replace('here', machineName())}.ndjson`), text, { mode: 0o600 });
  }
  return { folder, ports: { stateDir, pid: process.pid } };
}

function filesIn(folder: string): Files {
  const lettersIn = (name: string) => {
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const lines = textOf(join(folder, name)).split(/(?<=\n)/);
    return lines.map((line) => Object.keys(LINES).find((letter) => LINES[letter] === line)).join('');
  };
  const plain = (name: string) => name.replace(machineName(), 'here').replace(/-(?!0123)[0-9a-f]{12}/, '-apart');
  return Object.fromEntries(readdirSync(folder).map((name) => [plain(name).replace('.ndjson', ''), lettersIn(name)]));
}

it.each<[string, Files, Files, number]>([
  ['every file of an earlier day', { '20260430.here': 'dn', '20260430.aaaaaaaa': 'do' }, {}, 2],
  ['no file of a later day', { '20260502.here': 'o' }, { '20260502.here': 'o' }, 0],
  ['no file of another machine of this day', { '20260501.aaaaaaaa': 'oy' }, { '20260501.aaaaaaaa': 'oy' }, 0],
  ['the older lines of this day', { '20260501.here': 'oeopny' }, { '20260501.here-apart': 'eny' }, 2],
  ['nothing of a day that is young', { '20260501.here': 'eny' }, { '20260501.here': 'eny' }, 0],
  ['a file whose lines are all old', { '20260501.here': 'opc' }, {}, 2],
  ['older lines, taken apart', { '20260501.here-0123456789ab': 'oy' }, { '20260501.here-0123456789ab': 'y' }, 1],
  [
    'no line about what another machine closed',
    { '20260501.here': 'op', '20260501.aaaaaaaa': 'cp' },
    { '20260501.here-apart': 'o', '20260501.aaaaaaaa': 'cp' },
    1,
  ],
  ['what was closed a day later', { '20260430.here': 'o', '20260501.aaaaaaaa': 'c' }, { '20260501.aaaaaaaa': 'c' }, 1],
])('a ledger that is pruned loses %s', async (_what, before, after, count) => {
  const { folder, ports } = ledgerOf(before);
  const done = watched();
  expect(await pruneLedger(ports, Date.UTC(2026, 4, 1, 12))).toBe(count);
  expect(filesIn(folder)).toEqual(after);
  expect(done.includes('sync folder')).toBe(count > 0);
});

it('a ledger that could not be pruned to the end has lost nothing', async () => {
  const { folder, ports } = ledgerOf({ '20260501.here': 'oy' });
  onOpen((file, path) => {
    if (path.endsWith('.tmp')) file.sync = () => Promise.reject(new Error('no'));
  });
  const message = expect.stringContaining(`the history could not be pruned (${folder})`);
  await expect(pruneLedger(ports, Date.UTC(2026, 4, 1, 12))).rejects.toMatchObject({ code: 'LOCAL_IO', message });
  expect(filesIn(folder)).toEqual({ '20260501.here-apart': 'oy' });
});
