import { FAMILIES } from '../api/operation.ts';
import { untypedCommand } from '../commands/command.ts';
import { ANY } from '../json/shape.ts';

export const apiCommand = untypedCommand({
  description:
    'Sends one raw request to the service, with the credential, the retries and the rules of every other call. Which of the two is meant is read from the path (/v1/cards… or /v1/calendars, /v1/events, /v1/subscribers…), else by --family. The path is sent as typed, so percent-encode what needs it; whole URLs and dot segments are refused. A POST is a write: it asks on a terminal and needs --yes elsewhere, obeys a read-only profile and a required reason, and is recorded in the history. The answer is printed as sent: as indented JSON unless -o or --columns says otherwise. In table and csv output the one-time secrets of a provisioning are hidden.',
  usesProfile: true,
  writes: true,
  arguments: [
    { name: 'method', text: 'method of the request', required: true, choices: ['GET', 'POST'] },
    { name: 'path', text: 'path and query below the base URL: /v1/cards/…', required: true },
  ],
  options: [
    {
      long: 'family',
      value: 'cards|calendar',
      choices: FAMILIES,
      text: 'gift cards or calendars, where the path does not say',
    },
    { long: 'data', value: 'json|@file|@-', text: 'body of a POST: JSON, or the file that holds it (@- is stdin)' },
    { long: 'include', text: 'print status and headers before the body; not with json, ndjson or csv output' },
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 16, 130],
  examples: {
    'Read a card as the service sends it': 'api GET /v1/cards/0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    'See the headers too': "api GET '/v1/calendars/cal_harbour_tours/subscribers?limit=2' --include",
    'Send a body from a file, in a script': 'api POST /v1/events --data @event.json --yes --json',
  },
  output: () => ANY,
  async run(session, input) {
    const { runApi } = await import('./api-call.ts');
    await runApi(session, input);
  },
});
