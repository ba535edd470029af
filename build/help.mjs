// Prepares the help of every command beside the chunks, so that `--help` loads neither the command nor its schemas.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';

/** Asks the program that was just built into `folder` what there is to say about its commands, and writes one file for each. */
export function writeHelp(folder) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      '-e',
      `require(${JSON.stringify(`${folder}/chunks/main.cjs`)}).start()`,
      'frontdesk',
      'schema',
      '--query',
      'commands',
    ],
    {
      env: { PATH: process.env.PATH, FRONTDESK_CONFIG_DIR: folder },
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (status !== 0) throw new Error(`the built program could not list its commands: ${stderr}`);
  mkdirSync(`${folder}/help`, { recursive: true });
  for (const { input, output, operations, ...doc } of JSON.parse(stdout)) {
    const options = doc.options.map(({ limits, ...option }) => option);
    const exitCodes = doc.exitCodes.map((row) => row.exitCode);
    writeFileSync(`${folder}/help/${doc.path.join('.')}.json`, JSON.stringify({ ...doc, options, exitCodes }));
  }
}
