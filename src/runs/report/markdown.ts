import { OUTCOMES } from '../../base/failure.ts';
import { outcomeWords } from '../../screen/people-text.ts';
import { groupThousands } from '../../screen/text.ts';
import { markdownCode, plainCause, plainText } from './plain-text.ts';
import { countRows, factList, headline, isGood, type RunFacts, remarks } from './run-facts.ts';

const code = (text: string): string => markdownCode(plainText(text));
/** Per outcome. The rest is counted. */
const MAX_CAUSES = 20;

function causeList(facts: RunFacts): readonly string[] {
  const lines = OUTCOMES.flatMap((outcome) => {
    const words = outcomeWords(outcome);
    const causes = facts.causes.filter((cause) => cause.outcome === outcome);
    const shown = causes.slice(0, MAX_CAUSES).map(({ name, rows }) => {
      return `- ${groupThousands(rows)} ${words}: ${markdownCode(plainCause(name))}`;
    });
    const rest = causes.slice(MAX_CAUSES).reduce((sum, { rows }) => sum + rows, 0);
    return rest === 0 ? shown : [...shown, `- ${groupThousands(rest)} ${words}: other causes`];
  });
  return lines.length === 0 ? [] : ['### Causes', lines.join('\n')];
}

/** Counts, causes and commands of a run in GitHub's Markdown, under 64 KiB, for a job's summary or a ticket. */
export function markdownReport(facts: RunFacts): string {
  const { outcomes, commands } = facts;
  const counts = OUTCOMES.flatMap((outcome) => {
    const count = outcomes[outcome] ?? 0;
    return count === 0 ? [] : [`| ${outcomeWords(outcome)} | ${groupThousands(count)} |`];
  });
  const all = `| all | ${groupThousands(countRows(facts))} |`;
  const ways = commands.map(({ purpose, line }) => `${purpose}:\n\n\`\`\`sh\n${line}\n\`\`\``);
  const known = factList(facts).map(([question, answer]) => `- ${question}: ${code(answer)}`);
  const parts = [
    `## ${isGood(facts) ? '✅' : '⚠️'} ${headline(facts)}`,
    remarks(facts)
      .map((note) => `- ${note}`)
      .join('\n'),
    ['| Outcome | Rows |', '| --- | ---: |', ...counts, all].join('\n'),
    ...causeList(facts),
    ...(ways.length === 0 ? [] : ['### Next', ...ways]),
    '### The run',
    known.join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
