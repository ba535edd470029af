import type { Mutation } from './mutant.ts';

/** The program with one thing wrong, which a history has to show. */
export interface Mutant {
  /** What it does wrong: the title of its test. */
  readonly wrong: string;
  readonly mutations: readonly Mutation[];
  /** The seed that showed it first; undefined: no history shows it, and docs/simulation.md says what does. */
  readonly seed: number | undefined;
}

/** For each the seed and what is wrong; then files, each with a line as it is and what stands in its place. */
const TEXT = String.raw`
27: a row is sent before its intent is on the disk
  src/runs/row-call.ts
- await journal.intent({ row, id, reason, fields, digest });
+ void journal.intent({ row, id, reason, fields, digest }).catch(() => {});

6: a torn tail of a journal stays
  src/records/journal/journal.ts
- if (file.length > scan.length) {
+ if (file.length < scan.length) {

10: rows whose outcome is unknown are sent again
  src/runs/row-runner.ts
- if (!isUnknown || unknownRows === 'leave') return this.#replay(row, position, journal);
+ if (!isUnknown) return this.#replay(row, position, journal);

86: a journal is not synced
  src/records/journal/append-file.ts
- sync: () => syncData(file.fd),
+ sync: async () => {},

83: a run that was taken over goes on
  src/records/stored/run-store.ts
- lost = lock.lost();
+ lost = undefined;

41: a lock is judged by the clocks of two machines
  src/base/files/heartbeat.ts
- const silentMs = this.check(path, file);
+ const silentMs = this.#clock.now() - process.getBuiltinModule('node:fs').statSync(path).mtimeMs;

86: nobody waits for a holder elsewhere
  src/base/files/lock.ts
- const WAIT_ELSEWHERE_MS = 90_000;
+ const WAIT_ELSEWHERE_MS = 0;

62: 408 to a write is a refusal, and repeated
  src/service/http/response.ts
- if (ofWrite && (status === 408 || (status >= 300 && status <= 306) || (status >= 309 && status <= 399))) {
+ if (ofWrite && ((status >= 300 && status <= 306) || (status >= 309 && status <= 399))) {

49: 303 to a write is a refusal
  src/service/http/response.ts
- if (ofWrite && (status === 408 || (status >= 300 && status <= 306) || (status >= 309 && status <= 399))) {
+ if (ofWrite && status === 408) {

105: a 2xx with an error in it counts as applied
  src/service/http/response-shape.ts
- if (isErrorBody(operation, resource)) return AN_ERROR;
  src/service/http/response-shape.ts
- if (members.includes('cardId') && typeof resource.get('cardId') !== 'string') return 'the response has no cardId';

73: after a signal writes leave that were on their way
  src/service/wire/transport.ts
- if (this.#wire.method === 'POST' && this.#to.isStopped?.() === true) this.#onAbort();
  src/service/wire/transport.ts
- if (!this.#sent) this.#onAbort();

24: the attempts of earlier processes are not counted
  src/records/journal/journal.ts
- a: this.states.attempts(facts.row) + 1,
+ a: 1,

108: a late second answer is taken for that of the next request
  src/service/http/ongoing-call.ts
- const isAlone = isOnceOnly(this.#input.operation) || this.#input.operation.lists !== undefined;
+ const isAlone = this.#input.operation.lists !== undefined;

14: a write that is broken off after it was sent is repeated
  src/service/http/retry.ts
- return { ...HARMLESS, unavailable, server_error: 'end', broken: 'end', unreadable: 'end' };
+ return { ...HARMLESS, unavailable, server_error: 'end', broken: 'retry', unreadable: 'end' };

23: 503 to a once-only write is repeated
  src/service/http/retry.ts
- never: writeSteps('end'),
+ never: writeSteps('retry_once'),

62: a later refusal takes the doubt of an earlier attempt away
  src/service/http/ongoing-call.ts
- if (this.#doubt === undefined) return this.#failed(certainFailure(this.#facts(), verdict, why), verdict);
+ if (this.#doubt?.verdict !== verdict) return this.#failed(certainFailure(this.#facts(), verdict, why), verdict);

14: a repeat that is refused takes the first send back
  src/service/call-outcome.ts
- return mayBeApplied && (latest === 'rejected' || latest === 'not_sent' || latest === 'skipped') ? 'unknown' : latest;
+ return latest;

117: an open write is not looked for
  src/writes/judge.ts
- if (isAgain === true || repeated.length + same.length === 0) return undefined;
+ if (isAgain !== undefined || same.length === 0) return undefined;
  src/records/record.ts
- if (once !== undefined) return putOnce({ ...ports, stateDir }, record, line, once);

18: a full disk hides that an outcome is unknown
  src/writes/deliver.ts
- if (failure !== undefined && (outcome === 'unknown' || lost === undefined)) {
+ if (failure !== undefined && lost === undefined) {

1: the file of a write is removed before the ledger has its end
  src/records/record.ts
- const line = printRecord({ ...record, callOutcome }, now());
+ const line = printRecord({ ...record, callOutcome }, now()); if (callOutcome.outcome !== 'unknown') await ignoreErrors(unlink(path ?? ''));

60112: the beginning of a write is not synced
  src/records/stored/open-folder.ts
- await syncFolder(openFolder(stateDir));
  src/records/record.ts
- await syncFolder(openFolder(stateDir));

1576: the ledger is not synced
  src/records/ledger.ts
- await file.datasync();

-: the ledger is not searched for the end of a write that has only begun
  src/records/open-files.ts
- return !lines.some((line) => parseRecord(line)?.isEnded);
+ return lines.length >= 0;

-: half a line of the record of a write counts
  src/records/stored/open-folder.ts
- const lead = (await endsInLine(file, size)) ? '' : '\n';
+ const lead = '';

-: a write is closed in the ledger alone
  src/records/open-files.ts
- const isThere = path !== undefined && (await addLine(path, line));
+ const isThere = path !== undefined;

1233: nobody goes on with a closing that was killed
  src/records/open-files.ts
- if (mayWrite !== false) await closeOpen(stateDir, known, at, path).catch(() => undefined);
+ if (mayWrite !== false) dropWrite(stateDir, path, known.entry);

1: a run is not marked before its first request
  src/records/stored/run-store.ts
- await mark({ folder, header }, ports);
  src/records/stored/run-store.ts
- const marking = mark({ folder, header }, ports).then(() => touchSent(ports.stateDir, header, ports.pid));
+ const marking = Promise.resolve();

77847: a row that ended while its lock was waited for is resolved all the same
  src/records/journal/journal.ts
- const mayFollow = this.#failure !== undefined || this.states.mayBecome(record.n, record.s);
+ const mayFollow = record.n > 0;
  src/cli/commands/history/resolve.ts
- const isOpen = journal.states.mayBecome(row, what);
+ const isOpen = row > 0;

1: the mark of a run goes while rows are unknown
  src/records/stored/run-store.ts
- const isResolved = states.count('intent', 'unknown') === 0;
+ const isResolved = states.rows >= 0;

-: a write that must not happen twice has no name of its own
  src/records/record.ts
- if (once !== undefined) return putOnce({ ...ports, stateDir }, record, line, once);
  src/runs/open-rows.ts
- claim: names?.claim,
+ claim: undefined,

-: a prune loses what is written beside it
  src/records/ledger.ts
- return after !== undefined && after.ino === before.ino && after.dev === before.dev;
+ return true;

201256: a prune takes how a change ended, and leaves that another machine closed it
  src/records/ledger.ts
- if (entry >= before || (isBorder && staying.has(entry))) {
+ if (entry >= before) {

36: a prune that is killed loses what it was to keep
  src/records/ledger.ts
- await writeTemporary(temporary, kept);
+ await unlink(apart); await writeTemporary(temporary, kept);

3: the same input is sent again without a word
  src/runs/open-rows.ts
- if (earlier === undefined) return;
+ return;

129: a new name in a folder is not synced
  src/base/files/atomic.ts
- await folder.sync();

-: the header of a run comes to the disk before what it speaks of
  src/records/stored/run-store.ts
- await syncFolder(path);

86: a lock of a process that is gone stays for ever
  src/base/files/heartbeat.ts
- return state === 'gone' || (state !== 'running' && silentMs >= PATIENCE_MS);
+ return state === 'gone';

-: a run prints rows behind the report of an earlier signal
  src/runs/execute-run.ts
- refuseStopped(session);

54: a run that is begun removes the journal of its successor
  src/records/stored/run-store.ts
- rmSync(folder.journal, { force: true });
+ await rm(folder.journal, { force: true });
`;

function mutationOf(text: string): Mutation {
  const [, file = '', line = '', instead = ''] = /^(.*)\n- (.*)\n(?:\+ (.*)\n)?$/.exec(text) ?? [];
  return { file, line, instead };
}

export const MUTANTS: readonly Mutant[] = TEXT.split(/^(?=(?:-|\d+): )/m)
  .slice(1)
  .map((part) => {
    const [head = '', ...files] = part.replace(/\n\n$/, '\n').split(/^ {2}/m);
    const [, seed = '', wrong = ''] = /^(.+?): (.*)\n$/.exec(head) ?? [];
    return { wrong, mutations: files.map(mutationOf), seed: seed === '-' ? undefined : Number(seed) };
  });
