// Makes the files of the program what bin/frontdesk.js loads: functions in plain ASCII, listed with their digests.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const digest = (text) => createHash('sha256').update(text, 'latin1').digest('hex');

/** Plain ASCII is read without decoding. The escape means the same in texts, in templates and in patterns. */
function toAscii(name, code) {
  // But not in the raw text of a template, which becomes an ordinary text.
  const plain = code.replaceAll(/\bString\.raw`([^`$]*)`/g, (_, raw) => JSON.stringify(raw));
  if (/\bString\.raw`[^`]*[^\0-\x7f]/.test(plain)) throw new Error(`${name}: a raw template is not plain ASCII`);
  return plain.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A chunk as the function that a module of CommonJS is. On one line with it, so that the places of errors stay. */
export function wrapChunk(name, code) {
  return `(function(exports,require,module,__filename,__dirname){${toAscii(name, code)}\n})`;
}

/** Wraps all chunks of a built program. `build-id` tells the compiled code of one build from that of another. */
export function sealChunks(folder) {
  const digests = {};
  for (const name of readdirSync(`${folder}/chunks`).sort()) {
    const path = `${folder}/chunks/${name}`;
    const wrapped = wrapChunk(name, readFileSync(path, 'utf8'));
    writeFileSync(path, wrapped, 'latin1');
    digests[name] = digest(wrapped);
  }
  writeFileSync(`${folder}/build-id`, digest(JSON.stringify(digests)).slice(0, 16));
}
