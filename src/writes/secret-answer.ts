import { isUtf8 } from 'node:buffer';
import { dirname } from 'node:path';
import { type Context, StreamFailure } from '../base/context.ts';
import { Failure, note, warning } from '../base/failure.ts';
import { syncFolder } from '../base/files/atomic.ts';
import { describeIoError, ioFailure, succeeds } from '../base/files/io-failure.ts';
import { createNewFile, type DropAtSignal, isStillNamed, writeBeside } from '../base/files/new-file.ts';
import { printJson } from '../base/json/print.ts';
import { problemOfOut } from '../command/out-file.ts';
import type { Formatted, Ports, Session } from '../command/session.ts';
import { isJson } from '../screen/options.ts';
import { safeText } from '../screen/text.ts';
import { type Operation, sensitiveOf } from '../service/api/operation.ts';
import type { Answer, CallResult } from '../service/http/call.ts';
import { subjectOf } from '../service/http/facts.ts';
import { type Delivered, deliver, type SavedResponse } from './deliver.ts';
import type { Write } from './judge.ts';

/** Does stdout show them? If asked for, or in JSON without a file. */
function isShown({ output }: Formatted, operation: Operation): boolean {
  return !sensitiveOf(operation).some((name) => output.hideSensitive.includes(name));
}

/** USAGE if the secrets would go to the null device. */
function refuseNullDevice({ context }: Ports, { call }: Write): void {
  if (context.stdout.isNull !== true) return;
  const problem = `could not ${subjectOf(call)}: its result is returned only once, and stdout is the null device`;
  throw Failure.unsent('USAGE', problem, { hints: ['give --out <file>, a new file that only you can read'] });
}

