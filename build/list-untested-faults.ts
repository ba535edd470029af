// Prints the rows of docs/faults.md that no test carries in its title; exit 1 when there are any.
// `npm run check:faults`
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const groups = [...readFileSync(`${root}docs/faults.md`, 'utf8').matchAll(/^## ([A-Z]): (.+)$|^\| ([A-Z]\d+) \|/gm)];
const numbers = groups.flatMap(([, , , number]) => (number === undefined ? [] : [number]));
const tests = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.test\.ts$/.test(name),
);

/** A title begins with its numbers: `'N9 full request read…`, `'P7 P8 first signal…`, in a call or in a row of a table. */
const TITLE = /(["'`])((?:[A-Z]\d{1,2}(?:, | and | )?)+)[^\n]*?\1/g;

const tested = new Set(
  tests.flatMap((name) =>
    [...readFileSync(`${root}test/${name}`, 'utf8').matchAll(TITLE)].flatMap(
      ([, , titles = '']) => titles.match(/[A-Z]\d+/g) ?? [],
    ),
  ),
);

for (const [, letter, kind] of groups.filter(([, letter]) => letter !== undefined)) {
  const rows = numbers.filter((number) => number.replace(/\d+/, '') === letter);
  const missing = rows.filter((number) => !tested.has(number));
  const list = missing.length === 0 ? '' : `; without a test: ${missing.join(', ')}`;
  console.log(`${letter} ${kind}: ${rows.length - missing.length} of ${rows.length} rows${list}`);
}
process.exitCode = numbers.length > 0 && numbers.every((number) => tested.has(number)) ? 0 : 1;
