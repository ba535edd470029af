/** The changes of one version as CHANGELOG.md has them, without their heading. */
export function releaseNotes(changelog, version) {
  const sections = changelog.split(/^## /m);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  if (section === undefined) throw new Error(`CHANGELOG.md says nothing of ${version}`);
  return `${section.slice(section.indexOf('\n')).trim()}\n`;
}
