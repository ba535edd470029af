import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { REGISTRY } from '../../src/registry.ts';
import { breachesOf, type Schema } from '../support/json-schema.ts';
import { createHome, type Home, NO_PAUSE, runFrontdesk, startFrontdesk } from '../support/run-frontdesk.ts';
import { SAMPLE_CALLS, typedCall, WRITES } from '../support/sample-calls.ts';

// Everything that a command prints as JSON is held against what `frontdesk schema` says of it, and nothing more may
// be in it. The commands run for real, one after the other, in homes that each group of tests has to itself.

/** `frontdesk schema`, as far as these tests read it. */
interface Tree {
  readonly commands: readonly { readonly command: string; readonly output: Schema }[];
  readonly output: Readonly<Record<string, Schema>>;
}

let tree: Tree;
const covered = new Set<string>();

beforeAll(async () => {
  // The commands and members that the tests name are looked up, so that another shape fails where it is used.
  tree = JSON.parse((await runFrontdesk(['schema'])).stdout) as Tree;
});

function outputOf(command: string): Schema {
  const found = tree.commands.find((one) => one.command === command);
  if (found === undefined) throw new Error(`schema has no ${command}`);
  covered.add(command);
  return found.output;
}

function messageSchema(name: string): Schema {
  const found = tree.output[name];
  if (found === undefined) throw new Error(`schema has no output ${name}`);
  return found;
}

/** One imaginary user. `run` checks what a command prints, `fails` the error object, both every line on stderr. */
class Operator {
  readonly home: Home = createHome();
  readonly #env: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = env;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.home.path, 'work', name), text);
  }

  call(args: readonly string[], stdin = '') {
    return runFrontdesk([...args, '--json'], { home: this.home, env: this.#env, stdin });
  }

  async run(command: string, args: readonly string[] = [], stdin = ''): Promise<unknown> {
    const { stdout, stderr } = await this.call([...command.split(' '), ...args], stdin);
    expect(stdout, stderr).not.toBe('');
    const value: unknown = JSON.parse(stdout);
    expect({ command, args, value, breaches: breachesOf(outputOf(command), value) }).toMatchObject({ breaches: [] });
    this.#checkMessages(stderr);
    return value;
  }

  async fails(args: readonly string[], stdin = ''): Promise<readonly string[]> {
    const { code, stderr } = await this.call(args, stdin);
    expect({ args, code, stderr }).not.toMatchObject({ code: 0 });
    return this.#checkMessages(stderr);
  }

  /** Every line of stderr is one of the messages; answers their kinds. */
  #checkMessages(stderr: string): readonly string[] {
    return stderr
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const message: unknown = JSON.parse(line);
        const [kind = ''] = Object.keys(message as object);
        expect({ line, breaches: breachesOf(messageSchema(kind), message) }).toEqual({ line, breaches: [] });
        return kind;
      });
  }
}

const ACTIVE = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
const SANDBOX = { FRONTDESK_PROFILE: 'sandbox' };
const WAITING = ['4fbeb052-7396-41ce-8085-9263bed4f505', '50cfc163-84a7-42df-9196-a374cfe50606'];
const STOLEN = '1c8b7d2f-4063-4e9b-8d52-6f308ba1c202';
const NOBODYS = '00000000-0000-4000-8000-000000000000';

const operator = new Operator();
const LIVE = ['live', '--cards-url', 'https://cards.example.com'];
const GUARDS = ['--require-reason', '[A-Z]+-[0-9]+', '--require-reason-hint', 'a ticket', '--read-only', 'true'];
const TOKEN = ['-p', 'live', '--family', 'cards'];

type Call = readonly [command: string, words?: readonly string[], stdin?: string];

