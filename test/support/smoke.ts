import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const manifest: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Cards of the sandbox that are active at first. */
const [CARD, OTHER_CARD, PLANNED_CARD] = [
  '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
  '1c8b7d2f-4063-4e9b-8d52-6f308ba1c202',
  '2d9c8e30-5174-4fac-9e63-70419cb2d303',
];

/**
 * A little of everything that differs between forms of the program and versions of Node: files, network, streams,
 * WebAssembly. What is called, what stdout must hold, and what comes on stdin.
 */
const STEPS: readonly (readonly [call: string, says: RegExp, stdin?: string])[] = [
  ['--version', new RegExp(`^${manifest.version.replaceAll('.', '\\.')}\n$`)],
  ['--help', /card get/],
  ['card block --help', /--reason <text>/],
  [`card get ${CARD} -p sandbox --json`, new RegExp(`"cardId": "${CARD}"`)],
  ['card get no-id -p sandbox', /^$/],
  [`card block ${CARD} -p sandbox --yes --json --reason lost`, /"status": "BLOCKED"/],
  [`card get ${CARD} -p sandbox --query status`, /BLOCKED/],
  ['card block --from - -p sandbox --yes -o ndjson', /"outcome":"applied"/, `${OTHER_CARD}\n`],
  ['card block --from - -p sandbox --plan may.plan', /^/, `${PLANNED_CARD}\n`],
  ['plan show may.plan --json', /"state": ?"new"/],
  ['plan apply may.plan -p sandbox --yes -o ndjson', /"outcome":"applied"/],
  ['runs list --json', /"state": "finished"/],
  ['history --json', /"operation": "card.block"/],
  ['config set output json', /^/],
  ['profile list', /sandbox/],
  ['schema', /"commands"/],
  ['completion bash', /complete -/],
];

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
  for (const [call, says, stdin = ''] of STEPS) {
    const code = call.includes('no-id') ? 2 : 0;
    const ended = spawnSync(file, [...first, ...call.split(' ')], {
      cwd,
      env,
      input: stdin,
      encoding: 'utf8',
      timeout: 120_000,
    });
    const { status, stdout, stderr } = ended;
    if (status !== code || !says.test(stdout)) deviations.push({ step: call, code: status, stdout, stderr });
  }
  rmSync(home, { recursive: true, force: true });
  return deviations;
}
