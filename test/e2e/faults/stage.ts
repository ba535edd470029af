import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Behavior,
  type FaultServer,
  json,
  type RecordedRequest,
  startFaultServer,
} from '../../support/fault-server.ts';
import { plainAnswer } from '../../support/plain-service.ts';
import { createHome, type Home, type RunOptions, type RunResult, runFrontdesk } from '../../support/run-frontdesk.ts';
import { type ShellEnd, startIn } from '../../support/shell.ts';
import { findCanary } from './canary.ts';

/** The built program, for tests that start it through a shell, or what stands in for it. */
export const PROGRAM =
  process.env['FRONTDESK_TEST_PROGRAM'] ?? fileURLToPath(new URL('../../../bin/frontdesk.js', import.meta.url));

/** The planted secrets. Their characters differ when they are percent-encoded, so that every form can be told apart. */
export const CARDS_CANARY = 'fdCanary.cards+7f3a9b2c5d8e1f40/6677==';
export const CALENDAR_CANARY = 'fdCanary.calendar+0e9d8c7b6a5f4e3d/8899==';
/** A stored credential of the same imaginary user, in a profile of its own. */
export const STORED_CANARY = 'fdCanary.stored+1a2b3c4d5e6f7a8b/0011==';

const CANARIES = [CARDS_CANARY, CALENDAR_CANARY, STORED_CANARY];

/** Whether the program under test runs where files have modes; FRONTDESK_TEST_ENDED: it runs under Wine. */
export const HAS_MODES = process.platform !== 'win32' && process.env['FRONTDESK_TEST_ENDED'] === undefined;

/** `FRONTDESK_LONG=1` asks for the numbers of the goal figures; else a tenth of them, for every push. */
export const IS_LONG = process.env['FRONTDESK_LONG'] === '1';

/** Before a command of `sh`: runs it as a user for whom file modes count; empty where that is so already. */
export const AS_SOMEBODY_ELSE =
  process.getuid?.() === 0 ? 'setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all' : '';

interface StageOptions {
  /** Answers a request; undefined: as the service would. */
  readonly route?: (request: RecordedRequest, count: number) => Behavior | undefined;
  /** What a service answers with 2xx is printed as it came, but for the whole token: in another form it may be on stdout. */
  readonly printsData?: boolean;
}

/** One imaginary user and one service. Whatever happens on it, no planted token may be seen outside its store. */
export interface Stage {
  readonly home: Home;
  readonly server: FaultServer;
  /** URLs and planted tokens of both interfaces. */
  readonly env: Readonly<Record<string, string>>;
  readonly lines: readonly string[];
  /** Runs the program against the server of the stage; variables set to undefined are taken away. */
  run(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Runs a line of `sh` in which `$FD` is the program: for redirections and pipes. */
  shell(script: string, options?: { readonly env?: Readonly<Record<string, string>> }): Promise<ShellEnd>;
  /** Writes a file into the folder in which the program runs; answers its path. */
  file(name: string, content: string | Uint8Array): string;
  path(name: string): string;
}

/** Resolves as soon as the condition holds; rejects, naming it, when it does not within 50 s. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 50_000;
  while (!condition()) {
    if (performance.now() > deadlineMs) throw new Error(`${what} did not come about within 50 s`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What a service that does what it is asked answers. */
function answerAsService(request: RecordedRequest, count = 1): Behavior {
  const { method, target: url } = request;
  if (method === 'GET' && !url.startsWith('/v1/cards/')) return json(200, { object: 'list', data: [], url });
  return json(200, plainAnswer({ ...request, url }, count).body);
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Where planted tokens stand in the files of a home; only the store may hold one. */
export function leaksInFiles(home: Home): string[] {
  return listFiles(home.path)
    .filter((path) => !path.endsWith('/credentials.json') && !path.endsWith('.planted'))
    .flatMap((path) => findCanary(readFileSync(path), CANARIES).map((form) => `${path}: ${form}`));
}

/** In data a token may stand in another form than its own. */
function refuseWhole(what: string, text: string): void {
  if (findCanary(Buffer.from(text), CANARIES).some((found) => found.endsWith(', plain'))) {
    throw new Error(`a planted token was seen (plain) by ${what}`);
  }
}

function refuseLeaks(what: string, ...texts: readonly string[]): void {
  const found = texts.flatMap((text) => findCanary(Buffer.from(text), CANARIES));
  if (found.length > 0) throw new Error(`a planted token was seen (${found.join(', ')}) by ${what}`);
}

/** Builds a stage, uses it, and takes it down; fails when a planted token was seen by anybody. */
export async function onStage(play: (stage: Stage) => Promise<void>, options: StageOptions = {}): Promise<void> {
  const home = createHome();
  const server = await startFaultServer({
    route: (request, count) => options.route?.(request, count) ?? answerAsService(request, count),
  });
  const env = {
    FRONTDESK_CARDS_URL: server.url,
    FRONTDESK_CARDS_TOKEN: CARDS_CANARY,
    FRONTDESK_CALENDAR_URL: server.url,
    FRONTDESK_CALENDAR_TOKEN: CALENDAR_CANARY,
    TMPDIR: join(home.path, 'work'),
  };
  const path = (name: string) => join(home.path, 'work', name);
  const stage: Stage = {
    home,
    server,
    env,
    get lines() {
      return server.requests.map((request) => `${request.method} ${request.target}`);
    },
    async run(args, runOptions = {}) {
      refuseLeaks('argv', ...args);
      const result = await runFrontdesk(args, { home, ...runOptions, env: { ...env, ...runOptions.env } });
      (options.printsData ? refuseWhole : refuseLeaks)(`frontdesk ${args.join(' ')}`, result.stdout);
      refuseLeaks(`frontdesk ${args.join(' ')}`, result.stderr);
      return result;
    },
    async shell(script, shellOptions = {}) {
      const result = await startIn(join(home.path, 'work'), ['sh', '-c', script], {
        HOME: home.path,
        FRONTDESK_CONFIG_DIR: home.configDir,
        FRONTDESK_STATE_DIR: home.stateDir,
        FD: `${process.execPath} ${PROGRAM}`,
        ...env,
        ...shellOptions.env,
      }).ended;
      refuseLeaks(script, result.stdout, result.stderr);
      return result;
    },
    file(name, content) {
      writeFileSync(path(name), content);
      return path(name);
    },
    path,
  };
  try {
    await play(stage);
    const leaks = leaksInFiles(home);
    if (leaks.length > 0) throw new Error(`planted tokens were written to files: ${leaks.join('; ')}`);
  } finally {
    await server.close();
  }
}