it.each<[string, readonly Call[]]>([
  [
    'profile commands',
    [
      ['profile set', LIVE],
      ['profile set', ['all', ...LIVE.slice(1), ...GUARDS, '--output', 'json']],
      ['profile set', ['all', '--calendar-url', 'https://calendar.example.com']],
      ['profile use', ['live']],
      ['profile show', ['all']],
      ['profile list'],
      ['profile remove', ['all', '--yes']],
    ],
  ],
  [
    'auth commands',
    [
      ['auth login', [...TOKEN, '--token-stdin'], 'a-token-of-more-than-twenty-characters\n'],
      ['auth login', [...TOKEN, '--token-command', 'echo another-token']],
      ['auth status', ['-p', 'live']],
      ['auth logout', ['-p', 'live']],
      ['auth logout', ['-p', 'live']],
      ['auth status', ['-p', 'live']],
    ],
  ],
  [
    'config commands',
    [
      ['config set', ['timeout', '45s']],
      ['config set', ['retries', '3']],
      ['config get', ['timeout']],
      ['config get', ['output']],
      ['config list'],
      ['config unset', ['timeout']],
      ['config path'],
    ],
  ],
  [
    'doctor and other local commands',
    [
      ['doctor'],
      ['doctor', ['-p', 'sandbox', '--connect']],
      ['completion', ['bash']],
      ['help', ['exit-codes']],
      ['schema', ['card', 'get']],
    ],
  ],
])('the output of %s matches its declaration', async (_what, calls) => {
  for (const call of calls) await operator.run(...call);
});

describe('what is printed of cards and calendars is as declared', () => {
  const operator = new Operator(SANDBOX);

  it.each(WRITES)('the dry run of %s matches its declaration', async (name) => {
    const { command } = SAMPLE_CALLS[name];
    await operator.run(command, [...typedCall(name).slice(command.split(' ').length), '--dry-run']);
  });

  it('the output of single calls and of history matches its declaration', async () => {
    await operator.run('card get', [ACTIVE]);
    await operator.run('card get', WAITING);
    await operator.run('card block', [ACTIVE, '--dry-run']);
    await operator.run('card block', [ACTIVE, '--yes', '--reason', 'lost']);
    await operator.run('card wait', [ACTIVE, '--status', 'BLOCKED']);
    await operator.run('card find', [ACTIVE]);
    await operator.run('card reissue', [ACTIVE, '--yes']);
    await operator.run('card provision', [STOLEN, '--wallet', 'wallet_b']);
    await operator.run('api', ['GET', `/v1/cards/${ACTIVE}`]);
    const entries = (await operator.run('history list')) as readonly { readonly entry: string }[];
    await operator.run('history show', [entries[0]?.entry ?? '']);
    await operator.run('history prune', ['--older-than', '90d', '--yes']);
  });

  it('the output of runs matches its declaration', async () => {
    await operator.run('card activate', [...WAITING, '--yes', '--dry-run']);
    await operator.run('card activate', [...WAITING, '--yes']);
    await operator.run('runs list');
    await operator.run('runs show', ['--last']);
    await operator.run('runs results', ['--last']);
    await operator.run('runs resume', ['--last']);
    await operator.run('runs report', ['--last', '--as', 'junit']);
    const runs = (await operator.run('runs list')) as readonly { readonly run: string }[];
    await operator.run('runs remove', [runs[0]?.run ?? '', '--yes']);
  });

  it('the output of calendar commands matches its declaration', async () => {
    await operator.run('calendar update', ['cal_tea_ceremony', '--name', 'Tea']);
    await operator.run('calendar update', ['cal_tea_ceremony', '--name', 'Tea', '--dry-run']);
    const event = ['--calendar', 'cal_tea_ceremony', '--name', 'Tasting', '--start', '2027-01-02'];
    await operator.run('calendar event create', event);
    await operator.run('calendar subscribers list', ['cal_harbour_tours']);
  });

  it('the output of runs revert matches its declaration', async () => {
    const list = ['calendar', 'subscribers', 'list', 'cal_harbour_tours', '--active', 'all', '--limit', '100'];
    const { stdout } = await runFrontdesk([...list, '-o', 'csv'], { home: operator.home, env: SANDBOX });
    operator.write('old.csv', stdout);
    operator.write('new.csv', stdout.replace('@', '@new.'));
    const files = ['--from', 'new.csv', '--changed-from', 'old.csv'];
    await operator.run('calendar subscribers update', [...files, '--plan', 'changes.plan']);
    await operator.run('plan show', ['changes.plan']);
    await operator.run('calendar subscribers update', [...files, '--yes']);
    await operator.run('runs revert', ['--last', '--plan', 'back.plan']);
  });

  it('the output of plan commands matches its declaration', async () => {
    const plan = ['--plan', 'stolen.plan'];
    const ids = ['--from', '-', '--from-format', 'ids'];
    await operator.run('card block', [...ids, ...plan], `${STOLEN}\n`);
    await operator.run('plan show', ['stolen.plan']);
    await operator.run('plan apply', ['stolen.plan', '--dry-run']);
    await operator.run('plan apply', ['stolen.plan', '--yes']);
    await operator.run('plan apply', ['stolen.plan', '--yes']);
    await operator.run('plan show', ['stolen.plan']);
  });
});

