import { cpSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REGISTRY } from '../../../src/registry.ts';
import { type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { createHome, type Home } from '../../support/run-frontdesk.ts';
import { NAMES, type OperationName, SAMPLE_CALLS, typedCall } from '../../support/sample-calls.ts';
import { CARD_ID } from '../../support/sample-card.ts';
import { answerAsService, onStage, type ShellResult, type Stage } from './stage.ts';

const OTHER_ID = CARD_ID.replace('7', '8');

function sampleArgs(name: OperationName): { readonly args: string; readonly writes?: true } {
  const { command, choice, ends } = SAMPLE_CALLS[name];
  const words = typedCall(name).slice(command.split(' ').length);
  if (choice !== undefined) words.push('--show-sensitive');
  if (ends === 'read') return { args: words.join(' ') };
  return { args: [...words, '--yes'].join(' '), writes: true };
}

/** How each command is called here; a write of the service ends by its outcome when nobody reads it. */
const CALLS: Readonly<Record<string, { readonly args: string; readonly writes?: true }>> = {
  ...Object.fromEntries(NAMES.map((name) => [SAMPLE_CALLS[name].command, sampleArgs(name)])),
  'card reissue': { args: `${CARD_ID} ${OTHER_ID} --yes`, writes: true },
  'card wait': { args: `${CARD_ID} --status ACTIVE` },
  'auth login': { args: '-p live --cards-url https://cards.example.com --token-command true' },
  'auth status': { args: '' },
  'auth logout': { args: '-p kept' },
  'profile list': { args: '' },
  'profile show': { args: 'kept' },
  'profile set': { args: 'kept --read-only true' },
  'profile use': { args: 'kept' },
  'profile remove': { args: 'kept --yes' },
  'config list': { args: '' },
  'config get': { args: 'retries' },
  'config set': { args: 'retries 3' },
  'config unset': { args: 'retries' },
  'config path': { args: '' },
  'history list': { args: '' },
  'history show': { args: '$ENTRY' },
  'history resolve': { args: '$ENTRY --as applied' },
  'history reconcile': { args: '' },
  'history prune': { args: '--older-than 90d --yes' },
  'runs list': { args: '' },
  'runs show': { args: 'seeded' },
  'runs results': { args: 'seeded' },
  'runs resume': { args: 'seeded', writes: true },
  'runs remove': { args: 'seeded --yes' },
  'runs report': { args: 'seeded --as markdown' },
  'runs revert': { args: 'renamed --plan revert.plan' },
  'plan show': { args: 'seeded.plan' },
  'plan approve': { args: 'seeded.plan --key key --as ann --yes' },
  'plan apply': { args: 'seeded.plan --yes', writes: true },
  'sandbox info': { args: '' },
  'sandbox serve': { args: '' },
  'sandbox reset': { args: '' },
  api: { args: 'GET /v1/calendars/c/subscribers' },
  doctor: { args: '' },
  schema: { args: '' },
  completion: { args: 'bash' },
  help: { args: '' },
};

/** These print nothing without a terminal, or without somebody who asks on stdin. */
const SILENT_HERE = ['desk', 'mcp'];

/** Makes descriptor 4 a pipe whose reader has gone, at whatever pace this machine starts processes. */
const READERLESS = 'mkfifo pipe; exec 3<>pipe 4>pipe 3<&-;';

/** The listening sandbox ends only by a signal: it is run under a limit, and printing is all that is looked at. */
const NEVER_ENDS = 'sandbox serve';

/** A home with a profile, a preference, a finished run and an entry of history. */
let seeded: Home;
/** One for all, because a run belongs to the address at which it began. */
let server: FaultServer;

async function seed(stage: Stage): Promise<void> {
  const env = { FRONTDESK_CARDS_URL: server.url, FRONTDESK_CALENDAR_URL: server.url };
  stage.file('old.csv', 'id,name\ncal_1,before\n');
  stage.file('new.csv', 'id,name\ncal_1,after\n');
  expect((await stage.shell('ssh-keygen -q -t ed25519 -N "" -f key')).code).toBe(0);
  for (const args of [
    ['profile', 'set', 'kept', '--cards-url', 'https://cards.example.com'],
    ['config', 'set', 'retries', '2'],
    ['card', 'activate', '--yes', '--run', 'seeded', CARD_ID, OTHER_ID],
    ['card', 'activate', CARD_ID],
    ['card', 'activate', CARD_ID, OTHER_ID, '--plan', 'seeded.plan'],
    [...['calendar', 'update', '--from', 'new.csv', '--changed-from', 'old.csv'], '--run', 'renamed', '--yes'],
  ]) {
    expect({ args, code: (await stage.run(args, { env })).code }).toEqual({ args, code: 0 });
  }
  cpSync(stage.home.path, seeded.path, { recursive: true });
}

beforeAll(async () => {
  seeded = createHome();
  server = await startFaultServer({ route: answerAsService });
  await onStage(seed);
});

afterAll(() => server.close());

/** Runs the command in a home of its own, with `$RUN` in the script; answers with which code it ended. */
async function play(path: string, script: string): Promise<ShellResult> {
  let result: ShellResult | undefined;
  await onStage(async (stage) => {
    cpSync(seeded.path, stage.home.path, { recursive: true });
    const call = `$FD ${path} ${CALLS[path]?.args ?? ''}`;
    const run = path === NEVER_ENDS ? `timeout -s KILL 60 ${call}` : call;
    // A write whose end was never recorded is one whose outcome is unknown.
    const forget = path === 'history resolve' ? `sed -i '/"event":"end"/d' ${stage.home.stateDir}/history.jsonl; ` : '';
    const takes = CALLS[path]?.args.startsWith('$ENTRY') === true;
    const query = forget === '' ? '[0].entry' : "[?outcome=='unknown'].entry | [0]";
    const entry = takes ? `${forget}ENTRY=$($FD history --json --query "${query}" | tr -d \\"); ` : '';
    const env = { FRONTDESK_CARDS_URL: server.url, FRONTDESK_CALENDAR_URL: server.url };
    result = await stage.shell(`${entry}${script.replaceAll('$RUN', run)}`, { env });
  });
  if (result === undefined) throw new Error('nothing was played');
  return result;
}

const paths = REGISTRY.entries.map((entry) => entry.path.join(' ')).filter((path) => !SILENT_HERE.includes(path));

test('P5 every command is called with closed streams (G12)', () => {
  expect(Object.keys(CALLS).sort()).toEqual([...paths].sort());
});

describe.concurrent('every command with streams that cannot be used (G12)', () => {
  test.for(paths)('P2 P4 P5 %s exits with the right code', async (path) => {
    const { writes } = CALLS[path] ?? {};
    const [full, closed, gone, noErrors] = await Promise.all([
      play(path, '$RUN > /dev/full'),
      path === NEVER_ENDS ? undefined : play(path, '$RUN >&-'),
      play(path, `${READERLESS} $RUN >&4 4>&- 2> errors; code=$?; cat errors >&2; echo "code $code" >&2`),
      path === NEVER_ENDS ? undefined : play(path, '$RUN > out 2>&-; echo $?'),
    ]);
    expect(full).toMatchObject({ code: 16, stderr: expect.stringContaining('stdout') });
    expect(full.stderr).toContain('no space left');
    expect(full.stderr).not.toMatch(/^\s+at /m);
    // Secrets that are given once are not thrown away unseen.
    const isGivenOnce = path === 'card provision';
    if (closed !== undefined) expect(closed.code).toBe(isGivenOnce ? 2 : 0);
    if (isGivenOnce) expect(gone.stderr).toMatch(/code 16\n$/);
    else if (writes === true) expect(gone.stderr).toMatch(/code 0\n$/);
    // What is approved is shown on stderr before it is signed.
    else if (path === 'plan approve') expect(gone.stderr).toMatch(/^code 141\n$/m);
    else expect(gone.stderr.replace(/^frontdesk: note: .*\n/gm, '')).toBe('code 141\n');
    if (noErrors !== undefined) expect(noErrors).toMatchObject({ stdout: '0\n', stderr: '' });
  });
});
