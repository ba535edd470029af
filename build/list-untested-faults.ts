// Prints the rows of the fault table that no test carries in its title; exit 1 when there are any.
// `npx tsx build/list-untested-faults.ts`
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FAULT_ROWS, faultNumbers } from '../test/e2e/faults/rows.ts';

const folder = fileURLToPath(new URL('../test/e2e/', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));

/** A title begins with its numbers: `'N9 full request read…`, `'P7 P8 first signal…`, in a call or in a row of a table. */
const TITLE = /(["'`])((?:[NHBICTPK]\d{1,2}(?:, | and | )?)+)[^\n]*?\1/g;

const tested = new Set<string>();
for (const file of files) {
  for (const [, , numbers = ''] of readFileSync(folder + file, 'utf8').matchAll(TITLE)) {
    for (const [number] of numbers.matchAll(/[A-Z]\d+/g)) tested.add(number);
  }
}

const untested = faultNumbers().filter((number) => !tested.has(number));
for (const { letter, kind, rows } of FAULT_ROWS) {
  const missing = untested.filter((number) => number.startsWith(letter));
  const list = missing.length === 0 ? '' : `; without a test: ${missing.join(', ')}`;
  console.log(`${letter} ${kind}: ${rows - missing.length} of ${rows} rows${list}`);
}
process.exitCode = untested.length === 0 ? 0 : 1;
