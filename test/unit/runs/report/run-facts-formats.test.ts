import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { SaxesParser } from 'saxes';
import { expect, it } from 'vitest';
import type { Outcome } from '../../../../src/base/failure.ts';
import { outside } from '../../../../src/base/json/outside-text.ts';
import type { RunHeader } from '../../../../src/records/stored/run-folder.ts';
import { nextCommands } from '../../../../src/runs/next-commands.ts';
import { htmlReport, ListedRows } from '../../../../src/runs/report/html.ts';
import { junitReport } from '../../../../src/runs/report/junit.ts';
import { markdownReport } from '../../../../src/runs/report/markdown.ts';
import { plainCause } from '../../../../src/runs/report/plain-text.ts';
import { headline, isGood, type ReportedRow, type RunFacts } from '../../../../src/runs/report/run-facts.ts';
import { RunTimeline } from '../../../../src/runs/report/run-timeline.ts';
import { CauseCounter, causeOf } from '../../../../src/runs/run-tally.ts';
import { NO_OUTCOME, type WriteOutcome } from '../../../../src/service/call-outcome.ts';
import { runPlan } from '../fakes.ts';

const START = Date.UTC(2027, 3, 2, 18);

type TestRow = Partial<Omit<ReportedRow, 'callOutcome'> & WriteOutcome> & { readonly cause?: string | undefined };

function row(more: TestRow = {}): ReportedRow {
  const { row: number = 1, id, timeMs = START, run, cause = 'CARD_EXPIRED', ...ended } = { id: 'c1', ...more };
  const rejected = { outcome: 'rejected', httpStatus: 412, durationMs: 120, code: 'REJECTED' } as const;
  const callOutcome: WriteOutcome = { ...NO_OUTCOME, ...rejected, errorCode: cause, ...ended };
  const known = { row: number, id, reason: undefined, timeMs, callOutcome };
  return run === undefined ? known : { ...known, run };
}

function timelineFrom(startedMs: number): RunTimeline {
  const timeline = new RunTimeline();
  timeline.addRun(startedMs);
  return timeline;
}

function factsOf(rows: readonly ReportedRow[], more: Partial<RunFacts> = {}, user = 'ann'): RunFacts {
  const causes = new CauseCounter<Outcome>();
  const timeline = timelineFrom(START);
  const outcomes: Partial<Record<Outcome, number>> = {};
  for (const { row: n, callOutcome } of rows) {
    const { outcome, httpStatus, durationMs } = callOutcome;
    const cause = causeOf(callOutcome);
    if (cause !== undefined) causes.add(outcome, cause);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    timeline.add({ n, t: START + 1000 * n, m: 1000 * n, s: outcome, a: 1, http: httpStatus, ms: durationMs });
  }
  const { spool: _, ...plan } = runPlan({ name: 'nightly', user, profile: 'live', host: 'https://cards.example.com' });
  const counts = { rows: rows.length, inputRows: rows.length };
  const startedAt = new Date(START).toISOString();
  const header: RunHeader = { version: 2, run: 'nightly', ...plan, ...counts, startedAt };
  const can = { canReconcile: true, canResend: false, canRevert: false, format: 'csv' } as const;
  const commands = nextCommands({ run: header.run, state: 'finished', outcomes }, can);
  const ended = { state: 'finished', reached: rows.length, stoppedBy: undefined, missing: 0 } as const;
  return { header, timeline, ...ended, outcomes, causes: causes.of(), commands, notes: [], madeMs: START, ...more };
}

function html(rows: readonly ReportedRow[], more: Partial<RunFacts> = {}): string {
  const listed = new ListedRows();
  for (const one of rows) listed.add(one);
  return htmlReport(factsOf(rows, more), listed);
}

async function junit(rows: readonly ReportedRow[], more: Partial<RunFacts> = {}): Promise<string> {
  async function* all() {
    yield* rows;
  }
  let text = '';
  for await (const piece of junitReport(factsOf(rows, more), all())) text += piece;
  return text;
}

/** The elements of a text that is XML, in order. Anything that is none is an exception. */
function parseXml(text: string) {
  const elements: { readonly name: string; readonly attributes: Readonly<Record<string, string>> }[] = [];
  const parser = new SaxesParser();
  // Without namespaces the values of attributes are texts.
  parser.on('opentag', (tag) => elements.push({ ...tag, attributes: tag.attributes as Record<string, string> }));
  parser.write(text).close();
  return elements;
}

type Node = DefaultTreeAdapterTypes.Node;

function elementsOf(node: Node): readonly DefaultTreeAdapterTypes.Element[] {
  const children = 'childNodes' in node ? node.childNodes : [];
  return [...('tagName' in node ? [node] : []), ...children.flatMap(elementsOf)];
}

