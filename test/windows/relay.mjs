// Stands in for bin/frontdesk.js in the suites: has Node for Windows run it, and passes on what it reads and prints. With
// FRONTDESK_TEST_EXE for that executable of Windows.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';

const port = Number(readFileSync(new URL('../../.cache/windows/port', import.meta.url), 'utf8'));
/** Wine and Windows have their own of these. */
const OWN = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'PWD', 'SHLVL', '_'];
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN.includes(name)));
// The suites expect hints quoted for sh, so it is Git Bash that starts the program; an empty SHELL: another shell.
env.SHELL ??= '/usr/bin/bash';
if (env.SHELL === '') delete env.SHELL;

// From here on a program stands behind this process: what kills the one waits for the end of the other.
writeFileSync(new URL(`../../.cache/windows/ended/${process.pid}.begun`, import.meta.url), '');
const socket = connect(port, '127.0.0.1');
const tell = (message) => socket.write(`${JSON.stringify(message)}\n`);
const inWine = (path) => `Z:${path.replaceAll('/', '\\')}`;
const executable = env['FRONTDESK_TEST_EXE'];
tell({
  start: {
    file: executable === undefined ? undefined : inWine(executable),
    args: process.argv.slice(2),
    env,
    pid: process.pid,
    cwd: inWine(process.cwd()),
  },
});
process.stdin.on('data', (part) => tell({ stdin: part.toString('base64') })).on('end', () => tell({ stdin: null }));

/** Drive Z: of Wine is the root of this system, and the suites name files as this system does. */
function asHere(text) {
  return text.replaceAll(/Z:((?:\\{1,2}[^\\\s"'`<>|:*?;,]+)+)/g, (_, path) => path.replaceAll(/\\{1,2}/g, '/'));
}

let rest = '';
let code = 1;
socket.setEncoding('utf8').on('data', (part) => {
  const parts = (rest + part).split('\n');
  rest = parts.pop() ?? '';
  for (const message of parts.map((line) => JSON.parse(line))) {
    for (const name of ['stdout', 'stderr']) {
      if (message[name] !== undefined)
        process[name].write(asHere(Buffer.from(message[name], 'base64').toString('latin1')), 'latin1');
    }
    if (message.code !== undefined) code = message.code ?? 1;
  }
});
socket.on('close', () => {
  // A program that a test has kill itself ends with 1 on Windows, and a stand-in of this system as that system does it.
  if (code === 1 && env.CRASH_AT !== undefined) process.kill(process.pid, 'SIGKILL');
  process.exitCode = code;
  process.stdin.destroy();
});
socket.on('error', (error) => {
  process.stderr.write(`no broker: ${error.message}\n`);
});