describe('what the sandbox prints is as declared', () => {
  const operator = new Operator();

  it('the output of sandbox info and reset matches its declaration', async () => {
    await operator.run('sandbox info');
    await operator.run('sandbox reset');
  });

  it('the output of sandbox serve matches its declaration', async () => {
    const serving = startFrontdesk(['sandbox', 'serve', '--json'], { home: operator.home });
    await serving.waitForOutput('calendarToken');
    const value: unknown = JSON.parse(serving.output().stdout);
    serving.child.kill('SIGTERM');
    await serving.result;
    expect(breachesOf(outputOf('sandbox serve'), value)).toEqual([]);
  });
});

describe('what is printed of failures is as declared', () => {
  const operator = new Operator(SANDBOX);

  it('the errors of calls that are refused here or by the service match their declaration', async () => {
    expect(await operator.fails(['card', 'get', 'no-id'])).toEqual(['error']);
    for (const args of [
      ['card', 'get', NOBODYS],
      ['card', 'provision', WAITING[0] ?? '', '--wallet', 'wallet_a'],
      ['card', 'block', ACTIVE, '--yes', '--expect', 'status=EXPIRED'],
      ['card', 'wait', ACTIVE, '--status', 'EXPIRED', '--timeout', '1ms'],
    ]) {
      expect(await operator.fails(args)).toContain('error');
    }
  });

  it('the rows and the summary of a run match their declaration', async () => {
    const ids = [NOBODYS, ACTIVE];
    expect(await operator.fails(['card', 'get', ...ids])).toContain('summary');
    const { stdout, code } = await operator.call(['card', 'block', ...ids, '--yes']);
    expect([code, breachesOf(outputOf('card block'), JSON.parse(stdout))]).toEqual([15, []]);
    await operator.run('runs results', ['--last']);
    await operator.run('runs report', ['--last', '--as', 'html']);
  });

  it('the error of an unknown outcome matches its declaration', async () => {
    const faults = ['--fault', 'POST /reissue:500', '--fault', 'POST /block:500'];
    const serving = startFrontdesk(['sandbox', 'serve', '--json', ...faults], { home: operator.home });
    await serving.waitForOutput('calendarToken');
    const { url, cardsToken } = JSON.parse(serving.output().stdout) as { url: string; cardsToken: string };
    const other = new Operator({ FRONTDESK_CARDS_URL: url, FRONTDESK_CARDS_TOKEN: cardsToken, ...NO_PAUSE });
    expect(await other.fails(['card', 'reissue', ACTIVE, '--yes'])).toContain('error');
    expect(await other.fails(['card', 'block', ACTIVE, '--yes'])).toContain('error');
    await other.run('history list');
    const [newest] = (await other.run('history list', ['--open'])) as { readonly entry: string }[];
    await other.run('history resolve', [newest?.entry ?? '', '--as', 'not_applied', '--note', 'the provider says so']);
    await other.run('history resolve', [newest?.entry ?? '', '--as', 'applied', '--result-id', ACTIVE]);
    await other.fails(['card', 'block', ACTIVE, '--yes']);
    expect(await other.run('history reconcile')).toMatchObject([
      { operation: 'card.block', outcome: 'unknown' },
      { operation: 'card.reissue', outcome: 'unknown' },
    ]);
    serving.child.kill('SIGTERM');
    await serving.result;
  });
});

/** They speak no JSON of their own. */
const CONVERSATIONS = ['mcp', 'desk'];

it('the output of every command is compared with its declaration', () => {
  const names = REGISTRY.entries.map(({ path }) => path.join(' '));
  expect(names.filter((name) => !covered.has(name))).toEqual(CONVERSATIONS);
});
