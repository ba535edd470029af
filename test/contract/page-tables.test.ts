import { expect, it } from 'vitest';
import { fillPage } from '../../build/page-tables.ts';

const tables = new Map([['exit-codes', '| exit |']]);

it('tables of the README and of docs stand between their markers, in place of what stood there', () => {
  const before = 'a\n<!-- generated:exit-codes -->\nold\n<!-- /generated -->\nb\n';
  const after = 'a\n<!-- generated:exit-codes -->\n\n| exit |\n\n<!-- /generated -->\nb\n';
  expect([fillPage(before, tables), fillPage(after, tables)]).toEqual([after, after]);
});

it('tables of the README and of docs leave alone what is measured', () => {
  const readme = '<!-- generated:bench -->\n1.3\n<!-- /generated -->\n';
  expect(fillPage(readme, tables)).toBe(readme);
});

it('tables of the README and of docs refuse a marker that names no table', () => {
  expect(() => fillPage('<!-- generated:exit-code -->\n<!-- /generated -->', tables)).toThrow(
    'no table is called exit-code; there are exit-codes',
  );
});
