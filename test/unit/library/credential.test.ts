import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import type { Family } from '../../../src/api/operation.ts';
import { libraryCredential } from '../../../src/library/credential.ts';
import type { Token } from '../../../src/library/types.ts';
import { FakeClock } from '../run/fakes.ts';

/** A credential whose token function gives these one after another; an error is thrown. */
function credentialOf(tokens: readonly (string | Error)[]) {
  const asked = [...tokens];
  const credential = libraryCredential({
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
  return { left: () => asked.length, credential };
}

it('the token function of a library is asked once for all calls', async () => {
  const { credential, left } = credentialOf(['one', 'two']);
  expect(await Promise.all([credential.token(), credential.token()])).toEqual(['one', 'one']);
  expect(await credential.token()).toBe('one');
  expect(left()).toBe(1);
});

it('the token function of a library is asked once more after a 401, for all calls that met it, and later calls have what it gave', async () => {
  const { credential, left } = credentialOf(['one', 'two', 'three']);
  expect([await credential.token(), await credential.token()]).toEqual(['one', 'one']);
  expect(await Promise.all([credential.renew('one'), credential.renew('one')])).toEqual(['two', 'two']);
  expect(await credential.token()).toBe('two');
  expect(left()).toBe(1);
});

it('the token function of a library that gives the refused token again has nothing new to offer', async () => {
  const { credential } = credentialOf(['one', 'one']);
  await credential.token();
  expect(await credential.renew('one')).toBeUndefined();
});

it('the token function of a library that fails after a 401 leaves it as what is reported', async () => {
  const { credential } = credentialOf(['one', new Error('not now')]);
  expect([await credential.token(), await credential.renew('one')]).toEqual(['one', undefined]);
});

it('the token function of a library that failed is asked again by the next call', async () => {
  const { credential } = credentialOf([new Error('not now'), 'two']);
  await expect(credential.token()).rejects.toMatchObject({ code: 'AUTH' });
  expect(await credential.token()).toBe('two');
});

/** A credential with this token, a clock that stands until a sleep ends, and every token that was heard. */
function credentialWith(token: Token, family: Family = 'cards') {
  const clock = new FakeClock();
  const heard: string[] = [];
  const credential = libraryCredential({
    family,
    clock,
    timeoutMs: 60_000,
    heard: (text) => void heard.push(text),
    token,
  });
  return { clock, heard, credential };
}

const NOW_SECONDS = Date.parse('2026-05-01T12:00:00Z') / 1000;

function jwt(secondsFromNow: number, name = ''): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none', name })}.${part({ exp: NOW_SECONDS + secondsFromNow })}.`;
}

it('the token of a library as a text is used as it is, and nothing follows a 401', async () => {
  const { credential, heard } = credentialWith('one');
  expect([await credential.token(), await credential.renew('one')]).toEqual(['one', undefined]);
  expect(credential.source?.words).toBe('the credential (cards.token)');
  expect([...new Set(heard)]).toEqual(['one']);
});

it('the token of a library is heard before it is used, each that the function gives', async () => {
  const tokens = ['one', 'two'];
  const { credential, heard } = credentialWith(async () => tokens.shift() ?? '');
  expect([await credential.token(), await credential.renew('one'), heard]).toEqual(['one', 'two', ['one', 'two']]);
});

it('the token of a library cannot be renewed before it was asked for', async () => {
  const { credential } = credentialWith(() => 'one');
  expect(await credential.renew('one')).toBeUndefined();
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
])('the token of a library whose function %s is AUTH, and nothing of it is shown', async (_what, token, problem) => {
  await expect(credentialWith(token).credential.token()).rejects.toMatchObject({
    code: 'AUTH',
    message: `cards.token: ${problem}. Nothing was sent.`,
  });
});

it('the token of a library that holds what no header can is AUTH, without being repeated', async () => {
  const { credential, heard } = credentialWith(() => 'hunter2 \u00e9');
  const error = await credential.token().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'AUTH', message: expect.stringContaining('cards.token') });
  expect(error).toMatchObject({ message: expect.not.stringContaining('hunter2') });
  expect(heard).toEqual([]);
});

it('the token of a library that has ended is asked for anew, and refused when it has ended again', async () => {
  const tokens = [jwt(-60, 'a'), jwt(60, 'b')];
  const { credential } = credentialWith(() => tokens.shift() ?? '');
  expect(await credential.token()).toBe(jwt(60, 'b'));
  const ended = credentialWith(() => jwt(-7200));
  await expect(ended.credential.token()).rejects.toMatchObject({
    code: 'AUTH',
    message: expect.stringMatching(/^cards\.token: the token expired 2 h ago .*\. Nothing was sent\.$/),
  });
});

it('the token of a library that has ended is no renewal', async () => {
  const tokens = [jwt(60), jwt(-60)];
  const { credential } = credentialWith(() => tokens.shift() ?? '');
  expect([await credential.token(), await credential.renew(jwt(60))]).toEqual([jwt(60), undefined]);
});

it('the token of a library as a text that has ended is refused at once', async () => {
  await expect(credentialWith(jwt(-60)).credential.token()).rejects.toMatchObject({ code: 'AUTH' });
});

it('the token of a library of the calendar API is no JWT, whatever it looks like', async () => {
  expect(await credentialWith(jwt(-60), 'calendar').credential.token()).toBe(jwt(-60));
});

it('a call that waits for a token waits as long as a call may take, and the next one asks again', async () => {
  let asked = 0;
  const { credential, clock } = credentialWith(() => {
    asked += 1;
    return asked === 1 ? new Promise<string>(() => undefined) : 'two';
  });
  await expect(credential.token()).rejects.toMatchObject({
    code: 'AUTH',
    message: 'cards.token: the function gave no token within 60 s. Nothing was sent.',
  });
  expect(clock.ms).toBe(60_000);
  expect([await credential.token(), asked]).toEqual(['two', 2]);
});

it.each(['before', 'meanwhile'])(
  'a call that waits for a token ends when it is ended %s, and asks for nothing then',
  async (when) => {
    const abort = new AbortController();
    let asked = 0;
    const { credential } = credentialWith(() => {
      asked += 1;
      abort.abort();
      return new Promise<string>(() => undefined);
    });
    if (when === 'before') abort.abort();
    await expect(credential.token(abort.signal)).rejects.toMatchObject({
      code: 'CANCELLED',
      message: 'the call was ended before it had a token',
    });
    expect(asked).toBe(when === 'before' ? 0 : 1);
  },
);

it('a call that waits for a token does not take along the others that wait for the same token', async () => {
  let give: (token: string) => void = () => undefined;
  const { credential } = credentialWith(
    () =>
      new Promise<string>((resolve) => {
        give = resolve;
      }),
  );
  const abort = new AbortController();
  const [ended, other] = [credential.token(abort.signal), credential.token()];
  abort.abort();
  await expect(ended).rejects.toMatchObject({ code: 'CANCELLED' });
  give('one');
  expect(await other).toBe('one');
});

it('a call that waits for a token leaves no timer and no listener behind', async () => {
  const { credential, clock } = credentialWith(() => 'one');
  const { signal } = new AbortController();
  await credential.token(signal);
  await clock.sleep(1);
  expect([getEventListeners(signal, 'abort').length, clock.ms]).toEqual([0, 1]);
});
