import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
// What this file holds is what these tests ask.
const survivors = JSON.parse(readFileSync(new URL('test/mutants/survivors.json', root), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, readonly string[]>>>
>;

it.each(Object.entries(survivors))('the mutants of %s that live are judged, each with one reason', (path, reasons) => {
  expect(existsSync(new URL(path, root))).toBe(true);
  expect(readFileSync(new URL('build/mutants.mjs', root), 'utf8')).toContain(`'${path}': [`);
  const changes = Object.values(reasons).flat();
  expect([changes.filter((change) => !/^\S.* => /.test(change)), new Set(changes).size]).toEqual([[], changes.length]);
  expect(Object.keys(reasons).filter((reason) => reason.length < 10)).toEqual([]);
});

it('every module that is mutated, and every test that judges one, is there', () => {
  const list =
    /const MODULES = \{([\s\S]*?)\n\};/.exec(readFileSync(new URL('build/mutants.mjs', root), 'utf8'))?.[1] ?? '';
  const names = [...list.matchAll(/'([^']+)'/g)].map(([, name = '']) =>
    name.startsWith('src/') ? name : `test/unit/${name}.test.ts`,
  );
  expect(names.length).toBeGreaterThan(80);
  expect(names.filter((name) => !existsSync(new URL(name, root)))).toEqual([]);
});
