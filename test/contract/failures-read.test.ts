import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

/** These read words of no failure: an error of the system, one of OpenSSL, a question, and faults to be counted by kind. */
const OF_OTHERS = [
  'base/files/process-identity.ts',
  'input/records/fault-list.ts',
  'service/wire/breakage.ts',
  'writes/ask/inquirer.ts',
];

const TEXT = String.raw`(?:\.|\b)(?:message|problem|statement)\b`;
const READS = [
  new RegExp(
    String.raw`${TEXT}\??\.(?:match|matchAll|replace|replaceAll|includes|startsWith|endsWith|split|search|indexOf)\(`,
  ),
  new RegExp(String.raw`\.(?:test|exec)\([^()]*${TEXT}\)`),
];

it('no source reads the message of a failure back: what it says comes from its data alone', () => {
  const found = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !OF_OTHERS.includes(file))
    .flatMap((file) =>
      readFileSync(join(SRC, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          READS.some((pattern) => pattern.test(line)) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
        ),
    );
  expect(found).toEqual([]);
});
