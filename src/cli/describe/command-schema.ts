import { anyOf, type JsonSchema, list } from '../../base/json/shape.ts';
import { type CallCommand, describeCommand, operationOf, rowsOfCommand } from '../../command/command.ts';
import type { CommandEntry, Registry } from '../../command/command-tree.ts';
import { COMMON_OPTIONS } from '../../input/options/common.ts';
import { rowOutput } from '../../records/row-result.ts';
import { PLAN_HEADER_OUTPUT } from '../../runs/plan/plan-file.ts';
import { SUMMARY_OUTPUT } from '../../runs/summary.ts';
import { ERROR_OUTPUT, NOTICE_OUTPUT } from '../../screen/failure-text.ts';
import { DRY_RUN_OUTPUT } from '../../service/http/request.ts';
import { exitCodeRow, exitCodeRows } from './command-doc.ts';
import { ENVIRONMENT } from './environment.ts';
import { inputSchemaOf, propertiesOf } from './json-schema.ts';

const LIMITS = ['minLength', 'maxLength', 'minimum', 'maximum', 'pattern', 'format', 'default'] as const;

function outputOf(command: CallCommand): JsonSchema {
  const answers = rowsOfCommand(command).map((row) => row.response);
  const [only = {}] = answers;
  const one = answers.length === 1 ? only : anyOf(...answers);
  if (!command.bulk) return command.writes ? anyOf(one, DRY_RUN_OUTPUT) : one;
  if (!command.writes) return { anyOf: [one, list(one)] };
  return anyOf(one, list(rowOutput(one)), DRY_RUN_OUTPUT, PLAN_HEADER_OUTPUT);
}

/** The limits of a field; of a nullable one those of its other form. */
function limitsOf(field: JsonSchema): JsonSchema {
  // zod writes a nullable field as `anyOf`, a list of schemas.
  const [form = field] = (field['anyOf'] ?? []) as readonly JsonSchema[];
  return Object.fromEntries(LIMITS.flatMap((name) => (form[name] === undefined ? [] : [[name, form[name]]])));
}

/** Everything about one command: words, options with limits, JSON Schemas of input and output, exit codes. */
export async function commandSchema(entry: CommandEntry) {
  const command = await entry.load();
  const doc = describeCommand(command, entry.summary);
  const input = command.kind === 'call' ? inputSchemaOf(operationOf(command)) : null;
  const fields = input === null ? {} : propertiesOf(input);
  return {
    ...doc,
    operations: command.kind === 'local' ? [] : rowsOfCommand(command).map(({ method, path }) => ({ method, path })),
    options: doc.options.map((option) => {
      const limits = option.field === undefined ? {} : limitsOf(fields[option.field] ?? {});
      return Object.keys(limits).length === 0 || option.value === undefined ? option : { ...option, limits };
    }),
    exitCodes: doc.exitCodes.map(exitCodeRow),
    input,
    output: command.kind === 'call' ? outputOf(command) : await command.output(),
  };
}

export async function treeSchema(registry: Registry, version: string) {
  return {
    name: 'frontdesk',
    version,
    groups: registry.groups,
    commands: await Promise.all(registry.entries.map(commandSchema)),
    commonOptions: COMMON_OPTIONS,
    exitCodes: exitCodeRows(),
    environment: ENVIRONMENT,
    output: { error: ERROR_OUTPUT, notice: NOTICE_OUTPUT, dryRun: DRY_RUN_OUTPUT, summary: SUMMARY_OUTPUT },
  };
}
