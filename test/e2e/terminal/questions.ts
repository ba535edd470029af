import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beginElsewhere } from '../../support/open-service.ts';
import { type RecordingServer, serve } from '../../support/recording-server.ts';
import { type Home, NO_PAUSE, runFrontdesk } from '../../support/run-frontdesk.ts';
import { NAMES, type OperationName, SAMPLE_CALLS, sampleRows, typedCall } from '../../support/sample-calls.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import type { Step } from './dialogue.ts';

export const OTHER = 'a1b2c3d4-2222-3333-4444-555566667777';
/** A card of which each write is answered with 500. */
const DOUBTFUL = 'd0000000-2222-3333-4444-555566667777';

const idIn = (url: string) => url.split('/')[3] ?? '';

export function service(): Promise<RecordingServer> {
  return serve(({ url, method }) => {
    if (method !== 'POST') return { body: cardText('ACTIVE', idIn(url)) };
    if (idIn(url) === DOUBTFUL) return { status: 500 };
    return { body: cardText(url.endsWith('/block') ? 'BLOCKED' : 'ACTIVE', idIn(url)) };
  });
}

/** Chooses that entry of a list: drawn it obeys arrows, in lines a number stands before each (`isDrawn`). */
export function typedOf([, typed]: Step, isDrawn: boolean): string {
  const entry = /^entry (\d)$/.exec(String(typed))?.[1];
  if (entry === undefined) return String(typed);
  return isDrawn ? `${'\u001b[B'.repeat(Number(entry))}\r` : `${Number(entry) + 1}\r`;
}

/** One question: what leads to it and what stands there. */
export interface Asked {
  readonly args: readonly string[];
  readonly seen: RegExp;
  /**
   * Where it is asked, as `test/contract/questions-joined.test.ts` finds all places: by the command that declares what it
   * asks for (`card get <cardId>`), by the call in the source that asks (`desk.ts choose`).
   */
  readonly asks: readonly string[];
  readonly steps?: readonly Step[];
  /** Nothing that is typed shows. */
  readonly isSecret?: true;
  /** Where nothing is drawn over, all is printed and nothing is asked. */
  readonly isDrawnOnly?: true;
  /** The environment says nothing of a service. */
  readonly isAlone?: true;
  readonly prepare?: (home: Home, env: Readonly<Record<string, string>>) => Promise<unknown>;
  /** What stands there after each Ctrl-C but the last, which ends the program. */
  readonly back?: readonly RegExp[];
}

const run =
  (...args: readonly string[]) =>
  async (home: Home, env: Readonly<Record<string, string>>) => {
    const { code, stderr } = await runFrontdesk(args, { home, env: { ...env, ...NO_PAUSE } });
    // A preparation that is refused would leave the test without its question.
    if (code !== 0 && code !== 15 && code !== 8) throw new Error(`${args.join(' ')}: ${code}\n${stderr}`);
  };

const RUN = run('card', 'block', CARD_ID, OTHER, '-y', '--run', 'monday');
const PLAN = run('card', 'block', CARD_ID, OTHER, '--plan', 'p.plan');
const profile = (...more: readonly string[]) =>
  run('profile', 'set', 'strict', '--cards-url', 'http://127.0.0.1:9', ...more);

type More = Pick<Asked, 'prepare' | 'steps' | 'isAlone' | 'isSecret'> & { readonly cardId?: string };

function asked(command: string, seen: RegExp, asks: readonly string[], more: More = {}): Asked {
  return { args: command.split(' '), seen, asks, ...more };
}

function id(command: string, argument: string, options = ''): Asked {
  const seen = argument === 'cardId' ? /\? ID of the card/ : /\? ID of the (calendar|subscriber)/;
  return asked(`${command}${options}`, seen, [`${command} <${argument}>`, 'ask-missing.ts text']);
}

