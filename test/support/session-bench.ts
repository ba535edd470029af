import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Context,
  isSwitchedOn,
  type OutputPort,
  type PromptPort,
  type SignalName,
  type SignalPort,
} from '../../src/base/context.ts';
import { Failure } from '../../src/base/failure.ts';
import { CallState } from '../../src/command/call-state.ts';
import type { CallValues } from '../../src/command/command.ts';
import { createSession, type Session } from '../../src/command/session.ts';
import type { CallOptions } from '../../src/input/options/call-options.ts';
import { type ResolvedProfile, resolvePreferences } from '../../src/profile/resolve.ts';
import { NO_SETTINGS } from '../../src/profile/settings.ts';
import { openPlanWriter } from '../../src/runs/plan/write-plan.ts';
import type { Operation } from '../../src/service/api/operation.ts';
import { createHttpClient } from '../../src/service/http/ongoing-call.ts';
import type { Exchange, WireRequest } from '../../src/service/wire/exchange.ts';
import { temporaryFolder } from '../unit/base/files/place.ts';
import { FakeClock } from '../unit/runs/fakes.ts';
import { answer, baseUrl, CARD_ID, card } from '../unit/service/http/fakes.ts';

const URL = 'https://api.example.com';

interface BenchOptions {
  /** Dotted path of the command. */
  readonly operation?: string;
  readonly profile?: Partial<ResolvedProfile>;
  readonly common?: Partial<Session['common']>;
  /** 1 unless given. */
  readonly concurrency?: number;
  readonly output?: Partial<Session['output']>;
  readonly env?: Context['env'];
  /** Given: a person is there, and answers each question so; called with the question. */
  readonly answer?: (question: string) => boolean;
  /** Undefined: the service does as it is asked. */
  readonly respond?: (line: string, count: number) => Exchange | undefined;
  /** Of the token; undefined: not known. */
  readonly remainingMs?: number;
  /** Stdout and stderr are a terminal. */
  readonly isTerminal?: boolean;
  /** 0.5 unless given. */
  readonly random?: number;
  /** Writes to stdout in the place of recording it. */
  readonly write?: OutputPort['write'];
}

/** Signals as the process has them: only the newest listener hears one. */
class NewestFirst implements SignalPort {
  readonly received: SignalName[] = [];
  readonly #listeners: Parameters<SignalPort['onSignal']>[0][] = [];

  get listening(): number {
    return this.#listeners.length;
  }

  onSignal(listener: Parameters<SignalPort['onSignal']>[0]): () => void {
    this.#listeners.push(listener);
    return () => void this.#listeners.splice(this.#listeners.indexOf(listener), 1);
  }

  send(signal: SignalName): void {
    this.received.push(signal);
    this.#listeners.at(-1)?.(signal, this.received.length);
  }
}

/** A session whose files are in a folder of its own, and whose service is a function. */
export interface Bench {
  readonly session: Session;
  readonly state: CallState;
  readonly clock: FakeClock;
  readonly signals: NewestFirst;
  readonly folder: string;
  /** Requests as `POST /v1/cards/…/block {"reason":"x"}`. */
  readonly sent: string[];
  readonly questions: string[];
  /** What the process was asked to do at a signal. */
  readonly asked: string[];
  readonly stdout: () => string;
  readonly stderr: () => string;
  file(name: string, text: string): string;
  /** Names of what is in a folder below `folder`; none where there is no such folder. */
  names(...below: readonly string[]): readonly string[];
  read(...below: readonly string[]): string;
  /** The same folder with another session: the next call of a person. */
  again(options: BenchOptions): Bench;
}

/** What the service answers by itself: cards read ACTIVE, and a write answers with its resource. */
function play({ target, body }: WireRequest): Exchange {
  const [, , resource = '', id = '', verb = ''] = target.split('/');
  if (resource !== 'cards') return answer(200, { id, ...(body === undefined ? {} : JSON.parse(body)) });
  return answer(200, card(verb === 'block' ? 'BLOCKED' : 'ACTIVE', { cardId: id }));
}

function recording(isTerminal: boolean) {
  const written: string[] = [];
  const port = {
    isTerminal,
    columns: isTerminal ? 100 : undefined,
    write: async (text: string) => void written.push(text),
  };
  return { port, text: () => written.join('') };
}

