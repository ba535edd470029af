import { describe, expect, it } from 'vitest';
import { ExpiryGuard } from '../../../src/credentials/expiry-guard.ts';
import type { Notice } from '../../../src/failure.ts';

const NOW_S = 1_780_000_000;

function jwt(claims: Readonly<Record<string, number>>): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.c2ln`;
}

function guard(options: { readonly family?: 'cards' | 'calendar'; readonly ignoreExpiry?: boolean } = {}) {
  const notices: Notice[] = [];
  const made = new ExpiryGuard({
    family: options.family ?? 'cards',
    clock: { now: () => NOW_S * 1000 },
    ignoreExpiry: options.ignoreExpiry ?? false,
    onNotice: (notice) => notices.push(notice),
    hints: ['log in again'],
  });
  return {
    check: made.check.bind(made),
    isExpired: made.isExpired.bind(made),
    remainingMs: made.remainingMs.bind(made),
    notices,
  };
}

describe('a token that is not valid yet', () => {
  it('is reported when it begins more than a minute from now', () => {
    const { check, notices } = guard();
    check(jwt({ nbf: NOW_S + 61 }), 'the gift card token of profile live');
    expect(notices).toEqual([
      {
        code: 'TOKEN_NOT_YET_VALID',
        level: 'warning',
        message: 'the gift card token of profile live says that it is not valid before 2026-05-28T20:27:41.000Z',
      },
    ]);
  });

  it.each([
    ['a minute from now, since clocks differ', { nbf: NOW_S + 60 }],
    ['in the past', { nbf: NOW_S - 3600 }],
    ['never says so', {}],
  ])('is not reported when it begins %s', (_name, claims) => {
    const { check, notices } = guard();
    check(jwt(claims), 'the gift card token of profile live');
    expect(notices).toEqual([]);
  });
});

describe('a token that expires', () => {
  it('is refused from its second on, with what to do', () => {
    const { check, isExpired, notices } = guard();
    expect(() => check(jwt({ exp: NOW_S }), 'the gift card token of profile live')).toThrow(
      expect.objectContaining({
        code: 'AUTH',
        message:
          "the gift card token of profile live expired 0 ms ago (at 2026-05-28T20:26:40Z; this machine's clock says 2026-05-28T20:26:40Z); nothing was sent",
        hints: ['log in again'],
      }),
    );
    expect(isExpired(jwt({ exp: NOW_S }))).toBe(true);
    expect(isExpired(jwt({ exp: NOW_S + 1 }))).toBe(false);
    expect(notices).toEqual([]);
  });

  it('is used all the same with --ignore-expiry, without a notice', () => {
    const { check, isExpired, notices } = guard({ ignoreExpiry: true });
    check(jwt({ exp: NOW_S - 10 }), 'the gift card token of profile live');
    expect(isExpired(jwt({ exp: NOW_S - 10 }))).toBe(false);
    expect(notices).toEqual([]);
  });

  it('is announced once for each token within a day of its end', () => {
    const { check, notices } = guard();
    const first = jwt({ exp: NOW_S + 3600 });
    const second = jwt({ exp: NOW_S + 7200 });
    for (const token of [first, first, second, jwt({ exp: NOW_S + 86_400 * 2 }), jwt({})])
      check(token, 'the gift card token of profile live');
    expect(notices.map(({ code, level }) => [code, level])).toEqual([
      ['TOKEN_EXPIRES_SOON', 'note'],
      ['TOKEN_EXPIRES_SOON', 'note'],
    ]);
    expect(notices[0]?.message).toBe('the gift card token of profile live expires in 1 h (at 2026-05-28T21:26:40Z)');
  });

  it('is announced again after another one was in use', () => {
    const { check, notices } = guard();
    const first = jwt({ exp: NOW_S + 3600 });
    for (const token of [first, jwt({}), first]) check(token, 'the gift card token of profile live');
    expect(notices).toHaveLength(2);
  });

  it('may be announced and not be valid yet, in this order', () => {
    const { check, notices } = guard();
    check(jwt({ exp: NOW_S + 7200, nbf: NOW_S + 3600 }), 'the gift card token of profile live');
    expect(notices.map(({ code }) => code)).toEqual(['TOKEN_EXPIRES_SOON', 'TOKEN_NOT_YET_VALID']);
  });

  it('is refused although a token that is valid was asked about in between', () => {
    const { check, isExpired } = guard();
    const expired = jwt({ exp: NOW_S - 1 });
    for (const token of [expired, jwt({ exp: NOW_S + 90_000 }), expired]) {
      expect(isExpired(token)).toBe(token === expired);
    }
    expect(() => check(expired, 'the gift card token of profile live')).toThrow('nothing was sent');
  });

  it('says how much of its life is left', () => {
    const { remainingMs } = guard();
    expect(remainingMs(jwt({ exp: NOW_S + 90 }))).toBe(90_000);
    expect(remainingMs(jwt({ exp: NOW_S - 1 }))).toBe(-1000);
    expect(remainingMs(jwt({ nbf: NOW_S }))).toBeUndefined();
    expect(remainingMs('opaque')).toBeUndefined();
  });
});

it('never takes the key of a calendar apart', () => {
  const { check, isExpired, remainingMs, notices } = guard({ family: 'calendar' });
  const key = jwt({ exp: NOW_S - 10, nbf: NOW_S + 3600 });
  check(key, 'the gift card token of profile live');
  expect(isExpired(key)).toBe(false);
  expect(remainingMs(key)).toBeUndefined();
  expect(notices).toEqual([]);
});