/** What sample calls ask: for an ID, before a single change, and before a change of many rows. */
function sampleQuestions(name: OperationName): Readonly<Record<string, Asked>> {
  const { command, argument, choice, asks, asksOfRows } = SAMPLE_CALLS[name];
  const [, ...rest] = typedCall(name, '');
  const options = rest
    .slice(command.split(' ').length)
    .map((word) => ` ${word}`)
    .join('');
  const single = typedCall(name)
    .filter((word) => word !== '--reason' && word !== 'lost')
    .join(' ');
  const prepare: Asked['prepare'] = async ({ path }) =>
    writeFileSync(join(path, 'work', 'rows.ndjson'), sampleRows(name, ['reason']));
  return {
    ...(argument && {
      [`${name}: the ID`]: id(command, argument, choice === undefined ? options : `${options} --json`),
    }),
    ...(asks && {
      [`${name}: go on`]: asked(single, new RegExp(`${asks.question} [\\s\\S]*\\(y/N`), [
        command,
        asks.when === 'always' ? 'confirm.ts decide' : 'confirm.ts confirmSending',
      ]),
    }),
    ...(asksOfRows !== undefined && {
      [`${name}: go on with rows`]: asked(
        `${command} --from work/rows.ndjson`,
        new RegExp(`${asksOfRows.replace(' ', ' 2 ')} at .*\\(y/N`),
        [`${command}, many rows`, 'confirm-bulk.ts confirmSending'],
        { prepare },
      ),
    }),
  };
}

/** A question after entries of the desk's menu were chosen by these names. */
function atDesk(names: readonly string[], seen: RegExp, asks: string, more: More = {}): Asked {
  const { cardId = CARD_ID, ...rest } = more;
  const [first, ...others] = names;
  const steps: Step[] = [
    [/Card ID/, `${cardId}\r`],
    [/Look again/, `${first}\r`],
    ...others.map((name): Step => [/What did you find out/, `${name}\r`]),
  ];
  // The verdict may say `Look again` too.
  const left = new RegExp(`${seen.source}[\\s\\S]* 1 Look again`);
  return {
    ...asked('desk', seen, [asks], { steps, ...rest }),
    back: [left, new RegExp(`${left.source}[\\s\\S]*Card ID`)],
  };
}

const EVENT = 'calendar event create';
const LOGIN = 'auth login -p new';
const WAIT = 'card wait';
const REVERT = 'runs revert monday';
const OPEN_BLOCK = { cardId: DOUBTFUL, prepare: run('card', 'block', DOUBTFUL, '-y', '--retries', '0') } as const;
const ALONE = { isAlone: true } as const;

const ONCE = NAMES.filter((name, at) =>
  NAMES.slice(0, at).every((other) => SAMPLE_CALLS[other].command !== SAMPLE_CALLS[name].command),
);

