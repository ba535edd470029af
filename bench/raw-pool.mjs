// The yardstick of a run: undici's own loop, nothing read, checked, kept or printed.
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

async function work() {
  while (next < ids.length) {
    const id = ids[next];
    next += 1;
    const answer = await pool.request({ method, path: `/v1/cards/${id}${path}`, headers, body });
    if (answer.statusCode !== 200) throw new Error(`the service answered ${answer.statusCode}`);
    await answer.body.text();
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, work));
await pool.close();
