import { cardId } from './answers.ts';
import { type Call, type Place, SERVICE } from './stage.ts';

/** One call of a command, and what has to be done before it. */
export interface Sample {
  readonly before?: readonly Call[];
  readonly args: readonly string[] | ((place: Place) => readonly string[]);
  readonly with?: Omit<Call, 'args'>;
  /** How it ends where nothing fails. */
  readonly code?: number;
}

const TOKEN = 'token-of-the-service-0123456789';
const IDS = [1, 2, 3].map((number) => `${cardId(number)}\n`).join('');
const EDITED = 'id,email\nsub_1,new@b.example\nsub_2,other@b.example\n';
const EVENTS = 'name,start,calendar\nParty,2026-08-01T12:00:00,cal_1\nTour,2026-08-02T12:00:00,cal_1\n';

/** Files that the calls name. */
export const FILES: Readonly<Record<string, string>> = {
  '/jobs/ids.txt': IDS,
  '/jobs/edited.csv': EDITED,
  '/jobs/older.csv': EDITED.replaceAll('new@', 'old@').replaceAll('other@', 'first@'),
  '/jobs/events.csv': EVENTS,
  '/jobs/calendars.csv': 'id,name\ncal_1,Tours\ncal_2,Fairs\n',
  '/jobs/calendars.txt': 'cal_1\ncal_2\n',
  '/jobs/text.txt': 'Every Sunday\n',
};

/** A profile with credentials, which every sample begins with. */
export const SET_UP: readonly Call[] = [
  { args: ['profile', 'set', 'live', '--cards-url', SERVICE, '--calendar-url', SERVICE] },
  { args: ['auth', 'login', '-p', 'live', '--family', 'cards', '--token-stdin'], stdin: TOKEN },
  { args: ['auth', 'login', '-p', 'live', '--family', 'calendar', '--token-stdin'], stdin: TOKEN },
];

const BLOCK: Call = { args: ['card', 'block', cardId(1), '--yes'] };
const LOST: Call = { ...BLOCK, service: 'silent', args: ['card', 'block', cardId(1), '--yes', '--retries', '0'] };
const PROVISION: Call = {
  args: ['card', 'provision', cardId(1), '--wallet', 'wallet_a', '--show-sensitive', '--yes', '--retries', '0'],
};
const REISSUE_LOST: Call = { ...LOST, args: ['card', 'reissue', cardId(1), '--yes', '--retries', '0'] };
const EVENT_LOST: Call = {
  ...LOST,
  args: [
    ...['calendar', 'event', 'create', '--calendar', 'cal_1', '--name', 'Party', '--start', '2026-08-01T12:00:00'],
    ...['--yes', '--retries', '0'],
  ],
};
const RUN: Call = { args: ['card', 'block', '--from', '/jobs/ids.txt', '--run', 'may', '--yes'] };
const UPDATED: Call = {
  args: [
    ...['calendar', 'subscribers', 'update', '--from', '/jobs/edited.csv'],
    ...['--changed-from', '/jobs/older.csv', '--run', 'may', '--yes'],
  ],
};
/** Two of three shards. */
const SHARDS: readonly Call[] = ['1/3', '2/3'].map((shard) => ({
  args: ['card', 'block', '--from', '/jobs/ids.txt', '--run', `may-${shard[0]}`, '--yes', '--shard', shard],
}));
const PLAN: Call = { args: ['card', 'block', '--from', '/jobs/ids.txt', '--plan', '/jobs/p.plan'] };
const REISSUE_PLAN: Call = { args: ['card', 'reissue', '--from', '/jobs/ids.txt', '--plan', '/jobs/r.plan'] };
const STOPPED: Call = {
  ...RUN,
  args: [...RUN.args, '--max-failures', '1', '-j', '1', '--retries', '0'],
  service: 'away',
};

