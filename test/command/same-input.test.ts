import { appendFileSync, chmodSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cardId, openPlain } from '../support/plain-service.ts';
import type { Reply } from '../support/recording-server.ts';

const EVENTS = 'name,start,calendar\nOpening,2026-05-01,c1\nClosing,2026-05-02,c1\n';
const CREATE = ['calendar', 'event', 'create', '--from', 'in.csv', '--yes', '--json', '-q'];

async function begin(special?: () => Reply) {
  const place = await openPlain(special);
  place.file('in.csv', EVENTS);
  return place;
}

it('the same events again are refused (17) with the earlier run, in any format, unless --again', async () => {
  const { file, run, posts } = await begin();
  expect([(await run([...CREATE, '--run', 'monday'])).code, posts()]).toEqual([0, 2]);
  const [, ...rows] = EVENTS.trimEnd()
    .split('\n')
    .map((row) => row.split(','));
  file('in.ndjson', rows.map(([name, start, calendar]) => `${JSON.stringify({ name, start, calendar })}\n`).join(''));
  for (const input of ['in.csv', 'in.ndjson']) {
    const again = await run(['calendar', 'event', 'create', '--from', input, '--yes', '--json', '-q']);
    expect([again.code, again.stdout, posts()]).toEqual([17, '', 2]);
    const { error } = JSON.parse(again.stderr);
    expect(error).toMatchObject({ code: 'PRECONDITION', outcome: 'not_sent' });
    expect(error.message).toMatch(/^run monday sent the same rows on .* \(2 applied\), .*Nothing was sent\.$/);
    expect(error.hint).toContain('frontdesk runs results monday');
  }
  expect([(await run([...CREATE, '--run', 'monday'])).code, posts()]).toEqual([0, 2]);
  expect([(await run([...CREATE, '--again'])).code, posts()]).toEqual([0, 4]);
});

it('the same reissues again are refused, also as a plan, but not other rows, or rows of which none was done', async () => {
  const { run, posts } = await begin();
  const reissue = ['card', 'reissue', cardId(1), cardId(2), '-q'];
  expect((await run([...reissue, '--plan', 'p.plan'])).code).toBe(0);
  expect([(await run([...reissue, '--yes'])).code, posts()]).toEqual([0, 2]);
  expect([(await run(['plan', 'apply', 'p.plan', '--yes', '-q'])).code, posts()]).toEqual([17, 2]);
  expect((await run(['card', 'reissue', cardId(1), cardId(3), '--yes', '-q'])).code).toBe(0);
  const refused = await begin(() => ({ status: 409, body: '{}' }));
  expect([(await refused.run([...CREATE])).code, (await refused.run([...CREATE])).code]).toEqual([15, 15]);
  expect(refused.posts()).toBe(4);
});

it.each([
  ['others can write the header of the earlier run', 4, (run: string) => chmodSync(join(run, 'header.json'), 0o666)],
  ['the header of the earlier run is damaged', 16, (run: string) => writeFileSync(join(run, 'header.json'), '{')],
  ['the record of the earlier run is damaged', 16, (run: string) => appendFileSync(join(run, 'journal.jsonl'), 'x\n')],
])('the same events again are not sent if %s (%i)', async (_what, code, spoil) => {
  const { home, run, posts } = await begin();
  const runs = join(home.stateDir, 'runs');
  expect((await run([...CREATE, '--run', 'monday'])).code).toBe(0);
  // An index of the runs is kept once their folder has rested for a while.
  utimesSync(runs, 1_700_000_000, 1_700_000_000);
  expect((await run(['history', '--open'])).code).toBe(0);
  spoil(join(runs, 'monday'));
  const again = await run(CREATE);
  expect([again.code, again.stdout, posts()]).toEqual([code, '', 2]);
});

it('the same rows of other operations again are a notice', async () => {
  const { run, posts } = await begin();
  const block = ['card', 'block', cardId(1), cardId(2), '--yes', '--json'];
  expect((await run(block)).stderr).not.toContain('SAME_INPUT');
  const again = await run(block);
  expect(again.code).toBe(0);
  expect(again.stderr).toMatch(
    /\{"notice":\{"code":"SAME_INPUT","message":"run \S+ sent the same rows on .* \(2 applied\)"\}\}/,
  );
  expect(posts()).toBe(4);
});

it('the same rows in the sandbox are accepted after a reset', async () => {
  const { file, run } = await begin();
  file('in.csv', EVENTS.replaceAll('c1', 'cal_harbour_tours'));
  const sandbox = ['-p', 'sandbox', ...CREATE];
  expect([(await run(sandbox)).code, (await run(sandbox)).code]).toEqual([0, 17]);
  expect([(await run(['sandbox', 'reset', '-q'])).code, (await run(sandbox)).code]).toEqual([0, 0]);
});
