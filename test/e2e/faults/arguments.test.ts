import { expect, test } from 'vitest';
import { json, reply } from '../../support/fault-server.ts';
import { CARD_ID } from '../../support/sample-card.ts';
import { onStage, type Stage } from './stage.ts';

const NO_STACK = /^\s+at .*:\d+/m;

/** Each call must end with 2, say each text on stderr, print nothing, and send nothing. */
async function expectRefusals(
  stage: Stage,
  calls: readonly (readonly [args: readonly string[], ...texts: readonly string[]])[],
): Promise<void> {
  await Promise.all(
    calls.map(async ([args, ...texts]) => {
      const { code, stdout, stderr } = await stage.run(args);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      for (const text of texts) expect(stderr).toContain(text);
      expect(stderr).toMatch(/^frontdesk: /);
      expect(stderr).not.toMatch(NO_STACK);
    }),
  );
  expect(stage.lines).toEqual([]);
}

/** The one request of each call, as its request line, each call with a server of its own. */
async function expectLines(calls: readonly (readonly [args: readonly string[], line: string])[]): Promise<void> {
  await Promise.all(
    calls.map(([args, line]) =>
      onStage(async (stage) => {
        const { code, stderr } = await stage.run(args);
        expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.not.stringContaining('error') });
        expect(stage.lines).toEqual([line]);
      }),
    ),
  );
}

test.concurrent('I1 refuses the IDs . and .. wherever they come from, before anything is sent', () =>
  onStage(async (stage) => {
    const file = stage.file('rows.ndjson', '{"id":"cal_1","name":"a"}\n{"id":"..","name":"b"}\n');
    await expectRefusals(stage, [
      [['calendar', 'update', '..', '--name', 'x'], '<calendarId>'],
      [['calendar', 'update', '.', '--name', 'x'], '<calendarId>'],
      [['calendar', 'subscribers', 'list', '..'], '<calendarId>'],
      [['calendar', 'subscribers', 'update', '..', '--email', 'a@example.com'], '<subscriberId>'],
      [['calendar', 'update', '--from', file, '--yes'], 'line 2'],
      [['api', 'GET', '/v1/calendars/../subscribers'], '..'],
      [['api', 'GET', '/v1/calendars/%2e%2E/subscribers'], '%2e%2E'],
    ]);
  }));

test.concurrent('I2 encodes an ID that looks encoded already, so that the service gets it unchanged', () =>
  expectLines([
    [['calendar', 'update', '%2e%2e', '--name', 'x'], 'POST /v1/calendars/%252e%252e'],
    [['calendar', 'subscribers', 'list', '%2F'], 'GET /v1/calendars/%252F/subscribers'],
  ]));

test.concurrent('I3 sends an ID with separators of URLs as one segment', () =>
  expectLines([
    [['calendar', 'subscribers', 'list', 'a/b'], 'GET /v1/calendars/a%2Fb/subscribers'],
    [['calendar', 'subscribers', 'list', 'a?b'], 'GET /v1/calendars/a%3Fb/subscribers'],
    [['calendar', 'subscribers', 'list', 'a#b'], 'GET /v1/calendars/a%23b/subscribers'],
    [['calendar', 'subscribers', 'list', 'a;b'], 'GET /v1/calendars/a%3Bb/subscribers'],
    [['calendar', 'subscribers', 'list', 'a\\b c'], 'GET /v1/calendars/a%5Cb%20c/subscribers'],
  ]));

test.concurrent('I4 refuses control characters in an ID, before anything is sent', () =>
  onStage(async (stage) => {
    const file = stage.file('rows.ndjson', '{"id":"a\\u0000b","name":"x"}\n');
    const ids = ['a\nb', 'a\rb', 'a\tb', 'a\u001bb', 'a\u007fb', 'ab\n'];
    await expectRefusals(stage, [
      ...ids.map((id) => [['calendar', 'subscribers', 'list', id], '<calendarId>'] as const),
      [['calendar', 'update', '--from', file, '--yes'], 'line 1'],
    ]);
  }));

test.concurrent('I5 refuses an empty ID', () =>
  onStage((stage) =>
    expectRefusals(stage, [
      [['card', 'get', ''], '<cardId>'],
      [['calendar', 'subscribers', 'list', ''], '<calendarId>'],
      [['calendar', 'subscribers', 'update', '', '--email', 'a@example.com'], '<subscriberId>'],
    ]),
  ));

