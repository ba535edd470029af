import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Handler, startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// Contract section 1: what is sent, what is refused before anything is sent, and the guard of --expect.

const OTHER_ID = '11111111-2222-3333-4444-555555555555';

/** Answers as the service does, and repeats in the answer the id that was asked for. */
const service: Handler = ({ url, body }) => {
  const [, , kind, id = ''] = url.split(/[/?]/);
  if (url.includes('/provision/wallet_a')) return { body: '{"encryptedPaymentInstrument":"epi"}' };
  if (url.includes('/provision/')) {
    return { body: '{"primaryAccountNumberPrefix":"9","activationData":"ad","authenticationData":"au"}' };
  }
  if (kind === 'cards') return { body: cardText('ACTIVE', id) };
  if (kind === 'events') return { body: { id: 'evt_1', object: 'event', ...JSON.parse(body) } };
  if (url.endsWith('/subscribers')) return { body: { object: 'list', data: [] } };
  if (kind === 'subscribers') return { body: { id: decodeURIComponent(id), object: 'subscriber' } };
  return { body: { id: decodeURIComponent(id), object: 'calendar' } };
};

const EVENT = ['calendar', 'event', 'create', '--calendar', 'cal_1', '--name', 'n'];

describe('request bodies hold exactly the fields that were given, under the API’s own names', () => {
  test.each<[string, readonly string[], string, string]>([
    ['activate sends no body', ['card', 'activate', CARD_ID], `/v1/cards/${CARD_ID}/activate`, ''],
    ['block sends {} when no field is given', ['card', 'block', CARD_ID, '-y'], `/v1/cards/${CARD_ID}/block`, '{}'],
    [
      'an empty reason is sent',
      ['card', 'block', CARD_ID, '-y', '--reason', ''],
      `/v1/cards/${CARD_ID}/block`,
      '{"reason":""}',
    ],
    ['reissue sends {}', ['card', 'reissue', CARD_ID, '-y'], `/v1/cards/${CARD_ID}/reissue`, '{}'],
    [
      'provision sends {}',
      ['card', 'provision', CARD_ID, '--wallet', 'wallet_a'],
      `/v1/cards/${CARD_ID}/provision/wallet_a`,
      '{}',
    ],
    [
      'provision sends the three fields of the API',
      [
        ...['card', 'provision', CARD_ID, '--wallet', 'wallet_b', '--client-device-id', 'd'],
        ...['--client-wallet-provider', '', '--client-wallet-account-id', 'a'],
      ],
      `/v1/cards/${CARD_ID}/provision/wallet_b`,
      '{"clientDeviceID":"d","clientWalletProvider":"","clientWalletAccountID":"a"}',
    ],
    [
      'a calendar keeps empty texts',
      [
        'calendar',
        'update',
        'cal_1',
        '--name',
        '',
        '--description',
        '',
        '--url',
        '',
        '--image',
        '',
        '--active',
        'false',
      ],
      '/v1/calendars/cal_1',
      '{"name":"","description":"","image":"","url":"","active":false}',
    ],
    [
      'a subscriber has first_name and last_name',
      ['calendar', 'subscribers', 'update', 'sub_1', '--first-name', 'A', '--last-name', '', '--email', 'no address'],
      '/v1/subscribers/sub_1',
      '{"email":"no address","first_name":"A","last_name":""}',
    ],
    [
      '--no-url is null',
      [...EVENT, '--start', '2026-05-01', '--no-url'],
      '/v1/events',
      '{"calendar":"cal_1","name":"n","start":"2026-05-01","url":null}',
    ],
    [
      'an empty --url is the empty text',
      [...EVENT, '--start', '2026-05-01', '--url', ''],
      '/v1/events',
      '{"calendar":"cal_1","name":"n","start":"2026-05-01","url":""}',
    ],
  ])('%s', async (_, args, target, body) => {
    const server = await startRecordingServer(service);
    // An answer that is given once is asked for in full.
    const shown = args.includes('provision') ? ['--show-sensitive'] : [];
    const result = await runFrontdesk([...args, ...shown], { env: server.env });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(server.lines).toEqual([`POST ${target}`]);
    const [request] = server.requests;
    expect(request?.body === '' ? '' : JSON.parse(request?.body ?? '')).toEqual(body === '' ? '' : JSON.parse(body));
    expect(request?.headers['content-type']).toBe(body === '' ? undefined : 'application/json');
  });

  test('texts that the spec limits only in responses are sent at any length', async () => {
    const server = await startRecordingServer(service);
    const long = 'é'.repeat(6000);
    const args = ['calendar', 'subscribers', 'update', 's', '--email', long, '--first-name', long, '--last-name', long];
    expect((await runFrontdesk(args, { env: server.env })).code).toBe(0);
    const image = `https://i.example/${'p'.repeat(6000)}`;
    expect((await runFrontdesk(['calendar', 'update', 'c', '--image', image], { env: server.env })).code).toBe(0);
    expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([
      { email: long, first_name: long, last_name: long },
      { image },
    ]);
  });
});

