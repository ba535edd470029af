// The time that 10,000 rows take as a table on a terminal, in milliseconds (the median of ten).
import { CARD_COLUMNS } from '../src/commands/card/columns.ts';
import type { OutputPort } from '../src/context.ts';
import { parseJson } from '../src/json/parse.ts';
import { openRowWriter } from '../src/output/render.ts';

const ROWS = 10_000;
const card = (n: number) =>
  `{"cardId":"0b7a6c1e-3f52-4d8a-9c41-${String(n).padStart(12, '0')}","clientReference":"order-${n}","status":"ACTIVE","initialBalance":50.00,"currentBalance":10.10,"expiryDate":"2031-01-01T00:00:00Z","design":"classic","metadata":{"store":"Bergen"},"createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-02T00:00:00Z"}`;
const cards = Array.from({ length: ROWS }, (_, index) => parseJson(card(index + 1)));
const terminal: OutputPort = { isTerminal: true, columns: 120, write: async () => undefined };

const times: number[] = [];
for (let run = 0; run < 10; run += 1) {
  const started = performance.now();
  const writer = await openRowWriter(
    CARD_COLUMNS,
    { format: 'table', header: true, csvRaw: false, colour: true, unicode: true, hideSensitive: [], now: 0 },
    terminal,
    ROWS,
  );
  for (const row of cards) await writer.row(row);
  await writer.close();
  times.push(performance.now() - started);
}
times.sort((a, b) => a - b);
console.log(((times[4] ?? 0) + (times[5] ?? 0)) / 2);