/** The entry of the newest write in the history. */
function lastEntry(place: Place): string {
  const kept = [...place.files].filter(([path]) => /^\/state\/(?:writes|open)\//.test(path));
  const texts = kept.map(([, { bytes }]) => bytes?.toString('utf8') ?? '').join('');
  const found = [...texts.matchAll(/"entry":"([^"]+)"/g)].sort((one, other) => (`${one[1]}` < `${other[1]}` ? -1 : 1));
  const [, entry] = found.at(-1) ?? [];
  if (entry === undefined) throw new Error('the history has an entry');
  return entry;
}

const local = (...args: readonly string[]): Sample => ({ args });

/** What an assistant says to the server. */
const lines = (...messages: readonly object[]): string =>
  messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
const HELLO = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const READ = { id: 2, method: 'tools/call', params: { name: 'card_get', arguments: { cardId: cardId(1) } } };

/** How each command is called; at least once, by the path that the registry has it by. */
export const SAMPLES: Readonly<Record<string, Readonly<Record<string, Sample>>>> = {
  'card get': {
    'a card': local('card', 'get', cardId(1)),
    'a card with an open write': { before: [LOST], args: ['card', 'get', cardId(1)] },
    rows: local('card', 'get', '--from', '/jobs/ids.txt'),
    'rows, the failed ones in a file': local('card', 'get', '--from', '/jobs/ids.txt', '--failed', '/jobs/failed.txt'),
  },
  'card find': {
    'a reference that is not known': local('card', 'find', 'order-1'),
    'all forgotten': { before: [{ args: ['card', 'get', cardId(1)] }], args: ['card', 'find', '--forget', '--yes'] },
  },
  'card activate': {
    'a card': local('card', 'activate', cardId(1)),
    'a card that is expected': local('card', 'activate', cardId(1), '--expect', 'status=WAITING_ACTIVATION'),
    rows: local('card', 'activate', '--from', '/jobs/ids.txt', '--yes'),
  },
  'card block': {
    'a card': BLOCK,
    'a card, and no answer': {
      args: ['card', 'block', cardId(1), '--yes', '--retries', '0'],
      with: { service: 'breaks' },
    },
    'a card, and no answer at all': { args: LOST.args, with: { service: 'silent' }, code: 8 },
    'a card that is open': { before: [LOST], ...BLOCK },
    'a card, no history': local('card', 'block', cardId(1), '--yes', '--no-history'),
    'a card, a second record': { args: BLOCK.args, with: { env: { FRONTDESK_AUDIT_LOG: '/jobs/audit.log' } } },
    'a card that is not the one': {
      args: ['card', 'block', cardId(1), '--yes', '--expect', 'status=ACTIVE'],
      code: 17,
    },
    rows: RUN,
    'rows, no name': local('card', 'block', '--from', '/jobs/ids.txt', '--yes'),
    'rows of stdin': { args: ['card', 'block', '--from', '-', '--yes'], with: { stdin: IDS } },
    'a plan': PLAN,
    'a dry run': local('card', 'block', cardId(1), '--dry-run'),
  },
  'card reissue': {
    'a card': local('card', 'reissue', cardId(1), '--yes'),
    'a card, and no answer': {
      args: ['card', 'reissue', cardId(1), '--yes', '--retries', '0'],
      with: { service: 'silent' },
      code: 8,
    },
    'a card that is expected': local(
      ...['card', 'reissue', cardId(1), '--yes', '--expect', 'status=WAITING_ACTIVATION'],
    ),
    rows: local('card', 'reissue', '--from', '/jobs/ids.txt', '--yes'),
  },
  'card provision': {
    'into a file': local('card', 'provision', cardId(1), '--wallet', 'wallet_a', '--out', '/jobs/out.json', '--yes'),
    'open already': { before: [{ ...PROVISION, service: 'silent' }], ...PROVISION, code: 17 },
    shown: local('card', 'provision', cardId(1), '--wallet', 'wallet_a', '--show-sensitive', '--yes'),
  },
  'card wait': {
    'a card': local('card', 'wait', cardId(1), '--status', 'WAITING_ACTIVATION'),
    'a card, in vain': {
      args: ['card', 'wait', cardId(1), '--status', 'ACTIVE', '--timeout', '500ms', '--interval', '100ms'],
      code: 124,
    },
  },
  'calendar update': {
    'a calendar': local('calendar', 'update', 'cal_1', '--name', 'Tours'),
    rows: local('calendar', 'update', '--from', '/jobs/calendars.csv', '--yes'),
    'with a text of a file': local('calendar', 'update', 'cal_1', '--description-file', '/jobs/text.txt'),
  },
  'calendar event create': {
    'an event': local(
      ...['calendar', 'event', 'create', '--calendar', 'cal_1', '--name', 'Party', '--start', '2026-08-01T12:00:00'],
    ),
    'the same again': { before: [EVENT_LOST], ...EVENT_LOST, with: {}, code: 17 },
    rows: local('calendar', 'event', 'create', '--from', '/jobs/events.csv', '--yes'),
  },
  'calendar subscribers list': {
    'of one calendar': local('calendar', 'subscribers', 'list', 'cal_1'),
    'of a file': local('calendar', 'subscribers', 'list', '--from', '/jobs/calendars.txt', '--from-format', 'ids'),
    'of several': local('calendar', 'subscribers', 'list', 'cal_1', 'cal_2'),
  },
  'calendar subscribers update': {
    'a subscriber': local('calendar', 'subscribers', 'update', 'sub_1', '--email', 'a@b.example'),
    'what changed in a file': UPDATED,
  },
  'auth login': {
    'a profile that is new': {
      args: ['auth', 'login', '-p', 'new', '--family', 'cards', '--cards-url', SERVICE, '--token-stdin'],
      with: { stdin: TOKEN },
    },
    'another token': {
      args: ['auth', 'login', '--family', 'cards', '--token-stdin'],
      with: { stdin: 'another-token-of-the-service-987' },
    },
    'a token that is tried': {
      args: ['auth', 'login', '--family', 'cards', '--token-stdin', '--check', cardId(1)],
      with: { stdin: 'another-token-of-the-service-987' },
    },
    'a command': local('auth', 'login', '--family', 'cards', '--token-command', 'print-token'),
  },
  'auth status': { 'of the profile': local('auth', 'status') },
  'auth logout': {
    'of both families': local('auth', 'logout'),
    'of one': local('auth', 'logout', '--family', 'cards'),
  },
  'profile list': { all: local('profile', 'list') },
  'profile show': { one: local('profile', 'show', 'live') },
  'profile set': {
    'a new one': local('profile', 'set', 'other', '--cards-url', SERVICE),
    'another limit': local('profile', 'set', 'live', '--max-rows', '7'),
  },
  'profile use': { sandbox: local('profile', 'use', 'sandbox') },
  'profile remove': { 'with its credentials': local('profile', 'remove', 'live', '--yes') },
  'config list': { all: local('config', 'list') },
  'config get': { one: local('config', 'get', 'timeout') },
  'config set': { one: local('config', 'set', 'timeout', '5s') },
  'config unset': {
    one: { before: [{ args: ['config', 'set', 'timeout', '5s'] }], args: ['config', 'unset', 'timeout'] },
  },
  'config path': { it: local('config', 'path') },
  'history list': {
    all: { before: [BLOCK, RUN], args: ['history'] },
    open: { before: [LOST], args: ['history', '--open'] },
  },
  'history show': { one: { before: [BLOCK], args: (place) => ['history', 'show', lastEntry(place)] } },
  'history resolve': {
    'a write': {
      before: [{ ...LOST, args: ['card', 'reissue', cardId(1), '--yes'] }],
      args: (place) => ['history', 'resolve', lastEntry(place), '--as', 'applied'],
    },
    'a row': {
      before: [{ ...RUN, service: 'silent', args: ['card', 'reissue', ...RUN.args.slice(2)] }],
      args: ['history', 'resolve', 'may:1', '--as', 'not_applied'],
    },
  },
  'history reconcile': {
    'a block that is seen': { before: [LOST], args: ['history', 'reconcile'] },
    'a reissue': { before: [REISSUE_LOST], args: ['history', 'reconcile'], code: 8 },
  },
  'history prune': {
    'one of two': { before: [BLOCK], args: ['history', 'prune', '--older-than', '0s', '--yes'] },
  },
  'runs list': { all: { before: [RUN], args: ['runs'] } },
  'runs show': { one: { before: [RUN], args: ['runs', 'show', 'may'] } },
  'runs report': {
    'shards of which one is missing': {
      before: SHARDS,
      args: ['runs', 'report', 'may-1', 'may-2', '--as', 'html'],
      code: 15,
    },
    html: { before: [RUN], args: ['runs', 'report', 'may', '--as', 'html'] },
  },
  'runs results': {
    'shards of which one is missing': { before: SHARDS, args: ['runs', 'results', 'may-1', 'may-2'], code: 15 },
    one: { before: [RUN], args: ['runs', 'results', 'may'] },
  },
  'runs resume': {
    'one that is finished': { before: [RUN], args: ['runs', 'resume', 'may'] },
    'one that was stopped': { before: [STOPPED], args: ['runs', 'resume', 'may'] },
  },
  'runs revert': {
    'rows that were written again': {
      before: [UPDATED, { args: ['calendar', 'subscribers', 'update', 'sub_1', '--email', 'z@b.example'] }],
      args: ['runs', 'revert', 'may', '--plan', '/jobs/revert.plan'],
      code: 15,
    },
    one: { before: [UPDATED], args: ['runs', 'revert', 'may', '--plan', '/jobs/revert.plan'] },
  },
  'runs remove': { one: { before: [RUN], args: ['runs', 'remove', 'may', '--yes'] } },
  'plan show': { one: { before: [PLAN], args: ['plan', 'show', '/jobs/p.plan'] } },
  'plan apply': {
    'a plan of open writes': {
      before: [REISSUE_PLAN, REISSUE_LOST],
      args: ['plan', 'apply', '/jobs/r.plan', '--yes'],
      code: 15,
    },
    'a plan of reissues, and no answer': {
      before: [REISSUE_PLAN],
      args: ['plan', 'apply', '/jobs/r.plan', '--yes', '--retries', '0'],
      with: { service: 'breaks' },
      code: 8,
    },
    'one that has expired': {
      before: [{ ...PLAN, args: [...PLAN.args, '--plan-expires', '1s'] }],
      args: ['plan', 'apply', '/jobs/p.plan', '--yes'],
      code: 17,
    },
    one: { before: [PLAN], args: ['plan', 'apply', '/jobs/p.plan', '--yes'] },
  },
  'sandbox info': { all: local('sandbox', 'info') },
  'sandbox serve': { 'until it is stopped': { args: ['sandbox', 'serve'], with: { endsAt: 'Sandbox at' }, code: 143 } },
  'sandbox reset': { all: local('sandbox', 'reset') },
  mcp: {
    'a read': {
      args: ['mcp', '-p', 'live'],
      with: { stdin: lines(HELLO, { method: 'notifications/initialized' }, READ) },
    },
  },
  desk: { 'a card that is blocked': { args: ['desk'], with: { typed: [cardId(1), '1'] }, code: 0 } },
  api: {
    'a read': local('api', 'GET', `/v1/cards/${cardId(1)}`),
    'a write': { args: ['api', 'POST', `/v1/cards/${cardId(1)}/freeze`, '--data', '{}', '--yes'], code: 3 },
    'a write that has a command': {
      args: ['api', 'POST', `/v1/cards/${cardId(1)}/reissue`, '--data', '{}', '--yes'],
      code: 2,
    },
  },
  doctor: { all: local('doctor'), strict: local('doctor', '--strict') },
  schema: { all: local('schema') },
  completion: { bash: local('completion', 'bash') },
  help: { all: local('help') },
};
