import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  checkApprovals,
  isApproverName,
  keyProblem,
  listSignatures,
  signatureKey,
  signaturePath,
  signers,
  signPlan,
} from '../../../src/plan/approvals.ts';
import { temporaryFolder } from '../files/place.ts';

const ANN_KEY = `SHA256:${'a'.repeat(42)}/`;
const BOB_KEY = `SHA256:${'b'.repeat(42)}+`;

/** A folder with a plan, signatures under these names, and a tool in the place of ssh-keygen that runs `script`. */
function stage(names: readonly string[], script: string) {
  const folder = temporaryFolder();
  const path = join(folder, 'p.plan');
  writeFileSync(path, 'the plan');
  const copy = join(folder, 'copy');
  writeFileSync(copy, 'the copy');
  for (const name of names) writeFileSync(signaturePath(path, name), 'signature');
  const allowed = join(folder, 'allowed');
  writeFileSync(allowed, 'ann ssh-ed25519 AAAA\n', { mode: 0o600 });
  const program = join(folder, 'ssh-keygen');
  writeFileSync(program, `#!/bin/sh\necho "$*" >> '${folder}/calls'\ncat >> '${folder}/input'\n${script}\n`);
  chmodSync(program, 0o755);
  return {
    folder,
    path,
    plan: { copy, path },
    tool: { program, env: { PATH: process.env['PATH'] } },
    approvers: { path: allowed, platform: 'linux' },
    calls: () =>
      existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n') : [],
    input: () => readFileSync(join(folder, 'input'), 'utf8'),
  };
}

const says = (name: string, key: string) =>
  `*-I\\ ${name}\\ *) echo 'Good "frontdesk-plan" signature for ${name} with ED25519 key ${key}';;`;
const VERIFIES = `case "$*" in ${says('ann', ANN_KEY)} ${says('bob', BOB_KEY)} ${says('ben', ANN_KEY)} *) exit 255;; esac`;

const UNLISTED = 'does not count: it was not made for this plan with a key that is listed for that name';
const ASK = 'ask those who keep the approvers file to list this key for that name';

it.each(['ann', 'Ann.Lee', 'ann@example.com', 'a+b_c-d', '7', 'x'.repeat(128)])(
  'the names of approvers may be %s',
  (name) => {
    expect(isApproverName(name)).toBe(true);
  },
);

it.each(['', 'a b', 'a/b', '../a', 'ann\n', '\nann', 'é', 'x'.repeat(129)])(
  'the names of approvers may not be %j',
  (name) => {
    expect(isApproverName(name)).toBe(false);
  },
);

it('the names of approvers are those of the signatures beside the plan, sorted', async () => {
  const { folder, path } = stage(['bob', 'ann-lee', 'ann'], '');
  expect(signaturePath(path, 'ann')).toBe(`${path}.ann.sig`);
  for (const other of [
    'p.plan.sig',
    'p.plan.a b.sig',
    'p.plan.cid.sign',
    'q.plan.dan.sig',
    'p.plan..sig',
    'p.plan.eve',
  ]) {
    writeFileSync(join(folder, other), '');
  }
  expect(await signers(path)).toEqual(['ann', 'ann-lee', 'bob']);
  expect(await signers(join(folder, 'none', 'p.plan'))).toEqual([]);
});

it('an approval counts when the key of its signature is listed for its name', async () => {
  const { tool, plan, path, approvers, calls, input } = stage(['ann', 'bob'], VERIFIES);
  expect(await checkApprovals(tool, plan, approvers.path)).toEqual({
    approvals: [
      { as: 'ann', key: ANN_KEY },
      { as: 'bob', key: BOB_KEY },
    ],
    uncounted: [],
  });
  expect(calls().map((call) => call.replace(/-f \S+\/approvers /, '-f <copy> '))).toEqual(
    ['ann', 'bob'].map((name) => `-Y verify -f <copy> -I ${name} -n frontdesk-plan -s ${path}.${name}.sig`),
  );
  expect(input()).toBe('the copythe copy');
});

it('an approval counts once for each key, and not when it does not hold', async () => {
  const { tool, plan, approvers } = stage(['ann', 'ben', 'eve'], VERIFIES);
  expect(await checkApprovals(tool, plan, approvers.path)).toEqual({
    approvals: [{ as: 'ann', key: ANN_KEY }],
    uncounted: [
      { text: 'the signature of ben does not count: ann signed with the same key' },
      { text: `the signature of eve ${UNLISTED}`, fix: ASK },
    ],
  });
});

it('an approval counts behind a hundred others that are listed nowhere, which are not all looked at', async () => {
  const others = Array.from({ length: 120 }, (_, index) => `a${String(index).padStart(3, '0')}`);
  const { tool, plan, approvers, calls } = stage([...others, 'ann', 'bob'], VERIFIES);
  writeFileSync(approvers.path, 'eve,b?b ssh-ed25519 AAAA\n# x\n"ann" namespaces="x" ssh-ed25519 AAAA\n');
  const { approvals, uncounted } = await checkApprovals(tool, plan, approvers.path);
  expect(approvals).toEqual([
    { as: 'ann', key: ANN_KEY },
    { as: 'bob', key: BOB_KEY },
  ]);
  expect([uncounted.length, calls().length]).toEqual([98, 100]);
});

it.each([
  ['a status that is not 0', `echo '${ANN_KEY}'; exit 1`],
  ['no fingerprint', 'echo Good'],
  ['a fingerprint that is too short', `echo SHA256:abc`],
])('an approval counts not after %s', async (_what, script) => {
  const { tool, plan, approvers } = stage(['ann'], script);
  expect(await checkApprovals(tool, plan, approvers.path)).toEqual({
    approvals: [],
    uncounted: [{ text: `the signature of ann ${UNLISTED}`, fix: ASK }],
  });
});

