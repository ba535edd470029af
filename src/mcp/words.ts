/** What a hint says to the user of a command, and what it says to a caller of tools. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/`?frontdesk card get ([0-9a-f-]{36})(?: -p [\w.-]+)?`?/gi, 'card_get with cardId $1'],
  [/`?frontdesk runs results ([^\s`]+)(?: --outcome [a-z_,]+)?`?/g, 'run_results with run $1'],
  [/`?frontdesk history --id ([0-9a-f-]{36})`?/gi, 'history_list with id $1'],
  [/`?frontdesk history(?: --[a-z]+ [^\s`]+)*(?=`|$)`?/g, 'history_list'],
  [/`?frontdesk runs list`?/g, 'runs_list'],
  [/\b(repeat|run) the command\b/g, '$1 the call'],
  [/--timeout\b/g, 'timeoutSeconds'],
  [/--reason\b/g, 'reason'],
];

/** A hint of a command in terms of tools and arguments. One that only a person can follow says so. */
export function toolHint(hint: string): string {
  const text = WORDS.reduce((words, [command, tool]) => words.replaceAll(command, tool), hint);
  return /(?:^|[\s`])(?:frontdesk [a-z]|--[a-z])/.test(text) ? `for a person: ${text}` : `hint: ${text}`;
}

/** A message of a command in terms of arguments. Texts of the service stand inside it, so only its two ends are read. */
export function toolMessage(message: string): string {
  return message
    .replace(/^--([a-z]+): /, '$1: ')
    .replace(
      /; the wait would pass --retry-max-time(?=(?:; nothing was changed)?$)/,
      '; the wait would pass the time limit of this server',
    );
}
