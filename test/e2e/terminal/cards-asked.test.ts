import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardId } from '../../support/plain-service.ts';
import { startRecordingServer } from '../../support/recording-server.ts';
import { createHome, runFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { dialogue } from './dialogue.ts';

// What a person sees of the cards before the question of a write, and what is read for it.

const [ONE, TWO, THREE] = [cardId(1), cardId(2), cardId(3)];
const NO: [RegExp, string][] = [[/\(y\/N/, 'n\r']];
const reads = (...ids: readonly string[]) => ids.map((id) => `GET /v1/cards/${id}`);

function csv(home: { readonly path: string }, rows: number): string {
  const path = join(home.path, 'cards.csv');
  const ids = Array.from({ length: rows }, (_, index) => `${cardId(index + 1)}\n`);
  writeFileSync(path, `cardId\n${ids.join('')}`);
  return path;
}

/** Answers cards; `odd` answers in their place, by id. */
function service(
  onTestFinished: Parameters<typeof startRecordingServer>[1],
  odd: Readonly<Record<string, { readonly status?: number; readonly body: string }>> = {},
) {
  return startRecordingServer(({ url }) => {
    const id = url.split('/')[3] ?? '';
    return odd[id] ?? { body: cardText('ACTIVE', id) };
  }, onTestFinished);
}

describe.concurrent('the question of a write of cards', () => {
  it.for(['block', 'reissue'])('card %s shows the metadata of the card', async (verb, { onTestFinished }) => {
    const server = await service(onTestFinished);
    const end = await dialogue(['card', verb, CARD_ID], NO, { env: server.env });
    expect(end.text).toMatch(/Metadata\n +store +Bergen\n/);
    expect({ code: end.code, lines: server.lines }).toEqual({ code: 130, lines: reads(CARD_ID) });
  });

  it('shows several cards a line each, as safe text, or why one could not be read', async ({ onTestFinished }) => {
    const server = await service(onTestFinished, {
      [TWO]: { status: 404, body: '{"code":"not_found","message":"no card"}' },
      [THREE]: { body: cardText('BLOCKED', THREE).replace('order-1', '\\u001b[2Jorder\\nref') },
    });
    const end = await dialogue(['card', 'block', ONE, TWO, THREE], NO, { env: server.env, columns: 200 });
    expect(end.text).toContain(`  ${ONE}: ACTIVE, 10.10 of 50.00, order-1\n`);
    expect(end.text).toMatch(new RegExp(`  ${TWO}: could not be read: .*404`));
    expect(end.text).toContain(`  ${THREE}: BLOCKED, 10.10 of 50.00, \\x1b[2Jorder\\nref\n`);
    expect(end.output).not.toContain('\u001b[2Jorder');
    expect({ code: end.code, lines: server.lines }).toEqual({ code: 130, lines: reads(ONE, TWO, THREE) });
  });

  it.for([
    [10, 10],
    [11, 0],
  ] as const)('of a file of %d rows it reads %d cards', async ([rows, read], { onTestFinished }) => {
    const server = await service(onTestFinished);
    const home = createHome();
    const end = await dialogue(['card', 'block', '--from', csv(home, rows)], NO, { home, env: server.env });
    const ids = Array.from({ length: read }, (_, index) => cardId(index + 1));
    expect(end.text.match(/ACTIVE, 10\.10 of 50\.00/g) ?? []).toHaveLength(read);
    expect(end.text).toContain(`  and ${rows - 5} more\n`);
    expect({ code: end.code, lines: server.lines }).toEqual({ code: 130, lines: reads(...ids) });
  });

  it.for([
    [401, 4],
    [403, 5],
  ] as const)('%d of a card ends the call with %d, unasked', async ([status, code], { onTestFinished }) => {
    const server = await service(onTestFinished, { [TWO]: { status, body: '{"code":"no","message":"no"}' } });
    const end = await dialogue(['card', 'block', ONE, TWO, THREE], [], { env: server.env });
    expect(end.text).not.toContain('(y/N');
    expect({ code: end.code, lines: server.lines }).toEqual({ code, lines: reads(ONE, TWO) });
  });

  it('reads no card where it does not ask', async ({ onTestFinished }) => {
    const server = await service(onTestFinished);
    const home = createHome();
    const yes = await dialogue(['card', 'block', ONE, TWO, '--yes', '-j', '1'], [], { home, env: server.env });
    const piped = await runFrontdesk(['card', 'block', ONE, TWO], { home, env: server.env });
    expect([yes.code, piped.code]).toEqual([0, 2]);
    expect(server.lines).toEqual([`POST /v1/cards/${ONE}/block`, `POST /v1/cards/${TWO}/block`]);
  });
});
