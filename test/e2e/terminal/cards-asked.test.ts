import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { moment } from '../../support/moment.ts';
import { cardId, playService } from '../../support/plain-service.ts';
import { openTerminal } from '../../support/pty.ts';
import { serve } from '../../support/recording-server.ts';
import { createHome, runFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { dialogue } from './dialogue.ts';

// What a person sees of the cards before the question of a write, and what is read for it.

const [ONE, TWO, THREE] = [cardId(1), cardId(2), cardId(3)];
const NO: [RegExp, string][] = [[/\(y\/N/, 'n\r']];
const reads = (...ids: readonly string[]) => ids.map((id) => `GET /v1/cards/${id}`);

function csv(home: { readonly path: string }, rows: number): string {
  const path = join(home.path, 'cards.csv');
  writeFileSync(path, `cardId\n${Array.from({ length: rows }, (_, index) => `${cardId(index + 1)}\n`).join('')}`);
  return path;
}

/** Answers cards; `odd` answers in their place, by id. */
function service(odd: Readonly<Record<string, { readonly status?: number; readonly body: string }>> = {}) {
  return serve(({ url }) => {
    const id = url.split('/')[3] ?? '';
    return odd[id] ?? { body: cardText('ACTIVE', id) };
  });
}

it.concurrent.for(['block', 'reissue'])('the question of card %s shows the metadata of the card', async (verb) => {
  const server = await service();
  const end = await dialogue(['card', verb, CARD_ID], NO, { env: server.env });
  expect(end.text).toMatch(/Metadata\n +store +Bergen\n/);
  expect({ code: end.code, lines: server.lines }).toEqual({ code: 130, lines: reads(CARD_ID) });
});

it.concurrent('the question shows several cards on a line each, as safe text, or why a card could not be read', async () => {
  const server = await service({
    [TWO]: { status: 404, body: '{"code":"not_found","message":"no card"}' },
    [THREE]: { body: cardText('BLOCKED', THREE).replace('order-1', '\\u001b[2Jorder\\nref') },
  });
  const end = await dialogue(['card', 'block', ONE, TWO, THREE], NO, { env: server.env, columns: 200 });
  expect(end.text).toMatch(new RegExp(`\n +1 {2}${ONE} {2}order-1 +10\\.10 {2}ACTIVE\n`));
  expect(end.text).toMatch(new RegExp(`\n +2 {2}${TWO} {2}could not be read: [^\n]*404`));
  expect(end.text).toContain(
    `\n  3  ${THREE}  "\\x1b[2Jorder\\nref"    10.10  BLOCKED  ▲ already\n\n▲ 1 of 3 is BLOCKED already.\n`,
  );
  expect(end.output).not.toContain('\u001b[2Jorder');
  expect({ code: end.code, lines: [...server.lines].sort() }).toEqual({ code: 130, lines: reads(ONE, TWO, THREE) });
});

it.concurrent.for([
  [10, 10],
  [11, 0],
] as const)('the question before a file of %d rows reads %d cards', async ([rows, read]) => {
  const server = await service();
  const home = createHome();
  const end = await dialogue(['card', 'block', '--from', csv(home, rows)], NO, { home, env: server.env });
  const ids = Array.from({ length: read }, (_, index) => cardId(index + 1));
  expect(end.text.match(/order-1 +10\.10 {2}ACTIVE/g) ?? []).toHaveLength(read);
  const more =
    '\nand 1 more. To list them all, answer no, and run it again with --dry-run\n\nA block cannot be undone.\n';
  expect(end.text.includes(more)).toBe(read === 0);
  expect({ code: end.code, lines: [...server.lines].sort() }).toEqual({ code: 130, lines: reads(...ids) });
});

it.concurrent('the question before 11 rows that are sent again names the command that lists all', async () => {
  const answer = ({ url, method }: { url: string; method: string }) =>
    method === 'GET' ? { body: cardText('ACTIVE', url.split('/')[3]) } : { status: 500, body: {} };
  const server = await serve(answer);
  const home = createHome();
  const run = ['card', 'reissue', '--from', csv(home, 11), '--yes', '--run', 'monday', '-j', '11', '--retries', '0'];
  await runFrontdesk(run, { home, env: server.env });
  const again = ['runs', 'resume', 'monday', '--resend-unknown'];
  const end = await dialogue(again, NO, { home, env: server.env, columns: 100 });
  expect(end.text).toContain('\nand 1 more: frontdesk runs results monday --outcome unknown\n\n');
});

it.concurrent('the question reads the cards after the first at the same time, as many as -j says', async () => {
  let waiting = 0;
  let most = 0;
  const all = moment();
  const server = await serve(async ({ url }, count) => {
    if (count > 1 && count < 10) {
      waiting += 1;
      most = Math.max(most, waiting);
      if (waiting === 8) all.come();
      await all.came;
      waiting -= 1;
    }
    return { body: cardText('ACTIVE', url.split('/')[3]) };
  });
  const home = createHome();
  const end = await dialogue(['card', 'block', '--from', csv(home, 10)], NO, { home, env: server.env });
  const ids = Array.from({ length: 10 }, (_, index) => cardId(index + 1));
  expect([end.code, most, server.lines.length, server.lines[0]]).toEqual([130, 8, 10, reads(ONE)[0]]);
  // In the order of the file, whatever came first.
  expect(end.text.match(/\S+(?= {2}order-1 +10\.10 {2}ACTIVE)/g)).toEqual(ids);
  const slow = await dialogue(['card', 'block', ONE, TWO, THREE, '-j', '1'], NO, { env: server.env });
  expect([slow.code, server.lines.slice(10)]).toEqual([130, reads(ONE, TWO, THREE)]);
});

it.concurrent('Ctrl-C ends the call while cards are read for the question', async () => {
  const heard = moment();
  const server = await serve(({ url }, count) => {
    if (count === 3) heard.come();
    return count > 1 ? 'hang' : { body: cardText('ACTIVE', url.split('/')[3]) };
  });
  const terminal = openTerminal(['card', 'block', ONE, TWO, THREE], { home: createHome(), env: server.env });
  await heard.came;
  terminal.type('\u0003');
  expect([(await terminal.end).signal, [...server.lines].sort()]).toEqual(['SIGINT', reads(ONE, TWO, THREE)]);
});

it.concurrent('one event of a file is asked for in a terminal, and sent again only by a yes', async () => {
  const server = await serve(() => ({ body: '{"id":"evt_1"}' }));
  const home = createHome();
  const path = join(home.path, 'events.csv');
  writeFileSync(path, 'name,start,calendar\nA,2027-01-01,c\n');
  const args = ['calendar', 'event', 'create', '--from', path];
  expect((await runFrontdesk(args, { env: server.env, home })).code).toBe(0);
  const end = await dialogue(args, NO, { env: server.env, home });
  expect(end.text).toMatch(/SENT BEFORE: [\s\S]*Create 1 event at /);
  expect({ code: end.code, lines: server.lines }).toEqual({ code: 130, lines: ['POST /v1/events'] });
});

it.concurrent('a reissue whose response names the same card suggests no reissue of it', async () => {
  const server = await serve([{ body: cardText('ACTIVE', ONE) }]);
  const { code, text } = await dialogue(['card', 'reissue', ONE, '--yes'], [], { env: server.env, columns: 120 });
  expect(code).toBe(0);
  expect(text).toMatch(/✔ REISSUED/);
  expect(text).toContain(`\nNext\n  frontdesk card block ${ONE}\n`);
  expect(text).not.toContain('frontdesk card reissue');
});

it.concurrent('a second reissue while the first is open may make a second card, and leaves the first open', async () => {
  let reissues = 0;
  const server = await serve(({ method, url }) => {
    if (method === 'GET') return { body: cardText('ACTIVE', url.split('/')[3]) };
    reissues += 1;
    return reissues === 1 ? { status: 500, body: '{}' } : { body: cardText('ACTIVE', TWO) };
  });
  const home = createHome();
  expect((await runFrontdesk(['card', 'reissue', ONE, '--yes'], { home, env: server.env })).code).toBe(8);
  const end = await dialogue(['card', 'reissue', ONE], [[/\(y\/N/, 'y\r']], { home, env: server.env, columns: 120 });
  expect(end.code).toBe(0);
  expect(end.text).toMatch(
    /\n▲ The first one may have been done: this may make a second card with money on it\.\n[^\n]*Reissue card/,
  );
  const { text } = end;
  expect(text.slice(text.indexOf('✔ REISSUED'))).toMatch(
    /\nfrontdesk: warning: the first reissue, of [^.]+, is still open\.[\s\S]*\n {2}frontdesk history resolve \S+ --as <applied\|not_applied>/,
  );
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
