import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTerminal } from '../support/pty.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';

const folder = mkdtempSync(join(tmpdir(), 'frontdesk-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Stands in for frontdesk: writes down that it was called, and answers as the program does. */
const calls = join(folder, 'calls');
const program = fileURLToPath(new URL('../../bin/frontdesk.js', import.meta.url));
const place = `FRONTDESK_CONFIG_DIR='${join(folder, 'config')}' FRONTDESK_STATE_DIR='${join(folder, 'state')}'`;
writeFileSync(
  join(folder, 'frontdesk'),
  `#!/bin/sh\necho "$*" >> '${calls}'\n${place} exec '${process.execPath}' '${program}' "$@"\n`,
);
chmodSync(join(folder, 'frontdesk'), 0o755);
writeFileSync(join(folder, 'cards.csv'), 'cardId\n');

const script = (name: string) => fileURLToPath(new URL(`../../completions/${name}`, import.meta.url));
const support = (name: string) => fileURLToPath(new URL(name, import.meta.url));

function run(program: string, args: readonly string[]): string[] {
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder, LANG: 'C.UTF-8', TERM: 'dumb' };
  const { stdout, stderr, error } = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8', timeout: 20_000 });
  if (error !== undefined) throw error;
  if (stderr !== '') throw new Error(`${program}: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}

const BASH = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}; _frontdesk frontdesk "\${!#}"; printf '%s\\n' "\${COMPREPLY[@]}"`;

interface Shell {
  readonly name: string;
  /** What is offered at a Tab press at the end of these words; the last one may be half typed. */
  offers(words: readonly string[]): string[];
}

const SHELLS: readonly Shell[] = [
  { name: 'bash', offers: (words) => run('bash', ['--norc', '-c', BASH, 'bash', script('frontdesk.bash'), ...words]) },
  { name: 'zsh', offers: (words) => run('zsh', ['-f', support('capture.zsh'), script('_frontdesk'), words.join(' ')]) },
  {
    name: 'fish',
    offers: (words) =>
      run('fish', ['--no-config', '-c', `source ${script('frontdesk.fish')}; complete -C '${words.join(' ')}'`]).map(
        (line) => line.split('\t', 1)[0] ?? '',
      ),
  },
  { name: 'pwsh', offers: (words) => run('pwsh', ['-NoProfile', '-NonInteractive', '-Command', offersInPwsh(words)]) },
];

/** PowerShell puts the folder before a file that it offers itself. */
function offersInPwsh(words: readonly string[]): string {
  const line = words.join(' ');
  const complete = `(TabExpansion2 -inputScript '${line}' -cursorColumn ${line.length}).CompletionMatches`;
  return `. '${script('frontdesk.ps1')}'; ${complete} | ForEach-Object { $_.CompletionText -replace '^./', '' }`;
}

const CASES = [
  { words: ['frontdesk', 'card', ''], offered: ['activate', 'block', 'find', 'get', 'provision', 'reissue', 'wait'] },
  { words: ['frontdesk', 'calendar', 'subscribers', ''], offered: ['list', 'update'] },
  { words: ['frontdesk', '-p', 'sandbox', 'card', 'a'], offered: ['activate'] },
  { words: ['frontdesk', 'card', 'provision', 'x', '--wallet', ''], offered: ['wallet_a', 'wallet_b'] },
  { words: ['frontdesk', '-o', ''], offered: ['csv', 'json', 'ndjson', 'table', 'xlsx'] },
  { words: ['frontdesk', 'card', 'block', '--rea'], offered: ['--reason'] },
  { words: ['frontdesk', 'help', 'exi'], offered: ['exit-codes'] },
  { words: ['frontdesk', 'completion', ''], offered: ['bash', 'fish', 'powershell', 'zsh'] },
  { words: ['frontdesk', 'card', 'get', '--from', 'car'], offered: ['cards.csv'] },
];

describe.each(SHELLS)('completion in $name', ({ name, offers }) => {
  const isMissing = spawnSync(name, ['--version']).error !== undefined;
  if (isMissing) process.stderr.write(`completion tests skipped: ${name} is not installed\n`);

  it.skipIf(isMissing).each(CASES)(`completion in ${name} offers $offered after $words`, ({ words, offered }) => {
    expect(offers(words).sort()).toEqual(offered);
  });

  it.skipIf(isMissing)(`completion in ${name} offers every top-level command`, () => {
    expect(offers(['frontdesk', ''])).toEqual(expect.arrayContaining(['card', 'calendar', 'auth', 'runs', 'help']));
  });

  it.skipIf(isMissing)(`completion in ${name} calls frontdesk for the value of --profile and for nothing else`, () => {
    rmSync(calls, { force: true });
    for (const { words } of CASES) offers(words);
    expect(() => readFileSync(calls)).toThrow('ENOENT');
    expect(offers(['frontdesk', '-p', '']).sort()).toEqual(['live', 'sandbox']);
    expect(readFileSync(calls, 'utf8')).toBe('profile list -o table --columns name --no-header --quiet\n');
  });

  it.skipIf(isMissing)(`completion in ${name} offers stored profiles and newest runs where a command takes one`, () => {
    expect(offers(['frontdesk', 'profile', 'use', '']).sort()).toEqual(['live', 'sandbox']);
    expect(offers(['frontdesk', 'profile', 'show', 'l'])).toEqual(['live']);
    expect(offers(['frontdesk', 'runs', 'resume', '']).sort()).toEqual(['monday', 'tuesday']);
    expect(offers(['frontdesk', 'runs', 'results', 't'])).toEqual(['tuesday']);
  });
});

beforeAll(async () => {
  const home = { path: folder, configDir: join(folder, 'config'), stateDir: join(folder, 'state') };
  const cards = ['0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101', '1c8b7d2f-4063-4e9b-8d52-6f308ba1c202'];
  await runFrontdesk(['profile', 'set', 'live'], { home, cwd: folder });
  for (const run of ['monday', 'tuesday']) {
    await runFrontdesk(['-p', 'sandbox', 'card', 'activate', ...cards, '--run', run, '--yes'], { home, cwd: folder });
  }
});

const [bash] = SHELLS;

it.each([
  { words: ['frontdesk', 'card', 'get', '--', ''], offered: [] },
  { words: ['frontdesk', 'calendar', 'event', 'create', '--calendar', 'card', ''], offered: [] },
  { words: ['frontdesk', 'completion', 'bash', ''], offered: [] },
])('completion in bash offers $offered after $words', ({ words, offered }) => {
  expect(bash?.offers(words)).toEqual(offered);
});

/** What a person starts, what reads the script there, and how a line of it is typed. */
const TERMINALS = [
  { name: 'bash', start: 'exec bash --norc --noprofile -i', load: `IFS=:; source '${script('frontdesk.bash')}'` },
  { name: 'zsh', start: 'exec zsh -f -i', load: `autoload compinit; compinit -C -u; source '${script('_frontdesk')}'` },
  { name: 'fish', start: 'exec fish --no-config -i', load: `source '${script('frontdesk.fish')}'` },
];

/** Typed up to a Tab, and the arguments that the program gets when Enter is pressed then. */
const TYPED = [
  { typed: 'plan show my\t', words: ['plan', 'show', 'my plan.json'] },
  { typed: 'plan apply --failed f car\t', words: ['plan', 'apply', '--failed', 'f', 'cards.csv'] },
  { typed: 'api POST /v1/x --data @my\t', words: ['api', 'POST', '/v1/x', '--data', '@my plan.json'] },
  { typed: "api POST /v1/x --data '@my\t", words: ['api', 'POST', '/v1/x', '--data', '@my plan.json'] },
  { typed: 'api POST /v1/x --data=@conf\tset\t', words: ['api', 'POST', '/v1/x', '--data=@config/settings.json'] },
  { typed: 'config set output nd\t', words: ['config', 'set', 'output', 'ndjson'] },
  { typed: 'profile set live -o nd\t', words: ['profile', 'set', 'live', '-o', 'ndjson'] },
  { typed: 'card block --dry\t', words: ['card', 'block', '--dry-run'] },
  { typed: 'card block c1 -y --dry\t', words: ['card', 'block', 'c1', '-y', '--dry-run'] },
  { typed: 'card get -o=js\t', words: ['card', 'get', '-o=json'] },
  { typed: 'card get --output=js\t', words: ['card', 'get', '--output=json'] },
  { typed: 'card get -f=car\t', words: ['card', 'get', '-f=cards.csv'] },
  { typed: 'help card blo\t', words: ['help', 'card', 'block'] },
  { typed: 'schema calendar subscribers up\t', words: ['schema', 'calendar', 'subscribers', 'update'] },
  { typed: "card block --reason 'card get' -o js\t", words: ['card', 'block', '--reason', 'card get', '-o', 'json'] },
];

describe.each(TERMINALS)('completion at a terminal in $name', ({ name, start, load }) => {
  const isMissing = spawnSync(name, ['--version']).error !== undefined;

  it.skipIf(isMissing)(`completion at a terminal in ${name} finishes what was typed`, async () => {
    const home = createHome();
    const heard = join(home.path, 'heard');
    const stub = `#!/bin/sh\nfor word; do printf '%s\\n' "$word"; done > '${heard}'\necho heard it\n`;
    mkdirSync(join(home.path, 'bin'));
    mkdirSync(home.configDir);
    writeFileSync(join(home.path, 'bin', 'frontdesk'), stub, { mode: 0o755 });
    for (const file of ['my plan.json', 'cards.csv', 'config/settings.json']) writeFileSync(join(home.path, file), '');
    const env = { PATH: `${join(home.path, 'bin')}:${process.env['PATH'] ?? ''}` };
    const terminal = openTerminal([], { home, env, script: start });
    terminal.type(`${load}; frontdesk\r`);
    const lines: string[][] = [];
    for (let times = 1; times <= TYPED.length; times += 1) {
      await terminal.talk([new RegExp(`(?:heard it[^]*){${times}}`), `frontdesk ${TYPED[times - 1]?.typed}\r`]);
      await terminal.waitFor(new RegExp(`(?:heard it[^]*){${times + 1}}`));
      lines.push(readFileSync(heard, 'utf8').split('\n').slice(0, -1));
    }
    terminal.type('exit\r');
    await terminal.end;
    expect(lines).toEqual(TYPED.map(({ words }) => words));
  });
});
