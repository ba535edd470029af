// What every form of the built program has in common.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { writeNotices } from './notices.mjs';
import { baselineParser, keepProtocolApart, slim } from './slim.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The version of package.json, which the program carries inside. */
export const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** Bundles an entry file into CommonJS; answers the notices that what it contains asks for. */
export async function bundle(input, output) {
  const made = await rolldown({
    input,
    platform: 'node',
    cwd: root,
    plugins: [baselineParser(), slim(), keepProtocolApart()],
    transform: { define: { FRONTDESK_VERSION: JSON.stringify(version) } },
    // A module of one group is also wanted by a chunk of its own now and then: it is small, and loaded either way.
    checks: { ineffectiveDynamicImport: false },
  });
  try {
    const written = await made.write({ format: 'cjs', minify: true, comments: { legal: false }, ...output });
    return writeNotices(written.output.flatMap((chunk) => chunk.moduleIds ?? []));
  } finally {
    await made.close();
  }
}
