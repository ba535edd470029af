import { NAMES, SAMPLE_CALLS, typedCall } from '../support/sample-calls.ts';
import { cardId } from './answers.ts';
import { type Call, type Place, SERVICE } from './stage.ts';

/** One call of a command, and what has to be done before it. */
export interface Sample {
  /** By the path that the registry has it by. */
  readonly command: string;
  readonly what: string;
  readonly before?: readonly Call[];
  readonly args: (place: Place) => readonly string[];
  readonly with?: Omit<Call, 'args'>;
  /** How it ends where nothing fails. */
  readonly code?: number;
}

const TOKEN = 'token-of-the-service-0123456789';
const IDS = [1, 2, 3].map((number) => `${cardId(number)}\n`).join('');
const EDITED = 'id,email\nsub_1,new@b.example\nsub_2,other@b.example\n';
const EVENTS = 'name,start,calendar\nParty,2026-08-01T12:00:00,cal_1\nTour,2026-08-02T12:00:00,cal_1\n';

export const FILES: Readonly<Record<string, string>> = {
  '/jobs/ids.txt': IDS,
  '/jobs/edited.csv': EDITED,
  '/jobs/older.csv': EDITED.replaceAll('new@', 'old@').replaceAll('other@', 'first@'),
  '/jobs/events.csv': EVENTS,
  '/jobs/calendars.csv': 'id,name\ncal_1,Tours\ncal_2,Fairs\n',
  '/jobs/calendars.txt': 'cal_1\ncal_2\n',
  '/jobs/text.txt': 'Every Sunday\n',
};

/** `$1` is the first card, `$S` the address of the service. */
const words = (text: string): readonly string[] =>
  text.split(' ').map((word) => word.replace('$1', cardId(1)).replace('$S', SERVICE));
const call = (text: string, more: Omit<Call, 'args'> = {}): Call => ({ args: words(text), ...more });

/** A profile with credentials, which every sample begins with. */
export const SET_UP: readonly Call[] = [
  call('profile set live --cards-url $S --calendar-url $S'),
  call('auth login -p live --family cards --token-stdin', { stdin: TOKEN }),
  call('auth login -p live --family calendar --token-stdin', { stdin: TOKEN }),
];

const SILENT = { service: 'silent' } as const;
const BLOCK = 'card block $1 --yes';
const LOST = call(`${BLOCK} --retries 0`, SILENT);
const PROVISION = 'card provision $1 --wallet wallet_a --show-sensitive --yes --retries 0';
const REISSUE_LOST = 'card reissue $1 --yes --retries 0';
const NO_REISSUE = call(REISSUE_LOST, SILENT);
const EVENT_LOST = 'calendar event create --calendar cal_1 --name Party --start 2026-08-01T12:00:00 --yes --retries 0';
const RUN = 'card block --from /jobs/ids.txt --run may --yes';
const UPDATED = 'calendar subscribers update --from /jobs/edited.csv --changed-from /jobs/older.csv --run may --yes';
const SHARDS = [1, 2].map((nth) => call(`card block --from /jobs/ids.txt --run may-${nth} --yes --shard ${nth}/3`));
const PLAN = 'card block --from /jobs/ids.txt --plan /jobs/p.plan';
const REISSUE_PLAN = call('card reissue --from /jobs/ids.txt --plan /jobs/r.plan');
const NO_REISSUES = call(RUN.replace('block', 'reissue'), SILENT);
const STOPPED = call(`${RUN} --max-failures 1 -j 1 --retries 0`, { service: 'away' });
const WAITING = '--expect status=WAITING_ACTIVATION';
const NEW_TOKEN = { with: { stdin: 'another-token-of-the-service-987' } } as const;

