import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/json/parse.ts';
import type { JsonValue } from '../../../src/json/value.ts';
import { displayWidth } from '../../../src/output/cut-text.ts';
import type { OutputOptions } from '../../../src/output/options.ts';
import { openRowWriter, renderResult } from '../../../src/output/render.ts';
import { outputOptions, recordedOutput } from './recorded-output.ts';

const COLUMNS = [
  { name: 'id', header: 'ID', keep: true },
  { name: 'name', header: 'NAME' },
  { name: 'amount', header: 'AMOUNT', align: 'right' },
  { name: 'status', header: 'STATUS', tone: 'status' },
] as const;

function row(id: string, name: string, amount = '10.10', status = 'ACTIVE'): JsonValue {
  return parseJson(JSON.stringify({ id, name, status }).replace('}', `,"amount":${amount}}`));
}

async function table(rows: readonly JsonValue[], width: number, changes: Partial<OutputOptions> = {}): Promise<string> {
  const output = recordedOutput(width);
  await renderResult({ kind: 'list', document: rows, rows, columns: COLUMNS }, outputOptions(changes), output);
  return output.text();
}

describe('a table on a terminal', () => {
  it('has borders, and columns as wide as their cells', async () => {
    expect(await table([row('a1', 'Ann'), row('b2', '日本語 👩‍👩‍👧', '-5', 'BLOCKED')], 80)).toBe(
      [
        '┌────┬───────────┬────────┬─────────┐',
        '│ ID │ NAME      │ AMOUNT │ STATUS  │',
        '├────┼───────────┼────────┼─────────┤',
        '│ a1 │ Ann       │  10.10 │ ACTIVE  │',
        '│ b2 │ 日本語 👩‍👩‍👧 │     -5 │ BLOCKED │',
        '└────┴───────────┴────────┴─────────┘',
        '',
      ].join('\n'),
    );
  });

  it('is ASCII where the locale is not UTF-8 (fault T12)', async () => {
    expect(await table([row('a1', 'x'.repeat(80))], 40, { unicode: false })).toBe(
      [
        '+----+---------------+--------+--------+',
        '| ID | NAME          | AMOUNT | STATUS |',
        '+----+---------------+--------+--------+',
        '| a1 | xxxxxxxxxx... |  10.10 | ACTIVE |',
        '+----+---------------+--------+--------+',
        '',
      ].join('\n'),
    );
  });

  it.each([60, 80, 120])('fits into %i columns, whatever the cells', async (width) => {
    const rows = [
      row('7c0e2f3a-1111-2222-3333-444455556666', '日本語'.repeat(60)),
      row('b', 'مرحبا بالعالم '.repeat(30)),
      row('c', '👩‍👩‍👧'.repeat(100)),
      row('d', `Z${'\u0301'.repeat(5000)}`),
      row('e', 'x'.repeat(40_000)),
      row('f', '\ue000\ue000'),
    ];
    const lines = (await table(rows, width)).split('\n');
    expect(lines.filter((line) => displayWidth(line) > width)).toEqual([]);
    expect(new Set(lines.slice(0, -1).map(displayWidth)).size).toBe(1);
    expect(lines).toHaveLength(11);
    // An id that people copy is cut only where it cannot be helped.
    expect(lines.join('\n').includes('7c0e2f3a-1111-2222-3333-444455556666')).toBe(width >= 80);
    expect(lines[8]).toContain('\ue000\ue000');
  });

  it('is one line per row whatever is in the cells, with nothing a terminal obeys (faults T1, T4)', async () => {
    const text = await table([row('a\nb', '\u001b]8;;http://x\u0007\u009b31m\u202e\r')], 120);
    expect(text.split('\n')).toHaveLength(6);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(text).toContain('a\\nb');
  });

  it('colours by value only when colour is on', async () => {
    expect(await table([row('a', 'x')], 80, { colour: true })).toContain('\u001b[32mACTIVE\u001b[39m');
    expect(await table([row('a', 'x')], 80)).not.toContain('\u001b');
  });

  it('leaves the header out with --no-header', async () => {
    expect(await table([row('a', 'x')], 80, { header: false })).not.toContain('AMOUNT');
  });

  it('shows only the header for no rows', async () => {
    expect(await table([], 80)).toBe(
      '┌────┬──────┬────────┬────────┐\n│ ID │ NAME │ AMOUNT │ STATUS │\n└────┴──────┴────────┴────────┘\n',
    );
  });

  it('streams padded columns past 500 rows (fault T7)', async () => {
    const rows = Array.from({ length: 502 }, (_, index) => row(`id${index}`, 'Ann'));
    const lines = (await table(rows, 80)).split('\n');
    expect(lines).toHaveLength(504);
    expect(lines[0]).toBe('ID     NAME  AMOUNT  STATUS');
    expect(lines[502]).toBe('id501  Ann    10.10  ACTIVE');
  });
});

describe('rows of a run on a terminal', () => {
  it('are drawn with borders when they are few', async () => {
    const output = recordedOutput(80);
    const writer = await openRowWriter(COLUMNS, outputOptions(), output, 2);
    await writer.row(row('a', 'x'));
    expect(output.writes).toEqual([]);
    await writer.close();
    expect(output.text()).toContain('┌');
  });

  it('are shown one by one when they are many, within the width', async () => {
    const output = recordedOutput(60);
    const writer = await openRowWriter(COLUMNS, outputOptions(), output, 1000);
    await writer.row(row('a', '日'.repeat(50)));
    await writer.row(row('b', 'x', '1e400'));
    expect(output.writes).toHaveLength(2);
    await writer.close();
    const lines = output.text().split('\n');
    expect(lines.every((line) => displayWidth(line) <= 60)).toBe(true);
    expect(lines[2]).toContain('1e400');
  });
});
