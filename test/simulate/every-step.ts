import type { Command } from '../../src/command/command.ts';
import { REGISTRY } from '../../src/registry.ts';
import { CLAIMS, lettersOf, OF_NO_ACCOUNT } from './claims.ts';
import { loadProgram, type Program } from './program.ts';
import { type Call, type DiskFault, newPlace, type Place, type Played, play } from './stage.ts';
import { FILES, SAMPLES, type Sample, SET_UP } from './staged-calls.ts';

/** A call of a command, and where it begins. */
export interface Case {
  readonly name: string;
  readonly command: Command;
  readonly place: Place;
  readonly call: Call;
  /** Where nothing fails, and how it is to end then. */
  readonly clean: Played;
  readonly code: number;
}

async function placeOf(program: Program, start: Place, calls: readonly Call[]): Promise<Place> {
  let place = start;
  for (const call of calls) place = (await play(program, place, call)).after;
  return place;
}

async function caseOf(
  program: Program,
  start: Place,
  given: { name: string; command: Command; sample: Sample },
): Promise<Case> {
  const { name, command, sample } = given;
  const place = await placeOf(program, start, sample.before ?? []);
  const call = { ...sample.with, args: sample.args(place) };
  return { name, command, place, call, clean: await play(program, place, call), code: sample.code ?? 0 };
}

/** Every command of the program with its calls; one without a call is an error. */
async function allCases(program: Program): Promise<readonly Case[]> {
  const start = await placeOf(program, newPlace(FILES), SET_UP);
  const cases: Case[] = [];
  for (const entry of REGISTRY.entries) {
    const words = entry.path.join(' ');
    const samples = SAMPLES.filter((sample) => sample.command === words);
    if (samples.length === 0) throw new Error(`${words} has no call in test/simulate/staged-calls.ts`);
    const command = await entry.load();
    for (const sample of samples) {
      cases.push(await caseOf(program, start, { name: `${words}: ${sample.what}`, command, sample }));
    }
  }
  const wrong = cases.filter(({ clean, code }) => clean.code !== code || clean.faults.length > 0);
  if (wrong.length > 0)
    throw new Error(wrong.map(({ name, clean }) => `${name}: ${clean.code} ${clean.stderr}`).join('\n'));
  return cases;
}

/** A row of a run in a table: its number, its card, and how it ended. */
const ROW = /^\d+\t([^\t]*)\t(applied|rejected|not_sent|unknown|confirmed_by_read)\t.*$/gm;

/** What is wrong with what is said of rows. */
function rowLies({ stdout, arrivals, before }: Played): readonly string[] {
  return [...stdout.matchAll(ROW)].flatMap(([line, id, outcome]) => {
    // An event has no id before it is made.
    if (id === '') return [];
    const sent = arrivals.filter(({ asked }) => asked.id === id && asked.kind !== 'get');
    // A row of a run that goes on may have been applied before.
    const isDone = before.statuses.get(id ?? '') === 'BLOCKED' || sent.some(({ doneMs }) => doneMs !== undefined);
    const isSo =
      outcome === 'not_sent' ? sent.length === 0 : outcome === 'rejected' ? !isDone : outcome !== 'applied' || isDone;
    return isSo ? [] : [`not so: ${line}`];
  });
}

/** What is wrong with what a call said, given what it did. */
export function liesOf({ name, command, clean }: Case, played: Played, fault: DiskFault): readonly string[] {
  const lies = told(command, clean, played, fault);
  const { code, goesOn, atStep } = fault;
  const where = `${name}: ${code} at step ${atStep}${goesOn ? ' and from then on' : ''} (${played.steps[atStep - 1]})`;
  return lies.map((lie) => `${where}, exit ${played.code}: ${lie}: ${played.stderr}`);
}

