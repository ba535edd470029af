// The Debian package: the executable, its manual and its completions where Debian looks for them. No script of frontdesk
// runs when it is installed or removed, and nothing is made outside its own files.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { root } from '../bundle.mjs';
import { ar, tar } from './archives.mjs';

const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };

const MAINTAINER = 'frontdesk contributors <contributors@frontdesk.invalid>';

/** What the executable is linked to: Node's own builds ask for these versions, and for libatomic. */
const DEPENDS = 'libatomic1, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 9)';

/** Each is answered by the way Node itself is built and shipped. */
const OVERRIDES = `# The executable is Node's own build with the program added as a section: to strip it would be to change what
# Node's makers have built and tested.
frontdesk: unstripped-binary-or-object [usr/bin/frontdesk]
frontdesk: hardening-no-pie [usr/bin/frontdesk]
# Node brings its libraries along, in the versions it was tested with; frontdesk.cdx.json says which Node it is.
frontdesk: embedded-library *
`;

function read(path) {
  return readFileSync(`${root}${path}`);
}

function zipped(content) {
  return gzipSync(content, { level: 9 });
}

/** The version as Debian writes it: a pre-release sorts before its release with a tilde. */
function debianVersion(version) {
  return version.replace('-', '~');
}

/** An item of a Debian changelog, in lines of at most 80 columns. */
function changelogItem(text) {
  const lines = ['  *'];
  for (const word of text.split(/\s+/)) {
    if (lines.at(-1).length + 1 + word.length > 80) lines.push('   ');
    lines.push(`${lines.pop()} ${word}`);
  }
  return lines.join('\n');
}

function changelog({ version, time, notes }) {
  const items = [...notes.matchAll(/^- (.+(?:\n {2}.+)*)/gm)].map(([, text]) => changelogItem(text));
  const date = new Date(time * 1000).toUTCString().replace('GMT', '+0000');
  const entry = `frontdesk (${debianVersion(version)}) unstable; urgency=medium`;
  return `${entry}\n\n${items.join('\n')}\n\n -- ${MAINTAINER}  ${date}\n`;
}

function copyright() {
  const [, holder = ''] = /^Copyright \(c\) (.+)$/m.exec(read('LICENSE').toString()) ?? [];
  const text = read('LICENSE')
    .toString()
    .replace(/^[\s\S]*?(?=Permission)/, '')
    .trim();
  const indented = text.replaceAll(/^$/gm, '.').replaceAll(/^/gm, ' ');
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: frontdesk
Comment: Node.js and the packages of npm that the executable contains are named, with
 their licenses, in THIRD-PARTY-NOTICES.md.gz beside this file.

Files: *
Copyright: ${holder}
License: Expat
${indented}
`;
}

function contents(facts) {
  const doc = 'usr/share/doc/frontdesk';
  const file = (path, content, mode = 0o644) => ({ path, mode, content: Buffer.from(content) });
  return [
    file('usr/bin/frontdesk', facts.executable, 0o755),
    file('usr/share/bash-completion/completions/frontdesk', read('completions/frontdesk.bash')),
    file(`${doc}/THIRD-PARTY-NOTICES.md.gz`, zipped(facts.notices)),
    file(`${doc}/changelog.gz`, zipped(changelog(facts))),
    file(`${doc}/copyright`, copyright()),
    file('usr/share/fish/vendor_completions.d/frontdesk.fish', read('completions/frontdesk.fish')),
    file('usr/share/lintian/overrides/frontdesk', OVERRIDES),
    file('usr/share/man/man1/frontdesk.1.gz', zipped(read('man/frontdesk.1'))),
    file('usr/share/zsh/vendor-completions/_frontdesk', read('completions/_frontdesk')),
  ];
}

function control({ version, architecture, homepage }, files) {
  const kibibytes = files.reduce((sum, { content }) => sum + Math.ceil(content.length / 1024), 0);
  return `Package: frontdesk
Version: ${debianVersion(version)}
Architecture: ${ARCHITECTURES[architecture]}
Maintainer: ${MAINTAINER}
Installed-Size: ${kibibytes}
Depends: ${DEPENDS}
Suggests: bash-completion, openssh-client
Section: utils
Priority: optional
${homepage === undefined ? '' : `Homepage: ${homepage}\n`}Description: operator's command line for gift cards and calendars
 Reads, activates, blocks, reissues and provisions gift cards, and updates
 calendars, events and subscribers: one at a time at a terminal, thousands
 from a spreadsheet, or from scripts that read its JSON.
 .
 A write ends as applied, rejected, not sent or unknown, and one that may
 have been applied is never sent again by itself.
`;
}

/** The file name under which Debian keeps a package of this version and architecture. */
export function debName({ version, architecture }) {
  return `frontdesk_${debianVersion(version)}_${ARCHITECTURES[architecture]}.deb`;
}

/**
 * The bytes of the package. `facts`: version, architecture (Node's word for it), time in seconds, homepage (if any),
 * notes (the changes of this version), notices and executable.
 */
export function deb(facts) {
  const files = contents(facts);
  const sums = files.map(({ path, content }) => `${createHash('md5').update(content).digest('hex')}  ${path}\n`);
  const about = [
    { path: 'control', mode: 0o644, content: Buffer.from(control(facts, files)) },
    { path: 'md5sums', mode: 0o644, content: Buffer.from(sums.join('')) },
  ];
  const members = [
    { name: 'debian-binary', content: Buffer.from('2.0\n') },
    { name: 'control.tar.gz', content: zipped(tar(about, facts.time)) },
    { name: 'data.tar.gz', content: zipped(tar(files, facts.time)) },
  ];
  return ar(members, facts.time);
}
