import type { Mutation } from './mutant.ts';

/** The program with one thing wrong, which a history has to show. */
export interface Mutant {
  /** What it does wrong: the title of its test. */
  readonly wrong: string;
  readonly mutations: readonly Mutation[];
  /** The seed that showed it first; undefined: no history shows it, and docs/simulation.md says what does. */
  readonly seed: number | undefined;
}

const TRANSPORT = 'src/wire/transport.ts';
const JOURNAL = 'src/run/journal/journal.ts';
const RESPONSE = 'src/http/response.ts';
const AMBIGUOUS =
  'if (ofWrite && (status === 408 || (status >= 300 && status <= 306) || (status >= 309 && status <= 399))) {';

export const MUTANTS: readonly Mutant[] = [
  {
    wrong: 'a row is sent before its intent is on the disk',
    mutations: [
      {
        file: 'src/run/row-call.ts',
        line: 'await journal.intent({ row, id, reason, fields, digest });',
        instead: 'void journal.intent({ row, id, reason, fields, digest }).catch(() => {});',
      },
    ],
    seed: 27,
  },
  {
    wrong: 'a torn tail of a journal stays',
    mutations: [
      { file: JOURNAL, line: 'if (file.length > scan.length) {', instead: 'if (file.length < scan.length) {' },
    ],
    seed: 6,
  },
  {
    wrong: 'rows whose outcome is unknown are sent again',
    mutations: [
      {
        file: 'src/run/row-runner.ts',
        line: "if (!isUnknown || unknownRows === 'leave') return this.#replay(row, position, journal);",
        instead: 'if (!isUnknown) return this.#replay(row, position, journal);',
      },
    ],
    seed: 10,
  },
  {
    wrong: 'a journal is not synced',
    mutations: [
      {
        file: 'src/run/journal/append-file.ts',
        line: 'sync: () => syncData(file.fd),',
        instead: 'sync: async () => {},',
      },
    ],
    seed: 86,
  },
  {
    wrong: 'a run that was taken over goes on',
    mutations: [{ file: 'src/run/stored/run-store.ts', line: 'lost = lock.lost();', instead: 'lost = undefined;' }],
    seed: 83,
  },
  {
    wrong: 'a lock is judged by the clocks of two machines',
    mutations: [
      {
        file: 'src/files/heartbeat.ts',
        line: 'const silentMs = this.look(path, file);',
        instead: "const silentMs = this.#clock.now() - process.getBuiltinModule('node:fs').statSync(path).mtimeMs;",
      },
    ],
    seed: 41,
  },
  {
    wrong: 'nobody waits for a holder elsewhere',
    mutations: [
      { file: 'src/files/lock.ts', line: 'const WAIT_ELSEWHERE_MS = 90_000;', instead: 'const WAIT_ELSEWHERE_MS = 0;' },
    ],
    seed: 86,
  },
  {
    wrong: '408 to a write is a refusal, and repeated',
    mutations: [
      {
        file: RESPONSE,
        line: AMBIGUOUS,
        instead: 'if (ofWrite && ((status >= 300 && status <= 306) || (status >= 309 && status <= 399))) {',
      },
    ],
    seed: 62,
  },
  {
    wrong: '303 to a write is a refusal',
    mutations: [{ file: RESPONSE, line: AMBIGUOUS, instead: 'if (ofWrite && status === 408) {' }],
    seed: 49,
  },
  {
    wrong: 'a 2xx with an error in it counts as applied',
    mutations: [
      {
        file: 'src/http/response-shape.ts',
        line: 'if (isErrorBody(operation, resource)) return AN_ERROR;',
        instead: '',
      },
      {
        file: 'src/http/response-shape.ts',
        line: "if (members.includes('cardId') && typeof resource.get('cardId') !== 'string') return 'the response has no cardId';",
        instead: '',
      },
    ],
    seed: 105,
  },
  {
    wrong: 'after a signal writes leave that were on their way',
    mutations: [
      {
        file: TRANSPORT,
        line: 'if (this.isWrite && this.#to.isStopped?.() === true) this.#onAbort();',
        instead: '',
      },
      { file: TRANSPORT, line: 'if (!this.#sent) this.#onAbort();', instead: '' },
    ],
    seed: 73,
  },
  {
    wrong: 'the attempts of earlier processes are not counted',
    mutations: [
      {
        file: JOURNAL,
        line: 'a: this.states.attempts(facts.row) + 1,',
        instead: 'a: 1,',
      },
    ],
    seed: 24,
  },
  {
    wrong: 'a prune loses what is written beside it',
    mutations: [
      {
        file: 'src/history/prune.ts',
        line: 'await (hasSecond ? carryOver(stateDir) : appendLate(file, end, path));',
        instead: 'if (hasSecond) await unlink(replacedPath(stateDir, end));',
      },
      {
        file: 'src/history/history-file.ts',
        line: 'return after !== undefined && after.ino === before.ino && after.dev === before.dev;',
        instead: 'return true;',
      },
    ],
    seed: 63,
  },
  {
    wrong: 'a prune that is killed loses what was written beside it',
    mutations: [
      {
        file: 'src/history/history-file.ts',
        line: 'if (!isSame) await appendLate(file, Number(end), path);',
        instead: '',
      },
    ],
    seed: 36,
  },
  {
    wrong: 'a prune removes open writes',
    mutations: [
      {
        file: 'src/history/prune.ts',
        line: "return name < before && !name.includes(':') && !kept.has(name);",
        instead: "return name < before && !name.includes(':');",
      },
    ],
    seed: 117,
  },
  {
    wrong: 'a repeat that is refused takes the first send back',
    mutations: [
      {
        file: 'src/call-outcome.ts',
        line: "return mayBeApplied && (latest === 'rejected' || latest === 'not_sent') ? 'unknown' : latest;",
        instead: 'return latest;',
      },
    ],
    seed: 14,
  },
  {
    wrong: 'a late second answer is taken for that of the next request',
    mutations: [
      {
        file: 'src/http/ongoing-call.ts',
        line: 'const isOnce = isOnceOnly(this.#input.operation);',
        instead: 'const isOnce = false && isOnceOnly(this.#input.operation);',
      },
    ],
    seed: 108,
  },
  {
    wrong: 'a write that is broken off after it was sent is repeated',
    mutations: [
      {
        file: 'src/http/retry.ts',
        line: "return { ...HARMLESS, unavailable, server_error: 'end', broken: 'end', unreadable: 'end' };",
        instead: "return { ...HARMLESS, unavailable, server_error: 'end', broken: 'retry', unreadable: 'end' };",
      },
    ],
    seed: 14,
  },
  {
    wrong: '503 to a once-only write is repeated',
    mutations: [
      { file: 'src/http/retry.ts', line: "never: writeSteps('end'),", instead: "never: writeSteps('retry_once')," },
    ],
    seed: 23,
  },
  {
    wrong: 'a later refusal takes the doubt of an earlier attempt away',
    mutations: [
      {
        file: 'src/http/ongoing-call.ts',
        line: 'if (this.#doubt === undefined) return this.#certain(verdict, why);',
        instead: 'if (this.#doubt?.verdict !== verdict) return this.#certain(verdict, why);',
      },
    ],
    seed: 62,
  },
  {
    wrong: 'an open write is not looked for',
    mutations: [
      {
        file: 'src/call/open-guard.ts',
        line: 'if (isAgain || (open ?? event) === undefined) return;',
        instead: 'if (isAgain || event === undefined) return;',
      },
    ],
    seed: 117,
  },
  {
    wrong: 'the same input is sent again without a word',
    mutations: [{ file: 'src/bulk/open-rows.ts', line: 'if (earlier === undefined) return;', instead: 'return;' }],
    seed: 3,
  },
  {
    wrong: 'a history is not synced',
    mutations: [{ file: 'src/history/history-file.ts', line: 'await file.datasync();', instead: '' }],
    seed: 129,
  },
  {
    wrong: 'a new name in a folder is not synced',
    mutations: [{ file: 'src/files/atomic.ts', line: 'await folder.sync();', instead: '' }],
    seed: 129,
  },
  {
    wrong: 'the header of a run comes to the disk before what it speaks of',
    mutations: [{ file: 'src/run/stored/run-store.ts', line: 'await syncFolder(path);', instead: '' }],
    seed: undefined,
  },
  {
    wrong: 'a full disk hides that an outcome is unknown',
    mutations: [
      {
        file: 'src/call/write-call.ts',
        line: "if (result.kind === 'failed' && result.callOutcome.outcome === 'unknown') {",
        instead: 'if (false) {',
      },
    ],
    seed: 18,
  },
  {
    wrong: 'a lock of a process that is gone stays for ever',
    mutations: [
      {
        file: 'src/files/heartbeat.ts',
        line: "return state === 'gone' || (state !== 'running' && silentMs >= PATIENCE_MS);",
        instead: "return state === 'gone';",
      },
    ],
    seed: 86,
  },
  {
    wrong: 'half a line of the history ends a write',
    mutations: [
      {
        file: 'src/history/open-index.ts',
        line: "if (event === undefined || (event !== 'begin' && !isWhole(line))) return;",
        instead: 'if (event === undefined) return;',
      },
    ],
    seed: 191,
  },
  {
    wrong: 'a prune removes a write that is under way',
    mutations: [
      {
        file: 'src/history/prune.ts',
        line: 'const keptNames = new Set([...openNow.map(({ entry }) => entry), ...underWay]);',
        instead: 'const keptNames = new Set(openNow.map(({ entry }) => entry));',
      },
    ],
    seed: 12,
  },
  {
    wrong: 'a run prints rows behind the report of an earlier signal',
    mutations: [{ file: 'src/bulk/execute-run.ts', line: 'refuseStopped(session);', instead: '' }],
    seed: 286,
  },
  {
    wrong: 'a run that is begun removes the journal of its successor',
    mutations: [
      {
        file: 'src/run/stored/run-store.ts',
        line: 'rmSync(folder.journal, { force: true });',
        instead: 'await rm(folder.journal, { force: true });',
      },
    ],
    seed: 54,
  },
  {
    wrong: 'open rows of a run are not listed after a clock was set back',
    mutations: [
      {
        file: 'src/history/read.ts',
        line: 'if (among === undefined && !page.isOfInterest(changedMs)) continue;',
        instead: 'if (!page.isOfInterest(changedMs)) continue;',
      },
    ],
    seed: 43,
  },
];
