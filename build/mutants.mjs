// `npm run test:mutants`: changes the modules that decide, one small change at a time, and counts the changes that the
// module's own tests do not notice. `-- src/input/expect.ts` some of them. Exits 1 when a module has fewer than 90 %
// killed. Those that live are printed with the reason why nothing can notice them (test/mutants/survivors.json).
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const LEAST_PERCENT = 90;

/**
 * The modules that decide: what was sent, what it came to, what is sent again, and what the user reads of it. Each with
 * its own tests below test/unit: those alone judge it, within seconds, and say where its rules are found.
 */
const MODULES = {
  'src/api/iso-date.ts': ['api/iso-date'],
  'src/run/journal/reader.ts': ['run/journal/reader'],
  'src/run/row-outcome.ts': ['run/row-outcome'],
  'src/run/journal/row-states.ts': ['run/journal/row-states'],
  'src/run/stop.ts': ['run/row-runner-stopping'],
  'src/credentials/credential.ts': ['credentials/credential', 'credentials/resolve', 'library/credential'],
  'src/desk/desk-log.ts': ['desk/desk-log'],
  'src/ask/idle-timer.ts': ['ask/idle-timer'],
  'src/call/write-guards.ts': ['call/write-guards'],
  'src/bulk/apply-plan.ts': ['bulk/apply-plan'],
  'src/bulk/execute-run.ts': ['bulk/execute-run'],
  'src/bulk/make-plan.ts': ['bulk/make-plan'],
  'src/bulk/revert-run.ts': ['bulk/revert-run'],
  'src/bulk/row-requests.ts': ['bulk/row-requests'],
  'src/files/held-lock.ts': ['files/held-lock'],
  'src/files/lock.ts': ['files/lock-races', 'files/lock'],
  'src/files/lock-file.ts': ['files/lock-file', 'files/lock-races', 'files/lock-network'],
  'src/files/heartbeat.ts': ['files/heartbeat'],
  'src/history/history-file.ts': ['history/history-file'],
  'src/history/read.ts': ['history/read', 'history/read-events'],
  'src/http/response.ts': ['http/response'],
  'src/http/retry.ts': ['http/retry'],
  'src/input/records/changed-from.ts': ['input/records/changed-from'],
  'src/input/expect.ts': ['input/expect'],
  'src/library/credential.ts': ['library/credential'],
  'src/mcp/asker.ts': ['mcp/asker', 'mcp/asker-confirmations'],
  'src/mcp/write-tool.ts': ['mcp/write-tool'],
  'src/output/text.ts': ['output/text', 'output/text-line-break', 'output/text-duration', 'output/text-away'],
  'src/plan/approvals.ts': ['plan/approvals'],
  'src/plan/plan-file.ts': ['plan/read-plan', 'plan/plan-file', 'plan/plan-file-lines', 'plan/plan-file-output'],
  'src/plan/read-plan.ts': ['plan/read-plan-seal', 'plan/read-plan', 'plan/plan-file', 'plan/plan-file-lines'],
  'src/plan/write-plan.ts': ['plan/write-plan'],
  'src/http/ongoing-call.ts': ['http/ongoing-call', 'http/call-ends', 'http/call-outcomes'],
  'src/run/ordered-sink.ts': ['run/ordered-sink'],
  'src/run/row-runner.ts': [
    'run/row-runner',
    'run/row-runner-engine',
    'run/row-runner-stopping',
    'run/row-runner-resume',
    'run/row-runner-reports',
  ],
  'src/credentials/resolve.ts': ['credentials/resolve'],
  'src/settings/resolve.ts': ['settings/resolve'],
  'src/wire/breakage.ts': ['wire/breakage'],
};

/** By module: a reason, and the mutants that live for it, each as `what stands there => what it is changed into`. */
const survivors = JSON.parse(readFileSync(`${root}test/mutants/survivors.json`, 'utf8'));

/** Answers whether enough of the module's mutants were killed, after printing how many, and those that live. */
function judge(name) {
  const { source, mutants } = mutate(name);
  const counted = mutants.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError');
  const alive = counted.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const percent = (100 * (counted.length - alive.length)) / counted.length;
  console.log(
    `${percent.toFixed(0).padStart(3)} %  ${name}: ${counted.length - alive.length} of ${counted.length} killed`,
  );
  const reasons = Object.entries(survivors[name] ?? {});
  for (const { location, replacement } of alive) {
    const change = `${textAt(source, location)} => ${replacement}`.replaceAll(/\s+/g, ' ');
    const [reason = 'no reason is given'] = reasons.find(([, changes]) => changes.includes(change)) ?? [];
    console.log(`        ${location.start.line}: ${change}: ${reason}`);
  }
  return percent >= LEAST_PERCENT;
}

function mutate(name) {
  const report = `${root}.cache/mutants/report.json`;
  rmSync(report, { force: true });
  const tests = MODULES[name].map((test) => `test/unit/${test}.test.ts`);
  spawnSync(process.execPath, [`${root}node_modules/@stryker-mutator/core/bin/stryker.js`, 'run', '--mutate', name], {
    cwd: root,
    env: { ...process.env, MUTANT_TESTS: tests.join(',') },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return JSON.parse(readFileSync(report, 'utf8')).files[name];
}

function textAt(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = lines[last].slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return lines.join('\n');
}

const asked = process.argv.slice(2);
const missed = (asked.length === 0 ? Object.keys(MODULES) : asked).filter((name) => !judge(name));
if (missed.length > 0) console.log(`fewer than ${LEAST_PERCENT} % killed: ${missed.join(', ')}`);
process.exitCode = missed.length > 0 ? 1 : 0;
