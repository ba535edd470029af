import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const manifest: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Cards of the sandbox that are active at first. */
const CARD = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
const OTHER_CARD = '1c8b7d2f-4063-4e9b-8d52-6f308ba1c202';
const PLANNED_CARD = '2d9c8e30-5174-4fac-9e63-70419cb2d303';

interface Step {
  readonly args: readonly string[];
  readonly stdin?: string;
  readonly code: number;
  /** What stdout must hold. */
  readonly says: RegExp;
}

/** A little of everything that differs between forms of the program and versions of Node: files, network, streams, WebAssembly. */
function steps(): readonly Step[] {
  return [
    { args: ['--version'], code: 0, says: new RegExp(`^${manifest.version.replaceAll('.', '\\.')}\n$`) },
    { args: ['--help'], code: 0, says: /card get/ },
    { args: ['card', 'block', '--help'], code: 0, says: /--reason <text>/ },
    { args: ['card', 'get', CARD, '-p', 'sandbox', '--json'], code: 0, says: new RegExp(`"cardId": "${CARD}"`) },
    { args: ['card', 'get', 'no-id', '-p', 'sandbox'], code: 2, says: /^$/ },
    {
      args: ['card', 'block', CARD, '-p', 'sandbox', '--yes', '--json', '--reason', 'lost'],
      code: 0,
      says: /"status": "BLOCKED"/,
    },
    { args: ['card', 'get', CARD, '-p', 'sandbox', '--query', 'status'], code: 0, says: /BLOCKED/ },
    {
      args: ['card', 'block', '--from', '-', '-p', 'sandbox', '--yes', '-o', 'ndjson'],
      stdin: `${OTHER_CARD}\n`,
      code: 0,
      says: /"outcome":"applied"/,
    },
    {
      args: ['card', 'block', '--from', '-', '-p', 'sandbox', '--plan', 'may.plan'],
      stdin: `${PLANNED_CARD}\n`,
      code: 0,
      says: /^/,
    },
    { args: ['plan', 'show', 'may.plan', '--json'], code: 0, says: /"state": ?"new"/ },
    {
      args: ['plan', 'apply', 'may.plan', '-p', 'sandbox', '--yes', '-o', 'ndjson'],
      code: 0,
      says: /"outcome":"applied"/,
    },
    { args: ['runs', 'list', '--json'], code: 0, says: /"state": "finished"/ },
    { args: ['history', '--json'], code: 0, says: /"operation": "card.block"/ },
    { args: ['config', 'set', 'output', 'json'], code: 0, says: /^/ },
    { args: ['profile', 'list'], code: 0, says: /sandbox/ },
    { args: ['schema'], code: 0, says: /"commands"/ },
    { args: ['completion', 'bash'], code: 0, says: /complete -/ },
  ];
}

/** How a step went, if not as it should. */
export interface Deviation {
  readonly step: string;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program (`[node, bin]`, `[executable]`) through a shift of work in an empty home; answers what went wrong. */
export function smoke(program: readonly string[]): readonly Deviation[] {
  const home = mkdtempSync(join(tmpdir(), 'frontdesk-smoke-'));
  const cwd = join(home, 'elsewhere');
  mkdirSync(cwd);
  const env = {
    ...process.env,
    HOME: home,
    USERPROFILE: home,
    APPDATA: join(home, 'roaming'),
    LOCALAPPDATA: join(home, 'local'),
    XDG_CACHE_HOME: '',
    FRONTDESK_CONFIG_DIR: join(home, 'config'),
    FRONTDESK_STATE_DIR: join(home, 'state'),
    NODE_OPTIONS: '',
  };
  const [file = '', ...first] = program;
  const deviations: Deviation[] = [];
  for (const { args, stdin, code, says } of steps()) {
    const ended = spawnSync(file, [...first, ...args], {
      cwd,
      env,
      input: stdin ?? '',
      encoding: 'utf8',
      timeout: 120_000,
    });
    const { status, stdout, stderr } = ended;
    if (status !== code || !says.test(stdout)) deviations.push({ step: args.join(' '), code: status, stdout, stderr });
  }
  rmSync(home, { recursive: true, force: true });
  return deviations;
}