it('an approval counts not where the profile names no approvers', async () => {
  const { tool, plan, calls } = stage(['ann', 'bob'], VERIFIES);
  expect(await checkApprovals(tool, plan, undefined)).toEqual({
    approvals: [],
    uncounted: ['ann', 'bob'].map((name) => ({
      text: `the signature of ${name} does not count: the profile names no approvers`,
    })),
  });
  expect(calls()).toEqual([]);
});

it('an approval counts not where the file of the approvers cannot be trusted', async () => {
  const { folder, tool, plan, approvers, calls } = stage(['ann'], VERIFIES);
  const uncountedWith = async (path: string) => {
    const { approvals, uncounted } = await checkApprovals(tool, plan, path);
    expect(approvals).toEqual([]);
    return uncounted.map(({ text }) => text);
  };
  const start = (path: string) => `no signature counts: the approvers file ${path} is not used: `;
  const missing = join(folder, 'missing');
  expect(await uncountedWith(missing)).toEqual([`${start(missing)}no such file or folder (ENOENT)`]);
  const inner = join(folder, 'inner');
  mkdirSync(inner);
  expect(await uncountedWith(inner)).toEqual([`${start(inner)}it is not an ordinary file`]);
  chmodSync(approvers.path, 0o666);
  expect(await uncountedWith(approvers.path)).toEqual([expect.stringContaining(start(approvers.path))]);
  expect(calls()).toEqual([]);
});

const CHECKS = `case "$*" in *.ann.sig) echo 'Good "frontdesk-plan" signature with ED25519 key ${ANN_KEY}';; *) exit 255;; esac`;

it('the signatures of a plan are listed with their keys if no approvers file is set', async () => {
  const { tool, plan, path, calls } = stage(['ann', 'bob'], CHECKS);
  expect(await listSignatures(tool, plan)).toEqual({
    approvals: [{ as: 'ann', key: ANN_KEY }],
    uncounted: [{ text: 'the signature of bob does not count: it was not made for this plan' }],
  });
  expect(calls()).toEqual(['ann', 'bob'].map((name) => `-Y check-novalidate -n frontdesk-plan -s ${path}.${name}.sig`));
});

it.runIf(process.platform === 'linux')(
  'the signatures of a plan are checked in a session without a terminal, and made in that of the caller',
  async () => {
    const { tool, plan, folder } = stage(['ann'], '');
    const isAlone = `[ "$(cut -d' ' -f6 /proc/$$/stat)" = "$$" ]`;
    writeFileSync(tool.program, `#!/bin/sh\nif ${isAlone}; then echo ${ANN_KEY}; else echo in ours >&2; fi\n`);
    expect(await signatureKey(tool, plan, 'ann')).toBe(ANN_KEY);
    const key = join(folder, 'key');
    writeFileSync(key, '');
    expect(await signPlan(tool, plan.copy, key, true)).toEqual({ problem: 'ssh-keygen: in ours' });
    expect(await signPlan(tool, plan.copy, key, false)).toEqual({ problem: 'ssh-keygen ended with status 0' });
  },
);

it('the signatures of a plan have a key when they hold', async () => {
  const { tool, plan } = stage([], CHECKS);
  expect(await signatureKey(tool, plan, 'ann')).toBe(ANN_KEY);
  expect(await signatureKey(tool, plan, 'bob')).toBeUndefined();
});

const SIGNATURE = '-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n';

it('signing gives the signature of the copy', async () => {
  const { tool, plan, folder, calls, input } = stage([], `printf '%s' '${SIGNATURE}'`);
  const key = join(folder, 'key');
  writeFileSync(key, '');
  expect(await signPlan(tool, plan.copy, key, false)).toEqual({ signature: SIGNATURE });
  expect(calls()).toEqual([`-Y sign -f ${key} -n frontdesk-plan`]);
  expect(input()).toBe('the copy');
});

it('signing says of a key that cannot be read why', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'key'), '');
  expect(await keyProblem(join(folder, 'key'))).toBeUndefined();
  // A name that is not absolute counts from where the program runs.
  for (const name of [join(folder, 'none'), 'no-such-key-of-the-test']) {
    expect(await keyProblem(name)).toBe('it cannot be read: no such file or folder (ENOENT)');
  }
});

it('signing takes a name that is not absolute from where the program runs', async () => {
  const { tool, plan, calls } = stage([], `printf '%s' '${SIGNATURE}'`);
  expect(await signPlan(tool, plan.copy, 'package.json', false)).toEqual({ signature: SIGNATURE });
  expect(calls()).toEqual([`-Y sign -f ${join(process.cwd(), 'package.json')} -n frontdesk-plan`]);
});

it.each([
  ['the last line of what the program said', 'echo first >&2; echo "the last " >&2; exit 3', 'ssh-keygen: the last'],
  ['the status when it said nothing', 'exit 3', 'ssh-keygen ended with status 3'],
  ['the status when what came is no signature', 'echo x', 'ssh-keygen ended with status 0'],
  ['what it said although a signature came', `printf '%s' '${SIGNATURE}'; echo bad >&2; exit 1`, 'ssh-keygen: bad'],
])('signing fails with %s', async (_what, script, problem) => {
  const { tool, plan, folder } = stage([], script);
  const key = join(folder, 'key');
  writeFileSync(key, '');
  expect(await signPlan(tool, plan.copy, key, false)).toEqual({ problem });
});