/** Questions of single commands about cards, calendars and raw requests. */
const CALLS: Readonly<Record<string, Asked>> = {
  ...Object.assign({}, ...ONCE.map(sampleQuestions)),
  'a provision': asked(
    `card provision ${CARD_ID} --wallet wallet_a --json`,
    /Get the wallet_a data of card [\s\S]*\(y\/N/,
    ['confirm.ts confirmSending 2', 'confirm.ts confirm'],
  ),
  'a raw write': asked(`api POST /v1/cards/${CARD_ID}/notes`, /POST [\s\S]*\(y\/N/, ['api.ts confirmSending']),
  'a reason': asked(`card block ${CARD_ID}`, /Reason \(Enter = none\)/, ['confirm.ts text'], {
    steps: [[/\(y\/N/, 'r\r']],
  }),
  'a required reason': asked(`-p strict card block ${CARD_ID}`, /\? Reason/, ['write-guards.ts text'], {
    prepare: profile('--require-reason', '[A-Z]+-[0-9]+'),
    isAlone: true,
  }),
  'a card to wait for': id(WAIT, 'cardId', ' --status ACTIVE'),
  'a calendar of an event': asked(`${EVENT} --name n --start 2027-04-02`, /\? ID of the calendar/, [
    `${EVENT} --calendar`,
    'ask-missing.ts text 2',
  ]),
  'a name of an event': asked(`${EVENT} --calendar c --start 2027-04-02`, /\? Name of the event/, [`${EVENT} --name`]),
  'a start of an event': asked(`${EVENT} --calendar c --name n`, /\? When the event starts/, [`${EVENT} --start`]),
  wallet: asked(`card provision ${CARD_ID} --json`, /wallet_b/, ['card provision --wallet', 'ask-missing.ts choose']),
  'a file for a provision': asked(`card provision ${CARD_ID} --wallet wallet_a`, /\? File for the secrets/, [
    'secret-answer.ts text',
  ]),
  'a status to wait for': asked(`${WAIT} ${CARD_ID}`, /Which status/, [`${WAIT} --status`, 'local-call.ts choose']),
  'a method': asked('api', /\? Which method/, ['api <method>']),
  'a path': asked('api POST', /\? Path/, ['api.ts missingText', 'missing.ts text']),
  'whose path': asked('api POST /v1/other', /What does the path belong to/, ['api.ts askFamily', 'missing.ts choose']),
};

/** Questions about what is kept on this machine: history, runs, plans. */
const KEPT: Readonly<Record<string, Asked>> = {
  'an age': asked('history prune', /Delete what is older/, ['history prune --older-than', 'local-call.ts text']),
  'a loss of history': asked('history prune --older-than 1d', /Delete all .*\(y\/N/, [
    'history/prune.ts confirmLoss',
    'missing.ts confirm',
  ]),
  'a card to find': asked('card find', /\? Order number/, ['card/find.ts missingText']),
  'a loss of remembered cards': asked('card find --forget', /Forget all cards .*\(y\/N/, ['card/find.ts confirmLoss']),
  'found out': asked('history resolve 20270402', /Was it applied\?/, ['history resolve --as', 'local-call.ts choose']),
  'a process that may go on elsewhere': asked(
    'history resolve 20 --as applied',
    /Has its process ended\?/,
    ['history/resolve.ts confirm'],
    {
      async prepare(home, env) {
        await OPEN_BLOCK.prepare(home, env);
        beginElsewhere(home, 60_000);
      },
    },
  ),
  'an entry of the history': asked('history show', /Which entry/, ['history/entry.ts choose'], {
    prepare: run('card', 'activate', CARD_ID, '-y'),
  }),
  'a run': asked('runs show', /Which run/, ['runs/run-name.ts choose'], { prepare: RUN }),
  'a loss of a run': asked('runs remove monday', /Delete run monday.*\(y\/N/, ['runs/remove.ts confirmLoss'], {
    prepare: RUN,
  }),
  'a loss of runs': asked('runs remove --older-than 1d', /Delete all runs .*\(y\/N/, ['runs/remove.ts confirmLoss 2']),
  'rows sent again': asked(
    'runs resume monday --resend-unknown',
    /Block \d cards? again at [\s\S]*\(y\/N/,
    ['confirm-bulk.ts confirmSending 2'],
    { prepare: run('card', 'block', DOUBTFUL, OTHER, '-y', '--run', 'monday', '--retries', '0') },
  ),
  'a document': asked('runs report monday', /Which document/, ['runs report --as'], { prepare: RUN }),
  'a plan to revert by': asked(REVERT, /New file for the plan/, ['runs revert --plan'], { prepare: RUN }),
  'a plan to show': asked('plan show', /File of the plan/, ['plan show <file>']),
  'a plan to apply': asked('plan apply', /File of the plan/, ['plan apply <file>']),
  'a plan sent': asked('plan apply work/p.plan', /Apply plan .*\(y\/N/, ['apply-plan.ts confirmSending'], {
    prepare: PLAN,
  }),
};

const SETTINGS: Readonly<Record<string, Asked>> = {
  'a shell': asked('completion', /Which shell/, ['completion <shell>']),
  'a preference to show': asked('config get', /Which preference/, ['config get <key>']),
  'a preference to set': asked('config set', /Which preference/, ['config set <key>']),
  'a preference to take away': asked('config unset', /Which preference/, ['config unset <key>']),
  'a value of a preference': asked('config set retries', /Value of retries/, ['config/set.ts missingText']),
  'a name of a profile': asked('profile set', /Name of the profile/, ['profile/set.ts missingText']),
  'a profile': asked('profile use', /Which profile/, ['profile/profile.ts choose'], { prepare: profile() }),
  'a loss of a profile': asked(
    'profile remove strict',
    /Remove profile strict.*\(y\/N/,
    ['profile/remove.ts confirmLoss'],
    { prepare: profile() },
  ),
  'a family': asked(LOGIN, /Gift cards or calendars/, ['auth/login.ts askFamily'], ALONE),
  'a base URL': asked(`${LOGIN} --family cards`, /Base URL/, ['auth/login.ts text'], ALONE),
  'a token': asked(
    `${LOGIN} --family cards --cards-url https://cards.example.com`,
    /Token of/,
    ['auth/login.ts secret'],
    { isAlone: true, isSecret: true },
  ),
};

/** Every question of the program: a new one joins this list, or `test/contract/questions-joined.test.ts` fails. */
export const QUESTIONS: Readonly<Record<string, Asked>> = {
  ...CALLS,
  ...KEPT,
  ...SETTINGS,
  'the id at the desk': {
    ...asked('desk', /Card ID/, ['desk.ts text']),
    // The line is emptied, but where the terminal edits it.
    back: [/(?:order number \([^)]*\)\s*|[\b] [\b]|looked at\.\s*)$/],
  },
  'several cards at the desk': {
    ...asked('desk', /Which card/, ['desk.ts choose'], {
      prepare: async (home, env) => {
        await run('card', 'activate', CARD_ID, '-y')(home, env);
        await run('card', 'activate', OTHER, '-y')(home, env);
      },
      steps: [[/Card ID/, 'order-1\r']],
    }),
    back: [/Which card[\s\S]*Card ID/],
  },
  'the menu of the desk': {
    ...asked('desk', /Look again/, ['card-visit.ts choose'], { steps: [[/Card ID/, `${CARD_ID}\r`]] }),
    back: [/Look again[\s\S]*Card ID/],
  },
  'a status at the desk': atDesk(['wait'], /Which status/, 'card-visit.ts choose 2'),
  'a page at the desk': { ...atDesk(['all'], /Enter goes back/, 'card-visit.ts text'), isDrawnOnly: true },
  'one of several open writes': atDesk(['resolve'], /Which write/, 'card-visit.ts choose 3', {
    cardId: DOUBTFUL,
    prepare: async (home, env) => {
      await run('card', 'block', DOUBTFUL, '-y', '--retries', '0')(home, env);
      await run('card', 'block', DOUBTFUL, '-y', '--retries', '0')(home, env);
    },
  }),
  'what was found out at the desk': atDesk(['resolve'], /What did you find out/, 'card-visit.ts choose 4', OPEN_BLOCK),
  'the id of a new card': atDesk(['resolve', '1'], /ID of the new card/, 'card-visit.ts text 2', {
    cardId: DOUBTFUL,
    prepare: run('card', 'reissue', DOUBTFUL, '-y', '--retries', '0'),
  }),
  'a note at the desk': atDesk(['resolve', '2'], /Note \(Enter/, 'card-visit.ts text 3', OPEN_BLOCK),
  ...Object.fromEntries(
    NAMES.flatMap((name) => {
      const { argument, tool, command, ends } = SAMPLE_CALLS[name];
      const [, verb = ''] = command.split(' ');
      if (argument !== 'cardId' || tool === undefined || ends === 'read') return [];
      const seen = new RegExp(`${verb.charAt(0).toUpperCase()}${verb.slice(1)} card .*\\(y/N`, 's');
      return [[`${name} at the desk`, atDesk([verb], seen, `desk ${verb}`)] as const];
    }),
  ),
};
