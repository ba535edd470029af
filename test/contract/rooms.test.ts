import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;

/** Breaches of the rules: file, text, and what the linter must say about it. */
const BREACHES = [
  ['src/api/canary.ts', "import '../engine/program.ts';", 'src/api is data about the service and imports zod only'],
  ['src/json/canary.ts', "import '../failure/../http/client.ts';", 'src/json knows nothing of the rest'],
  [
    'src/files/canary.ts',
    "import '../settings/read.ts';",
    'src/files keeps files and knows nothing of what is in them',
  ],
  ['src/output/canary.ts', "import '../bulk/engine.ts';", 'src/output shows results and decides nothing'],
  ['src/http/canary.ts', "import '../settings/read.ts';", 'src/http turns a row of the table into bytes and back'],
  ['src/input/canary.ts', "import '../http/client.ts';", 'src/input reads what was given and sends nothing'],
  ['src/credentials/canary.ts', "import '../commands/index.ts';", 'src/credentials finds tokens and knows no commands'],
  ['src/settings/canary.ts', "import '../engine/session.ts';", 'src/settings reads settings and knows no commands'],
  ['src/sandbox/canary.ts', "import '../http/client.ts';", 'src/sandbox plays the service from the operations table'],
  ['src/bulk/canary.ts', "import '../commands/session.ts';", 'src/bulk runs rows through a function it is given'],
  ['src/history/canary.ts', "import '../http/client.ts';", 'src/history reads records and sends nothing'],
  ['src/doctor/canary.ts', "import '../engine/program.ts';", 'src/doctor looks at this machine and changes nothing'],
  ['src/process/canary.ts', "import '../engine/program.ts';", 'src/process makes the ports'],
  [
    'src/generate/canary.ts',
    "import '../engine/program.ts';",
    'src/generate describes the program and runs nothing of it',
  ],
  ['src/commands/card/canary.ts', "import '../../engine/call.ts';", 'a command over an operation is a declaration'],
  ['src/commands/calendar/canary.ts', "import '../../http/client.ts';", 'a command over an operation is a declaration'],
  ['src/commands/local/canary.ts', "import '../../engine/program.ts';", 'a command is run by the engine'],
  ['src/engine/canary.ts', "import '../process/context.ts';", 'the real process is made in src/main.ts'],
  ['src/engine/canary.ts', "import 'commander';", 'only src/engine/argv.ts parses with commander'],
  ['src/engine/canary.ts', "await import('@inquirer/prompts');", 'only src/engine/prompt.ts asks questions'],
  ['src/engine/canary.ts', "import 'undici';", 'only src/http/transport.ts speaks HTTP'],
  ['src/commands/local/canary.ts', "await import('conf');", 'only src/settings/write.ts writes settings'],
  ['src/bulk/canary.ts', "await import('ora');", 'only src/engine/wait-display.ts draws a spinner'],
  ['src/output/canary.ts', "import 'cli-table3';", 'only src/output/terminal-table.ts draws tables'],
  ['src/engine/canary.ts', 'process.exitCode = 1;', 'Do not use the global variable process'],
  ['src/bulk/canary.ts', 'console.log(1);', 'Do not use the global variable console'],
] as const;

const ALLOWED = ['src/bulk/allowed.ts', "import '../json/parse.ts';"] as const;

/** Lints planted files under the project's own rules, in a folder of their own; answers the messages by file. */
function lintPlanted(files: readonly (readonly [path: string, text: string])[]): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-rooms-'));
  try {
    const config = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
    writeFileSync(
      join(folder, 'biome.json'),
      JSON.stringify({ ...config, $schema: undefined, vcs: { enabled: false } }),
    );
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${text}\n`);
    }
    const program = join(root, 'node_modules', '.bin', 'biome');
    const { stdout } = spawnSync(program, ['lint', '--reporter=json', '--max-diagnostics=none', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const said = new Map<string, string>();
    for (const { location, message } of JSON.parse(stdout).diagnostics) {
      const path: string = typeof location.path === 'string' ? location.path : location.path.file;
      said.set(path, `${said.get(path) ?? ''}${JSON.stringify(message)}\n`);
    }
    return said;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the import rules name each breach', () => {
  const planted = BREACHES.map(([path, text], index) => [path.replace('canary', `canary-${index}`), text] as const);
  const said = lintPlanted([...planted, ALLOWED]);

  it.each(BREACHES.map(([path, text, message], index) => [path, text, message, planted[index]?.[0] ?? ''] as const))(
    '%s: %s',
    (_path, _text, message, planted) => {
      expect(said.get(planted)).toContain(message);
    },
  );

  it('lets an allowed import pass', () => {
    expect(said.get(ALLOWED[0])).toBeUndefined();
  });
});

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

describe('clock and chance come from Context', () => {
  it.each(['Date.now(', 'Math.random', 'performance.now('])('%s stands in src/process only', (text) => {
    const found = sources('src').filter((path) => readFileSync(join(root, path), 'utf8').includes(text));
    expect(found.filter((path) => !path.startsWith('src/process/'))).toEqual([]);
  });
});
