import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { foldCommand } from '../../src/cli/describe/text-block.ts';
import { TOPICS } from '../../src/cli/describe/topics.ts';
import { REGISTRY } from '../../src/registry.ts';
import { createHome } from '../support/run-frontdesk.ts';
import { SAMPLE_CALLS } from '../support/sample-calls.ts';
import { folderWithProgram, startIn } from '../support/shell.ts';

// Every example of `--help`, of the topics and so of the manual page, pasted as it is printed there, does what it says
// in the sandbox.

/** What cannot be run without a person, another program, or an end. */
const NOT_RUN: readonly RegExp[] = [
  // Asks for the token on a terminal.
  /^auth login -p live --cards-url/,
  /^desk /,
  // Serve until they are interrupted.
  /^sandbox serve/,
  // Reach a host that is not there.
  /^card get .* -p live/,
  /^history reconcile .* -p live/,
  // Needs a write whose outcome is unknown.
  /^history resolve /,
  // Reads a file that a container mounts.
  /\/run\/secrets/,
  // Writes outside of the home folder.
  /\/tmp\/frontdesk\.bash/,
];

const FILES: Readonly<Record<string, string>> = {
  'cards.csv': 'cardId\n4fbeb052-7396-41ce-8085-9263bed4f505\n',
  'stolen.csv': 'cardId,clientReference\n0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101,order-10001\n',
  'orders.csv': 'cardId,Order\n0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101,order-10001\n',
  'calendars.csv': 'id\ncal_tea_ceremony\n',
  'season.csv': 'name,start\nTasting,2027-04-02T18:00\n',
  'old.csv': 'id,email\nsub_0001,ann@example.com\n',
  'new.csv': 'id,email\nsub_0001,ana@example.com\n',
  'about.txt': 'Boat tours.\n',
  'event.json': '{"calendar":"cal_harbour_tours","name":"Tasting","start":"2027-04-02T18:00"}',
};

/** What has to be there before the examples of a command. */
function setupOf(line: string): readonly string[] {
  const ids = line.startsWith('calendar') ? 'sub_0001' : '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
  const live = [
    'frontdesk profile set live --cards-url https://cards.example.com --calendar-url https://calendar.example.com',
    'echo token-of-the-test | frontdesk auth login -p live --family cards --token-stdin',
    'echo token-of-the-test | frontdesk auth login -p live --family calendar --token-stdin',
  ];
  const update = 'frontdesk calendar subscribers update --from new.csv --changed-from old.csv --yes';
  return [
    `echo ${ids} > ids.txt`,
    ...(/live|^profile/.test(line) ? live : []),
    ...(/^profile remove/.test(line) ? ['frontdesk profile set old'] : []),
    ...(/^runs/.test(line) ? [`${update} --run 20270402-1800-7f3a2b`] : []),
    ...(line.includes('new.xlsx')
      ? ['frontdesk calendar subscribers list cal_harbour_tours -o xlsx --out old.xlsx', 'cp old.xlsx new.xlsx']
      : []),
    ...(/^plan/.test(line) ? ['frontdesk card block --from stolen.csv --plan stolen.plan'] : []),
    ...(/^history show/.test(line) ? ['frontdesk card block 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --yes'] : []),
    ...(/^completion/.test(line)
      ? ['mkdir -p ~/.zfunc ~/.config/fish/completions ~/.local/share/bash-completion/completions']
      : []),
  ];
}

const ASKING = Object.values(SAMPLE_CALLS).flatMap(({ asks, command }) => (asks?.when === 'always' ? [command] : []));

/** Where an example asks a person, the answer is given. */
function answered(line: string): string {
  const asking = [...ASKING, 'plan apply', 'history prune', 'runs remove', 'profile remove'];
  const isAsked = asking.some((words) => line.startsWith(`${words} `)) && !/--yes|--dry-run|--plan /.test(line);
  return isAsked ? `${line} --yes` : line;
}

const prepared = new Map<string, Promise<string>>();

/** A folder in which this was done, for copies of it: most examples begin with the same. */
function prepare(setup: string): Promise<string> {
  const before = prepared.get(setup);
  if (before !== undefined) return before;
  const folder = folderWithProgram();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  const done = shell(folder, `set -e\n${setup}\n`, 'sandbox').then(({ code, said }) => {
    if (code !== 0) throw new Error(`${setup}\n${said}`);
    return folder;
  });
  prepared.set(setup, done);
  return done;
}

async function run(line: string) {
  const folder = createHome().path;
  cpSync(await prepare(setupOf(line).join('\n')), folder, { recursive: true });
  const printed = foldCommand(`frontdesk ${answered(line)}`, 76)
    .join('\n')
    .replace(/20270402T\d+-\w+-\w+/, `$(frontdesk history --json --query '[0].entry' | tr -d '"')`);
  return shell(folder, `set -e\n${printed}\n`, line.includes('-p ') ? undefined : 'sandbox');
}

/** Runs a script in that folder, which is the home as well. */
function shell(folder: string, script: string, profile: string | undefined) {
  const env = { FRONTDESK_PROFILE: profile, GITHUB_STEP_SUMMARY: join(folder, 'summary.md') };
  return startIn(folder, ['bash', '-c', script], env).ended;
}

const OF_COMMANDS = (await Promise.all(REGISTRY.entries.map((entry) => entry.load()))).flatMap(({ examples }) =>
  examples.map((example) => example.line),
);
const OF_TOPICS = TOPICS.flatMap(({ blocks }) =>
  blocks.flatMap((block) =>
    block.kind === 'examples' ? block.examples.map((example) => example.line.replace(/^frontdesk /, '')) : [],
  ),
);
const LINES = [...new Set([...OF_COMMANDS, ...OF_TOPICS])].filter((line) => !NOT_RUN.some((each) => each.test(line)));

it('the help of every command has an example', () => expect(LINES.length).toBeGreaterThan(90));

it.concurrent.each(LINES)('the example of the help works: frontdesk %s', async (line) => {
  const { code, said } = await run(line);
  expect({ code, said }).toEqual({ code: 0, said: expect.any(String) });
});