describe('--description-file sends the file’s text exactly', () => {
  test.each([
    ['line breaks at its end', 'a\nb\r\n\n'],
    ['a byte order mark', '\ufefftext'],
    ['an empty file', ''],
  ])('%s', async (_, text) => {
    const server = await startRecordingServer(service);
    const home = createHome();
    writeFileSync(join(home.path, 'work', 'd.txt'), text);
    const fromFile = ['calendar', 'update', 'c', '--description-file', 'd.txt'];
    expect((await runFrontdesk(fromFile, { env: server.env, home })).code).toBe(0);
    const fromStdin = [...EVENT, '--start', '2026-05-01', '--description-file', '-'];
    expect((await runFrontdesk(fromStdin, { env: server.env, stdin: text })).code).toBe(0);
    expect(server.requests.map(({ body }) => JSON.parse(body).description)).toEqual([text, text]);
  });
});

describe('ids are percent-encoded as one path segment: the path decodes back to the id, byte for byte', () => {
  const encoded = [
    ['a/b', 'a%2Fb'],
    ['%2F', '%252F'],
    ['%', '%25'],
    ['a b?c#d', 'a%20b%3Fc%23d'],
    ['é😀', '%C3%A9%F0%9F%98%80'],
    ['...', '...'],
    ['a;b=c,d+e&f', 'a%3Bb%3Dc%2Cd%2Be%26f'],
    ['x'.repeat(5000), 'x'.repeat(5000)],
  ] as const;
  test.each(encoded.map(([id, segment]) => [id.slice(0, 20), id, segment] as const))('%s', async (_, id, segment) => {
    const server = await startRecordingServer(service);
    const update = await runFrontdesk(['calendar', 'update', '--name', 'n', '--', id], { env: server.env });
    expect(update).toMatchObject({ code: 0 });
    const list = await runFrontdesk(['calendar', 'subscribers', 'list', id], { env: server.env });
    expect(list).toMatchObject({ code: 0 });
    expect(server.lines[0]).toBe(`POST /v1/calendars/${segment}`);
    expect(server.lines[1]).toBe(`GET /v1/calendars/${segment}/subscribers`);
  });

  test('any UUID variant is a card id, and its case is kept', async () => {
    const server = await startRecordingServer(service);
    const id = 'FFFFFFFF-0000-0aBc-0000-00000000000f';
    expect((await runFrontdesk(['card', 'get', id], { env: server.env })).code).toBe(0);
    expect(server.lines).toEqual([`GET /v1/cards/${id}`]);
  });

  test('what stands after -- is a value', async () => {
    const server = await startRecordingServer(service);
    expect((await runFrontdesk(['calendar', 'update', '--name', 'x', '--', '--json'], { env: server.env })).code).toBe(
      0,
    );
    expect(server.lines).toEqual(['POST /v1/calendars/--json']);
  });
});

