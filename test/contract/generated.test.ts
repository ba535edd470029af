import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { REGISTRY } from '../../src/commands/index.ts';
import { artifacts } from '../../src/generate/artifacts.ts';

function read(path: string): string | undefined {
  try {
    return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  } catch {
    return undefined;
  }
}

const manifest: { version: string } = JSON.parse(read('package.json') ?? '{}');
const expected = await artifacts(REGISTRY, manifest.version, read('README.md'));

it.each(expected)(
  '$path is current (else run `npm run generate`, look at the change and commit it)',
  ({ path, text }) => {
    expect(read(path)).toBe(text);
  },
);
