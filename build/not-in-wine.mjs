// What is not judged on Node for Windows under Wine, and why: `npm run test:windows` prints it, so that nothing is left out
// in silence.
import { readdirSync } from 'node:fs';
import { root } from './bundle.mjs';

const CONSOLE = 'it draws on a terminal of this system; a console of Windows cannot be had without a screen';
const NO_SIGNALS = 'signals: Windows has none';
const SHELL = 'it tries programs and shells of this system';
const INSIDE = 'its program runs inside the test, on this system';

/** Files of tests, or folders of them, and the reason. */
export const FILES_NOT_JUDGED = [
  ['test/e2e/terminal/', CONSOLE],
  ['test/command/last-moment.test.ts', NO_SIGNALS],
  ['test/e2e/faults/memory.test.ts', 'it reads /proc of the program'],
  [
    'test/command/trust.test.ts',
    'owners, modes and links of files, which Wine makes up, and named pipes of this system',
  ],
  ['test/e2e/action.test.ts', SHELL],
  ['test/e2e/completion.test.ts', SHELL],
  ['test/e2e/examples.test.ts', SHELL],
  ['test/e2e/readme.test.ts', SHELL],
  ['test/e2e/recipes.test.ts', SHELL],
  [
    'test/e2e/startup-chunks.test.ts',
    'what a start loads is the same everywhere, and is read from Node on this system',
  ],
  ['test/e2e/nodes.test.ts', 'it starts the Nodes of this system'],
  ['test/e2e/package.test.ts', 'it installs for this system'],
  ['test/e2e/compiled-code.test.ts', 'folders, links and modes in which compiled code lies on this system'],
  ['test/crash/lock-orders.test.ts', INSIDE],
  ['test/crash/pods.test.ts', 'it pauses processes of this system, and puts them into namespaces'],
];

/** Tests by a part of their names (a regular expression), and the reason. */
export const TESTS_NOT_JUDGED = [
  ['SIG(?:INT|TERM|HUP)', NO_SIGNALS],
  ['at the second Ctrl-C', NO_SIGNALS],
  ['a signal ends a question|C21 ', NO_SIGNALS],
  ['P6 exits|P7 waits|P7 ends|P8 ends|P17 ends', NO_SIGNALS],
  ['I21 |in the question before a change|T9 puts', CONSOLE],
  ['P11 reports|is not tried where it is full', 'its fault would meet the stand-in too'],
  ['0600|others can (?:read|write)|unsafe files', 'modes: Windows has access lists'],
  ['--token-command is run|C16 ', 'its token command is one of sh'],
  ['C15 ', 'it takes the home folder away, which Wine does not ask this system for'],
  ['C14 ', 'a full disk of this system'],
  ['the html report in a browser', 'a browser of this system'],
  ['names a lock whose process is gone', 'process ids of this system are none there'],
  ['in the arguments of no process', 'it reads /proc of this system'],
  [
    'P1 ends|P2 says|null device|/dev/|a closed stdin|if the reader of stdout goes away|when stderr is closed|I25 |E20 says why mcp',
    'devices and streams of this system',
  ],
  ['ends mcp with 141', 'the stand-in goes on reading when the test does not'],
];

/** The files of tests that are judged. */
export function filesJudged() {
  return ['command', 'e2e', 'crash'].flatMap((folder) =>
    readdirSync(`${root}test/${folder}`, { recursive: true })
      .map((name) => `test/${folder}/${name.replaceAll('\\', '/')}`)
      .filter((file) => file.endsWith('.test.ts') && !FILES_NOT_JUDGED.some(([path]) => file.startsWith(path)))
      .sort(),
  );
}