function told(command: Command, clean: Played, played: Played, fault: DiskFault): readonly string[] {
  const { code, stdout, stderr, faults } = played;
  const isKnown = typeof code === 'number' && code !== 1 && command.exitCodes.includes(code);
  // A row of a run tells of itself alone.
  const said = `${stdout.replace(ROW, '')}\n${stderr}`;
  const claims = CLAIMS.filter(({ words, holds }) => words.test(said) && !holds(played));
  return [
    ...faults,
    ...(isKnown ? [] : [code === undefined ? 'it does not end' : `it ends with ${code}`]),
    ...claims.map(({ words }) => `not so: ${words.exec(said)?.[0]}`),
    ...(maySend(command) ? rowLies(played) : readLies(command, said)),
    ...(code === 0 ? missingIn(command, clean, played, fault) : []),
  ];
}

const maySend = (command: Command) => command.writes || (command.kind === 'local' && command.maySend === true);

/** A read and a listing say neither that nothing was sent nor that nothing was changed. */
function readLies({ path }: Command, said: string): readonly string[] {
  const speaksOfPlans = ['runs revert', 'schema'].includes(path.join(' '));
  return !speaksOfPlans && /nothing was (?:sent|changed)/i.test(said) ? ['a command that sends nothing says so'] : [];
}

/** Commands whose result says what could not be done. */
const TELL_IN_RESULT = ['mcp', 'doctor', 'desk'];

/** A read that cannot remember its card goes on in silence: the file of cards seen, and the folders made for it alone. */
function isOfSeenCards(name: string, { after }: Played): boolean {
  if (name.startsWith('/state/cards')) return true;
  return name === '/state' && [...after.files.keys()].every((each) => !/^\/state\/(?!cards)/.test(each));
}

/** What is not there of what a call promised that ends with 0 and without a warning: the result and the files of a call without a fault. */
function missingIn(
  { path }: Command,
  clean: Played,
  { stdout, stderr, steps, after }: Played,
  { code, goesOn, atStep }: DiskFault,
): readonly string[] {
  // A settings folder that cannot be looked into is another user's, and holds nothing of this one's.
  const failed = steps.slice(atStep - 1, goesOn ? undefined : atStep);
  const isOthers = code === 'EACCES' && failed.some((step) => / \/config(?:\/settings\.json)?$/.test(step));
  if (isOthers || TELL_IN_RESULT.includes(path.join(' ')) || stderr.includes('warning')) return [];
  const locks = [...after.files.keys()].filter((name) => /lock\/./.test(name) && !clean.after.files.has(name));
  const there = new Set([...after.files.keys()].map(lettersOf));
  const gone = [...clean.after.files.keys()]
    .map(lettersOf)
    .filter((name) => !OF_NO_ACCOUNT.test(name) && !there.has(name) && !isOfSeenCards(name, clean));
  const isSame = lettersOf(stdout) === lettersOf(clean.stdout);
  return [
    ...locks.map((name) => `a lock is left without a word: ${name}`),
    ...gone.map((name) => `0, and no ${name}`),
    ...(isSame ? [] : ['0, and another result without a word']),
  ];
}

/** Whether a failure with this code says something of this step: only what takes room fails for lack of it. */
function canFail(step: string, code: string): boolean {
  const [name = ''] = step.split(' ');
  if (code === 'ENOSPC') return ['open', 'write', 'mkdir', 'link', 'rename', 'fsync'].includes(name);
  if (code === 'SHORT') return name === 'write';
  if (code === 'EACCES') return !['write', 'read', 'fsync', 'ftruncate'].includes(name);
  return true;
}

/** The faults that a case meets: each step alone, and all from it on. */
export function faultsOf({ clean }: Case): readonly DiskFault[] {
  return clean.steps.flatMap((step, index) =>
    ['EIO', 'ENOSPC', 'EACCES', 'SHORT']
      .filter((code) => canFail(step, code))
      .flatMap((code) => [false, true].map((goesOn) => ({ atStep: index + 1, code, goesOn }))),
  );
}

/** The program, and all its calls as they end without a fault: what each test of failing steps begins with. */
export async function loadCases(): Promise<{ readonly program: Program; readonly cases: readonly Case[] }> {
  const program = await loadProgram();
  return { program, cases: await allCases(program) };
}
