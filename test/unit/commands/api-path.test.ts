import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { familyOfPath, guardsOf, matchRow, pathProblem } from '../../../src/commands/api-path.ts';

const CARD_ID = '7c0e1111-2222-3333-4444-555566667777';

test('paths of raw calls: whatever is accepted, no URL parser folds it or leads it to another host', () => {
  const piece = fc.constantFrom('/', '.', '..', '%2e', '%2E', '%2f', '%5c', '\\', ';', 'a', '%25', ':', '@', 'é', '%');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const path = pieces.join('');
      if (pathProblem(path) !== undefined) return;
      const url = new URL(`http://service.example/prefix${path}`);
      expect(url.host).toBe('service.example');
      expect(url.pathname).toBe(`/prefix${path}`);
    }),
    { numRuns: 5000 },
  );
});

test('paths of raw calls: every id but dots alone can be part of a path when it is percent-encoded', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (id) => {
      fc.pre(!/^\.{1,2}$|[/\\;%]/.test(id) && id.isWellFormed());
      const path = `/v1/subscribers/${encodeURIComponent(id)}`;
      expect(pathProblem(path)).toBeUndefined();
      expect(matchRow('POST', path)?.params).toEqual({ id });
    }),
  );
});

test.each([
  ['GET', `/v1/cards/${CARD_ID}`, 'card.get', { cardId: CARD_ID }],
  ['POST', `/v1/cards/${CARD_ID}/%62lock`, 'card.block', { cardId: CARD_ID }],
  ['POST', `/v1/cards/${CARD_ID}/provision/wallet_b`, 'card.provision.wallet_b', { cardId: CARD_ID }],
  ['POST', '/v1/calendars/a%2Fb', 'calendar.update', { id: 'a/b' }],
  ['GET', '/v1/calendars/c/subscribers?limit=3', 'calendar.subscribers.list', { id: 'c' }],
  ['POST', '/v1/events', 'calendar.event.create', {}],
] as const)('paths of raw calls: %s %s is %s', (method, path, name, params) => {
  expect(matchRow(method, path)).toMatchObject({ operation: { name }, params });
});

test.each([
  ['POST', `/v1/cards/${CARD_ID}`],
  ['POST', `/v1/cards/${CARD_ID}/block/`],
  ['POST', '/v1/calendars/'],
  ['GET', `/v1/cards/${CARD_ID}/Block`],
  ['GET', '/v2/cards/x'],
] as const)('paths of raw calls: %s %s is no operation of the table', (method, path) => {
  expect(matchRow(method, path)).toBeUndefined();
});

test.each([
  ['/v1/cards', 'cards'],
  ['/v1/cards?x=/v1/events', 'cards'],
  ['/v1/%63ards/x', 'cards'],
  ['/v1/calendars/x', 'calendar'],
  ['/v1/events', 'calendar'],
  ['/v1/subscribers/x', 'calendar'],
  ['/v1/cardsmith/x', undefined],
  ['/v2/cards/x', undefined],
  ['/', undefined],
])('paths of raw calls: %s belongs to %s', (path, family) => {
  expect(familyOfPath(path)).toBe(family);
});

test.each([
  ['/v1/cards/x/block', true, false],
  ['/v1/cards/x/REISSUE//', true, false],
  ['/v1/cards/x/%2562lock', true, false],
  ['/v1/cards/x/block;v=1?a=b', true, false],
  ['/v1/cards/x/blocked', false, false],
  ['/v1/cards/x/Provision/wallet_c', false, true],
])('paths of raw calls: %s needs a reason: %s; may answer with secrets: %s', (path, needsReason, mayAnswerSecrets) => {
  expect(guardsOf('cards', path)).toEqual({ needsReason, mayAnswerSecrets });
});
