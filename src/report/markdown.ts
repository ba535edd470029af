import { OUTCOMES } from '../failure.ts';
import { groupThousands } from '../output/safe-text.ts';
import { OUTCOME_NAMES } from '../run/run-tally.ts';
import { markdownCode, plainCause, plainText } from './plain-text.ts';
import { factList, headline, isGood, type RunFacts, remarks, rowsOf } from './run-facts.ts';

const code = (text: string): string => markdownCode(plainText(text));
/** Of each outcome; the rest is counted. */
const MAX_CAUSES = 20;

function outcomeTable(facts: RunFacts): string {
  const rows = OUTCOMES.flatMap((outcome) => {
    const count = facts.outcomes[outcome] ?? 0;
    return count === 0 ? [] : [`| ${OUTCOME_NAMES[outcome]} | ${groupThousands(count)} |`];
  });
  return ['| Outcome | Rows |', '| --- | ---: |', ...rows, `| all | ${groupThousands(rowsOf(facts))} |`].join('\n');
}

function causeList(facts: RunFacts): readonly string[] {
  const lines = OUTCOMES.flatMap((outcome) => {
    const words = OUTCOME_NAMES[outcome];
    const causes = facts.causes.filter((cause) => cause.outcome === outcome);
    const shown = causes.slice(0, MAX_CAUSES).map(({ name, rows }) => {
      return `- ${groupThousands(rows)} ${words}: ${markdownCode(plainCause(name))}`;
    });
    const rest = causes.slice(MAX_CAUSES).reduce((sum, { rows }) => sum + rows, 0);
    return rest === 0 ? shown : [...shown, `- ${groupThousands(rest)} ${words}: other causes`];
  });
  return lines.length === 0 ? [] : ['### Causes', lines.join('\n')];
}

function commandList({ commands }: RunFacts): readonly string[] {
  if (commands.length === 0) return [];
  return ['### Go on from here', ...commands.map(({ purpose, line }) => `${purpose}:\n\n\`\`\`sh\n${line}\n\`\`\``)];
}

/** Counts, causes and commands of a run in GitHub's Markdown, under 64 KiB: for a job's summary or a ticket. */
export function markdownReport(facts: RunFacts): string {
  const notes = remarks(facts);
  const known = factList(facts).map(([question, answer]) => `- ${question}: ${code(answer)}`);
  return `${[
    `## ${isGood(facts) ? '✅' : '⚠️'} ${headline(facts)}`,
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join('\n')]),
    outcomeTable(facts),
    ...causeList(facts),
    ...commandList(facts),
    '### The run',
    known.join('\n'),
  ].join('\n\n')}\n`;
}
