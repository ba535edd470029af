import type { Fault } from '../failure.ts';
import type { ArgumentSpec, OptionSpec, ValueSpec } from './option.ts';
import { nameOf } from './option.ts';
import type { RawInput } from './raw-input.ts';
import { choiceWords, readValue } from './read-value.ts';

/** The values of one command line, by their names; which types they have is what their declaration says. */
export type GivenValues = Readonly<Record<string, unknown>>;

function read(spec: ValueSpec, where: string, text: string, faults: Fault[]): unknown {
  const reading = readValue({ ...spec, kind: spec.kind ?? 'text' }, text);
  if (reading.ok) return reading.value;
  faults.push({ where, problem: reading.problem });
  return undefined;
}

function readOption(option: OptionSpec, texts: readonly (string | true)[], faults: Fault[]): unknown {
  const where = `--${option.long}`;
  if (option.value === undefined) return texts.length > 0;
  const typed = texts.filter((text) => text !== true);
  if (option.repeatable === true) {
    return typed.map((text) => read(option, where, text, faults)).filter((value) => value !== undefined);
  }
  if (option.field !== undefined && typed.length > 1) {
    faults.push({ where, problem: 'is given more than once' });
    return undefined;
  }
  const text = typed.at(-1) ?? option.default;
  return text === undefined ? undefined : read(option, where, text, faults);
}

/** What is wrong with giving this option together with the others. */
function misfits({ long, excludes = {}, needs }: OptionSpec, isGiven: (name: string) => boolean): readonly Fault[] {
  const own = `--${long}`;
  const excluded = Object.entries(excludes).filter(([name]) => isGiven(name));
  return [
    ...excluded.map(([name, reason]) => ({
      where: name.startsWith('<') ? `${name} and ${own}` : `${own} and --${name}`,
      problem: reason === '' ? 'exclude each other' : `exclude each other: ${reason}`,
    })),
    ...(needs === undefined || isGiven(needs) ? [] : [{ where: own, problem: `belongs to --${needs}` }]),
  ];
}

/** The values of options, by name. What is wrong with them is added to `faults`; a faulty one is not there. */
export function readOptions(options: readonly OptionSpec[], input: RawInput, faults: Fault[]): GivenValues {
  const isGiven = (name: string) => input.options.has(name) || (name.startsWith('<') && input.words.length > 0);
  return Object.fromEntries(
    options.map((option) => {
      if (input.options.has(option.long)) faults.push(...misfits(option, isGiven));
      return [nameOf(option.long), readOption(option, input.options.get(option.long) ?? [], faults)];
    }),
  );
}

/** The values of positional arguments, by name. */
export function readArguments(specs: readonly ArgumentSpec[], words: readonly string[], faults: Fault[]): GivenValues {
  return Object.fromEntries(
    specs.map((spec, at) => {
      if (spec.variadic === true) return [spec.name, words.slice(at)];
      const word = words[at];
      return [spec.name, word === undefined ? undefined : read(spec, `<${spec.name}>`, word, faults)];
    }),
  );
}

/** An argument or option that has to be given and is not. */
export interface Missing {
  readonly name: string;
  readonly spec: ValueSpec;
  readonly fault: Fault;
}

/** What is required of a command line and not given; what the command asks for itself is not among it. */
export function missingOf(
  specs: { readonly arguments: readonly ArgumentSpec[]; readonly options: readonly OptionSpec[] },
  input: RawInput,
): readonly Missing[] {
  const named = [
    ...specs.arguments.map((spec, at) => ({
      spec,
      name: spec.name,
      where: `<${spec.name}>`,
      isGiven: input.words[at] !== undefined,
    })),
    ...specs.options.map((spec) => ({
      spec,
      name: nameOf(spec.long),
      where: `--${spec.long}`,
      isGiven: input.options.has(spec.long),
    })),
  ];
  return named
    .filter(({ spec, isGiven }) => spec.required === true && spec.isOwnQuestion !== true && !isGiven)
    .map(({ spec, name, where }) => {
      const which = spec.choices === undefined ? '' : `: ${choiceWords(spec.choices)}`;
      return { name, spec, fault: { where, problem: `is required${which}` } };
    });
}
