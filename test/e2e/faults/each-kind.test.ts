import { expect, it } from 'vitest';
import { type Behavior, json, raw, resetAfterRequest, silence, wrongLength } from '../../support/fault-server.ts';
import { NO_PAUSE } from '../../support/run-frontdesk.ts';
import { cardText } from '../../support/sample-card.ts';
import { type CallName, faulty, meet, onPost, seen } from './fault-run.ts';

/**
 * One fault of each kind, through the built program: how a change ends, and what the service was asked. Every operation
 * meets every event in test/unit/service/http/call-outcomes.test.ts; what bytes are which event, in test/unit/service/wire.
 */
const rows: readonly (readonly [CallName, string, Behavior, string])[] = [
  ['provisionB', '429 with Retry-After', json(429, '', { 'Retry-After': '1' }), '11 rejected 3 POST, 0 GET'],
  ['event', '408', json(408, ''), '8 unknown 1 POST, 0 GET'],
  ['calendar', '503 with Retry-After', json(503, '', { 'Retry-After': '1' }), '8 unknown 2 POST, 0 GET'],
  ['subscriber', '500', json(500, ''), '8 unknown 1 POST, 0 GET'],
  ['reissue', 'reset after the request', resetAfterRequest(), '8 unknown 1 POST, 2 GET'],
  ['provisionA', '200 with a cut body', wrongLength(200, 99, '{"cardId":'), '8 unknown 1 POST, 0 GET'],
  ['event', '204', raw('HTTP/1.1 204 No Content\r\n\r\n', { keepOpen: true }), '8 unknown 1 POST, 0 GET'],
  ['block', 'no HTTP', raw('SSH-2.0-OpenSSH_9.6\r\n'), '8 unknown 1 POST, 2 GET'],
  ['activate', '409', json(409, ''), '6 rejected 1 POST, 0 GET'],
  ['calendar', '401', json(401, ''), '4 rejected 1 POST, 0 GET'],
  ['subscriber', '403', json(403, ''), '5 rejected 1 POST, 0 GET'],
  ['subscriber', 'no response', silence(), '8 unknown 1 POST, 0 GET'],
];
it.concurrent.each(rows)('%s meets: %s', async (call, fault, behavior, expected) => {
  const server = await faulty(onPost(behavior, json(200, cardText('EXPIRED'))));
  const attemptMs = fault === 'no response' ? 1500 : 30_000;
  const result = await meet(server, call, { retries: 2, attemptMs, budgetMs: 60_000, env: NO_PAUSE });
  expect(`${result.end} ${seen(server)}`).toBe(expected);
});
