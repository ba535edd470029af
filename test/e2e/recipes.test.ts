import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isMap, parse, parseAllDocuments } from 'yaml';
import { makeShardPlace, SHARDS, type ShardPlace } from '../support/shards.ts';
import { ROOT, startIn } from '../support/shell.ts';

const recipe = (name: string) => readFileSync(join(ROOT, 'docs', 'recipes', name), 'utf8');

interface Step {
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly jobs: {
    readonly block: { readonly strategy: object; readonly env: object; readonly steps: readonly Step[] };
  };
}

/** The parts of the job's manifest that the tests look at. */
interface Job {
  readonly kind: string;
  readonly spec: {
    readonly podFailurePolicy: { readonly rules: readonly { onExitCodes?: { values: readonly number[] } }[] };
    readonly template: {
      readonly spec: {
        readonly restartPolicy: string;
        readonly containers: readonly { readonly command: readonly string[]; readonly args: readonly string[] }[];
      };
    };
  };
}

// Each test fails where it has not these members.
const workflow = parse(recipe('github-actions.yml')) as Workflow;
const manifests = parseAllDocuments(recipe('kubernetes-job.yaml'));
const job = manifests[1]?.toJS() as Job;

const makePlace = () => makeShardPlace(60, 30);

function startAt(place: ShardPlace, shell: readonly string[], env: Readonly<Record<string, string>>) {
  const started = startIn(place.folder, shell, { ...place.env, ...env });
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
}

type Start = (shard: number, attempt: number) => ReturnType<typeof startIn>;

/** Runs all shards at once, kills the second in the middle of its rows, and starts that one again. */
async function runWithKill(place: ShardPlace, start: Start): Promise<void> {
  const first = SHARDS.map((shard) => start(shard, 1));
  const second = first[1]?.child;
  // Shard 2 has rows 2, 6, 10, …: its third row is on its way.
  await place.whenApplied(10);
  second?.kill('SIGKILL');
  expect((await Promise.all(first.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, null, 0, 0]);
  await place.server.quiet();
  expect((await start(2, 2).ended).code).toBe(place.expectAllSaid() === 0 ? 0 : 8);
}

const { strategy, steps } = workflow.jobs.block;
const index = (name: string) => steps.findIndex((step) => step.name === name);

it('the recipe for GitHub Actions lets no shard cancel the others, and keeps the state whatever happens', () => {
  expect(strategy).toEqual({ 'fail-fast': false, matrix: { shard: SHARDS } });
  const keep = steps[index('Keep the state, also of a job that failed')];
  expect(keep).toMatchObject({ if: 'always()', with: { path: '/home/runner/frontdesk-state' } });
  expect(keep?.uses).toMatch(/^actions\/cache\/save@/);
  const restore = steps[index('Restore the state of the earlier attempt')];
  expect(restore).toMatchObject({ with: { key: keep?.with?.['key'] } });
  expect(restore?.uses).toBe(keep?.uses?.replace('/save@', '/restore@'));
  expect(keep?.with?.['key']).toBe(`${restore?.with?.['restore-keys']}\${{ github.run_attempt }}`);
  expect(index('Install frontdesk')).toBeLessThan(index('Block'));
});

it('the recipe for GitHub Actions has no expression in its shell lines, so that they run here unchanged', () => {
  for (const { run } of steps) expect(run ?? '').not.toContain('${{');
});

it('the recipe for GitHub Actions sends every row once although a job is killed and run again', async () => {
  const place = await makePlace();
  const lines = [steps[index('Refuse to start over')]?.run, steps[index('Block')]?.run].join('');
  await runWithKill(place, (shard, attempt) =>
    startAt(place, ['bash', '-e', '-c', lines], { SHARD: String(shard), ATTEMPT: String(attempt) }),
  );
});

/** The step of both recipes: what an attempt may go on from. */
const guards = ['github-actions.yml', 'plans-in-github-actions.yml'].map((name) => {
  // A workflow, whose jobs have steps.
  const { jobs } = parse(recipe(name)) as { jobs: Record<string, { env?: object; steps: readonly Step[] }> };
  const job = Object.values(jobs).find(({ steps: each }) => each.some((step) => step.name === 'Refuse to start over'));
  const run = job?.steps.find((step) => step.name === 'Refuse to start over')?.run ?? '';
  return { name, run, env: job?.env, steps: job?.steps ?? [] };
});

it.each(guards)('the recipe $name restores no state on the first attempt, which has none', ({ steps: each }) => {
  const restore = each.filter(({ uses }) => uses?.startsWith('actions/cache/restore@'));
  expect(restore).toMatchObject([{ if: 'github.run_attempt > 1' }]);
});

it.each(guards)('the recipe $name keeps its state outside of the workspace', ({ name, env }) => {
  expect(env).toMatchObject({ FRONTDESK_STATE_DIR: '/home/runner/frontdesk-state' });
  expect(recipe(name)).not.toContain('github.workspace');
});

it.each(guards)('the recipe $name refuses to go on if the runner of the attempt before is lost', async ({ run }) => {
  const place = await makePlace();
  const attempt = (number: number) => startAt(place, ['bash', '-e', '-c', run], { ATTEMPT: String(number) }).ended;
  expect((await attempt(1)).code).toBe(0);
  // Attempt 2 is lost with its runner, so attempt 3 gets the state of attempt 1.
  const lost = await attempt(3);
  expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('the state of attempt 2 is lost') });
  expect([(await attempt(2)).code, (await attempt(3)).code]).toEqual([0, 0]);
});

