import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = new URL('../../.github/workflows/', import.meta.url);

interface Finding {
  readonly line: number;
  readonly message: string;
}

/** Newer than the linter. */
const UNKNOWN_TO_LINTER = [
  'unknown permission scope "attestations"',
  'label "ubuntu-24.04" is unknown',
  'undefined variable "vars"',
];

/** What the linter finds, without what it is too old to know. */
function faults(text: string, name: string): readonly string[] {
  const args = ['build/lint-workflow.mjs', name];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, input: text, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  // The shape that the types of the linter promise.
  const findings = JSON.parse(stdout) as readonly Finding[];
  return findings
    .filter(({ message }) => !UNKNOWN_TO_LINTER.some((known) => message.startsWith(known)))
    .map(({ line, message }) => `${name}:${line}: ${message}`);
}

describe('the workflows of the hosted project', () => {
  it.each(readdirSync(folder))('the workflow %s has no fault that the linter knows', (name) => {
    expect(faults(readFileSync(new URL(name, folder), 'utf8'), name)).toEqual([]);
  });

  it('the workflows of the recipes have no fault that the linter knows', () => {
    const recipes = new URL('../../docs/recipes/', import.meta.url);
    for (const name of ['github-actions.yml', 'plans-in-github-actions.yml'])
      expect(faults(readFileSync(new URL(name, recipes), 'utf8'), name)).toEqual([]);
  });

  it('a fault in a workflow is named', () => {
    const text = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    needs: b\n    steps:\n      - run: echo\n';
    expect(faults(text, 'x.yml')).toEqual(['x.yml:3: job "a" needs job "b" which does not exist in this workflow']);
  });

  it('the workflow release runs on Linux, macOS and Windows, attests the files of the sums, and publishes nothing', () => {
    const text = readFileSync(new URL('release.yml', folder), 'utf8');
    for (const part of [
      'os: [macos-latest, windows-latest]',
      'runs-on: ubuntu-latest',
      'subject-checksums: release/SHA256SUMS',
      'gh release create "$TAG" --repo "$GITHUB_REPOSITORY" --draft --verify-tag',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('the workflow npm puts the package on the stage of npm only after the release was published, and without a checkout', () => {
    const text = readFileSync(new URL('npm.yml', folder), 'utf8');
    expect(text).toContain('types: [published]');
    expect(text).toMatch(/\n {10}npm stage publish "\.\/frontdesk-.*\.tgz"\n$/);
    expect(text).not.toMatch(/actions\/checkout|npm publish|NODE_AUTH_TOKEN|secrets\./);
  });
});