test.concurrent('I6 refuses half a surrogate pair in an ID, without a stack trace', () =>
  onStage((stage) =>
    expectRefusals(stage, [
      [
        ['calendar', 'update', '--yes', '--from', stage.file('rows.ndjson', '{"id":"a\\ud800b","name":"x"}\n')],
        'line 1',
      ],
    ]),
  ));

test.concurrent('I7 sends an ID of 5000 characters, and explains a 431 or 414 by its length', async () => {
  const id = '漢'.repeat(5000);
  await expectLines([
    [['calendar', 'subscribers', 'list', id], `GET /v1/calendars/${'%E6%BC%A2'.repeat(5000)}/subscribers`],
  ]);
  await Promise.all(
    [431, 414].map((status) =>
      onStage(
        async (stage) => {
          const { code, stderr } = await stage.run(['calendar', 'subscribers', 'list', id]);
          expect(code).toBe(6);
          expect(stderr).toContain(`${status}`);
          expect(stderr).toMatch(/45,?000|too long|length/);
          expect(stderr.length).toBeLessThan(9000);
        },
        { route: () => reply(status, {}, '') },
      ),
    ),
  );
});

test.concurrent('I8 counts an ID in code points: 5000 pass, 5001 do not', async () => {
  await onStage((stage) =>
    expectRefusals(stage, [[['calendar', 'subscribers', 'list', 'x'.repeat(5001)], '5000', '5001']]),
  );
  await expectLines([
    [
      ['calendar', 'subscribers', 'list', '😀'.repeat(5000)],
      `GET /v1/calendars/${'%F0%9F%98%80'.repeat(5000)}/subscribers`,
    ],
  ]);
});

test.concurrent('I9 takes a card ID of any variant as typed, and refuses every other shape', async () => {
  await expectLines([
    [['card', 'get', '7C0E1111-2222-02d3-0456-55556666777F'], 'GET /v1/cards/7C0E1111-2222-02d3-0456-55556666777F'],
  ]);
  await onStage((stage) =>
    expectRefusals(stage, [
      [['card', 'get', 'order-1'], '<cardId>', 'is not a card ID'],
      [['card', 'get', `${CARD_ID}0`], '<cardId>'],
      [['card', 'get', `${CARD_ID}\n`], '<cardId>'],
      [['card', 'get', CARD_ID.replaceAll('-', '')], '<cardId>'],
      [['card', 'get', `{${CARD_ID}}`], CARD_ID],
      [['card', 'get', ` "${CARD_ID}" `], CARD_ID],
      [['card', 'get', CARD_ID.replace('7', 'g')], '<cardId>'],
    ]),
  );
});

test.concurrent('I10 explains -- for an ID that begins with a dash, and takes what follows it', async () => {
  await onStage((stage) => expectRefusals(stage, [[['calendar', 'subscribers', 'list', '-abc'], '--']]));
  await expectLines([[['calendar', 'subscribers', 'list', '--', '-abc'], 'GET /v1/calendars/-abc/subscribers']]);
});

test.concurrent('I11 refuses invisible characters in a card ID, and warns of them in any other', async () => {
  await onStage((stage) =>
    expectRefusals(stage, [
      [['card', 'get', `${CARD_ID}\u200b`], '<U+200B>'],
      [['card', 'get', `\u202e${CARD_ID}`], '<U+202E>'],
    ]),
  );
  await onStage(async (stage) => {
    const { code, stderr } = await stage.run(['calendar', 'subscribers', 'list', 'cal\u202e_1']);
    expect(code).toBe(0);
    expect(stderr).toContain('warning');
    expect(stderr).toContain('<U+202E>');
    expect(stderr).not.toContain('\u202e');
    expect(stage.lines).toEqual(['GET /v1/calendars/cal%E2%80%AE_1/subscribers']);
  });
});

test.concurrent('I12 refuses every limit that is not a plain integer from 1 to 100', () =>
  onStage((stage) =>
    expectRefusals(
      stage,
      ['0', '101', '1.5', '1e2', '', '0x10', 'Infinity', '-1', '+5', ' 5', '٥'].map((limit) => [
        ['calendar', 'subscribers', 'list', 'cal_1', `--limit=${limit}`],
        '--limit',
        '1 to 100',
      ]),
    ),
  ));

