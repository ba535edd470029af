import { expect, it } from 'vitest';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';

const ACTIVATE = ['-p', 'sandbox', 'card', 'activate', '4fbeb052-7396-41ce-8085-9263bed4f505'];
const GET = ['-p', 'sandbox', 'card', 'get', '4fbeb052-7396-41ce-8085-9263bed4f505'];
const PROBLEM = 'must be 1, true, yes or on, or 0, false, no, off or empty';

it.each(['FRONTDESK_NO_HISTORY', 'FRONTDESK_ACCESSIBLE', 'FRONTDESK_DEBUG'])(
  '%s with another value is refused by reads and changes, and named',
  async (name) => {
    expect(await runFrontdesk(GET, { env: { [name]: 'ja' } })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `frontdesk: ${name}: ${PROBLEM}\n`,
    });
    const written = await runFrontdesk(ACTIVATE, { env: { [name]: 'ja' } });
    expect(written).toMatchObject({ code: 2, stdout: '' });
    expect(written.stderr).toContain(`${name}: ${PROBLEM}`);
  },
);

it('FRONTDESK_READ_ONLY with another value is refused by changes alone', async () => {
  const env = { FRONTDESK_READ_ONLY: 'ja' };
  expect((await runFrontdesk(GET, { env })).code).toBe(0);
  const written = await runFrontdesk(ACTIVATE, { env });
  expect(written.stderr).toContain(`FRONTDESK_READ_ONLY: ${PROBLEM}. Nothing was sent.`);
  expect(written.code).toBe(2);
});

it.each([[['--help']], [['--version']], [['help']], [['card', 'get', '--help']]])(
  '%j works with a wrong switch and says so',
  async (args) => {
    const { code, stderr } = await runFrontdesk(args, { env: { FRONTDESK_DEBUG: 'ja' } });
    expect([code, stderr]).toEqual([0, `frontdesk: warning: FRONTDESK_DEBUG: ${PROBLEM}\n`]);
  },
);

it('doctor works with a wrong switch and says so', async () => {
  const { code, stdout } = await runFrontdesk(['doctor', '--json'], { env: { FRONTDESK_READ_ONLY: 'ja' } });
  expect(code).toBe(0);
  expect(stdout).toContain(`FRONTDESK_READ_ONLY: ${PROBLEM}`);
});

it.each(['false', 'no', 'off', '0', 'False'])('FRONTDESK_NO_HISTORY=%s keeps the history', async (value) => {
  const env = { FRONTDESK_NO_HISTORY: value };
  const home = createHome();
  const { code } = await runFrontdesk(ACTIVATE, { env, home });
  expect([0, 6]).toContain(code);
  expect(JSON.parse((await runFrontdesk(['history', '--json'], { home })).stdout).length).toBeGreaterThan(0);
});
