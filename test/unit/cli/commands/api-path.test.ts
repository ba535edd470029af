import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { familyOfPath, operationAt, pathProblem, readAt } from '../../../../src/cli/commands/api-path.ts';

const CARD_ID = '7c0e1111-2222-3333-4444-555566667777';

test('paths of raw calls: whatever is accepted, no URL parser folds it or leads it to another host', () => {
  const piece = fc.constantFrom('/', '.', '..', '%2e', '%2E', '%2f', '%5c', '\\', ';', 'a', '%25', ':', '@', 'é', '%');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const path = pieces.join('');
      if (pathProblem(path) !== undefined) return;
      const url = new URL(`http://service.example/prefix${path}`);
      expect([url.host, url.pathname]).toEqual(['service.example', `/prefix${path}`]);
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
      expect(operationAt(path)?.params).toEqual({ id });
    }),
  );
});

test.each([
  [`/v1/cards/${CARD_ID}`, 'card.get', { cardId: CARD_ID }],
  ['/v1/calendars/a%2Fb/subscribers?limit=3', 'calendar.subscribers.list', { id: 'a/b' }],
] as const)('paths of raw calls: GET %s is %s', (path, name, params) => {
  expect(readAt(path)).toMatchObject({ operation: { name }, params });
});

test.each([`/v1/cards/${CARD_ID}/Block`, '/v1/cards/', '/v2/cards/x'])(
  'paths of raw calls: GET %s is no read of the table',
  (path) => expect(readAt(path)).toBeUndefined(),
);

const REISSUES = [
  ...['/V1//cards/x/reissue', '/v1/cards/x/reissue%20', '/v1/cards/x/%09reissue%0D%0A', '/v1/cards/x/reissue%00/more'],
  ...['/v1/cards/x/reissue%3Fy', '/v1/cards/x/reissue%3Fy/z', '/v1/cards/x/reissue%23', '/v1/cards/x/reissue%2F'],
  ...['/v1/cards/x%2Freissue/%20/', '/v1/cards/x/reissue.', '/v1/cards/x/reissue.json', '/v1/cards/x/reissue+'],
  ...['/v1/cards/x/reissue%C2%A0', '/v1/cards/x/reissue%C0%80', '/v1/cards/x/%EF%BC%B2eissue'],
  ...['/v1/cards/x/rei%C5%BFsue', '/v1/cards/x/re%E2%80%8Bissue', '/v1/cards./x/%252572eissue%20;v=1'],
];

test.each<[string, object, ...string[]]>([
  ['card.block', { cardId: CARD_ID }, `/v1/cards/${CARD_ID}/%62lock`],
  ['card.block', { cardId: 'any text' }, '/v1/cards/any text/BLOCK/?x=1'],
  ['card.block', { cardId: 'x' }, '/v1/cards/x/%2562lock', '/v1/cards/x/block;v=1'],
  ['card.provision.wallet_b', { cardId: 'x' }, '/v1/cards/x/provision/wallet_b'],
  ['card.get', { cardId: 'x' }, '/v1/cards/x'],
  ['calendar.update', { id: 'a/b' }, '/v1/calendars/a%2Fb'],
  ['calendar.subscribers.list', { id: 'c' }, '/v1/calendars/c/subscribers'],
  ['calendar.event.create', {}, '/v1/events/', '/%20/v1/events%20'],
  ['card.reissue', { cardId: 'a/b' }, '/v1/cards/a%2Fb/reissue%20'],
  ['card.reissue', { cardId: 'x' }, ...REISSUES],
])('paths of raw calls: a POST is for %s of %j', (name, params, ...paths) => {
  for (const path of paths) expect([path, operationAt(path)]).toMatchObject([path, { operation: { name }, params }]);
});

test.each([
  ['/v1/x/..%20/cards/y/reissue', 'has a dot segment'],
  ['/v1/x/%2e%2e%00/cards/y/reissue', 'has a dot segment'],
  ['/v1/cards/y/%25252525252572eissue', 'is percent-encoded more than five times over'],
  ['/v1/cards/a\r\nHost: evil.example', 'has a control character'],
  ['/v1/calendars/a é%', 'has characters that must be percent-encoded', 'write it as /v1/calendars/a%20%C3%A9%25'],
])('paths of raw calls: %j %s', (path, problem, hint?: string) => {
  expect(pathProblem(path)).toMatchObject({ problem: expect.stringContaining(problem), ...(hint && { hint }) });
});

test.each([
  ...['/v1/cards', '/v1/cards/x/reissue-batch', '/v1/cards/x/re-issue', '/v1/cards/x/blocked'],
  ...['/v1/cards/x/provision/wallet_c', '/v2/cards/x', '/v1/events/x', '/'],
])('paths of raw calls: POST %s is no operation of the table', (path) => expect(operationAt(path)).toBeUndefined());

test.each([
  ['cards', ['/v1/cards', '/v1/cards?x=/v1/events', '/v1/%63ards/x']],
  ['calendar', ['/v1/calendars/x', '/v1/events', '/v1/subscribers/x']],
  [undefined, ['/v1/cardsmith/x', '/v2/cards/x', '/']],
])('paths of raw calls: to %s belong %j', (family, paths) => {
  expect(paths.map(familyOfPath)).toEqual(paths.map(() => family));
});

const CONVERTED = ['C:/Program Files/Git/v1/cards/x', 'c:\\msys64\\v1\\cards\\x'];

test.each(CONVERTED)('a path that Git Bash has converted names what switches that off: %s', (path) => {
  expect(pathProblem(path)).toMatchObject({
    problem: expect.stringContaining('is a path of this machine, which Git Bash made of a path of the service'),
    hint: 'set MSYS_NO_PATHCONV=1, and type the path again',
  });
});

test('a whole URL is none that Git Bash has converted', () => {
  expect(pathProblem('https://api.example.com/v1/cards/x')?.problem).toContain('must be a path and not a whole URL');
});