test.concurrent('I13 takes only true and false for --active, and any case of them in a CSV', async () => {
  await onStage((stage) =>
    expectRefusals(
      stage,
      ['yes', 'no', '1', 'TRUE'].map((value) => [
        ['calendar', 'update', 'cal_1', `--active=${value}`],
        '--active',
        'true',
        'false',
      ]),
    ),
  );
  await onStage(async (stage) => {
    const file = stage.file('rows.csv', 'id,active\ncal_1,TRUE\ncal_2,False\n');
    const { code } = await stage.run(['calendar', 'update', '--from', file, '--yes', '-j', '1']);
    expect(code).toBe(0);
    expect(stage.server.requests.map((request) => request.body)).toEqual(['{"active":true}', '{"active":false}']);
  });
});

test.concurrent('I14 refuses texts past the limits of the API, naming field, limit and length', async () => {
  await onStage((stage) => {
    const event = ['calendar', 'event', 'create', '--calendar', 'c', '--start', '2027-01-01'];
    return expectRefusals(stage, [
      [['calendar', 'update', 'cal_1', '--name', 'n'.repeat(5001)], '--name', '5000', '5001'],
      [
        ['calendar', 'update', 'cal_1', '--description-file', stage.file('d.txt', 'd'.repeat(40_001))],
        '--description',
        '40000',
        '40001',
      ],
      [['calendar', 'update', 'cal_1', '--url', `https://x/${'u'.repeat(2039)}`], '--url', '2048', '2049'],
      [[...event, '--name', 'n'.repeat(5001)], '--name', '5000', '5001'],
      [[...event, '--name', 'n', '--location', 'l'.repeat(5001)], '--location', '5000', '5001'],
    ]);
  });
  await onStage(async (stage) => {
    const description = stage.file('d.txt', '😀'.repeat(40_000));
    const args = ['--name', 'n'.repeat(5000), '--description-file', description];
    const { code } = await stage.run(['calendar', 'update', 'cal_1', ...args]);
    expect(code).toBe(0);
    expect(stage.server.requests[0]?.body).toBe(
      `{"name":"${'n'.repeat(5000)}","description":"${'😀'.repeat(40_000)}"}`,
    );
  });
});

test.concurrent('I15 refuses an update that changes nothing', () =>
  onStage((stage) =>
    expectRefusals(stage, [
      [['calendar', 'update', 'cal_1'], 'nothing to change'],
      [['calendar', 'subscribers', 'update', 'sub_1'], 'nothing to change'],
    ]),
  ));

test.concurrent('I16 tells empty, null and omitted fields apart', async () => {
  const event = ['calendar', 'event', 'create', '--calendar', 'c', '--name', 'n', '--start', '2027-01-01'];
  const given = '"name":"n","start":"2027-01-01"';
  await Promise.all(
    (
      [
        [[...event, '--url', ''], { url: '' }],
        [[...event, '--no-url'], { url: null }],
        [event, {}],
      ] as const
    ).map(([args, fields]) =>
      onStage(async (stage) => {
        expect((await stage.run(args)).code).toBe(0);
        const body = stage.server.requests[0]?.body ?? '';
        expect(JSON.parse(body)).toEqual({ calendar: 'c', ...JSON.parse(`{${given}}`), ...fields });
      }),
    ),
  );
  await onStage((stage) =>
    expectRefusals(stage, [
      [['calendar', 'update', 'cal_1', '--no-url'], '--no-url'],
      [[...event, '--no-url', '--url', 'https://example.com'], '--no-url', '--url'],
    ]),
  );
});

test.concurrent('I17 refuses an end that is before the start in every zone, and sends every other date as typed', async () => {
  const event = ['calendar', 'event', 'create', '--calendar', 'c', '--name', 'n'];
  await onStage((stage) =>
    expectRefusals(stage, [
      [[...event, '--start', '2027-04-02T18:00', '--end', '2027-04-02T17:59'], '--end'],
      [[...event, '--start', '2027-04-02T18:00Z', '--end', '2027-04-02T18:00+01:00'], '--end'],
      // Without a zone it may be another's, which is at most 26 h away.
      [[...event, '--start', '2027-04-02T18:00', '--end', '2027-04-01T15:59Z'], '--end'],
      [[...event, '--start', '2027-02-30'], '--start'],
      [[...event, '--start', '2027-W14-5'], '--start'],
      [[...event, '--start', 'tomorrow'], '--start'],
    ]),
  );
  await Promise.all(
    (
      [
        ['2027-04-02T18:00', '2027-04-02T17:00Z'],
        ['2027-04-02T18:00', '2027-04-01T16:00Z'],
        ['20270402T180000', '20270402'],
        ['2027-04-02T24:00', '2027-04-03T00:00'],
      ] as const
    ).map(([start, end]) =>
      onStage(async (stage) => {
        expect((await stage.run([...event, '--start', start, '--end', end])).code).toBe(0);
        expect(JSON.parse(stage.server.requests[0]?.body ?? '')).toMatchObject({ start, end });
      }),
    ),
  );
});

