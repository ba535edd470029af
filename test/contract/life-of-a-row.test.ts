import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LINE = /^(\d+)\. (.+?), `([^`]+)`:/gm;

test('the life of a row has at most ten shapes, each in the file that the page names', () => {
  const page = readFileSync(`${ROOT}docs/architecture.md`, 'utf8').split('## The life of a row')[1] ?? '';
  const shapes = [...page.matchAll(LINE)].map(([, number, shape = '', file = '']) => ({ number, shape, file }));
  expect(shapes.map(({ number }) => Number(number))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  for (const { shape, file } of shapes) {
    const source = readFileSync(`${ROOT}src/${file}`, 'utf8');
    const name = /^`([A-Z]\w+)`$/.exec(shape)?.[1];
    if (name !== undefined) expect(source).toMatch(new RegExp(`export (?:interface|type) ${name}\\b`));
  }
});
