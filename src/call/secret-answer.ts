import { dirname } from 'node:path';
import { type Operation, sensitiveOf } from '../api/operation.ts';
import { problemOfOut } from '../command/out-file.ts';
import { type Context, StreamFailure } from '../context.ts';
import { Failure, type FailureDetails, note, warning, withSentence } from '../failure.ts';
import { syncFolder } from '../files/atomic.ts';
import { describeIoError, ioFailure, succeeds } from '../files/io-failure.ts';
import { createNewFile, type DropAtSignal } from '../files/new-file.ts';
import type { Answer, CallResult } from '../http/call.ts';
import { subjectOf } from '../http/facts.ts';
import { printJson } from '../json/print.ts';
import { isJson } from '../output/options.ts';
import { safeText } from '../output/text.ts';
import type { Formatted, Ports, Session } from '../session.ts';
import type { SingleCall } from './read-call.ts';

/** Does the response have members that the service gives once? */
export function givesSecrets(operation: Operation): boolean {
  return sensitiveOf(operation).length > 0;
}

/** Does stdout show them? If asked for, or in JSON without a file. */
function isShown({ output }: Formatted, operation: Operation): boolean {
  return !sensitiveOf(operation).some((name) => output.hideSensitive.includes(name));
}

/** USAGE if the secrets would go to the null device; `hint` says what keeps them. */
export function refuseNullDevice(
  { context }: Ports,
  { call }: SingleCall,
  hint = 'give --out <file>, a new file that only you can read',
): void {
  if (context.stdout.isNull !== true) return;
  const problem = `could not ${subjectOf(call)}: its result is returned only once, and stdout is the null device`;
  throw Failure.unsent('USAGE', problem, { hints: [hint] });
}

/** The file for one-time secrets; undefined: they are printed. Asks in a terminal. USAGE if they would be lost. */
export async function placeOfSecrets(session: Session, { call }: SingleCall, outPath: string | undefined) {
  const { output, prompt } = session;
  if (outPath !== undefined) return outPath;
  const what = subjectOf(call);
  if (isJson(output.format) || isShown(session, call.operation)) return undefined;
  if (!prompt.available) {
    const problem = `could not ${what}: its result is returned only once, and ${output.format} output hides it`;
    const hints = ['give --out <file>, or --show-sensitive to print it'];
    throw Failure.unsent('USAGE', `${problem}: --out or --show-sensitive is missing`, { hints });
  }
  const offered = freeName(call);
  const judge = (typed: string) => {
    if (typed === '' || typed === '-') return true;
    if (/^(?:y|n|yes|no)$/i.test(typed)) return `${typed} cannot be the file name: the yes or no comes after it`;
    return problemOfOut(typed) ?? true;
  };
  const question = `File for the secrets, which are given once (Enter = ${offered}, - = show them here)`;
  const typed = await prompt.text(question, judge);
  if (typed !== '-') return typed === '' ? offered : typed;
  session.showSensitive();
  return undefined;
}

/** A free name in this folder: `provision-7c0e1111-wallet_a.json`. */
function freeName({ operation, params }: SingleCall['call']): string {
  const wallet = operation.name.split('.').at(-1);
  const name = `provision-${params['cardId']?.slice(0, 8)}-${wallet}`;
  let path = `${name}.json`;
  for (let number = 2; problemOfOut(path) !== undefined; number += 1) path = `${name}-${number}.json`;
  return path;
}

const LOST = 'is lost, and cannot be had again';

/** Shows what could not be saved: on stdout if something of it may go there, else on a terminal. */
async function rescue({ stdout, stderr }: Context, text: string, onStdout: string | Uint8Array | undefined) {
  if (onStdout !== undefined && (await succeeds(stdout.write(onStdout)))) return 'is on stdout';
  if (stderr.isTerminal && (await succeeds(stderr.write(text)))) return 'is on stderr';
  return LOST;
}

/** What stdout gets of an unreadable response. For JSON a program gets the bytes. A terminal could obey them. */
function unreadableOnStdout(session: Session, operation: Operation, came: Uint8Array, shown: string) {
  const { isTerminal } = session.context.stdout;
  const { format, mask = (text: string) => text } = session.output;
  // Only the token of the call is masked. In Latin-1 every byte is a character, so the others stay as they are.
  if (isJson(format) && !isTerminal) return Buffer.from(mask(Buffer.from(came).toString('latin1')), 'latin1');
  return isTerminal || isShown(session, operation) ? shown : undefined;
}

/** More than any response seen so far. */
const RESERVED_BYTES = 65_536;

