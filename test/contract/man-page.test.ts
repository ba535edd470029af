import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { manPage } from '../../build/man-page.ts';
import { loadTree } from '../../src/cli/describe/command-tree.ts';
import { REGISTRY } from '../../src/registry.ts';
import { parseLine } from '../support/parse-faults.ts';

const page = manPage(await loadTree(REGISTRY), '1.2.3');
const MANDOC = 'mandoc';
const hasMandoc = spawnSync(MANDOC, ['-V']).error === undefined;

it('the manual page has the sections that a reader looks for', () => {
  const sections = [...page.matchAll(/^\.SH "?([^"\n]*)/gm)].map(([, name]) => name).join(', ');
  const wanted = 'NAME, SYNOPSIS, DESCRIPTION, COMMANDS, OPTIONS, ENVIRONMENT, FILES, EXIT STATUS';
  expect(wanted.split(', ').filter((name) => !sections.includes(name))).toEqual([]);
});

it('the manual page has a section for every command', () => {
  for (const { path } of REGISTRY.entries) expect(page).toContain(`\n.SS "${path.join(' ')}"\n`);
});

/** The examples as a reader sees and pastes them: what is folded is one command again. */
const pasted = [...page.matchAll(/^\.nf\n([\s\S]*?)\n\.fi$/gm)].map(([, text = '']) =>
  text
    .replaceAll('\\-', '-')
    .replaceAll('\\(ti', '~')
    .replaceAll('\\(ha', '^')
    .replaceAll('\\(ga', '`')
    .replaceAll('\\(aq', "'")
    .replaceAll('\\e', '\\')
    .replaceAll('\\\n', ''),
);

it('the manual page has examples for every command', () => expect(pasted.length).toBeGreaterThan(100));

it.each(pasted)('the manual page has an example that can be pasted: %s', async (line) => {
  expect(line).not.toContain('\n');
  expect((await parseLine(line)).faults).toEqual([]);
});

it('the manual page has no line that troff would take for a request by mistake', () => {
  const requests = [...page.matchAll(/^[.'](\S*)/gm)].map(([, name]) => name);
  expect([...new Set(requests)].sort()).toEqual(
    ['PP', 'RE', 'RS', 'SH', 'SS', 'TH', 'TP', '\\"', 'br', 'fi', 'nf'].sort(),
  );
});

it.skipIf(!hasMandoc)('the manual page passes mandoc -T lint (skipped without mandoc)', () => {
  expect(spawnSync(MANDOC, ['-T', 'lint'], { input: page, encoding: 'utf8' }).stdout).toBe('');
});
