import type { Mutation } from '../crash/mutant.ts';

/** The program with one thing wrong, which a history has to show. */
export interface Mutant {
  /** What it does wrong; as the table of docs/simulation.md names it. */
  readonly wrong: string;
  readonly mutations: readonly Mutation[];
  /** The seed that showed it first; undefined: no history has shown it yet. */
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
        line: 'await journal.intent({ row, id, ...task.aboutOf?.(this.row) });',
        instead: 'void journal.intent({ row, id, ...task.aboutOf?.(this.row) }).catch(() => {});',
      },
    ],
    seed: 631,
  },
  {
    wrong: 'a torn tail of a journal stays',
    mutations: [
      { file: JOURNAL, line: 'if (file.length > scan.length) {', instead: 'if (file.length < scan.length) {' },
    ],
    seed: undefined,
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
    seed: 23,
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
    seed: 92,
  },
  {
    wrong: 'a run that was taken over goes on',
    mutations: [{ file: 'src/run/stored/run-store.ts', line: 'lost = lock.lost();', instead: 'lost = undefined;' }],
    seed: undefined,
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
    seed: undefined,
  },
  {
    wrong: 'nobody waits for a holder elsewhere',
    mutations: [
      { file: 'src/files/lock.ts', line: 'const WAIT_ELSEWHERE_MS = 90_000;', instead: 'const WAIT_ELSEWHERE_MS = 0;' },
    ],
    seed: 77,
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
    seed: 29,
  },
  {
    wrong: '303 to a write is a refusal',
    mutations: [{ file: RESPONSE, line: AMBIGUOUS, instead: 'if (ofWrite && status === 408) {' }],
    seed: 4,
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
    seed: 69,
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
    seed: undefined,
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
    seed: undefined,
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
    seed: undefined,
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
    seed: undefined,
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
    seed: 109,
  },
  {
    wrong: 'a repeat that is refused takes the first send back',
    mutations: [
      {
        file: 'src/run/journal/attempts.ts',
        line: "return mayBeApplied && (latest === 'rejected' || latest === 'not_sent') ? 'unknown' : latest;",
        instead: 'return latest;',
      },
    ],
    seed: 49,
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
    seed: undefined,
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
    seed: 8,
  },
  {
    wrong: '503 to a once-only write is repeated',
    mutations: [
      { file: 'src/http/retry.ts', line: "never: writeSteps('end'),", instead: "never: writeSteps('retry_once')," },
    ],
    seed: undefined,
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
    seed: undefined,
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
    seed: 66,
  },
  {
    wrong: 'the same input is sent again without a word',
    mutations: [{ file: 'src/bulk/same-input.ts', line: 'if (earlier === undefined) return;', instead: 'return;' }],
    seed: undefined,
  },
  {
    wrong: 'a history is not synced',
    mutations: [{ file: 'src/history/history-file.ts', line: 'await file.datasync();', instead: '' }],
    seed: 30,
  },
  {
    wrong: 'a new name in a folder is not synced',
    mutations: [{ file: 'src/files/atomic.ts', line: 'await folder.sync();', instead: '' }],
    seed: 76,
  },
  {
    wrong: 'the header of a run comes to the disk before what it speaks of',
    mutations: [{ file: 'src/run/stored/run-store.ts', line: 'await syncFolder(path);', instead: '' }],
    seed: 2055472483,
  },
  {
    wrong: 'a full disk hides that an outcome is unknown',
    mutations: [
      {
        file: 'src/call/write-call.ts',
        line: "if (result.kind === 'failed' && result.ending.outcome === 'unknown') {",
        instead: 'if (false) {',
      },
    ],
    seed: undefined,
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
    seed: undefined,
  },
];
