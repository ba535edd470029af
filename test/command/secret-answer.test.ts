import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { openTerminal } from '../support/pty.ts';
import { type Reply, startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID } from '../support/sample-card.ts';

// Contract section 1: the answer of a provisioning comes once, and is where the message says.

const PROVISION = ['card', 'provision', CARD_ID, '--wallet', 'wallet_a'];
const SECRET = 'the-secret-of-this-test';
const ANSWER = `{\n  "encryptedPaymentInstrument": "${SECRET}"\n}\n`;

const fileIn = (home: Home, name: string) => join(home.path, 'work', name);

/** A service that answers with the secret, and breaks the history meanwhile where that is wanted. */
async function service(home: Home, { breaksHistory = false, reply }: { breaksHistory?: boolean; reply?: Reply } = {}) {
  return startRecordingServer(() => {
    const history = join(home.stateDir, 'history.jsonl');
    if (breaksHistory) {
      rmSync(history);
      mkdirSync(history);
    }
    return reply ?? { body: { encryptedPaymentInstrument: SECRET } };
  });
}

/** Everything that is kept on the disk below the state folder. */
function kept(folder: string): string {
  if (!existsSync(folder)) return '';
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

test('with --out it stays in the file when the history cannot be written, and the message says so', async () => {
  const home = createHome();
  const server = await service(home, { breaksHistory: true });
  const { code, stdout, stderr } = await runFrontdesk([...PROVISION, '--out', 'a.json'], { env: server.env, home });
  expect(code).toBe(16);
  expect(stderr).toContain('the write WAS applied');
  expect(stderr).toContain('the answer is in a.json');
  expect(readFileSync(fileIn(home, 'a.json'), 'utf8')).toBe(ANSWER);
  expect(stdout + stderr + kept(home.stateDir)).not.toContain(SECRET);
});

test('as JSON it is printed when the history cannot be written', async () => {
  const home = createHome();
  const server = await service(home, { breaksHistory: true });
  const { code, stdout, stderr } = await runFrontdesk([...PROVISION, '--json'], { env: server.env, home });
  expect({ code, stdout }).toEqual({ code: 16, stdout: ANSWER });
  expect(stderr).toContain('the answer stands on stdout');
  expect(stderr).not.toContain(SECRET);
});

test('--out says where it saved, and only --show-sensitive shows it besides', async () => {
  const home = createHome();
  const server = await service(home);
  const { code, stdout, stderr } = await runFrontdesk([...PROVISION, '--out', 'a.json'], { env: server.env, home });
  expect(code).toBe(0);
  expect(stdout).not.toContain(SECRET);
  expect(stderr).toContain('the answer is in a.json');
  expect(readFileSync(fileIn(home, 'a.json'), 'utf8')).toBe(ANSWER);
  const shown = await runFrontdesk([...PROVISION, '--out', 'b.json', '--show-sensitive', '--json'], {
    env: server.env,
    home,
  });
  expect(shown.stdout).toBe(ANSWER);
});

test.each([
  ['doubled keys', `{"encryptedPaymentInstrument":"${SECRET}","encryptedPaymentInstrument":"x"}`],
  ['no JSON', `secret=${SECRET}`],
])('what comes with a 2xx and cannot be read stays in the file byte for byte: %s', async (_what, body) => {
  const home = createHome();
  const server = await service(home, { reply: { body } });
  const { code, stdout, stderr } = await runFrontdesk([...PROVISION, '--out', 'a.json', '--json'], {
    env: server.env,
    home,
  });
  expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
  expect(readFileSync(fileIn(home, 'a.json'), 'utf8')).toBe(body);
  expect(stderr).toContain('the answer is in a.json');
  expect(stderr + kept(home.stateDir)).not.toContain(SECRET);
});

test.each([{ status: 409, body: SECRET }, { status: 500, body: SECRET }, 'reset' as const])(
  'after %j no file is left',
  async (reply) => {
    const home = createHome();
    const server = await service(home, { reply });
    await runFrontdesk([...PROVISION, '--out', 'a.json', '--retries', '0'], { env: server.env, home });
    expect(existsSync(fileIn(home, 'a.json'))).toBe(false);
  },
);

test('a stdout that is the null device, without --out, is refused', async () => {
  const home = createHome();
  const server = await startRecordingServer([]);
  const terminal = openTerminal([], {
    home,
    env: server.env,
    script: `$FD ${PROVISION.join(' ')} --json >/dev/null; echo "ended $?"; read -r over`,
  });
  await terminal.waitFor('ended 2');
  terminal.type('\n');
  expect((await terminal.end).text).toContain('null device');
  expect(server.requests).toEqual([]);
});

test.each([
  ['full', '>/dev/full'],
  ['without a reader', '| true'],
])('a stdout that is %s: it stands on the terminal of stderr', async (_what, to) => {
  const home = createHome();
  const server = await service(home);
  const terminal = openTerminal([], {
    home,
    env: server.env,
    script: `$FD ${PROVISION.join(' ')} --json ${to}; read -r over`,
  });
  await terminal.waitFor('the answer stands on stderr');
  // Until then the terminal stays open: what was written last is not lost.
  terminal.type('\n');
  expect((await terminal.end).text).toContain(SECRET);
});

test('off a terminal an answer that finds no place is lost, and that is said', async () => {
  const home = createHome();
  const server = await service(home, { breaksHistory: true });
  const script = `$FD ${PROVISION.join(' ')} --json >/dev/full 2>said; echo "ended $?"; read -r over`;
  const terminal = openTerminal([], { home, env: server.env, script });
  await terminal.waitFor('ended 16');
  terminal.type('\n');
  await terminal.end;
  const stderr = readFileSync(join(home.path, 'said'), 'utf8');
  expect(stderr).toContain('the answer is lost');
  expect(stderr + kept(home.stateDir)).not.toContain(SECRET);
});

it('is asked for a file on a terminal, where an empty answer shows it', async () => {
  const home = createHome();
  const server = await service(home);
  const asked = async (answer: string) => {
    const terminal = openTerminal(PROVISION, { home, env: server.env, columns: 200 });
    await terminal.waitFor(/\? File for the answer/);
    terminal.type(`${answer}\r`);
    return (await terminal.end).text;
  };
  expect(await asked('answer.json')).not.toContain(SECRET);
  expect(readFileSync(join(home.path, 'answer.json'), 'utf8')).toBe(ANSWER);
  expect(await asked('')).toContain(SECRET);
});
