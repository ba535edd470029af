import { expect, it } from 'vitest';
import { refused } from '../support/calls.ts';
import { runFrontdesk } from '../support/run-frontdesk.ts';
import { SAMPLE_CALLS } from '../support/sample-calls.ts';

it('frontdesk without words prints the overview on 24 rows of 80 columns and succeeds, as with --help', async () => {
  const { code, stdout, stderr } = await runFrontdesk([]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('  card block      Block gift cards (cannot be undone)\n');
  expect(stdout.indexOf('card get')).toBeLessThan(stdout.indexOf('calendar update'));
  expect(stdout).toContain('frontdesk sandbox info');
  expect(stdout).toContain('frontdesk auth login');
  for (const args of [['--help'], ['-h'], ['help']]) expect((await runFrontdesk(args)).stdout).toBe(stdout);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThan(24);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

const CARD = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';

it.each([
  'card block --help',
  'card block -h',
  `card block ${CARD} -p sandbox -yh`,
  '-qh card block',
  'help card block',
])('help of a command is the same by `%s`', async (words) => {
  const { code, stdout, stderr } = await runFrontdesk(words.split(' '));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Block gift cards \(cannot be undone\)\n\nIn a terminal, frontdesk shows the card /);
  expect(stdout).toContain('\nUsage: frontdesk card block [cardId...] [options]\n');
  expect(stdout).toContain('  # Block a lost card\n');
  expect(stdout).toMatch(/^Exit codes: [\s\S]*8 OUTCOME_UNKNOWN/m);
});

it('help exit-codes says what each exit code means, and when to run again', async () => {
  const { code, stdout } = await runFrontdesk(['help', 'exit-codes']);
  const unknown = 'no card check showed it. Run it again? no, check first 10 BAD_REPLY';
  expect([code, stdout.replaceAll(/\s+/g, ' ')]).toEqual([0, expect.stringContaining(unknown)]);
  expect(stdout).toMatch(/^ {2}0 {18}done$/m);
  expect(stdout).toMatch(/^ {2}124 TIMEOUT {8}`card wait`/m);
});

it.each([
  { argv: ['card', 'get', '--help', '--json'], command: 'card get' },
  { argv: ['help', 'card', 'get', '-o', 'json'], command: 'card get' },
])('help is JSON if JSON is asked for: $argv', async ({ argv, command }) => {
  const { code, stdout } = await runFrontdesk(argv);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ command });
});

it.each([
  [['--version', '--json'], {}, '{\n  "version": "X"\n}\n'],
  [['-o', 'ndjson', '-V'], {}, '{"version":"X"}\n'],
  [['--version'], { FRONTDESK_OUTPUT: 'json' }, 'X\n'],
  [['--version'], {}, 'X\n'],
])('the version is JSON if JSON is asked for: %j %j', async (argv, env, expected) => {
  const { code, stdout, stderr } = await runFrontdesk(argv, { env });
  const version = /\d[^"\n]*/.exec(stdout)?.[0] ?? '';
  expect([code, stdout, stderr]).toEqual([0, expected.replace('X', version), '']);
});

it('help obeys COLUMNS outside a terminal', async () => {
  const { stdout } = await runFrontdesk(['card', 'get', '--help'], { env: { COLUMNS: '60' } });
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
});

it('schema is JSON in every output format', async () => {
  for (const format of ['table', 'json', 'csv']) {
    const { code, stdout } = await runFrontdesk(['schema', '-o', format]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'frontdesk', commonOptions: expect.any(Array) });
  }
});

it('schema can be queried, printed as OpenAPI, and refuses an unknown command with the nearest one', async () => {
  expect((await runFrontdesk(['schema', '--query', 'commands[0].command'])).stdout).toBe('"card get"\n');
  const openApi = await runFrontdesk(['schema', '--openapi']);
  const paths = Object.values(SAMPLE_CALLS).map(({ endpoint }) => endpoint.split(' ')[1]);
  expect([openApi.code, Object.keys(JSON.parse(openApi.stdout).paths).sort()]).toEqual([0, paths.sort()]);
  expect(await refused(['schema', 'card', 'blok'])).toContain('did you mean `frontdesk schema card block`?');
});

