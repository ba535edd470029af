import type { Case } from './every-step.ts';
import type { Program } from './program.ts';
import { type Call, type Place, play } from './stage.ts';

interface Provoked {
  readonly place: Place;
  readonly call: Call;
}

type Provocation = (given: Case) => Provoked;

const calling =
  (change: (call: Call) => Partial<Call>): Provocation =>
  ({ place, call }) => ({ place, call: { ...call, ...change(call) } });

/** A file or folder that everybody can write to. */
const open =
  (path: string): Provocation =>
  ({ place, call }) => {
    const found = place.files.get(path);
    const files = found === undefined ? place.files : new Map([...place.files, [path, { ...found, mode: 0o777 }]]);
    return { place: { ...place, files }, call };
  };

const service = (fate: string): Provocation => calling(() => ({ service: fate }));

/** What brings a call to each of the ends that it may have. */
const PROVOCATIONS: Readonly<Record<string, Provocation>> = {
  nothing: calling(() => ({})),
  'an option that no command has': calling(({ args }) => ({ args: [...args, '--no-such-option'] })),
  // What no document has is null, and null has no length.
  'a query that fits no document': calling(({ args, endsAt }) => ({
    args: [...args, '--json', '--query', 'length(nowhere)'],
    ...(endsAt === undefined ? {} : { endsAt: 'null' }),
  })),
  'settings that others can write': open('/config/settings.json'),
  'credentials in a folder that others can write to': open('/config'),
  'records that others can write': open('/state'),
  'a full stdout': calling(() => ({ stdoutFails: 'ENOSPC' })),
  'a dry run, and a reader who went away': calling(({ args }) => ({
    args: [...args, '--dry-run'],
    stdoutFails: 'EPIPE',
  })),
  'a reader who went away': calling(() => ({ stdoutFails: 'EPIPE' })),
  ...Object.fromEntries(
    (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).flatMap((signal) => [
      [signal, calling(() => ({ signal }))],
      [`${signal}, and nobody reads`, calling(() => ({ signal, isStalled: true }))],
    ]),
  ),
  'read-only': calling(({ env }) => ({ env: { ...env, FRONTDESK_READ_ONLY: '1' } })),
  'another number of rows': calling(({ args }) => ({ args: [...args, '--expect-rows', '99'] })),
  'nobody listens': service('away'),
  ...Object.fromEntries(
    [
      '401',
      '403',
      '404',
      '422',
      '429',
      '429 with a time',
      '500',
      '307',
      '200 that is garbage',
      'reset after the work',
    ].map((fate) => [fate, service(fate)]),
  ),
};

/** Codes that cannot be brought about here, by command. */
const UNPROVOKED: Readonly<Record<string, readonly number[]>> = {
  // It serves until a signal ends it.
  'sandbox serve': [0, 15],
  // Its results are kept in the run: a reader who went away decides nothing.
  'runs resume': [141],
  // Nobody changes a run beside a question that is not asked: test/command/runs.test.ts.
  'runs remove': [17],
  // What its screens come to stands in test/e2e/terminal; it reads and writes one terminal.
  desk: [8, 16, 141],
};

/** The codes that the calls of a command end with, but those that cannot be provoked. */
export async function codesOf(program: Program, cases: readonly Case[]): Promise<readonly number[]> {
  const codes = new Set<number>();
  for (const each of cases) {
    for (const provoke of Object.values(PROVOCATIONS)) {
      const { place, call } = provoke(each);
      const { code, stderr, faults } = await play(program, place, call);
      if (typeof code !== 'number' || faults.length > 0) throw new Error(`${each.name}: ${stderr}${faults.join()}`);
      codes.add(code);
    }
  }
  return [...codes].sort((one, other) => one - other);
}

/** The exit codes that a command publishes and that can be provoked; 1 is a bug. */
export function publishedOf([first]: readonly Case[]): readonly number[] {
  if (first === undefined) return [];
  const { path, exitCodes } = first.command;
  return exitCodes.filter((code) => code !== 1 && UNPROVOKED[path.join(' ')]?.includes(code) !== true);
}

export function byCommand(cases: readonly Case[]): ReadonlyMap<string, readonly Case[]> {
  const commands = new Map<string, Case[]>();
  for (const each of cases) {
    const words = each.command.path.join(' ');
    commands.set(words, [...(commands.get(words) ?? []), each]);
  }
  return commands;
}
