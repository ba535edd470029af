// The pictures of `runs report`: what the built program prints of a run whose files are made here, with times that stay
// the same, so that the pictures do too.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowShape } from '../src/input/rows/row.ts';
import { encodeRecord, type JournalRecord } from '../src/records/journal/record.ts';
import { RUN_VERSION } from '../src/records/stored/run-folder.ts';
import { screenSvg } from './screen-svg.ts';
import { drawScreen } from './terminal-screen.ts';

export interface ReportPicture {
  readonly file: string;
  readonly alt: string;
  readonly form: 'html' | 'junit' | 'markdown';
}

export const REPORT_PICTURES: readonly ReportPicture[] = [
  {
    file: 'report-html.svg',
    alt: 'A page about a run: outcomes as a bar and a table, causes, commands, pace',
    form: 'html',
  },
  {
    file: 'report-markdown.svg',
    alt: 'The same run as Markdown: counts, causes, commands',
    form: 'markdown',
  },
  { file: 'report-junit.svg', alt: 'The same run as JUnit: a testcase for each row', form: 'junit' },
];

const RUN = '20270402-180000-card-block-7f3a';
const START_MS = Date.UTC(2027, 3, 2, 18);
const ROWS = 240;
const COLUMNS = 120;
const SHOWN_LINES = 24;
const [PAGE_WIDTH, PAGE_HEIGHT] = [1000, 1940];

function idOf(row: number): string {
  const digits = createHash('sha256').update(String(row)).digest('hex');
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ].join('-');
}

/** How a row ended: most are applied, a few expired, were not found or had no readable answer. */
function endOf(row: number): Pick<Extract<JournalRecord, { code?: unknown }>, 's' | 'http' | 'code' | 'err'> {
  if (row % 100 === 37) return { s: 'unknown', http: 503, code: 'OUTCOME_UNKNOWN' };
  if (row % 41 === 0) return { s: 'rejected', http: 412, code: 'REJECTED', err: 'CARD_EXPIRED' };
  if (row % 67 === 0) return { s: 'rejected', http: 404, code: 'NOT_FOUND', err: 'CARD_NOT_FOUND' };
  return { s: 'applied', http: 200 };
}

function journal(): string {
  const records: JournalRecord[] = [];
  for (let row = 1; row <= ROWS; row += 1) {
    const t = START_MS + 400 + row * 45;
    const ms = 60 + ((row * 37) % 90) + (row % 29 === 0 ? 700 : 0);
    const id = idOf(row);
    records.push(
      { n: row, t, s: 'intent', a: 1, id },
      { n: row, t: t + ms, m: t + ms - START_MS, a: 1, id, ms, ...endOf(row) },
    );
  }
  records.push({ t: START_MS + 11_800, m: 11_800, s: 'end', state: 'finished' });
  return records.map(encodeRecord).join('');
}

function writeRun(stateDir: string): void {
  const folder = join(stateDir, 'runs', RUN);
  const cells = Array.from({ length: ROWS }, (_, index) => [idOf(index + 1), `order-${10_001 + index}`]);
  const rows = `${JSON.stringify(cells.flatMap(([id, reference], index) => [index + 1, [id, reference]]))}\n`;
  const columns = ['cardId', 'clientReference'];
  const shape: RowShape = {
    form: 'cells',
    columns,
    idParam: 'cardId',
    ids: ['cardId'],
    fields: [{ name: 'reason', value: 'stolen' }],
    sendsEmpty: false,
    expects: [],
    onlyChanges: false,
  };
  const sha256 = createHash('sha256').update(rows).digest('hex');
  const header = {
    version: RUN_VERSION,
    run: RUN,
    operation: 'card.block',
    profile: 'live',
    host: 'https://cards.example.com',
    user: 'ann',
    inputSha256: sha256,
    inputFormat: 'csv',
    rows: ROWS,
    inputRows: ROWS,
    options: { defaults: '{"reason":"stolen"}', expectations: ['clientReference'], concurrency: 8, timeoutMs: 30_000 },
    stored: { sha256, shape, columns },
    startedAt: new Date(START_MS).toISOString(),
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'header.json'), JSON.stringify(header));
  writeFileSync(join(folder, 'rows'), rows);
  writeFileSync(join(folder, 'journal.jsonl'), journal());
}

/** The page in a picture: its own style and body, which are well-formed XML. */
function pagePicture(html: string, alt: string): string {
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
  const body = /<body[\s\S]*<\/body>/.exec(html)?.[0] ?? '';
  const xhtml = body
    .replace('<body', '<body xmlns="http://www.w3.org/1999/xhtml"')
    .replaceAll('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PAGE_WIDTH} ${PAGE_HEIGHT}" role="img" aria-label="${alt}">`,
    `<style>${style}</style>`,
    `<foreignObject width="${PAGE_WIDTH}" height="${PAGE_HEIGHT}">${xhtml}</foreignObject>`,
    `<rect x="0.5" y="0.5" width="${PAGE_WIDTH - 1}" height="${PAGE_HEIGHT - 1}" fill="none" stroke="#8c959f"/>`,
    '</svg>\n',
  ].join('\n');
}

function terminalPicture(text: string, { form, alt }: ReportPicture): string {
  const lines = text.trimEnd().split('\n');
  const shown = lines.length > SHOWN_LINES ? [...lines.slice(0, SHOWN_LINES), '…'] : lines;
  const typed = `\u001b[2m$\u001b[22m frontdesk runs report --last --as ${form}`;
  return screenSvg(drawScreen([typed, ...shown, ''].join('\r\n'), COLUMNS), COLUMNS, alt);
}

/** Draws one picture of what `program` prints. */
export function drawReport(picture: ReportPicture, program: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-picture-'));
  try {
    writeRun(join(folder, 'state'));
    const env = { PATH: process.env['PATH'], FRONTDESK_STATE_DIR: join(folder, 'state'), FRONTDESK_CONFIG_DIR: folder };
    const args = [program, 'runs', 'report', '--last', '--as', picture.form];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`the report failed: ${stderr}`);
    if (picture.form !== 'html') return terminalPicture(stdout, picture);
    return pagePicture(stdout.replace(/on \d+ \w+ \d{4}, [0-9:]+ UTC\./, 'on 2 Apr 2027, 19:00:00 UTC.'), picture.alt);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
