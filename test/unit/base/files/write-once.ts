import { join } from 'node:path';
import { writeFileAtomic } from '../../../../src/base/files/atomic.ts';

/** Child process: writes `a.json` into the folder named by its argument, under the umask it inherited. */
await writeFileAtomic(join(process.argv[2] ?? '', 'a.json'), '{}\n', { pid: process.pid, what: 'the test file' });
