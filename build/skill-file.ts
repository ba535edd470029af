import { AGENTS } from '../src/cli/describe/agents.ts';
import type { Block } from '../src/cli/describe/text-block.ts';

function markdown(block: Block): string {
  switch (block.kind) {
    case 'text':
      return block.text;
    case 'rows':
      return [`## ${block.title}`, '', ...block.rows.map(({ name, text }) => `- **${name}**: ${text}`)].join('\n');
    case 'examples':
      return [
        `## ${block.title}`,
        '',
        '```sh',
        ...block.examples.flatMap(({ text, line }) => [`# ${text}`, line]),
        '```',
      ].join('\n');
  }
}

/** The skill file for assistants with a shell: `frontdesk help agents` as Markdown, with the head that they look for. */
export function skillFile(): string {
  const head = [
    '---',
    'name: frontdesk',
    'description: Look up and change gift cards and calendars with the frontdesk command. Use it for gift-card IDs, order numbers, blocks, reissues, subscribers and events.',
    '---',
    '',
    '# frontdesk',
  ].join('\n');
  return `${[head, ...AGENTS.map(markdown)].join('\n\n')}\n`;
}
