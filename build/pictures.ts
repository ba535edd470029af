// `tsx build/pictures.ts` draws the pictures of the pages from what the built program prints on a terminal, against a
// sandbox; with `--check` it writes nothing and exits 1 if one of them, or what a page says of it, is not current.
import { spawn as spawnProgram, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn as spawnOnTerminal } from '@lydell/node-pty';
import { awayFrom } from '../src/screen/text.ts';
import { readPages } from './pages.ts';
import { drawReport, REPORT_PICTURES } from './report-pictures.ts';
import { screenSvg } from './screen-svg.ts';
import { drawScreen } from './terminal-screen.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = process.env['FRONTDESK_TEST_PROGRAM'] ?? `${ROOT}bin/frontdesk.js`;
const COLUMNS = 100;

interface Picture {
  readonly file: string;
  /** What it shows, for those who cannot see it. */
  readonly alt: string;
  /** The words after `frontdesk`, as typed in a shell. */
  readonly line: string;
  /** Words after `frontdesk` of what is run before, out of the picture. */
  readonly before?: string;
  /** Width of the terminal; 100 unless given. */
  readonly columns?: number;
  /** Faults that the sandbox simulates. */
  readonly faults?: readonly string[];
  /** Its height; 40 unless given. */
  readonly rows?: number;
  /** Typed as soon as that stands on the terminal, after those words were run elsewhere. */
  readonly answers?: readonly (readonly [seen: RegExp, typed: string, elsewhere?: string])[];
  /** The picture is of the screen on which that stands after the answers; else of all that was written. */
  readonly until?: RegExp;
}

const CARD = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';

const STOLEN = [
  'cardId,clientReference',
  '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101,order-10001',
  '1c8b7d2f-4063-4e9b-8d52-6f308ba1c202,order-10002',
  '72e1e385-a6c9-44f1-b3b8-c596e1072808,order-10008',
  '3eadaf41-6285-40bd-af74-8152adc3e404,order-10003',
  '',
].join('\n');

const PLAN = {
  line: 'plan show lost.plan',
  before: 'card block --from lost.csv --expect clientReference --reason "lost, ticket 4711" --plan lost.plan',
} as const;

/** Stands below each menu of the desk. */
const MENU = /then Enter/;
/** A menu of the desk under a verdict that begins so. */
const ended = (verdict: string) => new RegExp(`${verdict}[\\s\\S]*then Enter`);
const DESK = { line: `desk ${CARD} --retries 0`, columns: 80, rows: 24 } as const;
const BLOCK: NonNullable<Picture['answers']> = [
  [MENU, 'block\r'],
  [/y\/N/, 'y\r'],
];

