// Runs inside Wine, as Node for Windows: starts frontdesk with Windows pipes for the relays that ask for it.
const { spawn } = require('node:child_process');
const { writeFileSync } = require('node:fs');
const { createServer } = require('node:net');
const { join } = require('node:path');

const [, , portFile, program, endedFolder] = process.argv;
// Wine inherits it, and it would tell of Git Bash: the relay says in which shell a program is to believe itself.
delete process.env.SHELL;

/** Messages of a relay: a JSON text a line. Messages to it have that form too; streams are base64. */
function lines(socket, onLine) {
  let rest = '';
  socket.setEncoding('utf8').on('data', (part) => {
    const [first, ...more] = (rest + part).split('\n');
    if (more.length === 0) {
      rest = first;
      return;
    }
    rest = more.pop();
    for (const line of [first, ...more]) onLine(JSON.parse(line));
  });
}

const server = createServer((socket) => {
  let child;
  const tell = (message) => socket.writable && socket.write(`${JSON.stringify(message)}\n`);
  lines(socket, (message) => {
    if (message.start !== undefined) {
      const { file, args, env, cwd, pid } = message.start;
      const options = { cwd, env: { ...process.env, ...env } };
      child = file === undefined ? spawn(process.execPath, [program, ...args], options) : spawn(file, args, options);
      for (const name of ['stdout', 'stderr'])
        child[name].on('data', (part) => tell({ [name]: part.toString('base64') }));
      child.stdin.on('error', () => undefined);
      child.on('error', (error) => tell({ stderr: Buffer.from(`${error.message}\n`).toString('base64'), code: 1 }));
      child.on('close', (code) => {
        // A relay that was killed hears of nothing: what killed it waits for this file.
        writeFileSync(join(endedFolder, String(pid)), '');
        tell({ code });
        socket.end();
      });
    } else if (message.stdin === null) child?.stdin.end();
    else child?.stdin.write(Buffer.from(message.stdin, 'base64'));
  });
  socket.on('error', () => undefined);
  socket.on('close', () => child?.kill());
});
server.listen(0, '127.0.0.1', () => writeFileSync(portFile, String(server.address().port)));