/** Makes the file of `--out` (0600) with room before anything is sent: a response that comes once is not lost. */
export async function createResultFile(path: string, dropAtSignal: DropAtSignal) {
  const { file, drop: discard, keep: outlive } = await createNewFile(path, dropAtSignal);
  // A disk that is nearly full takes a part of a write without an error.
  const writeAll = async (bytes: Uint8Array): Promise<void> => {
    for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten;
  };
  try {
    await file.chmod(0o600);
    await writeAll(Buffer.alloc(RESERVED_BYTES));
    await file.sync();
    await syncFolder(dirname(path));
  } catch (error) {
    await discard();
    throw ioFailure(`--out: no room for the answer in ${path}`, error, 'unsent').with({ outcome: 'not_sent' });
  }
  let isWhole = false;
  return {
    /** Does the file have the whole response? It may not be on the disk yet. */
    get isWhole() {
      return isWhole;
    },
    /** Writes the response over the reserved room. Rejects with the system's error, and leaves no part then. */
    async keep(bytes: Uint8Array): Promise<void> {
      try {
        await writeAll(bytes);
        await file.truncate(bytes.length);
        isWhole = true;
        await file.sync();
        await file.close();
      } catch (error) {
        await (isWhole ? file.close().catch(() => undefined) : discard());
        throw error;
      }
    },
    /** There is an answer for it: nothing takes the file away any more but what finds that it cannot hold it. */
    outlive,
    discard,
  };
}

/** A response with one-time secrets, from before it is sent until it is saved or shown. */
export type SecretAnswer = Awaited<ReturnType<typeof openSecretAnswer>>;

const DO_NOT_REPEAT = { asks: 'look', text: 'do not run it again. See `frontdesk history`' } as const;

/** LOCAL_IO for a change whose response could not be shown or saved; OUTCOME_UNKNOWN if its outcome is unknown too. */
export function answeredFailure(message: string, details: FailureDetails, cause: unknown): Failure {
  const code = details.outcome === 'unknown' ? 'OUTCOME_UNKNOWN' : 'LOCAL_IO';
  return new Failure(code, message, { hints: [DO_NOT_REPEAT], details, cause });
}

/** Opens the file of a response, with room for it, if it goes to one. */
export async function openSecretAnswer(
  session: Session,
  single: SingleCall,
  path: string | undefined,
  print: (answer: Answer) => Promise<void>,
) {
  const { operation } = single.call;
  const { context } = session;
  const what = subjectOf(single.call);
  const file = path === undefined ? undefined : await createResultFile(path, (drop) => session.dropAtSignal(drop));
  let bytes: Buffer | undefined;
  let isTaken = false;

  const keep = async (kept: Uint8Array, shown: string, outcome: 'applied' | 'unknown'): Promise<string> => {
    const where = `the response is in ${path}`;
    try {
      await file?.keep(kept);
    } catch (error) {
      const state = `${what}: ${outcome === 'applied' ? 'this change WAS applied' : 'a response came'}`;
      const rescued =
        file?.isWhole === true
          ? `${where}, and may not be there after a power cut`
          : `the response ${await rescue(context, shown, context.stdout.isTerminal || isShown(session, operation) ? shown : undefined)}`;
      const message = withSentence(`${state}, but ${path} could not be written: ${describeIoError(error)}`, rescued);
      throw answeredFailure(message, { outcome }, error);
    }
    await session.notify(note('SAVED', where));
    return where;
  };
  /** Saves an unreadable 2xx as it came. */
  const keepUnreadable = async (came: Buffer): Promise<string> => {
    const shown = `${came.toString('utf8').trimEnd().split('\n').map(safeText).join('\n')}\n`;
    if (file !== undefined) return keep(came, shown, 'unknown');
    const rescued = await rescue(context, shown, unreadableOnStdout(session, operation, came, shown));
    const where = `the response, as it came, ${rescued}`;
    await session.notify(warning('UNREADABLE', rescued === LOST ? `${where}. --out would have kept it` : where));
    return where;
  };
  /** Where the response went. LOCAL_IO says where else it went, or that it is lost. */
  const place = async (result: CallResult): Promise<string> => {
    if (result.kind === 'failed') {
      // An empty file says that the 2xx had no body.
      if (bytes !== undefined && (file !== undefined || bytes.length > 0)) return keepUnreadable(bytes);
      await file?.discard();
      return '';
    }
    const text = `${printJson(result.resource, { indent: 2 })}\n`;
    const where = file === undefined ? 'the response is on stdout' : await keep(Buffer.from(text), text, 'applied');
    try {
      await print(result);
    } catch (error) {
      if (!(error instanceof StreamFailure)) throw error;
      const rescued = file === undefined ? `the response ${await rescue(context, text, undefined)}` : where;
      const lost = `${what}: this change WAS applied, but its result could not be written to stdout: ${error.reason}`;
      throw answeredFailure(withSentence(lost, rescued), { outcome: 'applied' }, error);
    }
    return where;
  };
  return {
    /** Called with each 2xx body as it came. */
    onSuccess: (body: readonly Uint8Array[]): void => {
      file?.outlive();
      bytes = Buffer.concat(body);
    },
    /** Saves or shows the response. Its failure is reported once the history has the change. */
    async take(result: CallResult): Promise<{ readonly where: string; readonly failure?: Failure }> {
      isTaken = true;
      try {
        return { where: await place(result) };
      } catch (error) {
        if (error instanceof Failure) return { where: error.message, failure: error };
        throw error;
      }
    },
    /** Removes the file, unless the response was taken. */
    discard: async () => (isTaken ? undefined : file?.discard()),
  };
}
