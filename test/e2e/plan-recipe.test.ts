import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { playService } from '../support/plain-service.ts';
import { CALENDAR_TOKEN, startRecordingServer } from '../support/recording-server.ts';
import { folderWithProgram, ROOT, runLines } from '../support/shell.ts';

// The shell lines of docs/recipes/plans-in-github-actions.yml as they stand, in the place of a runner: the checkouts of
// the first job, a folder with its artifact for each attempt of the second one.

interface Job {
  readonly environment?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly {
    readonly name?: string;
    readonly uses?: string;
    readonly run?: string;
    readonly if?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly with?: Readonly<Record<string, string>>;
  }[];
}

const read = (path: string) => readFileSync(join(ROOT, 'docs', path), 'utf8');
// Each test fails if the file does not have these members.
const { jobs } = parse(read('recipes/plans-in-github-actions.yml')) as { jobs: { plan: Job; apply: Job } };

/** The shell lines of a job, as one script: each step ends it when it fails. */
const scriptOf = ({ steps }: Job) => steps.map(({ run }) => (run === undefined ? '' : `${run.trim()}\n`)).join('');

async function runJob(job: Job, folder: string, given: Readonly<Record<string, string>>) {
  // What an expression of the workflow stands for is given; the rest is as the job has it.
  const own = Object.entries(job.env).filter(([, value]) => !value.includes('${{'));
  const { code, said: log } = await runLines(folder, scriptOf(job), { ...Object.fromEntries(own), ...given });
  return { code, log };
}

/** The two checkouts that the first job has: the main branch, and the pull request in a folder of its own. */
function checkOut(folder: string): void {
  const csv = (first: string) => `id,email\nsub_1,${first}@example.com\nsub_2,bob@example.com\n`;
  writeFileSync(join(folder, 'subscribers.csv'), csv('ann'));
  mkdirSync(join(folder, 'pull-request'));
  writeFileSync(join(folder, 'pull-request', 'subscribers.csv'), csv('ana'));
}

it('the workflow for plans plans without a token, applies the plan once, and prints its results when the job is run again', async () => {
  const server = await startRecordingServer(playService());
  const FRONTDESK_CALENDAR_URL = server.env['FRONTDESK_CALENDAR_URL'] ?? '';
  const first = folderWithProgram();
  checkOut(first);
  const planned = await runJob(jobs.plan, first, { FRONTDESK_CALENDAR_URL });
  expect(planned).toMatchObject({ code: 0 });
  expect(planned.log).not.toContain('@example.com');
  expect(readFileSync(join(first, 'review.md'), 'utf8')).toContain('ana@example.com');
  expect(server.lines).toEqual([]);

  const attempt = async (number: number, before?: string) => {
    const folder = folderWithProgram();
    for (const name of ['subscribers.plan', 'review.md']) cpSync(join(first, name), join(folder, name));
    if (before !== undefined) cpSync(join(before, 'state'), join(folder, 'state'), { recursive: true });
    const ended = await runJob(jobs.apply, folder, {
      FRONTDESK_CALENDAR_URL,
      FRONTDESK_CALENDAR_TOKEN: CALENDAR_TOKEN,
      FRONTDESK_STATE_DIR: join(folder, 'state'),
      ATTEMPT: String(number),
    });
    return { ...ended, folder };
  };
  const applied = await attempt(1);
  expect(applied).toMatchObject({ code: 0 });
  expect(applied.log).not.toContain('@example.com');
  expect(server.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['POST', '/v1/subscribers/sub_1', '{"email":"ana@example.com"}'],
  ]);
  const again = await attempt(2, applied.folder);
  expect(again).toMatchObject({ code: 0 });
  expect(readFileSync(join(again.folder, 'results.ndjson'), 'utf8')).toContain('"outcome":"applied"');
  const lost = await attempt(2);
  expect(lost).toMatchObject({ code: 1, log: expect.stringContaining('is lost') });
  expect(existsSync(join(lost.folder, 'results.ndjson'))).toBe(false);
  expect(server.requests).toHaveLength(1);
});

it('the workflow for plans uses an environment only in the job that names it, and the token in one step', () => {
  expect(jobs.plan.environment).toBeUndefined();
  expect(JSON.stringify(jobs.plan)).not.toContain('secrets.');
  expect(read('guides/plans-in-github-actions.md')).toContain('the repository variable `FRONTDESK_CALENDAR_URL`');
  expect(jobs.apply.environment).toBe('live');
  const withToken = jobs.apply.steps.filter((step) => JSON.stringify(step).includes('secrets.'));
  expect(withToken.map(({ name }) => name)).toEqual(['Apply']);
});

it('the workflow for plans runs nothing of the pull request: its checkout is data, in a folder of its own', () => {
  for (const { steps } of [jobs.plan, jobs.apply]) {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    const [main, ...others] = checkouts.map((step) => step.with);
    expect(main).toMatchObject({ ref: expect.stringContaining('github.base_ref') });
    for (const other of others) expect(other).toMatchObject({ path: 'pull-request' });
    const local = steps.flatMap(({ uses }) => (uses?.startsWith('./') ? [uses] : []));
    expect(local).toEqual(['./.github/actions/frontdesk']);
  }
});

it('the workflow for plans keeps every file that its lines write, whatever happens', () => {
  const written = [...scriptOf(jobs.apply).matchAll(/(?:> |--failed )(\S+)/g)].map(([, name]) => name);
  const kept = jobs.apply.steps.filter((step) => step.uses?.startsWith('actions/upload-artifact@'));
  expect(kept.map((step) => step.if)).toEqual(['always()']);
  expect(kept[0]?.with?.['path']?.trim().split('\n').sort()).toEqual(
    written.filter((name) => name?.endsWith('.ndjson')).sort(),
  );
});
