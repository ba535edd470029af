import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAILURES } from '../../src/base/failure.ts';
import { ENVIRONMENT } from '../../src/cli/describe/environment.ts';
import type { Block } from '../../src/cli/describe/text-block.ts';
import { TOPICS } from '../../src/cli/describe/topics.ts';
import { type Command, optionsOf } from '../../src/command/command.ts';
import { COMMON_OPTIONS, WRITE_OPTIONS } from '../../src/input/options/common.ts';
import { REGISTRY } from '../../src/registry.ts';
import { ALL_OPERATIONS } from '../../src/service/api/operations.ts';
import { parseFaults, parseLine } from '../support/parse-faults.ts';

const commands: { name: string; summary: string; command: Command }[] = [];
for (const entry of REGISTRY.entries) {
  commands.push({ name: entry.path.join(' '), summary: entry.summary, command: await entry.load() });
}

describe.each(commands)('$name', ({ name, summary, command }) => {
  it('a command is declared under the path it is registered with', () => expect(command.path.join(' ')).toBe(name));

  it('a command says what it is for', () => {
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
    expect(command.description).toMatch(/^[A-Z]/);
    expect(command.description.length).toBeGreaterThan(40);
  });

  it('an option whose value the shell lost takes no other option for it, and is refused by name', () => {
    for (const { long, short, value } of optionsOf(command)) {
      if (value === undefined) continue;
      for (const word of [`--${long}`, ...(short === undefined ? [] : [`-${short}`, `-q${short}`])]) {
        for (const next of ['--quiet', '-q', '--output=json', '--query', '--']) {
          expect(parseFaults([word, next, 'x'], command)[0]).toBe(
            `--${long}: its value is missing: ${next} is an option`,
          );
        }
      }
      expect(parseFaults([`--${long}=--quiet`], command)).toEqual([]);
      expect(parseFaults([`--${long}`, '--quiets'], command)).toEqual([]);
    }
  });

  it('a command has two to four examples, each of which parses as its own command', async () => {
    expect(command.examples.length).toBeGreaterThanOrEqual(2);
    expect(command.examples.length).toBeLessThanOrEqual(4);
    for (const { line, text } of command.examples) {
      expect(text).toMatch(/^\S.*[^.]$/);
      const parsed = await parseLine(`frontdesk ${line}`);
      expect({ path: parsed.command?.path, faults: parsed.faults }).toEqual({ path: command.path, faults: [] });
    }
  });

  it('a command explains every option and argument', () => {
    for (const option of optionsOf(command)) expect(option.text, option.long).toMatch(/\S{2,}/);
    for (const argument of command.arguments) expect(argument.text, argument.name).toMatch(/\S{2,}/);
  });

  it('a command has no two options of one name', () => {
    const options = optionsOf(command);
    const long = options.map((option) => option.long);
    const short = options.flatMap((option) => option.short ?? []);
    expect([new Set(long).size, new Set(short).size]).toEqual([long.length, short.length]);
  });

  it('P13 a command names known exit codes in ascending order, usage errors among them, and none that Node uses itself', () => {
    const known = [0, 129, 141, 143, ...Object.values(FAILURES).map((row) => row.exitCode)];
    expect(command.exitCodes.filter((code) => !known.includes(code) || [9, 12, 13, 14].includes(code))).toEqual([]);
    expect([...command.exitCodes].sort((left, right) => left - right)).toEqual(command.exitCodes);
    expect(command.exitCodes).toContain(0);
    expect(command.exitCodes).toContain(2);
  });

  it('a command is not worded as an apology or a plea', () => {
    const texts = [summary, command.description, ...optionsOf(command).map((option) => option.text)];
    for (const text of texts) expect(text).not.toMatch(/\b(please|oops|sorry)\b|!(?!=)/i);
  });
});

