import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, onTestFinished } from 'vitest';

/** One whole request, as it was sent. */
export interface RecordedRequest {
  readonly method: string;
  /** The request target, not decoded and not normalized. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export type Reply =
  | {
      /** 200 unless given. */
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** The body: a text and bytes are sent as they are, anything else as JSON; nothing unless given. */
      readonly body?: unknown;
    }
  /** `hang`: no answer ever comes. `reset`: the connection is cut after the request was read. */
  | 'hang'
  | 'reset';

/** Decides each reply, also later; `count` is 1 for the first request. */
export type Handler = (request: RecordedRequest, count: number) => Reply | Promise<Reply>;

export type RecordingServer = Awaited<ReturnType<typeof startRecordingServer>>;

/** Tokens of `env`; a test that looks for leaks searches for these. */
export const CARDS_TOKEN = 'cards-token-of-the-test-0001';
export const CALENDAR_TOKEN = 'calendar-token-of-the-test-0002';

const ends: (() => Promise<void>)[] = [];
export async function endServers(): Promise<void> {
  const problems: unknown[] = [];
  for (const end of ends.splice(0)) await end().catch((error: unknown) => problems.push(error));
  if (problems.length > 0) throw new AggregateError(problems, problems.join('\n'));
}
afterAll(endServers);

/** Keeps a server to the end of the test file, for tests that run beside each other; what was wrong fails the file. */
export function untilFileEnds(end: () => Promise<void>): void {
  ends.push(end);
}

async function readRequest(incoming: IncomingMessage): Promise<RecordedRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(Buffer.from(part));
  const { method = '', url = '', headers } = incoming;
  return { method, url, headers, body: Buffer.concat(parts).toString('utf8') };
}

function send(reply: Reply, response: ServerResponse): void {
  if (reply === 'hang') return;
  if (reply === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const { status = 200, headers = {}, body } = reply;
  const isAsIt = typeof body === 'string' || Buffer.isBuffer(body);
  const text = body === undefined ? '' : isAsIt ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

/**
 * A real HTTP server on loopback that records what it is asked. A list of replies is a promise: the test fails
 * when a request comes too many, or a reply is left over. Call it inside a test; it is stopped when that ends. A concurrent test
 * has to give its own `onTestFinished`, or `untilFileEnds`.
 */
export async function startRecordingServer(
  script: readonly Reply[] | Handler,
  whenOver: (end: () => Promise<void>) => void = onTestFinished,
) {
  const requests: RecordedRequest[] = [];
  const faults: string[] = [];
  const replyTo = (request: RecordedRequest): Reply | Promise<Reply> => {
    if (typeof script === 'function') return script(request, requests.length);
    const reply = script[requests.length - 1];
    if (reply !== undefined) return reply;
    faults.push(`unexpected request: ${request.method} ${request.url}`);
    return { status: 501, body: 'unexpected request' };
  };
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then(
      async (request) => {
        requests.push(request);
        send(await replyTo(request), response);
      },
      // The program under test went away in the middle of its request: nothing was asked.
      () => undefined,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // listen() on a host and port gives an AddressInfo, never a pipe name.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  whenOver(async () => {
    await stop();
    const unused = typeof script === 'function' ? 0 : script.length - requests.length;
    if (unused > 0) faults.push(`${unused} replies were not asked for`);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  });
  return {
    url,
    requests: requests as readonly RecordedRequest[],
    /** `METHOD target` of every request, in order: what a test usually compares. */
    get lines(): readonly string[] {
      return requests.map((request) => `${request.method} ${request.url}`);
    },
    /** URLs and tokens for both interfaces, for the environment of the program under test. */
    env: {
      FRONTDESK_CARDS_URL: url,
      FRONTDESK_CARDS_TOKEN: CARDS_TOKEN,
      FRONTDESK_CALENDAR_URL: url,
      FRONTDESK_CALENDAR_TOKEN: CALENDAR_TOKEN,
    } as Readonly<Record<string, string>>,
    /** Stops listening and cuts what is open, so that further calls are refused. Safe to call twice. */
    stop,
  };
}

/** The same for tests that run beside each other: it is stopped when the test file ends. */
export const serve = (script: readonly Reply[] | Handler) => startRecordingServer(script, untilFileEnds);