function textOf(node: Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

const GOOD = row({ outcome: 'applied', httpStatus: 200, cause: undefined });

const PRINTED =
  '< > & " \' ` `` | \\ * _ [x](y) @a #1 :// www.a.b ]]> --> <!-- </code> <script> &lt; $x$ ~~ ![]() ##[x] ##vso[';
const UNSEEN = ['\u0000', '\u001b[31m', '\u202e', '\u200b', '\ufffe', '\uffff', '\ud800'];

/** Ids and codes as a service or a file may hold them, hostile ones among them. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 15 }),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
  fc
    .array(fc.constantFrom(...PRINTED.split(' '), ...UNSEEN, ' ', '\t', '    ', '\n', '\r'), { maxLength: 12 })
    .map((parts) => parts.join('')),
);

/** How a text has to be seen in every report. */
function seen(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\ufff9-\ufffb]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

it('whatever an id or a code holds, it is text in html, which is well-formed and has no element that was not put there', () => {
  const plain = elementsOf(parse(html([row()]))).map(({ tagName }) => tagName);
  fc.assert(
    fc.property(hostile, hostile, (id, cause) => {
      fc.pre(!/[@\uff20\ufe6b]|%40/.test(cause));
      const text = html([row({ id, cause })]);
      const elements = elementsOf(parse(text));
      expect(elements.map(({ tagName }) => tagName)).toEqual(plain);
      const cells = elements.filter(({ tagName }) => tagName === 'td').map(textOf);
      const failed = [seen(id), 'rejected', '412', seen(outside(cause))];
      expect(cells.slice(0, 6)).toEqual(['1', ...failed, '2 Apr 2027, 18:00:00']);
      parseXml(text.replace('<!DOCTYPE html>', ''));
    }),
    { numRuns: 300 },
  );
});

it('whatever an id or a code holds, it is text in junit', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (id, cause) => {
      fc.pre(!/[@\uff20\ufe6b]|%40/.test(cause));
      const elements = parseXml(await junit([row({ id, cause })]));
      expect(elements.map(({ name }) => name).join(' ')).toBe(
        'testsuite properties property property property property testcase failure',
      );
      expect(elements.at(-2)?.attributes['name']).toBe(`row 1 ${seen(id)}`);
      expect(elements.at(-1)?.attributes['message']).toBe(`rejected: HTTP 412 ${seen(outside(cause))}`);
    }),
    { numRuns: 300 },
  );
});

it('whatever an id or a code holds, it is text in markdown', () => {
  const markdown = new MarkdownIt({ html: true, linkify: true });
  const plain = elementsOf(parse(markdown.render(markdownReport(factsOf([row()]))))).map(({ tagName }) => tagName);
  fc.assert(
    fc.property(hostile, hostile, (user, cause) => {
      fc.pre(!/[@\uff20\ufe6b]|%40/.test(cause) && seen(cause).trim() !== '' && seen(user).trim() !== '');
      const elements = elementsOf(parse(markdown.render(markdownReport(factsOf([row({ cause })], {}, user)))));
      expect(elements.map(({ tagName }) => tagName)).toEqual(plain);
      const items = elements.filter(({ tagName }) => tagName === 'li').map(textOf);
      expect(items).toContain(`1 rejected: ${seen(outside(cause))}`);
      expect(items).toContain(`By: ${seen(user)}`);
    }),
    { numRuns: 300 },
  );
});

const allOf = async (rows: readonly ReportedRow[]) => [html(rows), await junit(rows), markdownReport(factsOf(rows))];

