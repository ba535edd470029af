import { expect, it } from 'vitest';
import { reasonProblem, reasonProblems } from '../../../src/writes/write-guards.ts';

const ENDLESS = { requireReason: '(\\w+\\s?)+$' };
const SENTENCE = 'The customer told us at the desk that the card was stolen yesterday!';
const REFUSAL = { code: 'USAGE', message: expect.stringContaining('takes longer than 200 ms. Nothing was sent.') };

it('T25 a pattern that would search a reason for years is given up after 200 ms', async () => {
  const startMs = performance.now();
  expect(() => reasonProblem(ENDLESS, SENTENCE)).toThrow(expect.objectContaining(REFUSAL));
  await expect(reasonProblems(ENDLESS, ['fine', SENTENCE, 'fine'])).rejects.toMatchObject(REFUSAL);
  expect(performance.now() - startMs).toBeLessThan(5_000);
  expect(reasonProblem(ENDLESS, 'stolen')).toBeUndefined();
});

it('every pattern means what it means to JavaScript, alone and among many', async () => {
  const rules = [
    ['(?<=#)\\d+(?!\\d)', 'see #123', 'see 123'],
    ['^\\p{Lu}', 'Ärger', 'ärger'],
    ['(a)\\1', 'aa', 'ab'],
    ['.', '😀', ''],
  ] as const;
  for (const [requireReason, good, bad] of rules) {
    const rule = { requireReason };
    expect(reasonProblem(rule, good)).toBeUndefined();
    expect(reasonProblem(rule, bad)).toBe(`it does not match ${requireReason}, as this profile requires`);
    expect(await reasonProblems(rule, [good, bad, undefined, good])).toEqual([
      undefined,
      reasonProblem(rule, bad),
      `this profile requires a reason that matches ${requireReason}`,
      undefined,
    ]);
  }
});

it('without a pattern nothing is asked of a reason', async () => {
  expect(reasonProblem({}, undefined)).toBeUndefined();
  expect(await reasonProblems({}, [undefined, 'x'])).toEqual([undefined, undefined]);
});