it('the table of operations has a command for each operation', () => {
  const names = commands.map(({ name }) => name.replaceAll(' ', '.'));
  expect(ALL_OPERATIONS.filter((operation) => !names.includes(operation.command))).toEqual([]);
});

it('the table of environment variables has every variable that an option names', () => {
  const named = commands.flatMap(({ command }) => optionsOf(command).flatMap((option) => option.env ?? []));
  const known = ENVIRONMENT.map((variable) => variable.name);
  expect([...new Set(named)].filter((name) => !known.includes(name))).toEqual([]);
});

it('the table of environment variables names only options that exist', () => {
  const options = [...COMMON_OPTIONS, ...WRITE_OPTIONS].map((option) => `--${option.long}`);
  const named = ENVIRONMENT.flatMap((variable) => variable.option ?? []);
  expect(named.filter((name) => !options.includes(name))).toEqual([]);
});

const examples = TOPICS.flatMap((topic) =>
  topic.blocks.flatMap((block: Block) => (block.kind === 'examples' ? block.examples : [])),
);

/** Tasks in words for assistants, each with the calls that are right. */
const tasks: readonly { readonly task: string; readonly calls: readonly string[] }[] = JSON.parse(
  readFileSync(new URL('../../docs/skill/tasks.json', import.meta.url), 'utf8'),
);

it('the tasks for assistants are twenty, and none of their calls confirms a reissue', () => {
  expect(tasks).toHaveLength(20);
  expect(tasks.flatMap(({ calls }) => calls).filter((call) => /reissue.*(--yes|-y\b)/.test(call))).toEqual([]);
});

it.each(tasks.flatMap(({ calls }) => calls))('the tasks for assistants have a call that parses: %s', async (call) => {
  expect((await parseLine(call)).faults).toEqual([]);
});

it.each(examples)('the help topics have an example that parses: $line', async ({ line }) => {
  expect(line).toMatch(/^frontdesk /);
  expect((await parseLine(line)).faults).toEqual([]);
});

it('L4 the help topic `plans` says what cannot be seen', () => {
  const plans = JSON.stringify(TOPICS.find((topic) => topic.name === 'plans'));
  expect(plans).toContain('A change between that read and the write cannot be seen');
});

it('the help topics are these nine', () => {
  const names = 'exit-codes options environment output bulk outcomes plans agents accessibility';
  expect(TOPICS.map((topic) => topic.name)).toEqual(names.split(' '));
});

it('the page of the configuration has each environment variable that the sources read', () => {
  const root = new URL('../../', import.meta.url);
  const names = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' }).map((name) => `src/${name}`);
  const texts = [...names.filter((name) => name.endsWith('.ts')), 'bin/frontdesk.js'].map((name) =>
    readFileSync(new URL(name.replaceAll('\\', '/'), root), 'utf8'),
  );
  const read = texts.flatMap((text) => [...text.matchAll(/\benv(?:\['(\w+)'\]|\.([A-Z_]+)\b)/g)]);
  const page = readFileSync(new URL('docs/reference/configuration.md', root), 'utf8');
  const variables = new Set(read.map(([, quoted, plain]) => quoted ?? plain ?? ''));
  expect(variables.size).toBeGreaterThan(20);
  expect([...variables].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it('the table of environment variables has each that the sources read, and no other', () => {
  const src = new URL('../../src/', import.meta.url);
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('environment.ts'),
  );
  const texts = files.map((path) => readFileSync(new URL(path.replaceAll('\\', '/'), src), 'utf8'));
  // FRONTDESK_COMMAND marks the processes that frontdesk starts: nobody sets it.
  const read = new Set(texts.flatMap((text) => text.match(/\bFRONTDESK_(?!VERSION|COMMAND\b)[A-Z_]*[A-Z]\b/g) ?? []));
  const ours = ENVIRONMENT.map(({ name }) => name).filter((name) => name.startsWith('FRONTDESK_'));
  expect([...read].sort()).toEqual([...ours].sort());
});
