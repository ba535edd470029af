// What the package managers of other systems ask for: all from one template, which has a file after each `==> name`.
import { readFileSync } from 'node:fs';
import { root } from '../bundle.mjs';

/**
 * Fills the template in. `facts`: version, summary, license, home page. `assets`: URL and SHA-256 of each file that is
 * handed out, by `package`, `linux-x64` and so on. A file that asks for an asset that is not there cannot be checked by
 * the person who installs from it, so it is only named (`incomplete`).
 */
export function manifests(facts, assets) {
  const template = readFileSync(`${root}build/release/manifests.template`, 'utf8').replaceAll('\r\n', '\n');
  const complete = [];
  const incomplete = [];
  for (const section of template.split(/^==> /m).slice(1)) {
    const at = section.indexOf('\n');
    const name = section.slice(0, at);
    const missing = [...section.matchAll(/\{\{([\w-]+)\.\w+\}\}/g)].find(([, asset]) => !assets.has(asset))?.[1];
    if (missing !== undefined) incomplete.push({ name, missing });
    else complete.push({ name, text: fill(section.slice(at + 1), facts, assets) });
  }
  // winget reads its files together: without all of them none is of use.
  const isUsable = ({ name }) => !name.endsWith('.yaml') || !incomplete.some((other) => other.name.endsWith('.yaml'));
  return { complete: complete.filter(isUsable), incomplete };
}

function fill(text, facts, assets) {
  return text.replaceAll(/\{\{([\w-]+)(?:\.(\w+))?\}\}/g, (_, key, member) => {
    const value = member === undefined ? facts[key] : assets.get(key)?.[member];
    if (value === undefined) throw new Error(`manifests.template asks for ${key}, which nothing gives`);
    return value;
  });
}
