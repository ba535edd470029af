import { expect, it } from 'vitest';
import type { Notice } from '../../../../src/base/failure.ts';
import { Credential } from '../../../../src/profile/credentials/credential.ts';

const NOW_S = 1_780_000_000;

function jwt(claims: Readonly<Record<string, number>>): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.c2ln`;
}

function credentialOf(options: { readonly family?: 'cards' | 'calendar'; readonly ignoreExpiry?: boolean } = {}) {
  const notices: Notice[] = [];
  let given = '';
  const credential = new Credential({
    family: options.family ?? 'cards',
    clock: { now: () => NOW_S * 1000 },
    ignoreExpiry: options.ignoreExpiry ?? false,
    onNotice: (notice) => notices.push(notice),
    hints: ['log in again'],
    choose: async () => ({
      name: 'profile live',
      what: 'the gift card token of profile live',
      words: 'the stored login of live',
      remedy: 'log in again',
      token: async () => given,
    }),
  });
  const use = (token: string) => {
    given = token;
    return credential.token();
  };
  const remainingMs = (token: string) => {
    given = token;
    return credential.remainingMs();
  };
  return { use, remainingMs, notices };
}

it('a token that is not valid yet is reported when it begins more than a minute from now', async () => {
  const { use, notices } = credentialOf();
  await use(jwt({ nbf: NOW_S + 61 }));
  const message = 'the gift card token of profile live says that it is not valid before 2026-05-28T20:27:41.000Z';
  expect(notices).toEqual([{ code: 'TOKEN_NOT_YET_VALID', level: 'warning', message }]);
});

it.each([
  ['a minute from now, since clocks differ', { nbf: NOW_S + 60 }],
  ['in the past', { nbf: NOW_S - 3600 }],
  ['never says so', {}],
])('a token that is not valid yet is not reported when it begins %s', async (_name, claims) => {
  const { use, notices } = credentialOf();
  await use(jwt(claims));
  expect(notices).toEqual([]);
});

it('a token that expires is refused from its second on, with what to do', async () => {
  const { use, notices } = credentialOf();
  await expect(use(jwt({ exp: NOW_S }))).rejects.toThrow(
    expect.objectContaining({
      code: 'AUTH',
      message:
        "the gift card token of profile live expired 0 ms ago (at 2026-05-28T20:26:40Z, and this machine's clock says 2026-05-28T20:26:40Z). Nothing was sent.",
      hints: ['log in again'],
    }),
  );
  expect(notices).toEqual([]);
  expect(await use(jwt({ exp: NOW_S + 1 }))).toBe(jwt({ exp: NOW_S + 1 }));
  // Also after a valid one was in use.
  await expect(use(jwt({ exp: NOW_S - 1 }))).rejects.toThrow('Nothing was sent.');
});

it('a token that expires is used anyway with --ignore-expiry, without a notice', async () => {
  const { use, notices } = credentialOf({ ignoreExpiry: true });
  await use(jwt({ exp: NOW_S - 10 }));
  expect(notices).toEqual([]);
});

it('a token that expires is announced once for each token within a day of its end, and again after another one', async () => {
  const { use, notices } = credentialOf();
  const [first, second] = [3600, 7200].map((seconds) => jwt({ exp: NOW_S + seconds }));
  for (const token of [first, first, second, jwt({ exp: NOW_S + 86_400 * 2 }), jwt({})]) await use(token ?? '');
  const notice = ['TOKEN_EXPIRES_SOON', 'note'];
  expect(notices.map(({ code, level }) => [code, level])).toEqual([notice, notice]);
  expect(notices[0]?.message).toBe('the gift card token of profile live expires in 1 h (at 2026-05-28T21:26:40Z)');
  await use(first ?? '');
  expect(notices).toHaveLength(3);
});

it('a token that expires may be announced and not be valid yet, in this order', async () => {
  const { use, notices } = credentialOf();
  await use(jwt({ exp: NOW_S + 7200, nbf: NOW_S + 3600 }));
  expect(notices.map(({ code }) => code)).toEqual(['TOKEN_EXPIRES_SOON', 'TOKEN_NOT_YET_VALID']);
});

it('a token that expires says how much of its life is left', async () => {
  const { remainingMs } = credentialOf();
  expect(await remainingMs(jwt({ exp: NOW_S + 90 }))).toBe(90_000);
  expect(await remainingMs(jwt({ exp: NOW_S - 1 }))).toBe(-1000);
  expect(await remainingMs(jwt({ nbf: NOW_S }))).toBeUndefined();
  expect(await remainingMs('opaque')).toBeUndefined();
});

it('the key of a calendar is never taken apart', async () => {
  const { use, remainingMs, notices } = credentialOf({ family: 'calendar' });
  const key = jwt({ exp: NOW_S - 10, nbf: NOW_S + 3600 });
  await use(key);
  expect(await remainingMs(key)).toBeUndefined();
  expect(notices).toEqual([]);
});