it('no report has a command of a CI service, for logs that get one', async () => {
  const texts = await allOf([row({ id: '##[error]x', cause: '##vso[task.complete]x' })]);
  expect(texts.map((text) => /##\w*\[/.test(text))).toEqual([false, false, false]);
});

it('a report names an address in a code of the service no further', async () => {
  for (const text of await allOf([row({ cause: 'unknown customer ann.lee@example.com, gone' })])) {
    expect(text).not.toContain('ann.lee');
    expect(text).toMatch(/unknown customer (?:<address>|&lt;address&gt;),? gone/);
  }
});

const rows = Array.from({ length: 3000 }, (_, index) =>
  row({ row: index + 1, id: `<${'&'.repeat(5000)}`, cause: `"${'<'.repeat(5000)}` }),
);

it('html loads nothing, runs nothing and says so', () => {
  const text = html([row(), GOOD]);
  expect(text).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-`);
  expect(text).not.toMatch(/<script|<link|<img|<iframe|\bhref=|\bsrc=|url\(|@import|\bon[a-z]+=/i);
});

it('html stays under 1 MiB and 1,000 rows, and counts the others', () => {
  const short = rows.map((one) => row({ row: one.row, id: `card-${one.row}`, cause: 'CARD_EXPIRED' }));
  expect(html(short).match(/<td class="id">/g)).toHaveLength(1000);
  expect(html(short)).toContain('And 2,000 rows more.');
  const wordy = rows.map((one) => row({ row: one.row, id: `card-${one.row}`, cause: 'E'.repeat(500) }));
  expect(html(wordy).match(/<td class="id">/g)).toHaveLength(1000);
  const long = html(rows);
  expect(Buffer.byteLength(long)).toBeLessThan(1024 * 1024);
  expect(long).toContain(' rows more.');
});

it('html begins with the rows that did not succeed, unknown ones first, with the cause in words', () => {
  const unknown = { outcome: 'unknown', code: 'OUTCOME_UNKNOWN', errorCode: undefined, httpStatus: undefined } as const;
  const text = html([row({ row: 1 }), row({ row: 2, ...unknown })]);
  const cells = elementsOf(parse(text))
    .filter(({ tagName }) => tagName === 'td')
    .map(textOf);
  expect([cells.slice(0, 5), cells.slice(6, 11)]).toEqual([
    ['2', 'c1', 'UNKNOWN', '', 'no response (OUTCOME_UNKNOWN)'],
    ['1', 'c1', 'rejected', '412', 'CARD_EXPIRED'],
  ]);
  expect([...text.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title).join(', ')).toBe(
    'Rows that did not succeed, Next, Outcomes, Causes, The run, Pace',
  );
  expect(text).toContain('<title>card block: ');
});

it('html has a picture of outcomes, of the pace and of the response times, each with a title', () => {
  const text = html([GOOD, GOOD, row()]);
  expect(text.match(/<svg/g)?.length).toBe(text.match(/<svg[^>]*><title/g)?.length);
  expect(text).toContain('<title id="outcome-picture">Outcomes: 2 applied, 1 rejected</title>');
  expect(text).toContain('<title id="pace-picture">Rows a second over 1 s of working time, 3 at most</title>');
  // Right where a server drops the style.
  expect(text.match(/<(?:rect|text)(?![^>]* fill="#)/g)).toBeNull();
  expect(text.match(/<svg(?![^>]* width="[^"]+" height="\d+")/g)).toBeNull();
  expect(text).toContain(
    '<title id="duration-picture">Time of 3 answered rows: half within about 120 ms, 95 of 100 within about 120 ms</title>',
  );
});

it('junit is one testsuite with a testcase for each row in order', async () => {
  const unanswered = { httpStatus: undefined, durationMs: undefined };
  const rows = [
    GOOD,
    row({ row: 2, id: 'c2' }),
    row({ row: 3, id: undefined, outcome: 'unknown', cause: 'OUTCOME_UNKNOWN', ...unanswered }),
    row({ row: 4, id: 'c4', outcome: 'not_sent', errorCode: undefined, code: undefined, ...unanswered }),
  ];
  expect(await junit(rows)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="card.block nightly" tests="4" failures="1" errors="1" skipped="1" time="4.000" timestamp="2027-04-02T18:00:00">
  <properties><property name="run" value="nightly"/><property name="state" value="finished"/><property name="profile" value="live"/><property name="service" value="https://cards.example.com"/></properties>
  <testcase name="row 1 c1" classname="card.block" time="0.120"/>
  <testcase name="row 2 c2" classname="card.block" time="0.120"><failure message="rejected: HTTP 412 CARD_EXPIRED" type="CARD_EXPIRED">rejected: HTTP 412 CARD_EXPIRED</failure></testcase>
  <testcase name="row 3" classname="card.block" time="0.000"><error message="UNKNOWN: OUTCOME_UNKNOWN" type="OUTCOME_UNKNOWN">UNKNOWN: OUTCOME_UNKNOWN</error></testcase>
  <testcase name="row 4 c4" classname="card.block" time="0.000"><skipped message="not sent: not reached"/></testcase>
</testsuite>
`);
});

it('junit names the status once, and what is missing', async () => {
  const unknown = row({ outcome: 'unknown', httpStatus: 500, errorCode: undefined, code: 'OUTCOME_UNKNOWN' });
  const text = await junit([unknown], { notes: ['shard 2 <b>'] });
  expect(text).toContain('<error message="UNKNOWN: HTTP 500" type="HTTP 500">UNKNOWN: HTTP 500</error>');
  expect(text).toContain('<property name="note" value="shard 2 &lt;b&gt;"/>');
});

it('markdown has counts, causes and commands only', () => {
  expect(markdownReport(factsOf([GOOD, row({ id: 'secret-id' })]))).toBe(`## ⚠️ 1 of 2 rows succeeded

- 1 row was rejected by the service.

| Outcome | Rows |
| --- | ---: |
| applied | 1 |
| rejected | 1 |
| all | 2 |

### Causes

- 1 rejected: \`CARD_EXPIRED\`

### Next

List the rows that did not succeed:

\`\`\`sh
frontdesk runs results nightly --outcome rejected
\`\`\`

Write the rows that did not succeed into a file, as an input to correct:

\`\`\`sh
frontdesk runs results nightly --outcome rejected --as-input -o csv > rest.csv
\`\`\`

### The run

- Command: \`card block\`
- Run: \`nightly\`
- Ended: \`finished\`
- By: \`ann\`
- Service: \`https://cards.example.com (profile live)\`
- Began: \`2 Apr 2027, 18:00:00 UTC\`
- Last entry: \`2 Apr 2027, 18:00:01 UTC\`
- Working time: \`1 s\`
- Options: \`--concurrency 8\`
`);
});

it('markdown holds no tag of what the service says, even in a span of code', () => {
  const text = markdownReport(factsOf([row({ cause: '<script>alert("a_b")</script>' })]));
  expect(text).not.toMatch(/<script|<\/script/);
  expect(text).toContain(
    '- 1 rejected: <code>&quot;&lt;script&gt;alert&#40;&#39;a&#95;b&#39;&#41;&lt;&#47;script&gt;&quot;</code>',
  );
});

it('markdown stays under 64 KiB whatever the causes', () => {
  const rows = Array.from({ length: 600 }, (_, index) => {
    const outcome = (['rejected', 'not_sent', 'unknown'] as const)[index % 3] ?? 'unknown';
    return row({ row: index + 1, outcome, cause: `${index}${'\u{e0041}'.repeat(500)}` });
  });
  expect(Buffer.byteLength(markdownReport(factsOf(rows)))).toBeLessThan(64 * 1024);
});

it.each<[string, Partial<Record<Outcome, number>>, RunFacts['state']]>([
  ['All 1,200 rows succeeded', { applied: 1199, confirmed_by_read: 1 }, 'finished'],
  ['The row succeeded', { applied: 1 }, 'finished'],
  ['The row did not succeed', { unknown: 1 }, 'finished'],
  ['None of 3 rows succeeded', { rejected: 2, not_sent: 1 }, 'stopped'],
  ['2 of 3 rows succeeded', { applied: 2, unknown: 1 }, 'interrupted'],
  ['Still running: 2 of 5 rows succeeded so far', { applied: 2, not_sent: 3 }, 'running'],
  ['The run has no rows', {}, 'finished'],
])('the headline answers whether it worked: %s', (words, counts, state) => {
  expect(headline(factsOf([], { outcomes: counts, state }))).toBe(words);
});

it('the headline answers whether it worked: with the rows of shards that are missing', () => {
  const facts = factsOf([], { outcomes: { applied: 20 }, missing: 10 });
  expect([headline(facts), isGood(facts)]).toEqual(['20 of 30 rows succeeded', false]);
});

it('the working time is what the processes of a run measured, whatever pauses between them and clocks were set to', () => {
  const timeline = timelineFrom(START);
  const applied = { s: 'applied', a: 1, http: 200, ms: 10 } as const;
  timeline.add({ n: 1, t: START + 2000, m: 2000, ...applied });
  timeline.add({ t: START + 3_600_000, s: 'resumed' });
  timeline.add({ n: 2, t: START + 7_200_000, m: 500, ...applied });
  timeline.add({ n: 3, t: START, m: 600, ...applied });
  timeline.add({ n: 4, t: START + 9_000_000, s: 'resolved_applied', a: 1 });
  expect([timeline.workMs, timeline.sessions, timeline.latestMs]).toEqual([2600, 2, START + 9_000_000]);
});

it('the working time is drawn in at most 60 steps that hold every row', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100_000), { minLength: 1, maxLength: 500 }), (waits) => {
      const timeline = timelineFrom(START);
      let t = START;
      waits.forEach((wait, index) => {
        t += wait;
        timeline.add({ n: index + 1, t, m: t - START, s: 'applied', a: 1, http: 200, ms: wait });
      });
      const pace = timeline.pace();
      expect(pace.length).toBeLessThanOrEqual(60);
      expect(pace.reduce((sum, { rows }) => sum + rows, 0)).toBe(waits.length);
      expect(timeline.durations()?.counts.reduce((sum, rows) => sum + rows, 0)).toBe(waits.length);
    }),
  );
});

it.each(['%40', '%2540', '\uff20', '\ufe6b'])('an address is left out of a cause whatever its at sign: %s', (at) => {
  expect(plainCause(`no customer bob${at}example.com, gone`)).toBe('no customer <address> gone');
});
