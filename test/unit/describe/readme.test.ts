import { describe, expect, it } from 'vitest';
import { fillReadme } from '../../../src/describe/readme.ts';

const tables = new Map([['exit-codes', '| exit |']]);

describe('tables of the README', () => {
  it('stand between their markers, in place of what stood there', () => {
    const before = 'a\n<!-- generated:exit-codes -->\nold\n<!-- /generated -->\nb\n';
    const after = 'a\n<!-- generated:exit-codes -->\n\n| exit |\n\n<!-- /generated -->\nb\n';
    expect(fillReadme(before, tables)).toBe(after);
    expect(fillReadme(after, tables)).toBe(after);
  });

  it('leave alone what is measured', () => {
    const readme = '<!-- generated:bench -->\n1.3\n<!-- /generated -->\n';
    expect(fillReadme(readme, tables)).toBe(readme);
  });

  it('refuse a marker that names no table', () => {
    expect(() => fillReadme('<!-- generated:exit-code -->\n<!-- /generated -->', tables)).toThrow(
      'README.md: no table is called exit-code; there are exit-codes',
    );
  });
});
