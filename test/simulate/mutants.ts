import type { Mutation } from './mutant.ts';

/** The program with one thing wrong, which a history has to show. */
export interface Mutant {
  /** What it does wrong: the title of its test. */
  readonly wrong: string;
  readonly mutations: readonly Mutation[];
  /** The seed that showed it first; undefined: no history shows it, and docs/simulation.md says what does. */
  readonly seed: number | undefined;
}

const TRANSPORT = 'src/service/wire/transport.ts';
const JOURNAL = 'src/records/journal/journal.ts';
const LEDGER = 'src/records/ledger.ts';
const RECORD = 'src/records/record.ts';
const STORE = 'src/records/stored/run-store.ts';
const OPEN_FILES = 'src/records/open-files.ts';
const RESPONSE = 'src/service/http/response.ts';
const AMBIGUOUS =
  'if (ofWrite && (status === 408 || (status >= 300 && status <= 306) || (status >= 309 && status <= 399))) {';

/** The way to the one name of a change that must not happen twice. */
const NAMED = 'if (once !== undefined) return putOnce({ ...ports, stateDir }, record, line, once);';
const SYNC_OPEN = 'await syncFolder(openFolder(stateDir));';

export const MUTANTS: readonly Mutant[] = [
  {
    wrong: 'a row is sent before its intent is on the disk',
    mutations: [
      {
        file: 'src/runs/row-call.ts',
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
        file: 'src/runs/row-runner.ts',
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
        file: 'src/records/journal/append-file.ts',
        line: 'sync: () => syncData(file.fd),',
        instead: 'sync: async () => {},',
      },
    ],
    seed: 86,
  },
  {
    wrong: 'a run that was taken over goes on',
    mutations: [{ file: STORE, line: 'lost = lock.lost();', instead: 'lost = undefined;' }],
    seed: 83,
  },
  {
    wrong: 'a lock is judged by the clocks of two machines',
    mutations: [
      {
        file: 'src/base/files/heartbeat.ts',
        line: 'const silentMs = this.check(path, file);',
        instead: "const silentMs = this.#clock.now() - process.getBuiltinModule('node:fs').statSync(path).mtimeMs;",
      },
    ],
    seed: 41,
  },
  {
    wrong: 'nobody waits for a holder elsewhere',
    mutations: [
      {
        file: 'src/base/files/lock.ts',
        line: 'const WAIT_ELSEWHERE_MS = 90_000;',
        instead: 'const WAIT_ELSEWHERE_MS = 0;',
      },
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
        file: 'src/service/http/response-shape.ts',
        line: 'if (isErrorBody(operation, resource)) return AN_ERROR;',
        instead: '',
      },
      {
        file: 'src/service/http/response-shape.ts',
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
        line: "if (this.#wire.method === 'POST' && this.#to.isStopped?.() === true) this.#onAbort();",
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
    wrong: 'a late second answer is taken for that of the next request',
    mutations: [
      {
        file: 'src/service/http/ongoing-call.ts',
        line: 'const isAlone = isOnceOnly(this.#input.operation) || this.#input.operation.lists !== undefined;',
        instead: 'const isAlone = this.#input.operation.lists !== undefined;',
      },
    ],
    seed: 108,
  },
  {
    wrong: 'a write that is broken off after it was sent is repeated',
    mutations: [
      {
        file: 'src/service/http/retry.ts',
        line: "return { ...HARMLESS, unavailable, server_error: 'end', broken: 'end', unreadable: 'end' };",
        instead: "return { ...HARMLESS, unavailable, server_error: 'end', broken: 'retry', unreadable: 'end' };",
      },
    ],
    seed: 14,
  },
  {
    wrong: '503 to a once-only write is repeated',
    mutations: [
      {
        file: 'src/service/http/retry.ts',
        line: "never: writeSteps('end'),",
        instead: "never: writeSteps('retry_once'),",
      },
    ],
    seed: 23,
  },
  {
    wrong: 'a later refusal takes the doubt of an earlier attempt away',
    mutations: [
      {
        file: 'src/service/http/ongoing-call.ts',
        line: 'if (this.#doubt === undefined) return this.#certain(verdict, why);',
        instead: 'if (this.#doubt?.verdict !== verdict) return this.#certain(verdict, why);',
      },
    ],
    seed: 62,
  },
  {
    wrong: 'a repeat that is refused takes the first send back',
    mutations: [
      {
        file: 'src/service/call-outcome.ts',
        line: "return mayBeApplied && (latest === 'rejected' || latest === 'not_sent' || latest === 'skipped') ? 'unknown' : latest;",
        instead: 'return latest;',
      },
    ],
    seed: 14,
  },
  {
    wrong: 'an open write is not looked for',
    mutations: [
      {
        file: 'src/writes/judge.ts',
        line: 'if (isAgain === true || repeated.length + same.length === 0) return undefined;',
        instead: 'if (isAgain !== undefined || same.length === 0) return undefined;',
      },
      { file: RECORD, line: NAMED, instead: '' },
    ],
    seed: 117,
  },
  {
    wrong: 'a full disk hides that an outcome is unknown',
    mutations: [
      {
        file: 'src/writes/deliver.ts',
        line: "if (failure !== undefined && (outcome === 'unknown' || lost === undefined)) {",
        instead: 'if (failure !== undefined && lost === undefined) {',
      },
    ],
    seed: 18,
  },
  {
    wrong: 'the file of a write is removed before the ledger has its end',
    mutations: [
      {
        file: RECORD,
        line: 'const line = printRecord({ ...record, callOutcome }, now());',
        instead:
          "const line = printRecord({ ...record, callOutcome }, now()); if (callOutcome.outcome !== 'unknown') await ignoreErrors(unlink(path ?? ''));",
      },
    ],
    seed: 1,
  },
  {
    wrong: 'the beginning of a write is not synced',
    mutations: [
      { file: 'src/records/stored/open-folder.ts', line: SYNC_OPEN, instead: '' },
      { file: RECORD, line: SYNC_OPEN, instead: '' },
    ],
    seed: 1,
  },
  {
    wrong: 'the ledger is not synced',
    mutations: [{ file: LEDGER, line: 'await file.datasync();', instead: '' }],
    seed: 1576,
  },
  {
    wrong: 'the ledger is not searched for the end of a write that has only begun',
    mutations: [
      {
        file: OPEN_FILES,
        line: 'return !lines.some((line) => parseRecord(line)?.isEnded);',
        instead: 'return lines.length >= 0;',
      },
    ],
    seed: undefined,
  },
  {
    wrong: 'half a line of the record of a write counts',
    mutations: [
      {
        file: 'src/records/stored/open-folder.ts',
        line: "const lead = (await endsInLine(file, (await file.stat()).size)) ? '' : '\\n';",
        instead: "const lead = '';",
      },
    ],
    seed: undefined,
  },
  {
    wrong: 'a write is closed in the ledger alone',
    mutations: [{ file: OPEN_FILES, line: 'if (path !== undefined) await addLine(path, line);', instead: '' }],
    seed: undefined,
  },
  {
    wrong: 'nobody goes on with a closing that was killed',
    mutations: [
      {
        file: OPEN_FILES,
        line: 'if (mayWrite !== false) await closeOpen(stateDir, known, at, path).catch(() => undefined);',
        instead: 'if (mayWrite !== false) dropWrite(stateDir, path, known.entry);',
      },
    ],
    seed: 1233,
  },
  {
    wrong: 'a run is not marked before its first request',
    mutations: [
      { file: STORE, line: 'await mark({ folder, header }, ports);', instead: '' },
      {
        file: STORE,
        line: 'const marking = mark({ folder, header }, ports);',
        instead: 'const marking = Promise.resolve();',
      },
    ],
    seed: 1,
  },
  {
    wrong: 'a row that ended while its lock was waited for is resolved all the same',
    mutations: [
      {
        file: JOURNAL,
        line: 'const mayFollow = this.#failure !== undefined || this.states.mayBecome(record.n, record.s);',
        instead: 'const mayFollow = record.n > 0;',
      },
      {
        file: 'src/cli/commands/history/resolve.ts',
        line: 'const isOpen = journal.states.mayBecome(row, what);',
        instead: 'const isOpen = row > 0;',
      },
    ],
    seed: 77847,
  },
  {
    wrong: 'the mark of a run goes while rows are unknown',
    mutations: [
      {
        file: STORE,
        line: "const isResolved = states.count('intent', 'unknown', 'resolved_by_user') === 0;",
        instead: 'const isResolved = states.rows >= 0;',
      },
    ],
    seed: 1,
  },
  {
    wrong: 'a write that must not happen twice has no name of its own',
    mutations: [
      { file: RECORD, line: NAMED, instead: '' },
      { file: 'src/runs/open-rows.ts', line: 'claim: names?.claim,', instead: 'claim: undefined,' },
    ],
    seed: undefined,
  },
  {
    wrong: 'a prune loses what is written beside it',
    mutations: [
      {
        file: LEDGER,
        line: 'return after !== undefined && after.ino === before.ino && after.dev === before.dev;',
        instead: 'return true;',
      },
    ],
    seed: undefined,
  },
  {
    wrong: 'a prune takes how a change ended, and leaves that another machine closed it',
    mutations: [
      {
        file: 'src/records/ledger.ts',
        line: 'if (entry >= before || (isBorder && staying.has(entry))) {',
        instead: 'if (entry >= before) {',
      },
    ],
    seed: 201256,
  },
  {
    wrong: 'a prune that is killed loses what it was to keep',
    mutations: [
      {
        file: LEDGER,
        line: 'await writeTemporary(temporary, kept);',
        instead: 'await unlink(apart); await writeTemporary(temporary, kept);',
      },
    ],
    seed: 36,
  },
  {
    wrong: 'the same input is sent again without a word',
    mutations: [{ file: 'src/runs/open-rows.ts', line: 'if (earlier === undefined) return;', instead: 'return;' }],
    seed: 3,
  },
  {
    wrong: 'a new name in a folder is not synced',
    mutations: [{ file: 'src/base/files/atomic.ts', line: 'await folder.sync();', instead: '' }],
    seed: 129,
  },
  {
    wrong: 'the header of a run comes to the disk before what it speaks of',
    mutations: [{ file: STORE, line: 'await syncFolder(path);', instead: '' }],
    seed: undefined,
  },
  {
    wrong: 'a lock of a process that is gone stays for ever',
    mutations: [
      {
        file: 'src/base/files/heartbeat.ts',
        line: "return state === 'gone' || (state !== 'running' && silentMs >= PATIENCE_MS);",
        instead: "return state === 'gone';",
      },
    ],
    seed: 86,
  },
  {
    wrong: 'a run prints rows behind the report of an earlier signal',
    mutations: [{ file: 'src/runs/execute-run.ts', line: 'refuseStopped(session);', instead: '' }],
    seed: undefined,
  },
  {
    wrong: 'a run that is begun removes the journal of its successor',
    mutations: [
      {
        file: STORE,
        line: 'rmSync(folder.journal, { force: true });',
        instead: 'await rm(folder.journal, { force: true });',
      },
    ],
    seed: 54,
  },
];
