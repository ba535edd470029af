import { localCommand } from '../command/command.ts';
import { CANCELLED_EXIT_CODES, usageFailure } from '../failure.ts';
import { markSandboxReset } from '../history/sandbox-reset.ts';
import { constant, jsonOf, object, type ShapeOf, TEXT } from '../json/shape.ts';
import type { JsonValue } from '../json/value.ts';
import { cellText } from '../output/column.ts';
import { isJson } from '../output/options.ts';
import { safeText } from '../output/safe-text.ts';
import { FileStore, resetSandbox } from '../sandbox/file-store.ts';
import { INFO_OUTPUT, sandboxInfo } from '../sandbox/info.ts';
import { NEVER_ASKS } from './missing.ts';

type Info = ReturnType<typeof sandboxInfo>;

function line(...cells: readonly JsonValue[]): string {
  return `  ${cells.map((cell) => safeText(cellText(cell))).join('  ')}`;
}

/** Subscribers of a calendar that are named; the rest is counted, so that the cards stay on the screen. */
const NAMED_SUBSCRIBERS = 3;

function calendarLine(calendarId: string, subscribers: Info['subscribers']): string {
  const own = subscribers.filter(({ calendar }) => calendar === calendarId);
  const named = own.slice(0, NAMED_SUBSCRIBERS).map(({ id }) => safeText(id));
  const more = own.length - named.length;
  return `${line(calendarId)}  ${named.join(' ')}${more > 0 ? ` and ${more} more` : ''}`.trimEnd();
}

function infoText({ cards, calendars, subscribers }: Info): string {
  return [
    'Cards',
    ...cards.map(({ cardId, status }) => line(cardId, status)),
    'Calendars and their subscribers',
    ...calendars.map(({ id }) => calendarLine(id, subscribers)),
    '',
    ...cards.slice(0, 1).map(({ cardId }) => `Try: frontdesk -p sandbox card get ${cardId}`),
    'What it chose where the service shows no rule: frontdesk sandbox info --choices',
  ].join('\n');
}

function choicesText({ choices }: Info): string {
  return [
    'Where the service shows no rule, the sandbox chose:',
    ...choices.map(({ topic, choice }) => line(topic, choice)),
  ].join('\n');
}

export const sandboxInfoCommand = localCommand({
  description:
    'Lists the ids of the sandbox of `--profile sandbox` as it is now; with --choices every rule it chose where the service shows none. A real service may behave otherwise in each of these points.',
  options: { choices: { text: 'show the rules that the sandbox chose, and no ids' } },
  examples: {
    'See what there is to try': 'sandbox info',
    'Take the first active card': `sandbox info --json --query "cards[?status=='ACTIVE'].cardId | [0]"`,
  },
  output: () => INFO_OUTPUT,
  async run(session, { choices }) {
    const store = new FileStore(session.stateDir(), session.context);
    const info = sandboxInfo(store.read());
    const text = choices ? choicesText(info) : infoText(info);
    await session.print({ kind: 'text', text, json: jsonOf(INFO_OUTPUT, info) });
  },
});

const RESET = object({ reset: constant(true) });

export const sandboxResetCommand = localCommand({
  description: 'Puts the sandbox of `--profile sandbox` back to how it was at first. It touches no service.',
  options: { yes: NEVER_ASKS },
  examples: { 'Begin again': 'sandbox reset', 'In a test, before each case': 'sandbox reset --quiet' },
  output: () => RESET,
  async run(session) {
    await resetSandbox(session.stateDir(), session.context);
    await markSandboxReset(session.stateDir());
    await session.print({
      kind: 'text',
      text: 'The sandbox is as it was at first.',
      json: jsonOf(RESET, { reset: true }),
    });
  },
});

const SERVED = object({ url: TEXT, cardsToken: TEXT, calendarToken: TEXT });

/** The rules of `--fault`; USAGE for what is none. */
async function faultRules(texts: readonly string[]) {
  const { FAULT_HINT, readFaults } = await import('../sandbox/faults.ts');
  const { rules, faults } = readFaults(texts);
  if (faults.length > 0) throw usageFailure(faults, [FAULT_HINT]);
  return rules;
}

export const sandboxServeCommand = localCommand({
  description:
    'Runs the sandbox for scripts, CI and other clients until it is interrupted: from the same seed, in memory, on loopback. Once it listens it prints its URL and tokens. --fault plays an outage: GET or POST (or *), a part of the path, and an effect: a status (429, 503+retry-after=2), timeout, reset-before, reset-after (applied, then cut), truncate or garbage; *3 plays it the first three times, @50% at random.',
  options: {
    port: {
      kind: 'count',
      min: 0,
      max: 65_535,
      default: '0',
      text: 'port to listen on; 0, the default, takes a free one',
    },
    seed: { kind: 'path', text: 'begin with these cards, calendars and subscribers (JSON)' },
    latency: { kind: 'duration', default: '0s', text: 'let every answer wait that long' },
    fault: { kind: 'text', value: 'rule', repeatable: true, text: "play a fault: 'POST /block:reset-after*1'" },
  },
  exitCodes: [0, 1, 2, 16, 129, 130, 143],
  examples: {
    'Serve, and take URL and tokens from one JSON line': 'sandbox serve --json',
    'Rehearse an outage': "sandbox serve --port 8080 --latency 50ms --fault 'GET /cards:503+retry-after=2*3'",
  },
  output: () => SERVED,
  check: async ({ fault = [] }) => void (await faultRules(fault)),
  async run(session, { port, seed, latency, fault }) {
    const rules = await faultRules(fault);
    const { runServe } = await import('../sandbox/open.ts');
    const options = { port, seedFile: seed, latencyMs: latency.ms, faults: rules };
    const server = await runServe(options, session.context);
    const { url, cardsToken, calendarToken } = server;
    const stopped = new Promise<number>((resolve) => {
      session.context.signals.onSignal((signal) => resolve(CANCELLED_EXIT_CODES[signal]));
    });
    const facts: ShapeOf<typeof SERVED> = { url, cardsToken, calendarToken };
    try {
      // One line even with json: a program that waits for it reads up to the first newline.
      await session.context.stdout.write(
        isJson(session.output.format)
          ? `${JSON.stringify(facts)}\n`
          : `Sandbox at ${url}; Ctrl-C ends it. In another shell:\nexport FRONTDESK_CARDS_URL=${url}\nexport FRONTDESK_CARDS_TOKEN=${cardsToken}\nexport FRONTDESK_CALENDAR_URL=${url}\nexport FRONTDESK_CALENDAR_TOKEN=${calendarToken}\n`,
      );
      return await stopped;
    } finally {
      // Its address can no longer be learned, and a server that went on listening would never end.
      await server.close();
    }
  },
});
