import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { artifacts } from '../../build/artifacts.ts';
import { layerPicture } from '../../build/layers.ts';
import { readPages } from '../../build/pages.ts';
import { REGISTRY } from '../../src/registry.ts';

function read(path: string): string | undefined {
  try {
    return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  } catch {
    return undefined;
  }
}

const manifest: { version: string } = JSON.parse(read('package.json') ?? '{}');
const expected = await artifacts(
  REGISTRY,
  manifest.version,
  readPages(new URL('../../', import.meta.url).pathname),
  layerPicture(),
);

it.each(expected)('$path is current (else run `npm run generate`, look at it and commit it)', ({ path, text }) => {
  expect(read(path)).toBe(text);
});
