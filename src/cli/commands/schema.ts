import { Failure } from '../../base/failure.ts';
import { ANY } from '../../base/json/shape.ts';
import { fromPlain } from '../../base/json/value.ts';
import { type LocalCommand, localCommand } from '../../command/command.ts';
import type { Registry } from '../../command/command-tree.ts';
import { nearest } from '../../screen/nearest.ts';

async function schemaOf(words: readonly string[], registry: Registry, version: string): Promise<unknown> {
  const { commandSchema, treeSchema } = await import('../describe/command-schema.ts');
  if (words.length === 0) return treeSchema(registry, version);
  const entry = registry.find(words) ?? registry.defaultOf(words);
  if (entry !== undefined) return commandSchema(entry);
  const name = words.join(' ');
  const known = registry.entries.map(({ path }) => path.join(' '));
  const near = nearest(name, known);
  throw new Failure('USAGE', `${name}: no command of frontdesk`, {
    hints: [near === undefined ? 'see `frontdesk --help`' : `did you mean \`frontdesk schema ${near}\`?`],
  });
}

/** The command for a registry, which cannot be imported here because it holds this command. */
export function command(registry: Registry): LocalCommand {
  return localCommand({
    description:
      'Prints every command with its arguments, options, limits, JSON Schemas, exit codes and examples, or only the command that you name. --openapi prints OpenAPI 3.1 of the service as frontdesk understands it. The result is JSON in every output format.',
    arguments: { word: { text: 'words of one command, such as card block', required: false, variadic: true } },
    options: {
      openapi: {
        excludes: { '<word>': 'it describes the whole service' },
        text: 'print OpenAPI 3.1 of the service instead',
      },
    },
    needsSettings: false,
    examples: {
      'Names of all commands': "schema --query 'commands[].command'",
      'What a row of a block may hold': 'schema card block --query input',
      'Write OpenAPI to a file': 'schema --openapi > openapi.json',
    },
    output: () => ANY,
    async run(session, { word, openapi }) {
      const { version } = session.context;
      const schema = openapi
        ? (await import('../describe/openapi.ts')).openApi(version)
        : await schemaOf(word, registry, version);
      const json = fromPlain(schema);
      // A schema has no columns: it is JSON in every format.
      if (session.output.format !== 'ndjson') session.useFormat('json');
      await session.print({ kind: 'text', text: '', json });
    },
  });
}
