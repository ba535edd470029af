import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** One line of the program that is wrong on purpose. */
export interface Mutation {
  /** From the root of the project. */
  readonly file: string;
  /** The line as it is, without its indentation; there must be exactly one. */
  readonly line: string;
  readonly instead: string;
}

export function mutate(source: string, { file, line, instead }: Mutation): string {
  const lines = source.split('\n');
  const places = lines.flatMap((text, index) => (text.trim() === line ? [index] : []));
  const [place] = places;
  if (place === undefined || places.length > 1) {
    throw new Error(`the line of the mutant is ${places.length} times in ${file}: ${line}`);
  }
  return lines.with(place, instead).join('\n');
}

/** Builds the program with that one line changed into a new folder; answers what starts it. */
export async function buildMutant(mutation: Mutation): Promise<{ readonly folder: string; readonly program: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-mutant-'));
  let isMutated = false;
  const bundle = await rolldown({
    input: { main: join(ROOT, 'src/main.ts') },
    platform: 'node',
    cwd: ROOT,
    transform: { define: { FRONTDESK_VERSION: '"0.0.0-mutant"' } },
    plugins: [
      {
        name: 'mutant',
        transform(code, id) {
          if (id !== join(ROOT, mutation.file)) return null;
          isMutated = true;
          return mutate(code, mutation);
        },
      },
    ],
  });
  await bundle.write({ dir: folder, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: 'chunks/[name].cjs' });
  await bundle.close();
  if (!isMutated) throw new Error(`${mutation.file} is no part of the program`);
  const program = join(folder, 'frontdesk.cjs');
  writeFileSync(program, `require('./main.cjs').start();\n`);
  return { folder, program };
}
