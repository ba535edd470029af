import { describe, expect, it } from 'vitest';
import { LibraryCredential } from '../../../src/library/credential.ts';
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
