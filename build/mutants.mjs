// `npm run test:mutants`: changes the modules that decide, one small change at a time, and counts the changes that no
// unit test notices. `-- src/input/expect.ts` some of them. Exits 1 when a module has fewer than 90 % killed.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const LEAST_PERCENT = 90;

/** The modules that decide: what was sent, what it came to, what is sent again, and what a person reads of it. */
const MODULES = [
  'src/api/iso-date.ts',
  'src/bulk/journal-reader.ts',
  'src/bulk/row-outcome.ts',
  'src/bulk/row-states.ts',
  'src/bulk/stop-rules.ts',
  'src/credentials/expiry-guard.ts',
  'src/files/lock.ts',
  'src/http/response.ts',
  'src/http/retry.ts',
  'src/input/expect.ts',
  'src/output/safe-text.ts',
  'src/wire/breakage.ts',
];

const asked = process.argv.slice(2);
const modules = asked.length === 0 ? MODULES : asked;
const report = `${root}.cache/mutants/report.json`;
rmSync(report, { force: true });
spawnSync(
  process.execPath,
  [`${root}node_modules/@stryker-mutator/core/bin/stryker.js`, 'run', '--mutate', modules.join(',')],
  { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
);

const { files } = JSON.parse(readFileSync(report, 'utf8'));
let missed = 0;
for (const name of modules) {
  const mutants = files[name]?.mutants ?? [];
  const counted = mutants.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError');
  const alive = counted.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const percent = counted.length === 0 ? 0 : (100 * (counted.length - alive.length)) / counted.length;
  if (percent < LEAST_PERCENT) missed += 1;
  console.log(
    `${percent.toFixed(0).padStart(3)} %  ${name}: ${counted.length - alive.length} of ${counted.length} killed`,
  );
  for (const { location, mutatorName, replacement } of alive) {
    console.log(
      `        ${location.start.line}:${location.start.column} ${mutatorName}: ${replacement?.replaceAll(/\s+/g, ' ').slice(0, 100) ?? ''}`,
    );
  }
}
if (missed > 0) console.log(`${missed} of these modules have fewer than ${LEAST_PERCENT} % killed`);
process.exitCode = missed > 0 ? 1 : 0;