const meant = (words: string) => `hint: did you mean \`frontdesk ${words}\`?`;
const HERS = ['block', CARD, '--profile', 'other', '-n', '--reason', "it's lost", '--expect=status=ACTIVE'];
const WHOLE = `card block ${CARD} --profile other -n --reason 'it'\\''s lost' --expect=status=ACTIVE`;

it.each([
  [['card', '-p', 'live', 'blok', CARD, '--reason', 'a b'], meant(`card block -p live ${CARD} --reason 'a b'`)],
  [['crad', 'gte', CARD], meant('card')],
  [['card', 'blok'], meant('card block')],
  [['--hepl'], 'hint: did you mean --help?'],
  [['card', '-q', '--jsno'], 'hint: did you mean --json?'],
  [['card', '--output'], 'hint: see `frontdesk card --help`'],
  [['block', CARD], meant(`card block ${CARD}`)],
  [['-p', 'other', 'block', CARD], meant(`card block -p other ${CARD}`)],
  [HERS, meant(WHOLE)],
  [['block', CARD, '--api-key', 'secret-of-mine', '-p', 'o', '--reason', 'x'], meant(`card block ${CARD} -p o`)],
  [['subscribers', 'list', 'secret-of-mine'], meant('calendar subscribers list')],
  [['event'], meant('calendar event')],
  [['card', 'unblock', CARD], 'hint: no command undoes `block`'],
  [['deactivate', CARD], 'hint: no command undoes `activate`'],
  [['whoami'], meant('auth status')],
  [['login'], meant('auth login')],
  [['undo'], meant('runs revert')],
  [['watch', CARD, '--status', 'BLOCKED'], meant(`card wait ${CARD} --status BLOCKED`)],
  [['version'], meant('--version')],
  [['card', 'show', CARD], meant(`card get ${CARD}`)],
  [['runs', 'view'], meant('runs show')],
  [['card', 'block', CARD, '-r', 'lost'], 'hint: did you mean --reason?'],
  [['card', 'get', CARD, '--jq', '.status'], 'hint: did you mean --query?'],
  [['card', 'get', CARD, '--template={{.status}}'], 'hint: did you mean --query?'],
  [['runs', 'list', '--format', 'json'], 'hint: did you mean --output?'],
  [['card', 'help'], meant('card --help')],
  [['calendar', 'subscribers', 'list', 'help'], meant('calendar subscribers list --help')],
  [['card', 'block', CARD, '–yes'], 'hint: write --yes'],
  [['card', 'block', CARD, '—reason', 'lost', '--yes'], 'hint: write --reason'],
  [['card', 'search', 'smith'], meant('card find')],
  [['card', 'list'], meant('card find')],
  [['-p', 'live', 'card', 'search', 'secret-of-mine'], meant('card find -p live')],
  [['runs', 'ls'], meant('runs list')],
  [['calendar', 'list'], meant('calendar subscribers list')],
])('an unknown word or option %j gets the suggestion %s', async (args, hint) => {
  const stderr = await refused(args);
  expect(stderr.split('\n')[1]).toBe(hint);
  expect(stderr).not.toContain('secret-of-mine');
});

it('the help of card says that the service has no search', async () => {
  const { stdout } = await runFrontdesk(['card', '--help']);
  expect(stdout.replaceAll('\n', ' ')).toContain('The service documents no search and no list of cards. ');
});

it('completion says how to install it, and refuses an unknown shell with the nearest one', async () => {
  expect((await runFrontdesk(['completion', '--help'])).stdout).toContain('~/.config/fish/completions/frontdesk.fish');
  const stderr = await refused(['completion', 'bsh']);
  expect(stderr).toContain('<shell>: must be one of bash, zsh, fish, powershell, not "bsh"');
  expect(stderr).toContain('did you mean bash?');
});
