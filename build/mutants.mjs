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
  'src/base/failure.ts': ['base/failure'],
  'src/base/failure-message.ts': ['base/failure'],
  'src/service/call-outcome.ts': ['service/call-outcome'],
  'src/input/records/check-input.ts': ['input/records/check-input'],
  'src/input/records/columns.ts': ['input/records/check-input'],
  'src/input/records/findings.ts': ['input/records/check-input'],
  'src/input/records/interpret.ts': ['input/records/check-input'],
  'src/service/api/iso-date.ts': ['service/api/iso-date'],
  'src/records/journal/journal.ts': ['records/journal/journal'],
  'src/records/journal/reader.ts': ['records/journal/reader'],
  'src/records/row-outcome.ts': ['records/row-outcome'],
  'src/records/journal/row-states.ts': ['records/journal/row-states'],
  'src/runs/stop.ts': ['runs/row-runner-ends'],
  'src/profile/credentials/credential.ts': ['profile/credentials/credential', 'profile/credentials/resolve'],
  'src/desk/desk-log.ts': ['desk/desk-log'],
  'src/writes/ask/idle-timer.ts': ['writes/ask/idle-timer'],
  'src/writes/attempt.ts': ['writes/judge'],
  'src/writes/judge.ts': ['writes/judge'],
  'src/writes/write-guards.ts': ['writes/write-guards'],
  'src/runs/apply-plan.ts': ['runs/apply-plan'],
  'src/runs/execute-run.ts': ['runs/execute-run', 'runs/apply-plan'],
  'src/runs/make-plan.ts': ['runs/make-plan'],
  'src/runs/revert-run.ts': ['runs/revert-run'],
  'src/runs/row-requests.ts': ['runs/row-requests'],
  'src/base/files/held-lock.ts': ['base/files/lock-file'],
  'src/base/files/lock.ts': ['base/files/lock'],
  'src/base/files/lock-file.ts': ['base/files/lock-file', 'base/files/lock'],
  'src/base/files/heartbeat.ts': ['base/files/lock-file'],
  'src/records/ledger.ts': ['records/ledger'],
  'src/records/read.ts': ['records/read'],
  'src/service/http/response.ts': ['service/http/response'],
  'src/service/http/retry.ts': ['service/http/retry'],
  'src/input/records/changed-from.ts': ['input/records/changed-from'],
  'src/input/expect.ts': ['input/expect'],
  'src/mcp/asker.ts': ['mcp/asker'],
  'src/mcp/write-tool.ts': ['mcp/write-tool'],
  'src/screen/text.ts': ['screen/text'],
  'src/runs/plan/plan-file.ts': ['runs/plan/read-plan', 'runs/plan/plan-file'],
  'src/runs/plan/read-plan.ts': ['runs/plan/read-plan', 'runs/plan/plan-file'],
  'src/runs/plan/write-plan.ts': ['runs/plan/write-plan'],
  'src/service/http/ongoing-call.ts': ['service/http/ongoing-call', 'service/http/call-outcomes'],
  'src/runs/ordered-sink.ts': ['runs/ordered-sink'],
  'src/runs/row-runner.ts': ['runs/row-runner', 'runs/row-runner-ends'],
  'src/profile/credentials/resolve.ts': ['profile/credentials/resolve'],
  'src/profile/resolve.ts': ['profile/resolve'],
  'src/service/wire/breakage.ts': ['service/wire/breakage'],
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
