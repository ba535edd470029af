// The desk on a terminal of 100 columns: how long the second look at a card takes in one session.
import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { Client } from 'undici';
import { bin, CARD } from './measure.mjs';

/** The card and the menu under it. */
const SHOWN = 'ACTIVE[\\s\\S]*?❯ Look again[\\s\\S]*?';

/** Milliseconds from the key to the menu under the card. */
export async function secondLook(env) {
  const options = { cols: 100, rows: 40, env: { ...env, TERM: 'xterm-256color' } };
  const terminal = spawn(process.execPath, [bin, 'desk'], options);
  let text = '';
  let look = () => undefined;
  terminal.onData((part) => {
    text += part;
    look();
  });
  const stands = (wanted) =>
    new Promise((resolve) => {
      look = () => {
        if (wanted.test(stripVTControlCharacters(text))) resolve();
      };
      look();
    });
  await stands(/Card id/);
  terminal.write(`${CARD}\r`);
  await stands(new RegExp(SHOWN));
  const started = performance.now();
  terminal.write('\r');
  await stands(new RegExp(SHOWN.repeat(2)));
  const took = performance.now() - started;
  terminal.kill();
  return took;
}

/** The same request over a connection that is open already, by nothing but undici; milliseconds. */
export async function secondRequest(url) {
  const client = new Client(url);
  const request = { method: 'GET', path: `/v1/cards/${CARD}`, headers: { authorization: `Bearer ${'x'.repeat(24)}` } };
  const read = async () => (await (await client.request(request)).body.text()).length;
  await read();
  const started = performance.now();
  await read();
  const took = performance.now() - started;
  await client.close();
  return took;
}