it.each(guards)('the recipe $name refuses to start over if the state of the one before is lost', async ({ run }) => {
  const { code, stderr } = await startAt(await makePlace(), ['bash', '-e', '-c', run], { ATTEMPT: '2' }).ended;
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('is lost') });
});

const texts = ['.github/workflows', 'docs/recipes'].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map((name) => [name, readFileSync(join(ROOT, folder, name), 'utf8')] as const),
);

it.each(texts)('%s names each action by its commit, with its version beside it', (_, text) => {
  const used = [...text.matchAll(/uses: (?!\.\/)(.*)/g)].map(([, action]) => action);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

it('no page or recipe installs a package by the name frontdesk, which is not published by this project', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => /^(?!messages).*\.md$/.test(name));
  const all = [...pages.map((name) => `docs/${name}`), 'README.md', 'action.yml'];
  const lines = [...texts.map(([, text]) => text), ...all.map((name) => readFileSync(join(ROOT, name), 'utf8'))];
  const byName =
    /\b(?:npm (?:i|install)|npx|pnpm|yarn|bunx?|brew|scoop|winget|docker pull)\b[^\n`#]* frontdesk(?![\w./_-])/;
  for (const text of lines) expect(byName.exec(text)?.[0]).toBeUndefined();
});

it('the recipe for Kubernetes is a claim and a job, and does not restart a pod if that cannot help', () => {
  expect(manifests.map((document) => document.errors)).toEqual([[], []]);
  expect([manifests.every(({ contents }) => isMap(contents)), job.kind]).toEqual([true, 'Job']);
  expect(job.spec.podFailurePolicy.rules.map(({ onExitCodes }) => onExitCodes?.values)).toEqual([
    undefined,
    [1, 2, 4, 5, 6, 8, 15],
  ]);
  expect(job.spec.template.spec.restartPolicy).toBe('Never');
});

it('the recipe for Kubernetes sends every row once although a pod is killed and started again', async () => {
  const place = await makePlace();
  const [container] = job.spec.template.spec.containers;
  const [shell = '', option = ''] = container?.command ?? [];
  const script = (container?.args[0] ?? '').replaceAll('/input/', `${place.folder}/`);
  expect(script).toMatch(/^exec frontdesk /);
  await runWithKill(place, (shard) =>
    startAt(
      place,
      [shell, option, script.replace('"/state/results-$JOB_COMPLETION_INDEX', `"${place.folder}/results-${shard}`)],
      { JOB_COMPLETION_INDEX: String(shard - 1) },
    ),
  );
});

it('the recipe for Slurm sends every row once although a task is killed and queued again', async () => {
  const place = await makePlace();
  await runWithKill(place, (shard) =>
    startAt(place, ['bash', join(ROOT, 'docs', 'recipes', 'slurm-array.sh')], {
      SLURM_ARRAY_TASK_ID: String(shard),
      SLURM_ARRAY_TASK_COUNT: String(SHARDS.length),
    }),
  );
});
