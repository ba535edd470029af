// `npm run bench`: prints every figure beside its goal, and writes them to bench/figures.json.
// `npm run bench -- P3 P5` measures these only, `-- --long` also the one that takes minutes (P9). Figures that were not measured
// keep what the files say of them. `-- --docs` also puts the list into docs/performance.md.
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

/** The part of a label that says what is counted: `MiB` of `plan apply: MiB`; nothing of a Node. */
function kindOf(on) {
  return on.startsWith('Node ') ? '' : (on.split(': ').at(-1) ?? '');
}

/** Figures and goal of one line: `1.05, 1.01 (≤1.05)`; several kinds beside their goals: `MiB (≤200): 177`; bold if missed. */
function measured({ best }, values) {
  const sign = best === 'low' ? '≤' : '≥';
  const goals = [...new Set(values.map(({ goal }) => goal))];
  const kinds = [...new Set(values.map(({ on }) => kindOf(on)))];
  const groups = kinds.map((kind) => {
    const group = values.filter(({ on }) => kindOf(on) === kind);
    const goal = goals.length > 1 ? `(${sign}${group[0]?.goal})` : '';
    const figures = group.map((one) => (isMet(best, one) ? show(one.value) : `**${show(one.value)}**`));
    const label = [kind, goal].filter((text) => text !== '').join(' ');
    return `${label === '' ? '' : `${label}: `}${figures.join(', ')}`;
  });
  return goals.length > 1 ? groups.join('; ') : `${groups.join('; ')} (${sign}${goals[0]})`;
}

function list(figures, newest) {
  const rows = GOALS.filter(({ id }) => figures[id] !== undefined).map((goal) => {
    const { date, values } = figures[goal.id];
    return `- **${goal.id}** ${goal.what}: ${measured(goal, values)}${date === newest ? '' : `, ${date.slice(5)}`}`;
  });
  return rows.join('\n');
}

const { figures } = readFigures();
let missed = 0;
try {
  for (const goal of GOALS.filter(isWanted)) {
    if (goal.needs !== undefined) {
      console.log(`${goal.id.padEnd(5)} ${goal.what}: skipped, ${goal.needs} is not here`);
      continue;
    }
    console.log(`${goal.id.padEnd(5)} $ ${goal.command}`);
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
const newest = Object.values(figures).reduce((last, { date }) => (date > last ? date : last), '');
const head = `Measured on ${newest}, or on the date at the end (${result.machine}). Four figures are of Node 20, 22, 24, 26. A bold one misses its goal, which is in brackets. A / B: medians of whole processes run in turn, divided; "empty" does nothing.\n\n`;
writeFileSync(join(root, 'bench/figures.json'), `${JSON.stringify(result, null, 2)}\n`);
try {
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'format', '--write', join(root, 'bench/figures.json')],
    { stdio: 'ignore' },
  );
} catch {
  // Not installed: the figures are right anyway.
}
if (asked.includes('--docs')) {
  const path = join(root, 'docs/performance.md');
  const block = `$1${head}${list(figures, newest)}\n$2`;
  const page = readFileSync(path, 'utf8');
  writeFileSync(path, page.replace(/(<!-- generated:bench -->\n)[\s\S]*?(<!-- \/generated -->)/, block));
}
if (missed > 0) console.log(`${missed} of these figures miss their goal`);