test.concurrent('I18 refuses URLs that are neither empty nor http(s), or that hold a password', () =>
  onStage((stage) =>
    expectRefusals(stage, [
      ...['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'ftp://example.com', 'example.com'].map(
        (url) => [['calendar', 'update', 'cal_1', '--url', url], '--url', 'http'] as const,
      ),
      [['calendar', 'update', 'cal_1', '--url', 'https://user:secret@example.com'], '--url', 'password'],
    ]),
  ));

test.concurrent('I19 refuses base URLs that could send a token astray, without repeating a password', async () => {
  const bad = [
    'https://user:hunter2@example.com',
    'https://example.com/?q=1',
    'https://example.com/#part',
    'example.com:443',
    'http://example.com',
    'http://127.0.0.1.example.com',
    'https://ex\u0430mple.com',
    'https://example.com.',
    'https:\\\\example.com',
    'https://example.com/../v1',
    'ftp://example.com',
    'https://',
  ];
  await onStage(async (stage) => {
    await Promise.all(
      bad.map(async (url) => {
        const { code, stdout, stderr } = await stage.run(['card', 'get', CARD_ID], {
          env: { FRONTDESK_CARDS_URL: url },
        });
        expect({ url, code, stdout }).toEqual({ url, code: 2, stdout: '' });
        expect(stderr).toContain('FRONTDESK_CARDS_URL');
        expect(stderr).not.toContain('hunter2');
      }),
    );
    expect(stage.server.connections).toBe(0);
  });
  await onStage(async (stage) => {
    const { port } = stage.server;
    for (const url of [`http://localhost:${port}/`, `http://127.0.0.1:${port}/prefix/`]) {
      expect((await stage.run(['card', 'get', CARD_ID], { env: { FRONTDESK_CARDS_URL: url } })).code).toBe(0);
    }
    expect(stage.lines).toEqual([`GET /v1/cards/${CARD_ID}`, `GET /prefix/v1/cards/${CARD_ID}`]);
  });
});

test.concurrent('I26 refuses unknown and misspelt words with the nearest name, and takes no abbreviation', () =>
  onStage((stage) =>
    expectRefusals(stage, [
      [['card', 'blok', CARD_ID, '--yes'], 'card block'],
      [['card', 'blo', CARD_ID, '--yes'], 'unknown command', 'block'],
      [['card', 'b', CARD_ID, '--yes'], 'unknown command'],
      [['car', 'get', CARD_ID], 'card'],
      [['card', 'get', CARD_ID, '--outptu', 'json'], '--output'],
      [['card', 'block', CARD_ID, '--ye'], '--yes'],
      [['card', 'get', CARD_ID, '-o', 'jsno'], 'json'],
      [['card', 'provision', CARD_ID, '--wallet', 'wallet_c'], 'wallet_a'],
      [['card', 'get', CARD_ID, '-o', 'csv', '--columns', 'staus'], 'status'],
    ]),
  ));

test.concurrent('I27 refuses a destructive change outside a terminal, unless --yes is given', async () => {
  const file = 'rows.txt';
  await onStage((stage) => {
    stage.file(file, `${CARD_ID}\n${CARD_ID.replace('7', '8')}\n`);
    return expectRefusals(stage, [
      [['card', 'block', CARD_ID], '--yes'],
      [['card', 'reissue', CARD_ID], '--yes'],
      [['card', 'activate', '--from', file], '--yes'],
      [['api', 'POST', '/v1/cards/import/rows', '--data', '{}'], '--yes'],
    ]);
  });
  await onStage(async (stage) => {
    expect((await stage.run(['card', 'block', CARD_ID, '--yes'])).code).toBe(0);
    expect(stage.lines).toEqual([`POST /v1/cards/${CARD_ID}/block`]);
  });
});

test.concurrent('a refused argument in JSON mode is one JSON line on stderr', () =>
  onStage(
    async (stage) => {
      const { code, stdout, stderr } = await stage.run(['card', 'get', 'x', '--limit', '0', '--json']);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'USAGE', exitCode: 2, operation: 'card.get' } });
      expect(stage.lines).toEqual([]);
    },
    { route: () => json(500, {}) },
  ));
