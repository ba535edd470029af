import { expect, it } from 'vitest';
import { idLines, openPlain, refusal } from '../support/plain-service.ts';

const UPDATE = ['calendar', 'subscribers', 'update', '--from', 'new.csv', '--changed-from', 'old.csv'];
const OLD =
  'id,email,active\nsub_1,a@old.example,true\nsub_2,b@old.example,true\nsub_3,,false\nsub_4,d@x.example,true\n';
const NEW =
  'id,email,active\nsub_1,a@new.example,false\nsub_2,b@new.example,true\nsub_3,c@new.example,false\nsub_4,d@x.example,true\n';

async function stage(special?: Parameters<typeof openPlain>[0]) {
  const place = await openPlain(special);
  place.file('old.csv', OLD);
  place.file('new.csv', NEW);
  return { ...place, plan: place.lines };
}

it('runs revert is suggested by the report of a run that can be reverted, and of no other', async () => {
  const it = await stage(({ url }) => (url.endsWith('sub_4') ? refusal(422, 'BAD_EMAIL') : undefined));
  const offers = async (run: string) => {
    const { stdout } = await it.run(['runs', 'report', run, '--as', 'markdown']);
    return stdout.split('\n').filter((line) => line.startsWith('frontdesk runs revert'));
  };
  await it.run([...UPDATE, '--run', 'direct', '--yes']);
  expect(await offers('direct')).toEqual(['frontdesk runs revert direct --plan back.plan']);
  await it.run([...UPDATE, '--plan', 'p.plan']);
  await it.run(['plan', 'apply', 'p.plan', '--yes']);
  const planned = `plan-${it.plan('p.plan')[0].plan}`;
  expect(await offers(planned)).toEqual([`frontdesk runs revert ${planned} --plan back.plan`]);
  await it.run([...UPDATE.slice(0, 5), '--run', 'plain', '--yes']);
  expect(await offers('plain')).toEqual([]);
  await it.run(['card', 'block', '--from', '-', '--plan', 'cards.plan'], idLines(1));
  await it.run(['plan', 'apply', 'cards.plan', '--yes']);
  expect(await offers(`plan-${it.plan('cards.plan')[0].plan}`)).toEqual([]);
  const rejected = await stage(() => refusal(422, 'BAD_EMAIL'));
  await rejected.run([...UPDATE, '--run', 'direct', '--yes']);
  expect((await rejected.run(['runs', 'report', 'direct', '--as', 'markdown'])).stdout).not.toContain('runs revert');
});