function lastEntry(place: Place): string {
  const kept = [...place.files].filter(([path]) => /^\/state\/(?:writes|open)\//.test(path));
  const texts = kept.map(([, { bytes }]) => bytes?.toString('utf8') ?? '').join('');
  const found = [...texts.matchAll(/"entry":"([^"]+)"/g)].sort((one, other) => (`${one[1]}` < `${other[1]}` ? -1 : 1));
  const [, entry] = found.at(-1) ?? [];
  if (entry === undefined) throw new Error('the history has an entry');
  return entry;
}

/** What an assistant says to the server. */
const lines = (...messages: readonly object[]): string =>
  messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
const HELLO = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const READ = { id: 2, method: 'tools/call', params: { name: 'card_get', arguments: { cardId: cardId(1) } } };

type More = Omit<Sample, 'command' | 'what' | 'args'>;
type Row = readonly [command: string, what: string, text: string, more?: More];

/** How commands are called besides SAMPLED; `$entry` is the newest write in the history. */
const ROWS: readonly Row[] = [
  ['card get', 'a card with an open write', 'card get $1', { before: [LOST] }],
  ['card get', 'rows', 'card get --from /jobs/ids.txt'],
  ['card get', 'rows, the failed ones in a file', 'card get --from /jobs/ids.txt --failed /jobs/failed.txt'],
  ['card find', 'a reference that is not known', 'card find order-1'],
  ['card find', 'all forgotten', 'card find --forget --yes', { before: [call('card get $1')] }],
  ['card activate', 'a card that is expected', `card activate $1 ${WAITING}`],
  ['card activate', 'rows', 'card activate --from /jobs/ids.txt --yes'],
  ['card block', 'a card', BLOCK],
  ['card block', 'a card, and no answer', `${BLOCK} --retries 0`, { with: { service: 'breaks' } }],
  ['card block', 'a card, and no answer at all', `${BLOCK} --retries 0`, { with: SILENT, code: 8 }],
  ['card block', 'a card that is open', BLOCK, { before: [LOST] }],
  ['card block', 'a card, no history', `${BLOCK} --no-history`],
  ['card block', 'a card, a second record', BLOCK, { with: { env: { FRONTDESK_AUDIT_LOG: '/jobs/audit.log' } } }],
  ['card block', 'a card that is not the one', `${BLOCK} --expect status=ACTIVE`, { code: 17 }],
  ['card block', 'rows', RUN],
  ['card block', 'rows, no name', 'card block --from /jobs/ids.txt --yes'],
  ['card block', 'rows of stdin', 'card block --from - --yes', { with: { stdin: IDS } }],
  ['card block', 'a plan', PLAN],
  ['card block', 'a dry run', 'card block $1 --dry-run'],
  ['card reissue', 'a card, and no answer', REISSUE_LOST, { with: SILENT, code: 8 }],
  ['card reissue', 'a card that is expected', `card reissue $1 --yes ${WAITING}`],
  ['card reissue', 'rows', 'card reissue --from /jobs/ids.txt --yes'],
  ['card provision', 'into a file', 'card provision $1 --wallet wallet_a --out /jobs/out.json --yes'],
  ['card provision', 'open already', PROVISION, { before: [call(PROVISION, SILENT)], code: 17 }],
  ['card provision', 'shown', 'card provision $1 --wallet wallet_a --show-sensitive --yes'],
  ['card wait', 'a card', 'card wait $1 --status WAITING_ACTIVATION'],
  ['card wait', 'a card, in vain', 'card wait $1 --status ACTIVE --timeout 500ms --interval 100ms', { code: 124 }],
  ['calendar update', 'rows', 'calendar update --from /jobs/calendars.csv --yes'],
  ['calendar update', 'with a text of a file', 'calendar update cal_1 --description-file /jobs/text.txt'],
  ['calendar event create', 'the same again', EVENT_LOST, { before: [call(EVENT_LOST, SILENT)], code: 17 }],
  ['calendar event create', 'rows', 'calendar event create --from /jobs/events.csv --yes'],
  ['calendar subscribers list', 'of a file', 'calendar subscribers list --from /jobs/calendars.txt --from-format ids'],
  ['calendar subscribers list', 'of several', 'calendar subscribers list cal_1 cal_2'],
  ['calendar subscribers update', 'what changed in a file', UPDATED],
  ['auth login', 'new', 'auth login -p new --family cards --cards-url $S --token-stdin', { with: { stdin: TOKEN } }],
  ['auth login', 'another token', 'auth login --family cards --token-stdin', NEW_TOKEN],
  ['auth login', 'a token that is tried', 'auth login --family cards --token-stdin --check $1', NEW_TOKEN],
  ['auth login', 'a command', 'auth login --family cards --token-command print-token'],
  ['auth status', 'of the profile', 'auth status'],
  ['auth logout', 'of both families', 'auth logout'],
  ['auth logout', 'of one', 'auth logout --family cards'],
  ['profile list', 'all', 'profile list'],
  ['profile show', 'one', 'profile show live'],
  ['profile set', 'a new one', 'profile set other --cards-url $S'],
  ['profile set', 'another limit', 'profile set live --max-rows 7'],
  ['profile use', 'sandbox', 'profile use sandbox'],
  ['profile remove', 'with its credentials', 'profile remove live --yes'],
  ['config list', 'all', 'config list'],
  ['config get', 'one', 'config get timeout'],
  ['config set', 'one', 'config set timeout 5s'],
  ['config unset', 'one', 'config unset timeout', { before: [call('config set timeout 5s')] }],
  ['config path', 'it', 'config path'],
  ['history list', 'all', 'history', { before: [call(BLOCK), call(RUN)] }],
  ['history list', 'open', 'history --open', { before: [LOST] }],
  ['history show', 'one', 'history show $entry', { before: [call(BLOCK)] }],
  ['history resolve', 'it', 'history resolve $entry --as applied', { before: [call('card reissue $1 --yes', SILENT)] }],
  ['history resolve', 'a row', 'history resolve may:1 --as not_applied', { before: [NO_REISSUES] }],
  ['history reconcile', 'a block that is seen', 'history reconcile', { before: [LOST] }],
  ['history reconcile', 'a reissue', 'history reconcile', { before: [NO_REISSUE], code: 8 }],
  ['history prune', 'one of two', 'history prune --older-than 0s --yes', { before: [call(BLOCK)] }],
  ['runs list', 'all', 'runs', { before: [call(RUN)] }],
  ['runs show', 'one', 'runs show may', { before: [call(RUN)] }],
  ['runs report', 'shards of which one is missing', 'runs report may-1 may-2 --as html', { before: SHARDS, code: 15 }],
  ['runs report', 'html', 'runs report may --as html', { before: [call(RUN)] }],
  ['runs results', 'shards of which one is missing', 'runs results may-1 may-2', { before: SHARDS, code: 15 }],
  ['runs results', 'one', 'runs results may', { before: [call(RUN)] }],
  ['runs resume', 'one that is finished', 'runs resume may', { before: [call(RUN)] }],
  ['runs resume', 'one that was stopped', 'runs resume may', { before: [STOPPED] }],
  [
    'runs revert',
    'rows that were written again',
    'runs revert may --plan /jobs/revert.plan',
    { before: [call(UPDATED), call('calendar subscribers update sub_1 --email z@b.example')], code: 15 },
  ],
  ['runs revert', 'one', 'runs revert may --plan /jobs/revert.plan', { before: [call(UPDATED)] }],
  ['runs remove', 'one', 'runs remove may --yes', { before: [call(RUN)] }],
  ['plan show', 'one', 'plan show /jobs/p.plan', { before: [call(PLAN)] }],
  ['plan apply', 'open writes', 'plan apply /jobs/r.plan --yes', { before: [REISSUE_PLAN, NO_REISSUE], code: 15 }],
  [
    'plan apply',
    'a plan of reissues, and no answer',
    'plan apply /jobs/r.plan --yes --retries 0',
    { before: [REISSUE_PLAN], with: { service: 'breaks' }, code: 8 },
  ],
  ['plan apply', 'expired', 'plan apply /jobs/p.plan --yes', { before: [call(`${PLAN} --plan-expires 1s`)], code: 17 }],
  ['plan apply', 'one', 'plan apply /jobs/p.plan --yes', { before: [call(PLAN)] }],
  ['sandbox info', 'all', 'sandbox info'],
  ['sandbox serve', 'until it is stopped', 'sandbox serve', { with: { endsAt: 'Sandbox at' }, code: 143 }],
  ['sandbox reset', 'all', 'sandbox reset'],
  ['mcp', 'a read', 'mcp -p live', { with: { stdin: lines(HELLO, { method: 'notifications/initialized' }, READ) } }],
  ['desk', 'a card that is blocked', 'desk', { with: { typed: [cardId(1), '1'] } }],
  ['api', 'a read', 'api GET /v1/cards/$1'],
  ['api', 'a write', 'api POST /v1/cards/$1/freeze --data {} --yes', { code: 3 }],
  ['api', 'a write that has a command', 'api POST /v1/cards/$1/reissue --data {} --yes', { code: 2 }],
  ['doctor', 'all', 'doctor'],
  ['doctor', 'strict', 'doctor --strict'],
  ['schema', 'all', 'schema'],
  ['completion', 'bash', 'completion bash'],
  ['help', 'all', 'help'],
];

/** Each operation of the service as it is called alone. A provisioning is in ROWS: its secrets need a place. */
const SAMPLED = NAMES.filter((name) => SAMPLE_CALLS[name].tool !== undefined).map((name): Sample => {
  const { command, argument, ends } = SAMPLE_CALLS[name];
  const typed = typedCall(name, ...(argument === 'cardId' ? [cardId(1)] : []));
  return { command, what: 'alone', args: () => [...typed, ...(ends === 'read' ? [] : ['--yes'])] };
});

const OTHERS = ROWS.map(
  ([command, what, text, more]): Sample => ({
    command,
    what,
    args: (place) => words(text.includes('$entry') ? text.replace('$entry', lastEntry(place)) : text),
    ...more,
  }),
);

export const SAMPLES: readonly Sample[] = [...SAMPLED, ...OTHERS];
