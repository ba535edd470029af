import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Family } from '../../../src/api/operation.ts';
import { LibraryCredential } from '../../../src/library/credential.ts';
import type { Signal, Token } from '../../../src/library/types.ts';
import { FakeClock } from '../run/fakes.ts';

/** A credential whose token function gives these one after another; an error is thrown. */
function credentialOf(tokens: readonly (string | Error)[]) {
  const asked = [...tokens];
  const credential = new LibraryCredential({
    family: 'calendar',
    clock: new FakeClock(),
    timeoutMs: 60_000,
    heard: () => undefined,
    token() {
      const next = asked.shift() ?? new Error('asked once too often');
      if (next instanceof Error) throw next;
      return next;
    },
  });
  return { left: () => asked.length, call: () => credential.forCall(undefined) };
}

describe('the token function of a library', () => {
  it('is asked once for all calls', async () => {
    const { call, left } = credentialOf(['one', 'two']);
    expect(await Promise.all([call().token(), call().token()])).toEqual(['one', 'one']);
    expect(await call().token()).toBe('one');
    expect(left()).toBe(1);
  });

  it('is asked once more after a 401, for all calls that met it, and later calls have what it gave', async () => {
    const { call, left } = credentialOf(['one', 'two', 'three']);
    const [first, second] = [call(), call()];
    expect([await first.token(), await second.token()]).toEqual(['one', 'one']);
    expect(await Promise.all([first.renew('one'), second.renew('one')])).toEqual(['two', 'two']);
    expect(await call().token()).toBe('two');
    expect(left()).toBe(1);
  });

  it('that gives the refused token again has nothing new to offer', async () => {
    const one = credentialOf(['one', 'one']).call();
    await one.token();
    expect(await one.renew('one')).toBeUndefined();
  });

  it('that failed is asked again by the next call', async () => {
    const { call } = credentialOf([new Error('not now'), 'two']);
    await expect(call().token()).rejects.toMatchObject({ code: 'AUTH' });
    expect(await call().token()).toBe('two');
  });
});

/** A credential with this token, a clock that stands until a sleep ends, and every token that was heard. */
function credentialWith(token: Token, family: Family = 'cards') {
  const clock = new FakeClock();
  const heard: string[] = [];
  const credential = new LibraryCredential({
    family,
    clock,
    timeoutMs: 60_000,
    heard: (text) => void heard.push(text),
    token,
  });
  return { clock, heard, call: (signal?: Signal) => credential.forCall(signal) };
}

const NOW_SECONDS = Date.parse('2026-05-01T12:00:00Z') / 1000;

function jwt(secondsFromNow: number, name = ''): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none', name })}.${part({ exp: NOW_SECONDS + secondsFromNow })}.`;
}

describe('the token of a library', () => {
  it('as a text is used as it is, and nothing follows a 401', async () => {
    const { call, heard } = credentialWith('one');
    const used = call();
    expect([used.source, await used.token(), await used.renew('one')]).toEqual(['cards.token', 'one', undefined]);
    expect(heard).toEqual(['one']);
  });

  it('is heard before it is used, each that the function gives', async () => {
    const tokens = ['one', 'two'];
    const { call, heard } = credentialWith(async () => tokens.shift() ?? '');
    const used = call();
    expect([await used.token(), await used.renew('one'), heard]).toEqual(['one', 'two', ['one', 'two']]);
  });

  it('cannot be renewed before it was asked for', async () => {
    const { call } = credentialWith(() => 'one');
    expect(await call().renew('one')).toBeUndefined();
  });

  it.each<[string, Token, string]>([
    ['throws', () => Promise.reject(new Error('hunter2')), 'the function threw an error, which is not shown'],
    [
      'throws at once',
      () => {
        throw new Error('hunter2');
      },
      'the function threw an error, which is not shown',
    ],
    // A program without types may give anything.
    ['gives no text', (() => 7) as unknown as Token, 'the function gave no text'],
  ])('whose function %s is AUTH, and nothing of it is shown', async (_what, token, problem) => {
    await expect(credentialWith(token).call().token()).rejects.toMatchObject({
      code: 'AUTH',
      message: `cards.token: ${problem}; nothing was sent`,
    });
  });

  it('that holds what no header can is AUTH, without being repeated', async () => {
    const { call, heard } = credentialWith(() => 'hunter2 \u00e9');
    const error = await call()
      .token()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'AUTH', message: expect.stringContaining('cards.token') });
    expect(error).toMatchObject({ message: expect.not.stringContaining('hunter2') });
    expect(heard).toEqual([]);
  });

  it('that has ended is asked for anew, and refused when it has ended again', async () => {
    const tokens = [jwt(-60, 'a'), jwt(60, 'b')];
    const { call } = credentialWith(() => tokens.shift() ?? '');
    expect(await call().token()).toBe(jwt(60, 'b'));
    const ended = credentialWith(() => jwt(-7200));
    await expect(ended.call().token()).rejects.toMatchObject({
      code: 'AUTH',
      message: expect.stringMatching(/^cards\.token: the token expired 2 h ago .*; nothing was sent$/),
    });
  });

  it('that has ended is no renewal', async () => {
    const tokens = [jwt(60), jwt(-60)];
    const used = credentialWith(() => tokens.shift() ?? '').call();
    expect([await used.token(), await used.renew('')]).toEqual([jwt(60), undefined]);
  });

  it('as a text that has ended is refused at once', async () => {
    await expect(credentialWith(jwt(-60)).call().token()).rejects.toMatchObject({ code: 'AUTH' });
  });

  it('of the calendar API is no JWT, whatever it looks like', async () => {
    expect(await credentialWith(jwt(-60), 'calendar').call().token()).toBe(jwt(-60));
  });
});

describe('a call that waits for a token', () => {
  it('waits as long as a call may take, and the next one asks again', async () => {
    let asked = 0;
    const { call, clock } = credentialWith(() => {
      asked += 1;
      return asked === 1 ? new Promise<string>(() => undefined) : 'two';
    });
    await expect(call().token()).rejects.toMatchObject({
      code: 'AUTH',
      message: 'cards.token: the function gave no token within 60 s; nothing was sent',
    });
    expect(clock.ms).toBe(60_000);
    expect([await call().token(), asked]).toEqual(['two', 2]);
  });

  it.each(['before', 'meanwhile'])('ends when it is ended %s, and asks for nothing then', async (when) => {
    const abort = new AbortController();
    let asked = 0;
    const { call } = credentialWith(() => {
      asked += 1;
      abort.abort();
      return new Promise<string>(() => undefined);
    });
    if (when === 'before') abort.abort();
    await expect(call(abort.signal).token()).rejects.toMatchObject({
      code: 'CANCELLED',
      message: 'the call was ended before it had a token',
    });
    expect(asked).toBe(when === 'before' ? 0 : 1);
  });

  it('does not take along the others that wait for the same token', async () => {
    let give: (token: string) => void = () => undefined;
    const { call } = credentialWith(
      () =>
        new Promise<string>((resolve) => {
          give = resolve;
        }),
    );
    const abort = new AbortController();
    const [ended, other] = [call(abort.signal).token(), call().token()];
    abort.abort();
    await expect(ended).rejects.toMatchObject({ code: 'CANCELLED' });
    give('one');
    expect(await other).toBe('one');
  });

  it('leaves no timer and no listener behind', async () => {
    const { call, clock } = credentialWith(() => 'one');
    const { signal } = new AbortController();
    await call(signal).token();
    await clock.sleep(1);
    expect([getEventListeners(signal, 'abort').length, clock.ms]).toEqual([0, 1]);
  });
});
