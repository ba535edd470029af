// Tar and ar archives whose bytes depend on nothing but what is put in: one owner, one time, the order given.

const BLOCK = 512;

/** The 512 bytes before an entry (POSIX ustar). A longer path would need a prefix, which nothing here has. */
function tarHeader({ path, mode, size, type, time }) {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for a tar header`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value, length) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(path, 0);
  header.write(octal(mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(time, 12), 136);
  header.write(' '.repeat(8), 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257, 'latin1');
  header.write('root', 265);
  header.write('root', 297);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
    148,
  );
  return header;
}

/** Every folder above the paths, parents first: `./`, `./usr/`, `./usr/bin/`. */
function foldersOf(files) {
  const folders = new Set(['./']);
  for (const { path } of files) {
    const parts = path.split('/').slice(0, -1);
    for (const index of parts.keys()) folders.add(`./${parts.slice(0, index + 1).join('/')}/`);
  }
  return [...folders].sort();
}

/** A tar archive of `files` ({ path, mode, content }) with the folders they lie in. `time`: seconds since 1970. */
export function tar(files, time) {
  const blocks = foldersOf(files).map((path) => tarHeader({ path, mode: 0o755, size: 0, type: '5', time }));
  for (const { path, mode, content } of files) {
    blocks.push(tarHeader({ path: `./${path}`, mode, size: content.length, type: '0', time }), content);
    blocks.push(Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK));
  }
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** An ar archive of `members` ({ name, content }), as dpkg reads it. */
export function ar(members, time) {
  const parts = [Buffer.from('!<arch>\n')];
  for (const { name, content } of members) {
    const facts = [name.padEnd(16), String(time).padEnd(12), '0     ', '0     ', '100644  '];
    parts.push(Buffer.from(`${facts.join('')}${String(content.length).padEnd(10)}\`\n`), content);
    if (content.length % 2 === 1) parts.push(Buffer.from('\n'));
  }
  return Buffer.concat(parts);
}
