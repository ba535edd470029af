// `npm run demo`: a first minute with frontdesk, against the sandbox, in a folder of its own that is removed afterwards.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = new URL('../bin/frontdesk.js', import.meta.url).pathname;
const home = mkdtempSync(join(tmpdir(), 'frontdesk-demo-'));
const env = { PATH: process.env.PATH, HOME: home, FRONTDESK_PROFILE: 'sandbox', LANG: process.env.LANG ?? 'C.UTF-8' };

const CARD = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
const steps = [
  ['Find a card.', `frontdesk card get ${CARD}`],
  [
    'Block it. --yes confirms without a prompt.',
    `frontdesk card block ${CARD} --reason "lost, ticket 4711" --yes --quiet`,
  ],
  ['See it blocked.', `frontdesk card get ${CARD} --json --query status --raw --quiet`],
  [
    'Reissue it. The sandbox returns the new card.',
    `frontdesk card reissue ${CARD} --reason "lost, ticket 4711" --yes --quiet`,
  ],
  [
    'Count the subscribers of a calendar.',
    'frontdesk calendar subscribers list cal_harbour_tours --limit 100 --json --query "length(data)" --quiet',
  ],
  ['Correct an address.', 'frontdesk calendar subscribers update sub_0001 --email ana@example.com --quiet'],
  [
    'Create an event.',
    'frontdesk calendar event create --calendar cal_harbour_tours --name "Evening tour" --start 2027-04-02T18:00 --quiet',
  ],
  ['Who changed what? The history has every change.', 'frontdesk history --columns time,operation,id,outcome --quiet'],
];

try {
  console.log('# The sandbox needs no account and no network.\n$ export FRONTDESK_PROFILE=sandbox');
  for (const [text, line] of steps) {
    console.log(`\n# ${text}\n$ ${line}`);
    const script = line.replaceAll(/\bfrontdesk (?=card|calendar|history)/g, () => `"$NODE" "$PROGRAM" `);
    const { status } = spawnSync('sh', ['-c', script], {
      env: { ...env, NODE: process.execPath, PROGRAM: program },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status !== 0) {
      console.error(`The step ended with exit code ${status}.`);
      process.exitCode = 1;
      break;
    }
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