const PICTURES: readonly Picture[] = [
  {
    file: 'card.svg',
    alt: 'A card on a terminal: status, balance, expiry, metadata, transactions, next commands',
    line: `card get ${CARD}`,
  },
  {
    file: 'run.svg',
    alt: 'Four cards blocked from a spreadsheet: question, rows, summary',
    line: 'card block --from stolen.csv --expect clientReference -j 1',
    answers: [[/\(y\/N\)/, 'y\r']],
  },
  {
    file: 'unknown.svg',
    alt: 'A block without a response: outcome unknown, and the command that checks',
    line: `card block ${CARD} --reason "lost, ticket 4711" --yes`,
    faults: ['POST /block:timeout'],
  },
  {
    file: 'plan-80.svg',
    alt: 'A plan for its reviewer on 80 columns: source, balances, what is sent, each card',
    columns: 80,
    ...PLAN,
  },
  {
    file: 'plan-120.svg',
    alt: 'The same plan on 120 columns',
    columns: 120,
    ...PLAN,
  },
  {
    file: 'desk.svg',
    alt: 'The list that a desk session hands over: when, which card, what, why',
    ...DESK,
    answers: [
      [MENU, 'block\r'],
      [/r = add a reason/, 'r\r'],
      [/Reason \(Enter/, 'lost on the bus\r'],
      [/Reason \s+lost[\s\S]*y\/N/, 'y\r'],
      [ended('BLOCKED at'), 'leave\r'],
    ],
  },
  {
    file: 'desk-applied.svg',
    alt: 'The desk after a block: when the card was blocked',
    ...DESK,
    answers: BLOCK,
    until: ended('BLOCKED at'),
  },
  {
    file: 'desk-not-sent.svg',
    alt: 'The desk after a block that was not sent: the card changed meanwhile',
    ...DESK,
    answers: [
      [MENU, 'block\r'],
      [/y\/N/, 'y\r', `card block ${CARD} --yes`],
    ],
    until: ended('NOT BLOCKED: the request was not sent'),
  },
  {
    file: 'desk-rejected.svg',
    alt: 'The desk after a block that the service refused, with its reason',
    ...DESK,
    faults: ['POST /block:409'],
    answers: BLOCK,
    until: ended('NOT BLOCKED: refused'),
  },
  {
    file: 'desk-unknown.svg',
    alt: 'The desk after a block with an unknown outcome: when it was sent, what to do',
    ...DESK,
    faults: ['POST /block:500'],
    answers: BLOCK,
    until: ended('NOT KNOWN YET'),
  },
  {
    file: 'desk-settled.svg',
    alt: 'The desk after a look that shows that the block was done',
    ...DESK,
    faults: ['POST /block:500*1'],
    answers: [...BLOCK, [ended('NOT KNOWN YET'), 'look\r', `card block ${CARD} --yes --no-history`]],
    until: ended('BLOCKED at .*as a look'),
  },
  {
    file: 'desk-superseded.svg',
    alt: 'The desk after a second block: it takes the place of an unknown one',
    ...DESK,
    faults: ['POST /block:500*1'],
    answers: [...BLOCK, [ended('NOT KNOWN YET'), 'block\r'], [/NOT KNOWN whether[\s\S]*y\/N/, 'y\r']],
    until: ended('BLOCKED at'),
  },
];

/** The moment the pictures tell times from, so that `in 4 years` does not age. */
const NOW_MS = Date.UTC(2027, 3, 2, 18);

/** Takes out what differs from one drawing to the next: port, run, times. */
function settle(output: string): string {
  return output
    .replaceAll(/127\.0\.0\.1:\d+/g, 'cards.example.com')
    .replaceAll(/\d{8}-\d{4}-[0-9a-f]{6}/g, '20270402-1800-7f3a2b')
    .replaceAll(/\d{4}-\d\d-\d\dT[0-9:.]+Z \(now\)/g, '2027-04-02T18:00:00.000Z (now)')
    .replaceAll(/\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC \(now\)/g, '2 Apr 2027, 18:00 UTC (now)')
    .replaceAll(/\b(at|block of) \d\d:\d\d\b(?!:)/g, '$1 18:00')
    .replaceAll(/^( {2})\d\d:\d\d(?= {2})/gm, '$118:00')
    .replaceAll(/\(\d\d:\d\d\)/g, '(18:00)')
    .replaceAll(/\bat \d\d:\d\d:\d\d\b/g, 'at 18:00:00')
    .replaceAll(/(entry|reconcile)\s+[0-9a-f]{6}\b/g, '$1 9f3a1c')
    .replaceAll(/sent \d\d:\d\d:\d\dZ/g, 'sent 18:00:00Z')
    .replaceAll(/\d\d:\d\d:\d\dZ \(\d\d:\d\d:\d\d your time\)/g, '18:00:00Z (20:00:00 your time)')
    .replaceAll(/(retr(?:y|ies)), \d+ s\b/g, '$1, 1 s')
    .replaceAll(/Plan [0-9a-f]{12}/g, 'Plan 7f3a2b904c1d')
    .replaceAll(
      /(Made.*?)\d+ [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC \([^)]*\) by \S+/g,
      '$12 Apr 2027, 18:00 UTC (now) by ann',
    )
    .replaceAll(
      /(Expires.*?)\d+ [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC(?= \(in (?:\d+ hours|1 day)\))/g,
      '$13 Apr 2027, 18:00 UTC',
    )
    .replaceAll(
      /(\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC) \((?:in [^)]+|[^)]+ ago)\)/g,
      (_, time: string) => `${time} (${awayFrom(new Date(time).toISOString(), NOW_MS) ?? ''})`,
    )
    .replaceAll(
      /(\d{4}-\d\d-\d\dT[0-9:.]+Z) \((?:in [^)]+|[^)]+ ago|now)\)/g,
      (_, time: string) => `${time} (${awayFrom(time, NOW_MS) ?? ''})`,
    );
}

interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the words on a terminal; answers all that was written to it. */
function runOnTerminal(picture: Picture, { folder, env }: Place): Promise<string> {
  const { line, before, answers = [], columns = COLUMNS, rows = 40, until } = picture;
  const first = before === undefined ? '' : `"$NODE" "$PROGRAM" ${before} >before.txt 2>&1 && `;
  const script = `${first}"$NODE" "$PROGRAM" ${line}`;
  const terminal = spawnOnTerminal('sh', ['-c', script], { cols: columns, rows, cwd: folder, env: { ...env } });
  let output = '';
  /** What was written since the last answer: a menu that was answered stands there no more. */
  let news = '';
  const waiting = [...answers];
  return new Promise((resolve, reject) => {
    // Words that never come would hold the whole build.
    const deadline = setTimeout(() => {
      terminal.kill('SIGKILL');
      reject(new Error(`${picture.file}: ${waiting[0]?.[0] ?? until} did not come within 30 s after:\n${news}`));
    }, 30_000);
    terminal.onData((part) => {
      output += part;
      news += part;
      const [next] = waiting;
      if (next === undefined && until?.test(news) === true) {
        clearTimeout(deadline);
        resolve(output);
        terminal.kill('SIGKILL');
      }
      if (next === undefined || !next[0].test(news)) return;
      waiting.shift();
      news = '';
      if (next[2] !== undefined) spawnSync(process.execPath, [PROGRAM, ...next[2].split(' ')], { env: { ...env } });
      terminal.write(next[1]);
    });
    terminal.onExit(() => {
      clearTimeout(deadline);
      resolve(output);
    });
  });
}

/** A sandbox with these faults, and the environment that reaches it. */
async function withSandbox<Value>(
  faults: readonly string[],
  folder: string,
  use: (env: Readonly<Record<string, string>>) => Promise<Value>,
): Promise<Value> {
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    // Nothing may be written any more once the picture stands: the folder is removed then.
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    TERM: 'xterm-256color',
    FRONTDESK_TIMEOUT: '1s',
    NODE: process.execPath,
    PROGRAM,
  };
  const args = [PROGRAM, 'sandbox', 'serve', '--json', ...faults.flatMap((fault) => ['--fault', fault])];
  const serving = spawnProgram(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [printed] = await new Promise<[Buffer]>((resolve, reject) => {
      serving.stdout.once('data', (part: Buffer) => resolve([part]));
      serving.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
    });
    const { url, cardsToken }: Readonly<Record<string, string>> = JSON.parse(printed.toString('utf8'));
    env['FRONTDESK_PROFILE'] = 'live';
    const login = [PROGRAM, 'auth', 'login', '--family', 'cards', '--cards-url', url ?? '', '--token-stdin'];
    const { status, stderr } = spawnSync(process.execPath, login, { env, input: cardsToken ?? '', encoding: 'utf8' });
    if (status !== 0) throw new Error(`the login failed: ${stderr}`);
    return await use(env);
  } finally {
    serving.kill('SIGTERM');
  }
}

async function draw(picture: Picture): Promise<string> {
  const { columns = COLUMNS } = picture;
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-picture-'));
  try {
    writeFileSync(join(folder, 'stolen.csv'), STOLEN);
    // The last row of the other one is held back, and a plan is of what can be planned.
    writeFileSync(join(folder, 'lost.csv'), STOLEN.replace('order-10003', 'order-10004'));
    const output = await withSandbox(picture.faults ?? [], folder, (env) => runOnTerminal(picture, { folder, env }));
    const typed = `\u001b[2m$\u001b[22m frontdesk ${picture.line}\r\n`;
    return screenSvg(drawScreen(settle(typed + output), columns), columns, picture.alt);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A page whose pictures carry what each shows, for those who cannot see it. A picture that is not drawn here is an error. */
function describePictures(page: string): string {
  const alts = new Map([...PICTURES, ...REPORT_PICTURES].map(({ file, alt }) => [file, alt]));
  return page.replaceAll(/!\[[^\]]*\]\(([^)]*pictures\/)([^)]+)\)/g, (_, folder: string, file: string) => {
    const alt = alts.get(file);
    if (alt === undefined) throw new Error(`no picture is called ${file}`);
    return `![${alt}](${folder}${file})`;
  });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const isCheck = process.argv.includes('--check');
const wanted = new Map<string, string>();
for (const picture of PICTURES) wanted.set(`docs/pictures/${picture.file}`, await draw(picture));
for (const picture of REPORT_PICTURES) wanted.set(`docs/pictures/${picture.file}`, drawReport(picture, PROGRAM));
for (const [path, page] of readPages(ROOT)) wanted.set(path, describePictures(page));

const stale = [...wanted].filter(([path, text]) => readIfThere(`${ROOT}${path}`) !== text);
if (!isCheck) {
  mkdirSync(`${ROOT}docs/pictures`, { recursive: true });
  for (const [path, text] of stale) writeFileSync(`${ROOT}${path}`, text);
}
for (const [path] of stale) console.log(`${path}: ${isCheck ? 'not current' : 'written'}`);
if (isCheck && stale.length > 0) {
  console.error('run `npx tsx build/pictures.ts` and commit what it writes');
  process.exitCode = 1;
}
