// Builds the program that users run: CommonJS chunks in dist/, one per command, heavy packages in chunks of their own.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { bundle, root } from './bundle.mjs';
import { sealChunks } from './chunks.mjs';
import { compileChunks } from './compiled.mjs';
import { writeHelp } from './help.mjs';

/**
 * What is always loaded together lies in one file: each further file costs a start half a millisecond. A group takes
 * along what its modules import, so the first of them that wants a module has it.
 */
const GROUPS = [
  { name: 'base', tags: ['$initial'], priority: 3 },
  {
    name: 'call',
    test: /[\\/]src[\\/](?:cli[\\/](?:argv|call|open-session|open-service|commands[\\/]card[\\/]columns)|command[\\/](?:command|command-values|printing)|service[\\/](?:api[\\/]operations|wire[\\/](?:remove-from|answer-bytes)))\.ts$/,
    priority: 2,
  },
  { name: 'help', test: /[\\/]src[\\/]cli[\\/]describe[\\/]help\.ts$/, priority: 1 },
];

/** Commands of several groups have the same last word: the chunk of `card get` is called card-get. */
function chunkName({ facadeModuleId, moduleIds }) {
  const words = /[\\/]src[\\/]cli[\\/]commands[\\/](.+)\.ts$/.exec(facadeModuleId ?? moduleIds.at(-1))?.[1];
  return `chunks/${words?.replaceAll(/[\\/]/g, '-') ?? '[name]'}.cjs`;
}

// Built aside and moved into place, so that a program that runs meanwhile never finds half of it.
const made = `${root}.dist-${process.pid}`;
const replaced = `${made}-replaced`;

function moveAway() {
  try {
    renameSync(`${root}dist`, replaced);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

try {
  const notices = await bundle(
    { main: `${root}src/main.ts` },
    {
      dir: made,
      entryFileNames: 'chunks/[name].cjs',
      chunkFileNames: chunkName,
      codeSplitting: { groups: GROUPS },
    },
  );
  writeFileSync(`${made}/THIRD-PARTY-NOTICES.md`, notices);
  writeHelp(made);
  sealChunks(made);
  compileChunks(made);
  moveAway();
  renameSync(made, `${root}dist`);
} finally {
  rmSync(made, { recursive: true, force: true });
  rmSync(replaced, { recursive: true, force: true });
}
