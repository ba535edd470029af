import { outcomeWords } from '../../screen/people-text.ts';
import { causeOf } from '../run-tally.ts';
import { escapeMarkup, plainCause, plainText } from './plain-text.ts';
import { countRows, endingText, type ReportedRow, type RunFacts } from './run-facts.ts';

const PIECE_LENGTH = 64 * 1024;

const attribute = (text: string): string => escapeMarkup(plainText(text));

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** The verdict on a row: empty if it was applied. */
function verdict({ callOutcome }: ReportedRow): string {
  const { outcome, httpStatus } = callOutcome;
  const cause = causeOf(callOutcome);
  if (outcome === 'skipped') {
    const seen = plainText(callOutcome.observedStatus ?? '');
    return `<system-out>${escapeMarkup(`skipped: the card is ${seen} already`)}</system-out>`;
  }
  if (cause === undefined) return '';
  const causes = new Set([...(httpStatus === undefined ? [] : [`HTTP ${httpStatus}`]), plainCause(cause)]);
  const message = escapeMarkup(`${outcomeWords(outcome)}: ${[...causes].join(' ')}`);
  if (outcome === 'not_sent') return `<skipped message="${message}"/>`;
  const element = outcome === 'unknown' ? 'error' : 'failure';
  return `<${element} message="${message}" type="${escapeMarkup(plainCause(cause))}">${message}</${element}>`;
}

function testCase(row: ReportedRow, className: string): string {
  const words = [`row ${row.row}`, row.id, row.run === undefined ? undefined : `(run ${row.run})`];
  const name = attribute(words.filter((word) => word !== undefined).join(' '));
  const head = `  <testcase name="${name}" classname="${className}" time="${seconds(row.callOutcome.durationMs ?? 0)}"`;
  const inside = verdict(row);
  return inside === '' ? `${head}/>\n` : `${head}>${inside}</testcase>\n`;
}

/** The error of a run that stopped before its last row. Nothing for another. */
function cutShort(facts: RunFacts, className: string): string {
  const { state, reached, header } = facts;
  if ((state !== 'stopped' && state !== 'interrupted') || reached >= header.rows) return '';
  const why = attribute(endingText(facts));
  return `  <testcase name="run" classname="${className}" time="0.000"><error message="${why}" type="${state}">${why}</error></testcase>\n`;
}

/**
 * A run as one `testsuite` with a `testcase` per row, for CI servers, and one more if it did not come to its last row. In
 * pieces, so it needs no memory.
 */
export async function* junitReport(facts: RunFacts, rows: AsyncIterable<ReportedRow>): AsyncGenerator<string> {
  const { header, timeline, state, notes } = facts;
  const { rejected = 0, unknown = 0, not_sent: unsent = 0 } = facts.outcomes;
  const className = attribute(header.operation);
  const cut = cutShort(facts, className);
  const more = cut === '' ? 0 : 1;
  const counts = `tests="${countRows(facts) + more}" failures="${rejected}" errors="${unknown + more}" skipped="${unsent}"`;
  const time = `time="${seconds(timeline.workMs)}" timestamp="${new Date(header.startedAt).toISOString().slice(0, 19)}"`;
  let piece = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="${attribute(`${header.operation} ${header.run}`)}" ${counts} ${time}>\n`;
  const known = Object.entries({ run: header.run, state, profile: header.profile, service: header.host });
  const properties = [...known, ...notes.map((note) => ['note', note] as const)];
  const shown = properties.map(([name, value]) => `<property name="${name}" value="${attribute(value)}"/>`);
  piece += `  <properties>${shown.join('')}</properties>\n`;
  for await (const row of rows) {
    piece += testCase(row, className);
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}${cut}</testsuite>\n`;
}
