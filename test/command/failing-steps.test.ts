import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { listMessages } from '../../build/messages.ts';
import { CLAIM_LIKE, CLAIMS, NO_CLAIMS } from '../simulate/claims.ts';
import { faultsOf, liesOf, loadCases } from '../simulate/every-step.ts';
import { byCommand } from '../simulate/provocations.ts';
import { play } from '../simulate/stage.ts';

/** Steps that fail in each call; test/simulate lets each of them fail in each way. */
const SAMPLE = 3;

const { program, cases } = await loadCases();

it('if a step on the disk fails, the command says what happened', { timeout: 900_000 }, async () => {
  const lies: string[] = [];
  for (const [at, each] of cases.entries()) {
    const faults = faultsOf(each);
    const stride = Math.max(1, Math.floor(faults.length / SAMPLE));
    for (const fault of faults.filter((_, index) => index % stride === at % stride)) {
      lies.push(...liesOf(each, await play(program, each.place, each.call, fault), fault));
    }
  }
  expect(lies).toEqual([]);
});

it.each([
  // Applied, yet ended by the signal, so that a loop of the shell stops.
  ['card block: a card', 130],
  ['card block: a card, and no answer at all', 8],
  ['card provision: into a file', 16],
])('%s ends by its outcome or the signal (%i) within 6 s of one, though stdout is not read', async (name, code) => {
  const found = cases.find((each) => each.name === name);
  if (found === undefined) throw new Error(name);
  const { place, call } = found;
  const played = await play(program, place, { ...call, signal: 'SIGINT', isStalled: true });
  expect(played.code, played.stderr).toBe(code);
  expect(played.after.atMs - place.atMs).toBeLessThan(500 + 6000 + 1001);
});

it('each sentence about what was sent, saved or changed is compared with what happened', () => {
  const claiming = listMessages(fileURLToPath(new URL('../..', import.meta.url))).filter(({ text }) =>
    CLAIM_LIKE.test(text),
  );
  const known = [...CLAIMS.map(({ words }) => words), ...NO_CLAIMS];
  expect(claiming.length).toBeGreaterThan(20);
  expect(claiming.filter(({ text }) => !known.some((words) => words.test(text)))).toEqual([]);
});

/** They print nothing without a terminal or somebody who asks, or serve until a signal ends them. */
const SILENT_HERE = ['desk', 'mcp', 'sandbox serve'];

/** They change what is kept on this machine, and say so then. */
const CHANGE_HERE =
  /^(?:config (?:un)?set|profile (?:set|use|remove)|history (?:reconcile|resolve|prune)|runs (?:remove|revert)|sandbox reset|auth log(?:in|out))$/;

it('P1 P2 each command whose result cannot be printed says so by its exit code, and a change by its outcome (G12)', async () => {
  const wrong: unknown[] = [];
  for (const [words, own] of byCommand(cases)) {
    const first = own.find(({ code }) => code === 0);
    if (first === undefined || SILENT_HERE.includes(words)) continue;
    const ends = async (stdoutFails: string) => {
      const { code, stderr } = await play(program, first.place, { ...first.call, stdoutFails });
      const isDone = stderr.includes('Done before that: ') === CHANGE_HERE.test(words);
      return { words, stdoutFails, code, says: /no space left|the reader of stdout/.test(stderr) && isDone };
    };
    // The results of a run are kept in it.
    const changes =
      words === 'runs resume' ||
      first.clean.arrivals.some(({ asked }) => asked.kind !== 'get' && asked.kind !== 'list');
    // What is given once is not thrown away unseen.
    const gone = words === 'card provision' ? 16 : changes ? 0 : 141;
    for (const [end, code] of [
      [await ends('ENOSPC'), 16],
      [await ends('EPIPE'), gone],
    ] as const) {
      if (end.code !== code || end.says !== (end.stdoutFails === 'ENOSPC')) wrong.push(end);
    }
  }
  expect(wrong).toEqual([]);
});