/** The file for one-time secrets; undefined: they are printed. Asks in a terminal. USAGE if they would be lost. */
async function placeOfSecrets(session: Session, { call }: Write, outPath: string | undefined) {
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
function freeName({ operation, params }: Write['call']): string {
  const wallet = operation.name.split('.').at(-1);
  const name = `provision-${params['cardId']?.slice(0, 8)}-${wallet}`;
  let path = `${name}.json`;
  for (let number = 2; problemOfOut(path) !== undefined; number += 1) path = `${name}-${number}.json`;
  return path;
}

const ON_STDOUT = 'is on stdout';
const LOST = 'is lost, and cannot be retrieved again';

/** Shows what could not be saved: on stdout if something of it may go there, else on a terminal. */
async function rescue({ stdout, stderr }: Context, text: string, onStdout: string | undefined) {
  if (onStdout !== undefined && (await succeeds(stdout.write(onStdout)))) return ON_STDOUT;
  if (stderr.isTerminal && (await succeeds(stderr.write(text)))) return 'is on stderr';
  return LOST;
}

/** What stdout gets of an unreadable response: in the JSON modes one JSON string, so that stdout stays JSON. */
function unreadableOnStdout(session: Session, operation: Operation, came: Buffer, shown: string) {
  if (isJson(session.output.format)) return `${printJson(came.toString(isUtf8(came) ? 'utf8' : 'base64'))}\n`;
  return session.context.stdout.isTerminal || isShown(session, operation) ? shown : undefined;
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
  let isMoved = false;
  return {
    /** Does the file have the whole response? It may not be on the disk yet. */
    get isWhole() {
      return isWhole;
    },
    /** Was it moved, so that nothing here tells where the whole response is? */
    get isMoved() {
      return isMoved;
    },
    /**
     * Writes the response over the reserved room. Returns the name of its file: if somebody took the name away
     * meanwhile, the file is made again. Rejects with the system's error, and leaves no part then.
     */
    async keep(bytes: Uint8Array): Promise<string> {
      try {
        await writeAll(bytes);
        await file.truncate(bytes.length);
        const isNamed = await isStillNamed(file, path);
        isMoved = !isNamed && (await file.stat()).nlink > 0;
        isWhole = isMoved;
        const name = isNamed ? path : await writeBeside(path, bytes);
        [isWhole, isMoved] = [true, false];
        if (isNamed) await file.sync();
        await file.close();
        return name;
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

/** Opens the file of a response, with room for it, if it goes to one. */
async function openSecretAnswer(
  session: Session,
  single: Write,
  path: string | undefined,
  print: (answer: Answer) => Promise<void>,
) {
  const { operation } = single.call;
  const { context } = session;
  const file = path === undefined ? undefined : await createResultFile(path, (drop) => session.dropAtSignal(drop));
  let bytes: Buffer | undefined;
  let isSaved = false;

  const keep = async (kept: Uint8Array, shown: string): Promise<SavedResponse> => {
    let where = `is in ${path}`;
    try {
      const name = await file?.keep(kept);
      if (name !== path) where = `is in ${name}: ${path} was replaced by another file`;
    } catch (error) {
      const onStdout = context.stdout.isTerminal || isShown(session, operation) ? shown : undefined;
      if (file?.isMoved === true) where = `is in the file that was ${path} and was moved meanwhile`;
      const rescued =
        file?.isWhole === true
          ? `${where}, and may not be there after a power cut`
          : await rescue(context, shown, onStdout);
      return { where: rescued, problem: `${path} could not be written: ${describeIoError(error)}`, cause: error };
    }
    await session.notify(note('SAVED', `the response ${where}`));
    return { where };
  };
  const keepUnreadable = async (came: Buffer): Promise<SavedResponse> => {
    const shown = `${came.toString('utf8').trimEnd().split('\n').map(safeText).join('\n')}\n`;
    if (file !== undefined) return keep(came, shown);
    const rescued = await rescue(context, shown, unreadableOnStdout(session, operation, came, shown));
    const isEncoded = rescued === ON_STDOUT && isJson(session.output.format) && !isUtf8(came);
    const message = `the response, as it came, ${rescued}${isEncoded ? ' in base64, because it is not UTF-8 text' : ''}`;
    await session.notify(warning('UNREADABLE', rescued === LOST ? `${message}. --out would have kept it` : message));
    return { where: rescued };
  };
  const place = async (result: CallResult): Promise<SavedResponse> => {
    if (result.kind === 'failed') {
      // An empty file says that the 2xx had no body.
      if (bytes !== undefined && (file !== undefined || bytes.length > 0)) return keepUnreadable(bytes);
      await file?.discard();
      return {};
    }
    const text = `${printJson(result.resource, { indent: 2 })}\n`;
    const saved = file === undefined ? { where: 'is on stdout' } : await keep(Buffer.from(text), text);
    if (saved.problem !== undefined) return saved;
    try {
      await print(result);
    } catch (error) {
      if (!(error instanceof StreamFailure)) throw error;
      const where = file === undefined ? await rescue(context, text, undefined) : saved.where;
      return { where, problem: `its result could not be written to stdout: ${error.reason}`, cause: error };
    }
    return saved;
  };
  return {
    /** Called with each 2xx body as it came. */
    onSuccess: (body: readonly Uint8Array[]): void => {
      file?.outlive();
      bytes = Buffer.concat(body);
    },
    /** Saves or shows the response. What fails is reported once the history has the change. */
    save(result: CallResult): Promise<SavedResponse> {
      isSaved = true;
      return place(result);
    },
    /** Removes the file, unless the response was taken. */
    discard: async () => (isSaved ? undefined : file?.discard()),
  };
}

/** How a change is sent whose response is given once. USAGE if it would be lost. `print`: hides these members. */
export function secretDelivery(
  session: Session,
  wanted: Write,
  outPath: string | undefined,
  print: (answer: Answer, hidden: readonly string[]) => Promise<void>,
) {
  if (outPath === undefined) refuseNullDevice(session, wanted);
  let path: string | undefined;
  return {
    /** Finds out where the secrets go; may ask. */
    async place(): Promise<void> {
      path = await placeOfSecrets(session, wanted, outPath);
    },
    send(write: Write): Promise<Delivered> {
      const { format, hideSensitive } = session.output;
      // With --out only the file has the secrets. The renderer hides the rest.
      const isHidden = (name: string) => path !== undefined && isJson(format) && hideSensitive.includes(name);
      const hidden = sensitiveOf(write.call.operation).filter(isHidden);
      return deliverSecret(session, write, path, (answer) => print(answer, hidden));
    },
  };
}

/** One change whose response is given once: it is kept, whatever happens to history and stdout. */
async function deliverSecret(
  session: Session,
  write: Write,
  path: string | undefined,
  print: (answer: Answer) => Promise<void>,
): Promise<Delivered> {
  const secret = await openSecretAnswer(session, write, path, print);
  try {
    return await deliver(session, write, { secret });
  } finally {
    await secret.discard();
  }
}
