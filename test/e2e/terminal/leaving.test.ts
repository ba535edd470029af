import { expect, it } from 'vitest';
import { openTerminal } from '../../support/pty.ts';
import { serve } from '../../support/recording-server.ts';
import { createHome, runFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { dialogue, type Step } from './dialogue.ts';

interface Question {
  readonly name: string;
  readonly args: readonly string[];
  /** What was answered before the question that is left. */
  readonly before?: readonly Step[];
  readonly seen: RegExp;
}

const QUESTIONS: readonly Question[] = [
  { name: 'a confirmation', args: ['card', 'block', CARD_ID], seen: /\(y\/N/ },
  { name: 'a reason', args: ['card', 'block', CARD_ID], before: [[/\(y\/N/, 'r\r']], seen: /Reason \(Enter = none\)/ },
  { name: 'an id', args: ['card', 'get'], seen: /ID of the card/ },
  { name: 'a choice', args: ['card', 'provision', CARD_ID], seen: /wallet_b/ },
  {
    name: 'a secret',
    args: ['auth', 'login', '-p', 'new', '--cards-url', 'https://cards.example.com'],
    seen: /Token of the gift cards/,
  },
];

const LEAVINGS = [
  { name: 'Ctrl-C', typed: '\u0003', code: 130 },
  { name: 'the end of input', typed: '\u0004', code: 130 },
  { name: 'SIGTERM', typed: { signal: 'SIGTERM' }, code: 143 },
  { name: 'SIGHUP', typed: { signal: 'SIGHUP' }, code: 129 },
] as const;

/** `dumb` obeys no escape sequences, so every question is asked in another way there. */
const TERMINALS = ['xterm-256color', 'dumb'];

/** Each way of leaving at each question, on one of the two: every question and every way is on both. */
const CASES = QUESTIONS.flatMap((question, at) =>
  LEAVINGS.map((leaving, way) => {
    const terminal = TERMINALS[(at + way) % TERMINALS.length] ?? '';
    return { question, leaving, terminal, title: `${leaving.name} at ${question.name} (${terminal})` };
  }),
);

it.concurrent.for(CASES)('P14 leaving a question by $title keeps the terminal as it was, nothing sent', async (one) => {
  const server = await serve(() => ({ body: cardText('ACTIVE') }));
  const { question, leaving, terminal } = one;
  const env = { ...(question.args[0] === 'auth' ? {} : server.env), TERM: terminal };
  const end = await dialogue(question.args, [...(question.before ?? []), [question.seen, leaving.typed]], { env });
  expect({ code: end.code, leftBehind: end.leftBehind }).toEqual({ code: leaving.code, leftBehind: [] });
  // A read and a login say nothing of what they never would have sent.
  const isWrite = ['block', 'provision'].includes(question.args[1] ?? '');
  const line = isWrite
    ? /^frontdesk: cancelled( by SIG(TERM|HUP))? at a question\. Nothing was sent\.$/m
    : /^frontdesk: cancelled( by SIG(TERM|HUP))? at a question$/m;
  expect(end.text).toMatch(line);
  expect(server.lines.filter((line) => line.startsWith('POST'))).toEqual([]);
});

const ASKING = [
  ['a block', `card block ${CARD_ID}`],
  ['a run', `card block ${CARD_ID} ${CARD_ID.replace('0', '1')}`],
  ['a missing value', 'card get'],
  ['an event', 'calendar event create --calendar c --name n --start 2027-01-01'],
  ['a raw POST', 'api POST /v1/cards/x/y'],
  ['the desk', `desk ${CARD_ID}`],
  ['a login', 'auth login -p new'],
  ['profile remove', 'profile remove live'],
] as const;

it.concurrent.for(
  ASKING.map(([what, line], at) =>
    at % 2 === 0
      ? ([`${what} behind \`timeout\``, `timeout 20 $FD ${line}`] as const)
      : ([`${what} behind \`&\``, `set -m; $FD ${line} & wait $!`] as const),
  ),
)('a question in the background of its terminal is refused with 2 and stops nothing: %s', async ([, line]) => {
  const server = await serve(() => ({ body: cardText('ACTIVE') }));
  const home = createHome();
  await runFrontdesk(['profile', 'set', 'live'], { home });
  const isLocal = /auth|profile/.test(line);
  const script = `${line}; echo ENDED-WITH=$?; read -r over`;
  const terminal = openTerminal([], { home, columns: 250, env: isLocal ? {} : server.env, script });
  await terminal.talk([/ENDED-WITH=\d+\n/, '\n']);
  const { text } = await terminal.end;
  expect(text).toMatch(/ENDED-WITH=2\n/);
  expect(text).toMatch(
    /frontdesk: could not .*: nobody can answer while frontdesk is in the background of its terminal/,
  );
  expect(text).toContain(
    'hint: run it in the foreground (`timeout --foreground`), or add --yes where only a yes is asked for\n',
  );
  expect(server.lines).toEqual([]);
});
