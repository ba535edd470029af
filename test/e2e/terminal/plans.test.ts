import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { playService } from '../../support/plain-service.ts';
import { serve } from '../../support/recording-server.ts';
import { createHome, runFrontdesk } from '../../support/run-frontdesk.ts';
import { dialogue } from './dialogue.ts';

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
