import { access, constants } from 'node:fs/promises';
import { CANCELLED_EXIT_CODES, collect, type Failure, usageFailure } from '../../../base/failure.ts';
import { describeIoError } from '../../../base/files/io-failure.ts';
import { jsonOf, object, TEXT } from '../../../base/json/shape.ts';
import { localCommand } from '../../../command/command.ts';
import { joinFailures } from '../../../command/faults.ts';

const SERVED = object({ url: TEXT, cardsToken: TEXT, calendarToken: TEXT });

async function faultRules(texts: readonly string[]) {
  return (await import('../../../sandbox/faults.ts')).readFaults(texts);
}

/** USAGE where no seed file can be read. What it holds is not looked at here, because a pipe gives it only once. */
async function requireSeed(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    throw usageFailure([{ where: '--seed', problem: `could not read ${path}: ${describeIoError(error)}` }]);
  }
}

export const command = localCommand({
  description:
    'Serves scripts, CI and other programs on this machine. Stop it with Ctrl-C. It starts from the built-in data or --seed, keeps its state in memory, and prints its URL and tokens when it is ready. --fault simulates an outage: a method (GET, POST or *), a part of the path, and an effect: a status (429, 503+retry-after=2), timeout, reset-before, reset-after (applied, then cut off), truncate or garbage. Add *3 for the first three requests, or @50% for half of them at random.',
  options: {
    port: {
      kind: 'count',
      min: 0,
      max: 65_535,
      default: '0',
      text: 'listen on this port (0 to 65535); default: 0, a free one',
    },
    seed: { kind: 'path', text: 'start from these cards, calendars and subscribers (JSON)' },
    latency: { kind: 'duration', default: '0s', text: 'delay every response by this time (500ms, 2s; at most 7d)' },
    fault: { kind: 'text', value: 'rule', repeatable: true, text: "simulate a fault: 'POST /block:reset-after*1'" },
  },
  examples: {
    'Print URL and tokens as one JSON line': 'sandbox serve --json',
    'Simulate an outage': "sandbox serve --port 8080 --latency 50ms --fault 'GET /cards:503+retry-after=2*3'",
  },
  output: () => SERVED,
  async check({ fault = [], seed }) {
    const failures: Failure[] = [];
    await collect(failures, () => faultRules(fault));
    if (seed !== undefined) await collect(failures, () => requireSeed(seed));
    if (failures.length > 0) throw joinFailures(failures);
  },
  async run(session, { port, seed, latency, fault }) {
    const rules = await faultRules(fault);
    const { runServe } = await import('../../../sandbox/open.ts');
    const options = { port, seedFile: seed, latencyMs: latency.ms, faults: rules };
    const server = await runServe(options, session.context);
    const { url, cardsToken, calendarToken } = server;
    const stopped = new Promise<number>((resolve) => {
      session.context.signals.onSignal((signal) => {
        session.context.dropStalledReaders();
        resolve(CANCELLED_EXIT_CODES[signal]);
      });
    });
    const text = `Sandbox at ${url}. Ctrl-C ends it. In another shell:\nexport FRONTDESK_CARDS_URL=${url}\nexport FRONTDESK_CARDS_TOKEN=${cardsToken}\nexport FRONTDESK_CALENDAR_URL=${url}\nexport FRONTDESK_CALENDAR_TOKEN=${calendarToken}\n`;
    // One line even with json: programs read up to the first newline.
    if (session.output.format === 'json') session.useFormat('ndjson');
    try {
      const printed = session.print({ kind: 'text', text, json: jsonOf(SERVED, { url, cardsToken, calendarToken }) });
      // A reader that stands still must not keep the server running.
      await Promise.race([printed, stopped]);
      return await stopped;
    } finally {
      // Its address cannot be learned any more, and the server would never end.
      await server.close();
    }
  },
});