describe('refused before anything is sent, exit 2, naming the field, the limit and what was given', () => {
  const calendar = (...args: string[]) => ['calendar', 'update', 'cal_1', ...args];
  const list = (...args: string[]) => ['calendar', 'subscribers', 'list', 'cal_1', ...args];
  const event = (...args: string[]) => [...EVENT, '--start', '2026-05-01', ...args];
  const refused: readonly [readonly string[], ...string[]][] = [
    [['card', 'get', 'abc'], '<cardId>', 'is not a card ID', '"abc"'],
    [['card', 'get', `${CARD_ID}0`], '<cardId>', 'is not a card ID'],
    [['card', 'get', CARD_ID.replaceAll('-', '')], '<cardId>', `did you mean ${CARD_ID}?`],
    [['card', 'get', CARD_ID, 'g'], 'cardId', '"g"'],
    [['card', 'block', '', '-y'], '<cardId>'],
    [['card', 'get'], '<cardId>', 'is required'],
    [['calendar', 'update', '', '--name', 'n'], '<calendarId>', 'empty'],
    [['calendar', 'update', '.', '--name', 'n'], '<calendarId>', '"."'],
    [['calendar', 'update', '..', '--name', 'n'], '<calendarId>', '".."'],
    [['calendar', 'update', 'a\tb', '--name', 'n'], '<calendarId>', 'control character', '"a\\tb"'],
    [['calendar', 'update', 'a\u0085b', '--name', 'n'], '<calendarId>', 'control character'],
    [['calendar', 'update', 'é'.repeat(5001), '--name', 'n'], '<calendarId>', '5001', '5000'],
    [['calendar', 'subscribers', 'list', '..'], '<calendarId>'],
    [['calendar', 'subscribers', 'update', '', '--email', 'e'], '<subscriberId>'],
    [['calendar', 'event', 'create', '--calendar', '', '--name', 'n', '--start', '2026-05-01'], '--calendar', 'empty'],
    [calendar('--name', '😀'.repeat(5001)), '--name', '5001', '5000'],
    [calendar('--description', 'x'.repeat(40_001)), '--description', '40001', '40000'],
    [calendar('--url', `http://e.example/${'x'.repeat(2032)}`), '--url', '2049', '2048'],
    [calendar('--url', 'ftp://e.example'), '--url', 'http', '"ftp://e.example"'],
    [calendar('--url', 'javascript:alert(1)'), '--url'],
    [calendar('--image', 'image.png'), '--image', '"image.png"'],
    [calendar('--active', 'yes'), '--active', 'true or false', '"yes"'],
    [calendar(), 'nothing to change'],
    [['calendar', 'subscribers', 'update', 'sub_1'], 'nothing to change'],
    [calendar('--description', 'a', '--description-file', '-'), '--description and --description-file'],
    [calendar('--description-file', 'missing.txt'), '--description-file', '"missing.txt"'],
    [event('--url', 'http://e.example', '--no-url'), '--url and --no-url'],
    [event('--location', 'x'.repeat(5001)), '--location', '5001', '5000'],
    [event('--end', '2026-04-30'), '--end', '"2026-04-30"', '2026-05-01'],
    [[...EVENT, '--start', '2026-02-30'], '--start', '"2026-02-30"'],
    [[...EVENT, '--start', '2026-05'], '--start', '"2026-05"'],
    [[...EVENT, '--start', '1.5.2026'], '--start', '"1.5.2026"'],
    [EVENT, '--start', 'is required'],
    [list('--limit', '0'), '--limit', '1 to 100', '0'],
    [list('--limit', '101'), '--limit', '1 to 100', '101'],
    [list('--limit', '1e1'), '--limit', '"1e1"'],
    [list('--limit', '5.0'), '--limit', '"5.0"'],
    [list('--limit', ' 5'), '--limit', '" 5"'],
    [list('--limit', ''), '--limit'],
    [list('--active', 'TRUE'), '--active', 'did you mean true?'],
    [['card', 'provision', CARD_ID], '--wallet', 'wallet_a or wallet_b'],
    [['card', 'provision', CARD_ID, '--wallet', 'wallet_c'], '--wallet', '"wallet_c"'],
    [['card', 'block', CARD_ID], '--yes'],
    [['card', 'reissue', CARD_ID, '--no-input'], '--yes'],
    [['card', 'activate', CARD_ID, OTHER_ID], '--yes'],
    [['card', 'block', CARD_ID, '-y', '--expect', 'statsu=ACTIVE'], '--expect', '"statsu"', 'did you mean status?'],
    [['card', 'block', CARD_ID, '-y', '--expect', 'status'], '--expect', 'status=<value>'],
  ];
  const titled = refused.map(([args, ...told]) => [args.map((arg) => arg.slice(0, 40)).join(' '), args, told] as const);
  test.each(titled)('%s', async (_, args, told) => {
    const server = await startRecordingServer([]);
    const { code, stdout, stderr } = await runFrontdesk(args, { env: server.env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^frontdesk: /);
    for (const text of told) expect(stderr).toContain(text);
    expect(server.lines).toEqual([]);
  });

  test('--out onto a file that exists', async () => {
    const server = await startRecordingServer([]);
    const home = createHome();
    writeFileSync(join(home.path, 'work', 'there.json'), 'mine');
    const args = ['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--out', 'there.json'];
    const { code, stdout, stderr } = await runFrontdesk(args, { env: server.env, home });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--out: "there.json" exists');
    expect(server.lines).toEqual([]);
  });

  test.each(['', '-'])('--out "%s" is no file', async (path) => {
    const server = await startRecordingServer([]);
    const args = ['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--out', path];
    const { code, stdout, stderr } = await runFrontdesk(args, { env: server.env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--out: must be a new file');
    expect(server.lines).toEqual([]);
  });

  test('all faults of one call are reported together', async () => {
    const server = await startRecordingServer([]);
    const args = [
      'calendar',
      'event',
      'create',
      '--calendar',
      '..',
      '--name',
      'n'.repeat(5001),
      '--start',
      '2026-05-02',
    ];
    const rest = ['--end', '2026-05-01', '--url', 'x', '--active', 'no', '--timeout', '0', '--query', '[', '-o', 'jsn'];
    const { code, stderr } = await runFrontdesk([...args, ...rest], { env: server.env });
    expect(code).toBe(2);
    for (const flag of ['calendar', 'name', 'end', 'url', 'active', 'timeout', 'query', 'output']) {
      expect(stderr).toContain(`--${flag}`);
    }
    expect(stderr.split('\n').filter((line) => line.startsWith('hint: ')).length).toBeLessThanOrEqual(2);
    const empty = await runFrontdesk(['calendar', 'update', ''], { env: server.env });
    expect(empty.stderr).toContain('\n  <calendarId>: is empty\n  calendar update: nothing to change');
  });
});

describe('any ISO 8601 form that names a day is a date, sent exactly as typed', () => {
  test.each([
    '2026-05-01',
    '20260501',
    '2026-W18-5',
    '2026W185',
    '2026-121',
    '2026121',
    '2026-05-01T18',
    '2026-05-01T18:30',
    '20260501T1830',
    '2026-05-01T18:30:00.5+02:00',
    '2026-05-01T18:30:00,25Z',
    '2026-05-01T24:00',
    '2026-12-31T23:59:60Z',
  ])('%s', async (start) => {
    const server = await startRecordingServer(service);
    expect((await runFrontdesk([...EVENT, '--start', start], { env: server.env })).code).toBe(0);
    expect(JSON.parse(server.requests[0]?.body ?? '').start).toBe(start);
  });

  test('an --end is refused only when it is before the start whatever the zones were', async () => {
    const server = await startRecordingServer(service);
    const code = async (start: string, end: string) =>
      (await runFrontdesk([...EVENT, '--start', start, '--end', end], { env: server.env })).code;
    expect(await code('2026-05-01T10:00Z', '2026-05-01T09:00')).toBe(0);
    expect(await code('2026-05-01T10:00+02:00', '2026-05-01T09:00Z')).toBe(0);
    expect(await code('2026-05-01T10:00', '2026-05-01')).toBe(0);
    expect(server.requests.length).toBe(3);
    expect(await code('2026-05-01T10:00Z', '2026-05-01T11:00+02:00')).toBe(2);
    expect(await code('2026-05-03T10:00Z', '2026-05-01T09:00')).toBe(2);
    expect(server.requests.length).toBe(3);
  });
});

describe('--expect reads the card first and sends nothing unless the field has that value', () => {
  const block = (...expectations: string[]) => [
    ...['card', 'block', CARD_ID, '-y'],
    ...expectations.flatMap((text) => ['--expect', text]),
  ];
  test.each([
    [['status=ACTIVE']],
    [['clientReference=order-1', 'metadata.store=Bergen']],
    [['currentBalance=10.1']],
    [['cancelledAt=']],
  ])('%j holds', async (expectations) => {
    const server = await startRecordingServer(service);
    expect((await runFrontdesk(block(...expectations), { env: server.env })).code).toBe(0);
    expect(server.lines).toEqual([`GET /v1/cards/${CARD_ID}`, `POST /v1/cards/${CARD_ID}/block`]);
  });

  test.each([['clientReference=order-2'], ['metadata.unknown=x'], ['currentBalance=10.11'], ['status=active']])(
    '%s does not hold: exit 17',
    async (expectation) => {
      const server = await startRecordingServer(service);
      const { code, stdout, stderr } = await runFrontdesk(block('status=ACTIVE', expectation), { env: server.env });
      expect({ code, stdout }).toEqual({ code: 17, stdout: '' });
      expect(stderr).toContain(expectation.split('=')[0]);
      expect(server.lines).toEqual([`GET /v1/cards/${CARD_ID}`]);
    },
  );

  test.each([
    [404, 3],
    [401, 4],
    [403, 5],
    [400, 6],
    [500, 10],
    [429, 11],
  ])('a card that cannot be read (%i) is that read’s own code %i', async (status, code) => {
    const server = await startRecordingServer([{ status, body: {} }]);
    const args = [...block('status=ACTIVE'), '--retries', '0', '--json'];
    const result = await runFrontdesk(args, { env: server.env });
    expect(result).toMatchObject({ code, stdout: '' });
    expect(JSON.parse(result.stderr).error).toMatchObject({
      exitCode: code,
      operation: 'card.block',
      outcome: 'not_sent',
    });
  });
});

describe('provision --out', () => {
  test('makes a new 0600 file, writes the json to it and hides the fields on stdout in every format', async () => {
    const server = await startRecordingServer(service);
    const home = createHome();
    const path = (name: string) => join(home.path, 'work', name);
    const run = (name: string, ...more: string[]) =>
      runFrontdesk(['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--out', name, ...more], {
        env: server.env,
        home,
      });
    expect((await run('a', '--json')).stdout).toBe('{\n  "encryptedPaymentInstrument": "<hidden, 3 characters>"\n}\n');
    expect((await run('b', '-o', 'ndjson')).stdout).toBe('{"encryptedPaymentInstrument":"<hidden, 3 characters>"}\n');
    expect((await run('c')).stdout).toBe('ENCRYPTED PAYMENT INSTRUMENT\n<hidden, 3 characters>\n');
    expect((await run('d', '--show-sensitive')).stdout).toContain('\nepi\n');
    for (const name of ['a', 'b', 'c', 'd']) {
      expect(statSync(path(name)).mode & 0o777).toBe(0o600);
      expect(readFileSync(path(name), 'utf8')).toBe('{\n  "encryptedPaymentInstrument": "epi"\n}\n');
    }
    await server.stop();
    const refused = await run('e', '--retries', '0');
    expect(refused.code).toBe(7);
    expect(existsSync(path('e'))).toBe(false);
  });
});