export function openBench(options: BenchOptions = {}, folder = temporaryFolder()): Bench {
  const clock = new FakeClock();
  const signals = new NewestFirst();
  const [stdout, stderr] = [recording(options.isTerminal === true), recording(options.isTerminal === true)];
  const [sent, questions, asked]: [string[], string[], string[]] = [[], [], []];
  const stateDir = join(folder, 'state');
  const profile: ResolvedProfile = {
    name: 'demo',
    isSandbox: false,
    stored: false,
    namedBy: undefined,
    cardsUrl: { url: URL, source: 'profile', overrides: undefined },
    calendarUrl: { url: URL, source: 'profile', overrides: undefined },
    readOnly: false,
    ...options.profile,
  };
  const permitted = new Set<string>();
  const client = createHttpClient({
    baseUrl: baseUrl(URL),
    credential: { token: async () => 'token', renew: async () => undefined },
    clock,
    random: () => 0.5,
    version: '1.2.3',
    profile: 'demo',
    namedProfile: undefined,
    stoppedBy: () => undefined,
    transport: {
      via: undefined,
      close: async () => undefined,
      async exchange(wire, { onSend }) {
        const line = `${wire.method} ${wire.target}${wire.body === undefined ? '' : ` ${wire.body}`}`;
        sent.push(line);
        const exchange = options.respond?.(line, sent.length) ?? play(wire);
        if (exchange.kind === 'reply' || exchange.sent) onSend?.();
        return exchange;
      },
    },
  });
  const confirm = async (question: string): Promise<boolean> => {
    questions.push(question);
    return options.answer?.(question) ?? false;
  };
  // No command here asks otherwise than by yes and no.
  const prompt = { available: options.answer !== undefined, confirm } as PromptPort;
  const service = {
    client: {
      call: (input: Parameters<typeof client.call>[0], how: Parameters<typeof client.call>[1]) => {
        const { effect, name } = input.operation;
        if (effect.kind === 'write' && !permitted.has(name)) throw new Error('a write that passed no guard');
        return client.call(input, how);
      },
    },
    url: URL,
    origin: URL,
    host: 'api.example.com',
    remainingMs: async () => options.remainingMs,
    useToken: () => undefined,
    checkCredential: async () => undefined,
  };
  const env = { ...options.env };
  // What the code under test asks of a context; the rest is for other commands.
  const context = {
    argv: [],
    env,
    platform: 'linux',
    user: 'ada',
    pid: process.pid,
    version: '1.2.3',
    clock,
    signals,
    random: () => options.random ?? 0.5,
    stdout: options.write === undefined ? stdout.port : { ...stdout.port, write: options.write },
    stderr: stderr.port,
    dropStalledReaders: () => void asked.push('drop stalled readers'),
    exitNow: (code: number) => void asked.push(`exit with ${code}`),
    stdin: { isTerminal: false, read: async function* () {} },
  } as unknown as Context;
  const output = {
    format: 'table',
    header: true,
    csvRaw: false,
    colour: false,
    unicode: true,
    hideSensitive: [],
    now: clock.now(),
    suggestions: { profile: undefined },
    ...options.output,
  } as const;
  const preferences = resolvePreferences({
    flags: { concurrency: options.concurrency ?? 1 },
    env: {},
    profile,
    settings: NO_SETTINGS,
  });
  const state = Object.assign(new CallState(output.format), { writes: true, maySend: true });
  const facts = {
    operation: options.operation ?? 'plan.apply',
    common: options.common ?? {},
    preferences,
    places: { configDir: join(folder, 'config'), stateDir },
    faults: [],
    canAsk: prompt.available,
    keepsHistory: isSwitchedOn(env, 'FRONTDESK_NO_HISTORY') !== true && options.common?.noHistory !== true,
    done: [],
    promptUntil: () => prompt,
    permitWrites: ({ name }: Operation) => void permitted.add(name),
    close: async () => undefined,
  };
  // Both are stored, and neither is current.
  const profiles = new Map(['demo', 'live'].map((name) => [name, {}]));
  const first = { settings: { ...NO_SETTINGS, profiles }, profile, output, choose: () => profile };
  const session = createSession(context, state, facts, first, {
    policy: { timeoutMs: 30_000, retries: 0, retryMaxTimeMs: 60_000 },
    prompt,
    listener: {},
    caller: 'command',
    service: async () => service,
  });
  return {
    session,
    state,
    clock,
    signals,
    folder,
    sent,
    questions,
    asked,
    stdout: stdout.text,
    stderr: stderr.text,
    file(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    names(...below) {
      const path = join(folder, ...below);
      mkdirSync(path, { recursive: true });
      return readdirSync(path).sort();
    },
    read: (...below) => readFileSync(join(folder, ...below), 'utf8'),
    again: (more) => openBench(more, folder),
  };
}

export const cardId = (n: number) => CARD_ID.slice(0, -4) + String(n).padStart(4, '0');

/** The rows of a plan of cards that were ACTIVE when it was made, and the fields that are sent. */
export function cardRows(count: number, fields: Readonly<Record<string, string>> = {}) {
  return Array.from({ length: count }, (_, index) => ({
    row: index + 1,
    id: cardId(index + 1),
    body: new Map(Object.entries(fields)),
    before: new Map([
      ['status', 'ACTIVE'],
      ['updatedAt', '2025-01-02T00:00:00Z'],
    ]),
    about: new Map([['clientReference', 'r-1']]),
    drift: 'checked' as const,
  }));
}

type PlanRow = Parameters<Awaited<ReturnType<typeof openPlanWriter>>['add']>[0];

/** Writes a plan that ends at 13:00 of the day that begins at 12:00; answers its path and its name. */
export async function writeTestPlan(
  bench: Bench,
  { command }: Operation,
  rows: readonly PlanRow[],
  { profile = 'demo', url = URL, name = 'p.plan' } = {},
): Promise<{ readonly path: string; readonly plan: string }> {
  const path = join(bench.folder, name);
  const times = { createdBy: 'ada', createdAt: '2026-05-01T11:00:00.000000Z', expiresAt: '2026-05-01T13:00:00.000Z' };
  const about = { operation: command, url, profile, rows: rows.length, unchanged: 0, skipped: 0, ...times };
  const writer = await openPlanWriter(path, about, process.pid);
  for (const row of rows) await writer.add(row);
  return { path, plan: (await writer.keep()).plan };
}

export async function failureOf(call: Promise<unknown>): Promise<Failure> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Failure) return error;
  throw new Error('it did not fail', { cause: error });
}

/** What a person typed: these options and ids, each as good as it is. */
export function given(options: CallOptions = {}, words: readonly string[] = []): CallValues {
  return { words, options, typed: new Set(), faults: [] };
}
