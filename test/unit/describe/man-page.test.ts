import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { loadTree } from '../../../src/describe/command-tree.ts';
import { manPage } from '../../../src/describe/man-page.ts';
import { REGISTRY } from '../../../src/registry.ts';

const page = manPage(await loadTree(REGISTRY), '0.1.0');
const MANDOC = 'mandoc';
const hasMandoc = spawnSync(MANDOC, ['-V']).error === undefined;

describe('the manual page', () => {
  it('has the sections that a reader looks for', () => {
    const sections = [...page.matchAll(/^\.SH "?([^"\n]*)/gm)].map(([, name]) => name);
    expect(sections).toEqual(
      expect.arrayContaining([
        'NAME',
        'SYNOPSIS',
        'DESCRIPTION',
        'COMMANDS',
        'OPTIONS',
        'ENVIRONMENT',
        'FILES',
        'EXIT STATUS',
      ]),
    );
  });

  it('has a section for every command', () => {
    for (const { path } of REGISTRY.entries) expect(page).toContain(`\n.SS "${path.join(' ')}"\n`);
  });

  it('has no line that troff would take for a request by mistake', () => {
    const requests = [...page.matchAll(/^[.'](\S*)/gm)].map(([, name]) => name);
    expect([...new Set(requests)].sort()).toEqual(
      ['PP', 'RE', 'RS', 'SH', 'SS', 'TH', 'TP', '\\"', 'br', 'fi', 'nf'].sort(),
    );
  });

  it.skipIf(!hasMandoc)('passes mandoc -T lint (skipped without mandoc)', () => {
    expect(spawnSync(MANDOC, ['-T', 'lint'], { input: page, encoding: 'utf8' }).stdout).toBe('');
  });
});
