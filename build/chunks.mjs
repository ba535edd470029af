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

/** Wraps all chunks of a built program. Each ends with the `build-id`, which tells it from those of another build. */
export function sealChunks(folder) {
  const names = readdirSync(`${folder}/chunks`).sort();
  const wrapped = names.map((name) => wrapChunk(name, readFileSync(`${folder}/chunks/${name}`, 'utf8')));
  const build = digest(JSON.stringify([names, wrapped.map(digest)])).slice(0, 16);
  for (const [at, name] of names.entries())
    writeFileSync(`${folder}/chunks/${name}`, `${wrapped[at]}//${build}`, 'latin1');
  writeFileSync(`${folder}/build-id`, build);
}
