import MarkdownIt from 'markdown-it';
import { expect, it } from 'vitest';
import type { PlanRow } from '../../../../src/runs/plan/plan-file.ts';
import { PlanSurvey } from '../../../../src/runs/plan/plan-view.ts';
import { planMarkdown } from '../../../../src/runs/report/plan-markdown.ts';

function markdownOf(rows: readonly PlanRow[], operation = 'calendar.subscribers.update'): Promise<string> {
  const survey = new PlanSurvey();
  for (const row of rows) survey.add(row);
  const origin = { operation, url: 'https://calendar.example.com', profile: 'live', createdBy: 'ann' };
  const times = { createdAt: '2026-05-01T12:00:00.000Z', expiresAt: '2026-05-02T12:00:00.000Z' };
  const counts = { rows: rows.length, unchanged: 0, skipped: 0 };
  const header = { plan: '0123456789ab', ...origin, ...times, ...counts, sha256: '' };
  const view = { header, state: 'new', survey } as const;
  const each = async function* () {
    yield* rows;
  };
  return planMarkdown(view, each(), Date.parse('2026-05-01T12:30:00Z'));
}

function change(number: number, old: string, next: string): PlanRow {
  const [body, before] = [next, old].map((email) => new Map([['email', email]]));
  return { row: number, id: `sub_${number}`, body, before, drift: 'unchecked' };
}

it('a plan as Markdown has its header, its state, and a table of row, id, field, before and after', async () => {
  expect(await markdownOf([change(1, 'a@x', 'b@x'), change(4, '', 'c@x')])).toBe(
    [
      '## Plan 0123456789ab: calendar subscribers update of 2 rows',
      '',
      '- State: `new`',
      '- At: `https://calendar.example.com (profile live)`',
      '- Made: `2026-05-01T12:00:00Z (30 minutes ago) by ann`',
      '- Expires: `2026-05-02T12:00:00Z (in 23 hours)`',
      '- Fields: `2 email`',
      '- Old values: `as the plan says: no command can read them again`',
      '- Compared: `not possible: the service documents no way to read these, so changes by others go unnoticed`',
      '',
      '| Row | Id | Field | Before | After |',
      '| --- | --- | --- | --- | --- |',
      '| 1 | `sub_1` | `email` | `a@x` | `b@x` |',
      '| 4 | `sub_4` | `email` | `(empty)` | `c@x` |',
      '',
    ].join('\n'),
  );
});

it('a plan as Markdown names a card by its reference and its status when planned', async () => {
  const card = (row: number, reason: string): PlanRow => {
    const known = { before: new Map([['status', 'ACTIVE']]), about: new Map([['clientReference', `order-${row}`]]) };
    return { row, id: `card-${row}`, body: new Map([['reason', reason]]), ...known, drift: 'checked' };
  };
  expect(await markdownOf([card(1, 'lost')], 'card.block')).toContain(
    '| Row | Id | Reference | Status |\n| --- | --- | --- | --- |\n| 1 | `card-1` | `order-1` | `ACTIVE` |\n',
  );
  expect(await markdownOf([card(1, 'lost'), card(2, 'stolen')], 'card.block')).toContain(
    '| 2 | `card-2` | `order-2` | `ACTIVE` | `{"reason":"stolen"}` |\n',
  );
});

it('a plan as Markdown has at most 200 rows under 64 KiB, and counts the others', async () => {
  const many = await markdownOf(Array.from({ length: 1200 }, (_, index) => change(index + 1, 'a', 'b')));
  expect(many.match(/^\| \d+ \|/gm)).toHaveLength(200);
  expect(many).toContain('\n\nand 1,000 more rows\n');
  const wide = await markdownOf(Array.from({ length: 150 }, (_, index) => change(index + 1, 'é'.repeat(600), 'b')));
  expect(Buffer.byteLength(wide)).toBeLessThan(64 * 1024);
  expect(wide).toContain(`| \`${'é'.repeat(500)}… (600 characters)\` |`);
  expect(wide).toMatch(/\n\nand \d+ more rows\n$/);
});

it('a plan as Markdown lets no text from outside load, link, mention, or leave its cell', async () => {
  const hostile = '![x](https://e.example/p.png) @ann <img src=x onerror=y> `a` | b\n# c';
  const html = new MarkdownIt({ html: true, linkify: true }).render(await markdownOf([change(1, 'a', hostile)]));
  expect(html).not.toMatch(/<(?:img|a|h1|script)\b/);
  expect(html.match(/<td>/g)).toHaveLength(5);
});
