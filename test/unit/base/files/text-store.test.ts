import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TextStore } from '../../../../src/base/files/text-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'frontdesk-store-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Where the texts go that have no room in memory, on each system. */
function useTemporaryFolder(path: string): void {
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) vi.stubEnv(name, path);
}

/** 300 texts of 10,000 units and one that is empty: three times what stays in memory. */
function filled(): { readonly store: TextStore; readonly texts: readonly string[] } {
  const store = new TextStore();
  const texts = Array.from({ length: 300 }, (_, n) => (n === 200 ? '' : `${n} é😀 `.padEnd(10_000, 'x')));
  for (const text of texts) store.add(text);
  return { store, texts };
}

it('a text store gives each text back, from memory and from the disk, in any order, and leaves no name in the temporary folder', () => {
  useTemporaryFolder(folder);
  const { store, texts } = filled();
  expect([store.size, texts.map((_, index) => store.at(index))]).toEqual([300, texts]);
  expect([299, 0, 150, 200, 104].map((index) => store.at(index))).toEqual([299, 0, 150, 200, 104].map((n) => texts[n]));
  useTemporaryFolder(folder);
  filled();
  expect(readdirSync(folder)).toEqual([]);
});

it('a text store keeps everything in memory where no temporary file can be made', () => {
  useTemporaryFolder(join(folder, 'missing'));
  const { store, texts } = filled();
  expect(texts.map((_, index) => store.at(index))).toEqual(texts);
  // It is not tried again once there is a place.
  mkdirSync(join(folder, 'missing'));
  store.add('late');
  expect(store.at(300)).toBe('late');
});
