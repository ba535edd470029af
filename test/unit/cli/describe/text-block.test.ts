import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Block, foldCommand, helpWidth, layOut, wrap } from '../../../../src/cli/describe/text-block.ts';

it.each([
  { columns: undefined, width: 100 },
  { columns: 20, width: 40 },
  { columns: 60, width: 60 },
  { columns: 120, width: 120 },
  { columns: 300, width: 120 },
])('the width of help is $width for $columns columns', ({ columns, width }) => expect(helpWidth(columns)).toBe(width));

it('a folded command keeps an option and its value on one line, and quoted text whole, and stays on one line where it fits', () => {
  expect(foldCommand('frontdesk card block 0b7a --reason "lost, ticket 4711" --yes', 40)).toEqual([
    'frontdesk card block 0b7a \\',
    '    --reason "lost, ticket 4711" --yes',
  ]);
  expect(foldCommand('frontdesk runs list', 19)).toEqual(['frontdesk runs list']);
});

it('a folded command is the same command for a shell, whatever the width', () => {
  const word = fc.constantFrom('card', 'block', '--reason', '"lost it"', "'a b'", '--yes', '-f', '0b7a6c1e-3f52');
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 120 }), (words, width) => {
      expect(
        foldCommand(words.join(' '), width)
          .join('\n')
          .replaceAll(/ \\\n +/g, ' '),
      ).toBe(words.join(' '));
    }),
  );
});

it('a wrapped paragraph has lines of at most the width, and every word in its order', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(words, fc.integer({ min: 12, max: 100 }), (list, width) => {
      const lines = wrap(list.join(' '), width);
      expect(lines.join(' ')).toBe(list.join(' '));
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    }),
  );
});

const blocks: readonly Block[] = [
  { kind: 'text', text: 'Block cards' },
  {
    kind: 'rows',
    title: 'Options',
    rows: [
      { name: '--yes', text: 'do not ask' },
      { name: '--client-wallet-account-id <text>', text: 'identifier of the account' },
    ],
  },
];

it('a layout puts a name that is too long for its column on a line of its own', () => {
  expect(layOut(blocks, 40)).toBe(
    [
      'Block cards',
      '',
      'Options',
      '  --yes  do not ask',
      '  --client-wallet-account-id <text>',
      '         identifier of the account',
      '',
    ].join('\n'),
  );
});
