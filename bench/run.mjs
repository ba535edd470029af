// `npm run bench`: prints every figure beside its goal, and writes them to bench/figures.json and bench/figures.md.
// `npm run bench -- P3 P5` measures these only, `-- --long` also the one that takes minutes (P9). Figures that were not measured
// keep what the files say of them. `-- --docs` also puts the table into docs/performance.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { GOALS } from './goals.mjs';
import { root, scratch } from './measure.mjs';

const asked = process.argv.slice(2);
const wanted = asked.filter((word) => !word.startsWith('-'));
const isWanted = ({ id, isLong }) => (wanted.length > 0 ? wanted.includes(id) : !isLong || asked.includes('--long'));

function readFigures() {
  try {
    return JSON.parse(readFileSync(join(root, 'bench/figures.json'), 'utf8'));
  } catch {
    return { figures: {} };
  }
}

function show(value) {
  if (value >= 20) return String(Math.round(value));
  return value.toFixed(2);
}

function isMet(best, { value, goal }) {
  return best === 'low' ? value <= goal : value >= goal;
}

function machine() {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}`;
}

/** What was measured of one goal: `1.09 (Node 20), 0.99 (Node 22)`; each with its goal where these differ. */
function measured({ best }, values) {
  const sign = best === 'low' ? '≤' : '≥';
  const isOneGoal = values.every(({ goal }) => goal === values[0]?.goal);
  const said = values.map(({ on, value, goal }) => {
    const beside = [on, isOneGoal ? '' : `${sign} ${goal}`].filter((text) => text !== '').join(': ');
    return beside === '' ? show(value) : `${show(value)} (${beside})`;
  });
  return [isOneGoal ? `${sign} ${values[0]?.goal}` : 'see each', said.join(', ')];
}

function table(figures) {
  const rows = GOALS.filter(({ id }) => figures[id] !== undefined).map((goal) => {
    const { date, values } = figures[goal.id];
    return `| ${[goal.id, goal.what, ...measured(goal, values), `\`${goal.command}\``, date].join(' | ')} |`;
  });
  return ['| | what | goal | measured | command | on |', '|---|---|---|---|---|---|', ...rows].join('\n');
}

const { figures } = readFigures();
let missed = 0;
try {
  for (const goal of GOALS.filter(isWanted)) {
    if (goal.needs !== undefined) {
      console.log(`${goal.id.padEnd(5)} ${goal.what}: skipped, ${goal.needs} is not here`);
      continue;
    }
    const values = await goal.measure();
    figures[goal.id] = { date: new Date().toISOString().slice(0, 10), values };
    for (const value of values) {
      const verdict = isMet(goal.best, value) ? 'met' : 'MISSED';
      if (verdict === 'MISSED') missed += 1;
      const sign = goal.best === 'low' ? '<=' : '>=';
      const figure = `${show(value.value).padStart(7)} ${sign} ${value.goal}`;
      console.log(`${goal.id.padEnd(5)} ${figure.padEnd(16)} ${verdict.padEnd(7)} ${value.on.padEnd(10)} ${goal.what}`);
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const result = { machine: machine(), node: process.versions.node, figures };
const head = `Measured on ${result.machine}. A figure that compares is the median of whole processes run in turn.\n\n`;
writeFileSync(join(root, 'bench/figures.json'), `${JSON.stringify(result, null, 2)}\n`);
writeFileSync(join(root, 'bench/figures.md'), `${head}${table(figures)}\n`);
try {
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'format', '--write', join(root, 'bench/figures.json')],
    { stdio: 'ignore' },
  );
} catch {
  // Not installed: the figures are right all the same.
}
if (asked.includes('--docs')) {
  const path = join(root, 'docs/performance.md');
  const block = `$1${head}${table(figures)}\n$2`;
  const page = readFileSync(path, 'utf8');
  writeFileSync(path, page.replace(/(<!-- generated:bench -->\n)[\s\S]*?(<!-- \/generated -->)/, block));
}
if (missed > 0) console.log(`${missed} of these figures miss their goal`);
