import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type Command, operationOf } from '../../src/command/command.ts';
import { describeFields } from '../../src/input/fields.ts';
import { REGISTRY } from '../../src/registry.ts';
import { CARD_ACTIONS } from '../../src/service/api/operations.ts';
import { QUESTIONS } from '../e2e/terminal/questions.ts';

// Every question of the program stands in `QUESTIONS`, where hands type before, during and after it on a terminal. What is
// asked is found where it is declared and where the source asks, so that a new question fails here until it joins.

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

/** A call that asks: of the prompt, or of one of those that ask for several commands. */
const ASKING =
  /(?<!function )(?:\bprompt\s*\.\s*(text|secret|confirm|decide|choose)|#prompt\s*\.\s*(text|secret|confirm|decide|choose)|\b(missingText|askFamily|confirmLoss|confirmSending))\(/g;
/** The prompt, taken apart: no call of it would be found. */
const TAKEN_APART = /\}\s*=\s*(?:\w+\.)*#?prompt\b/;

const COMMANDS = 'cli/commands/';

/** Each call in the source that asks: `runs.ts confirmLoss`, and the second one in a file `… 2`. */
function placesInSource(): readonly string[] {
  const names = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return names.flatMap((name) => {
    const text = readFileSync(join(SRC, name), 'utf8');
    expect(TAKEN_APART.test(text), name).toBe(false);
    // Commands of several groups have the same last word.
    const file = name.startsWith(COMMANDS) ? name.slice(COMMANDS.length) : basename(name);
    const counts = new Map<string, number>();
    return [...text.matchAll(ASKING)].map((match) => {
      const asks = match[1] ?? match[2] ?? match[3] ?? '';
      const count = (counts.get(asks) ?? 0) + 1;
      counts.set(asks, count);
      return `${file} ${asks}${count === 1 ? '' : ` ${count}`}`;
    });
  });
}

/** What a command asks for because of what it declares: what is required, and whether a write may be sent. */
function declaredBy(name: string, command: Command): readonly string[] {
  if (command.kind === 'local') {
    const asked = ({ required, isOwnQuestion }: { required?: boolean; isOwnQuestion?: true }) =>
      required === true && isOwnQuestion !== true;
    return [
      ...command.arguments.filter(asked).map((argument) => `${name} <${argument.name}>`),
      ...command.options.filter(asked).map(({ long }) => `${name} --${long}`),
    ];
  }
  const { body, effect } = operationOf(command);
  const fields = body === null ? [] : describeFields(body).filter(({ required }) => required);
  const isAsked = effect.kind === 'write' && (effect.confirm || effect.asksOnTerminal === true);
  return [
    ...command.arguments.map((argument) => `${name} <${argument.name}>`),
    ...('rows' in command.operation ? [`${name} --${command.operation.option}`] : []),
    ...fields.map(({ flag }) => `${name} --${flag}`),
    ...(isAsked ? [name] : []),
    ...(command.bulk && command.writes ? [`${name}, many rows`] : []),
  ];
}

it('no question is missing in the list of those at which hands are tried, and none is there that is not asked', async () => {
  const declared = await Promise.all(
    REGISTRY.entries.map(async ({ path, load }) => declaredBy(path.join(' '), await load())),
  );
  const asked = [...placesInSource(), ...declared.flat(), ...CARD_ACTIONS.map(({ verb }) => `desk ${verb}`)];
  const listed = new Set(Object.values(QUESTIONS).flatMap(({ asks }) => asks));
  expect([...listed].sort()).toEqual([...new Set(asked)].sort());
});
