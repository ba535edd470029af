import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cardId, idLines, playService } from '../../support/plain-service.ts';
import { serve } from '../../support/recording-server.ts';
import { createHome, runFrontdesk } from '../../support/run-frontdesk.ts';
import { dialogue } from './dialogue.ts';

async function planned() {
  const home = createHome();
  const server = await serve(playService());
  const cwd = join(home.path, 'work');
  const args = ['card', 'block', '--from', '-', '--reason', 'INC-7', '--plan', 'p.plan'];
  await runFrontdesk(args, { home, env: server.env, stdin: idLines(2) });
  const path = join(cwd, 'p.plan');
  const { plan } = JSON.parse(readFileSync(path, 'utf8').split('\n')[0] ?? '') as { plan: string };
  const posts = () => server.requests.filter(({ method }) => method === 'POST').length;
  return { home, env: server.env, path, plan, posts, host: server.url.slice('http://'.length) };
}

it.concurrent('a plan is shown before the question, which names it and the host, and applied after yes', async () => {
  const { home, env, path, plan, posts, host } = await planned();
  const apply = ['plan', 'apply', path];
  const end = await dialogue(apply, [[/\(y\/N\)/, 'y\r']], { home, env, columns: 120 });
  expect(end.code).toBe(0);
  expect(end.text).toContain(`Plan ${plan}: card block of 2 rows`);
  expect(end.text).toContain(`  1  ${cardId(1)}  order-1      10.10  ACTIVE`);
  expect(end.text).toMatch(
    new RegExp(`\n\nA block cannot be undone\\.\n[^\n]*Apply plan ${plan}: block 2 cards at ${host} \\(default\\)\\?`),
  );
  expect(posts()).toBe(2);
  // It is done: nothing is asked, and nothing is sent.
  const again = await dialogue(apply, [], { home, env, columns: 120 });
  expect({ code: again.code, asked: again.text.includes('(y/N)'), posts: posts() }).toEqual({
    code: 0,
    asked: false,
    posts: 2,
  });
});

it.concurrent('runs revert asks for the file of its plan', async () => {
  const home = createHome();
  const server = await serve(playService());
  const { env } = server;
  const file = (name: string, text: string) => {
    const path = join(home.path, 'work', name);
    writeFileSync(path, text);
    return path;
  };
  const compared = ['--from', file('new.csv', 'id,name\nc,B\n'), '--changed-from', file('old.csv', 'id,name\nc,A\n')];
  await runFrontdesk(['calendar', 'update', ...compared, '--run', 'r', '--yes'], { home, env });
  const path = join(home.path, 'work', 'back.plan');
  const end = await dialogue(['runs', 'revert', 'r'], [[/New file for the plan/, `${path}\r`]], { home, env });
  expect(end.code).toBe(0);
  expect(readFileSync(path, 'utf8')).toContain('"body":{"name":"A"}');
});

it.concurrent('what a change empties is said in words above its question: alone, of rows, and of a plan', async () => {
  const home = createHome();
  const { env, lines } = await serve(playService());
  const cwd = join(home.path, 'work');
  const rows = join(cwd, 'rows.csv');
  writeFileSync(rows, 'id,email,first_name\nsub_1,,Ada\nsub_2,,\n');
  const update = ['calendar', 'subscribers', 'update', '--from', rows, '--empty-cells', 'clear'];
  await runFrontdesk([...update, '--plan', 'p.plan'], { home, env });
  const asked = async (args: readonly string[]) => {
    const { code, text } = await dialogue(args, [[/\(y\/N\)/, 'n\r']], { home, env, columns: 120 });
    expect(code).toBe(130);
    return text;
  };
  expect(await asked(['calendar', 'update', 'cal_1', '--name', '', '--url', ''])).toContain(
    '\n▲ This empties name, url.\n',
  );
  expect(await asked(update)).toContain('\n▲ 2 email, 1 first_name will be emptied\n');
  expect(await asked(['plan', 'apply', join(cwd, 'p.plan')])).toContain(
    '\nEmpties              2 email, 1 first_name\n',
  );
  expect(lines).toEqual([]);
});
