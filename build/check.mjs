// Runs every check that `npm run check` stands for, as many at a time as there are processors, and names all that failed.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

const INDEPENDENT = [
  'check:lint',
  'check:types',
  'check:layers',
  'check:loaded',
  'check:unused',
  'check:faults',
  'check:tested',
];
/** These run the built program or hold files against it. */
const OF_THE_BUILD = ['generate -- --check', 'pictures -- --check'];

/** Runs an npm script and prints what it said once it has ended; true when it passed. */
function passes(script) {
  return new Promise((resolve) => {
    const child = spawn(`npm run --silent ${script}`, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = [];
    child.stdout.on('data', (piece) => said.push(piece));
    child.stderr.on('data', (piece) => said.push(piece));
    child.on('close', (code) => {
      console.log(`${code === 0 ? 'passed' : 'FAILED'}: ${script}`);
      if (code !== 0) process.stdout.write(Buffer.concat(said));
      resolve(code === 0);
    });
  });
}

const failed = [];

async function run(scripts) {
  const waiting = [...scripts];
  const work = async () => {
    for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) {
      if (!(await passes(script))) failed.push(script);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

// The build first: what needs it can then run beside the rest.
await run(['build']);
await run(failed.length === 0 ? [...INDEPENDENT, ...OF_THE_BUILD, 'check:tests'] : [...INDEPENDENT, 'check:tests']);
if (failed.length > 0) {
  console.log(`failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
