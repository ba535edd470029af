import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { listMessages, MESSAGES_PATH, messagesPage } from '../../build/messages.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MESSAGES = listMessages(ROOT);

it('the messages of the program are found where they are', () => {
  expect(MESSAGES.length).toBeGreaterThan(1000);
  expect(MESSAGES).toContainEqual({ file: 'writes/judge.ts', text: 'check that this is the right card' });
});

it('the messages of the program are those of the snapshot (else run `npm run generate`, read the difference and commit it)', async () => {
  await expect(messagesPage(ROOT)).toMatchFileSnapshot(join(ROOT, MESSAGES_PATH));
});

it.each([
  ['journal', /\bjournal(?!\})/i],
  ['interface', /\binterfaces?\b/i],
  ['family', /\b(?:family [AB]|the family)\b/],
  ['mend', /\bmend/i],
  ['shows no way', /shows no way/],
  ['read of card', /\bread of card\b/],
  ['doubled', /\bdoubled\b/],
  // Not English: it is not a folder.
  ['is no', /\b(?:it|this|which|\}) (?:is|are) no (?!longer\b)/],
])('the messages of the program do not say "%s" to people', (_word, pattern) => {
  expect(MESSAGES.filter(({ text }) => pattern.test(text))).toEqual([]);
});
