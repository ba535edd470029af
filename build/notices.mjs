// Writes down whose work is in the bundle, and under which license, as those licenses ask for.
import { readdirSync, readFileSync } from 'node:fs';

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)/i;

/** Folders of the packages that the modules of a bundle come from. */
function packageFolders(moduleIds) {
  const folders = new Set();
  for (const id of moduleIds) {
    const path = id.replaceAll('\\', '/').replace(/\?.*$/, '');
    const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
    if (folder !== undefined && !path.startsWith('\0')) folders.add(folder);
  }
  return [...folders];
}

function readPackage(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file));
  if (typeof license !== 'string') throw new Error(`${name} ${version} does not say under which license it is`);
  const by = typeof author === 'string' ? author : author?.name;
  const texts = files.sort().map((file) => readFileSync(`${folder}/${file}`, 'utf8').replaceAll('\r\n', '\n').trim());
  return { name, version, license, by, texts };
}

/** Most packages have the same permission of the MIT license: it stands once, under the first of them. */
function permissionsOnce() {
  const owners = new Map();
  return (text, owner) => {
    const at = text.indexOf('Permission is hereby granted');
    if (at === -1) return text;
    const words = text.slice(at).split(/\s+/).join(' ');
    if (!owners.has(words)) owners.set(words, owner);
    return owners.get(words) === owner ? text : `${text.slice(0, at)}Permission as under ${owners.get(words)}.`;
  };
}

/** Markdown that names every package of the bundle, its version, its license and the license's text. */
export function writeNotices(moduleIds) {
  const once = permissionsOnce();
  const packages = packageFolders(moduleIds).map(readPackage);
  const place = ({ name, version }) => `${name} ${version}`;
  packages.sort((a, b) => (place(a) < place(b) ? -1 : 1));
  const sections = packages.map(({ name, version, license, by, texts }) => {
    const text =
      texts.length > 0
        ? once(texts.join('\n\n'), `${name} ${version}`)
        : `The package holds no text of its license. By ${by ?? 'its contributors'}.`;
    const source = `https://www.npmjs.com/package/${name}/v/${version}`;
    return `## ${name} ${version} (${license})\n\nIts source: ${source}\n\n${text.replaceAll(/^/gm, '    ').replaceAll(/ +$/gm, '')}\n`;
  });
  return `# Third-party notices\n\nfrontdesk contains these packages, bundled.\n\n${sections.join('\n')}`;
}

/** The packages that notices name: what `writeNotices` wrote, for the bill of materials. */
export function packagesOf(notices) {
  const headings = [...notices.matchAll(/^## (\S+) (\S+) \((.+)\)$/gm)];
  return headings.map(([, name, version, license]) => ({ name, version, license }));
}
