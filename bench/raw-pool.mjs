// The yardstick of a run: undici's own loop that parses each answer and prints it again; nothing checked, kept or retried.
// `node bench/raw-pool.mjs <url> <file of ids> <GET|POST> <at once>`
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const [url, file, method, atOnce] = process.argv.slice(2);
const ids = readFileSync(file, 'utf8').trimEnd().split('\n');
const pool = new Pool(url, { connections: Number(atOnce), pipelining: 1 });
const headers = { authorization: `Bearer ${'x'.repeat(24)}`, 'content-type': 'application/json' };
const path = method === 'GET' ? '' : '/block';
const body = method === 'GET' ? null : '{}';
let next = 0;

let waiting = '';
function print(line) {
  waiting += `${line}\n`;
  if (waiting.length < 65_536) return;
  process.stdout.write(waiting);
  waiting = '';
}

async function work() {
  while (next < ids.length) {
    const id = ids[next];
    next += 1;
    const answer = await pool.request({ method, path: `/v1/cards/${id}${path}`, headers, body });
    if (answer.statusCode !== 200) throw new Error(`the service answered ${answer.statusCode}`);
    print(JSON.stringify(JSON.parse(await answer.body.text())));
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, work));
process.stdout.write(waiting);
await pool.close();
