import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Handler, startRecordingServer } from '../support/recording-server.ts';
import { createHome } from '../support/run-frontdesk.ts';
import { runLines } from '../support/shell.ts';

// The shell lines of action.yml as they stand, with the environment that a runner gives them.

interface Action {
  readonly runs: {
    readonly steps: readonly { readonly run: string; readonly env: Readonly<Record<string, string>> }[];
  };
}

// Each test fails where it has not these members.
const action = parse(readFileSync(new URL('../../action.yml', import.meta.url), 'utf8')) as Action;
const [step] = action.runs.steps;

const EXECUTABLE = '#!/bin/sh\necho frontdesk of the test\n';
const SUM = createHash('sha256').update(EXECUTABLE).digest('hex');

const release: Handler = ({ url }) => {
  if (url === '/r/frontdesk-1.2.3-linux-x64') return { body: EXECUTABLE };
  if (url === '/r/SHA256SUMS') return { body: `${'0'.repeat(64)}  other\n${SUM}  frontdesk-1.2.3-linux-x64\n` };
  return { status: 404 };
};

async function run(env: Readonly<Record<string, string>>, handler = release) {
  const server = await startRecordingServer(handler);
  const folder = createHome().path;
  mkdirSync(join(folder, 'temp'));
  const ended = await runLines(folder, step?.run ?? '', {
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: 'X64',
    RUNNER_TEMP: join(folder, 'temp'),
    GITHUB_PATH: join(folder, 'path'),
    GITHUB_OUTPUT: join(folder, 'output'),
    VERSION: '1.2.3',
    SHA256: '',
    URL: `${server.url}/r`,
    REPOSITORY: '',
    SERVER: 'https://github.invalid',
    ...env,
  });
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
  const bin = join(folder, 'temp', 'frontdesk-1.2.3', 'bin');
  return { ...ended, path: read('path'), output: read('output'), bin, lines: server.lines };
}

it('action.yml has no expression in its shell lines', () => expect(step?.run).not.toContain('${{'));

it('action.yml downloads the executable, compares it with SHA256SUMS, and puts it on the PATH', async () => {
  const { code, stderr, path, output, bin, lines } = await run({});
  expect([code, stderr, path, output]).toEqual([0, '', `${bin}\n`, `path=${join(bin, 'frontdesk')}\n`]);
  expect(readFileSync(join(bin, 'frontdesk'), 'utf8')).toBe(EXECUTABLE);
  expect(lines).toEqual(['GET /r/frontdesk-1.2.3-linux-x64', 'GET /r/SHA256SUMS']);
});

it('action.yml with a given sum uses no other', async () => {
  const { code, lines } = await run({ SHA256: SUM });
  expect([code, lines]).toEqual([0, ['GET /r/frontdesk-1.2.3-linux-x64']]);
});

it.each([
  ['another sum than the given one', { SHA256: 'a'.repeat(64) }, `has the SHA-256 ${SUM}, not ${'a'.repeat(64)}`],
  ['a version that is none', { VERSION: '1.2.3; curl evil' }, 'version must be one such as 1.2.3'],
  ['a sum that is none', { SHA256: 'abc' }, 'sha256 must be 64 hexadecimal digits'],
  ['a runner without an executable', { RUNNER_ARCH: 'X86' }, 'no release has an executable for Linux X86'],
  ['a version that is not there', { VERSION: '9.9.9' }, 'could not be downloaded'],
  ['a file that SHA256SUMS does not name', { RUNNER_OS: 'macOS' }, 'could not be downloaded'],
  ['http without a sum', { URL: 'http://files.invalid/r' }, 'url must be https, unless sha256 is given'],
  ['http to a host that begins like this machine', { URL: 'http://127.0.0.1.invalid/r' }, 'url must be https'],
  ['a copy of the action without a URL', { URL: '' }, 'url is required if the action is a copy'],
])('action.yml fails on %s, and nothing is on the PATH', async (_, env, message) => {
  const { code, stderr, path } = await run(env);
  expect([code, path]).toEqual([1, '']);
  expect(stderr).toContain(`::error::frontdesk: `);
  expect(stderr).toContain(message);
});

it('action.yml fails on sums that do not name the file', async () => {
  const { code, stderr } = await run({}, (request, count) =>
    request.url.endsWith('SHA256SUMS') ? { body: 'nothing' } : release(request, count),
  );
  expect([code, stderr]).toEqual([1, '::error::frontdesk: SHA256SUMS does not name frontdesk-1.2.3-linux-x64\n']);
});
