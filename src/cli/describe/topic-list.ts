export const TOPIC_LIST = [
  { name: 'exit-codes', summary: 'What each exit code means and when to run again' },
  { name: 'options', summary: 'Options that every command has' },
  { name: 'environment', summary: 'Environment variables' },
  { name: 'output', summary: 'Formats, columns, queries and streams' },
  { name: 'bulk', summary: 'Bulk changes: files, checks, runs, resuming' },
  { name: 'outcomes', summary: 'What each outcome means and what to do next' },
  { name: 'plans', summary: 'Review a change before it is sent, then apply it' },
  { name: 'agents', summary: 'What an assistant with a shell must know' },
  { name: 'accessibility', summary: 'Screen readers and slow connections' },
] as const;

export const TOPIC_NAMES: readonly string[] = TOPIC_LIST.map(({ name }) => name);
