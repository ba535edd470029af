import { usageFailure } from '../base/failure.ts';
import { describeIoError } from '../base/files/io-failure.ts';
import { readWhole } from '../base/files/readable.ts';
import { outside } from '../base/json/outside-text.ts';

const readPem = async (path: string) => (await readWhole(path)).toString('utf8');

/** Certificates to trust besides the built-in ones. Node drops those of NODE_EXTRA_CA_CERTS if some are given. */
export async function readCaFile(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  where = '--ca-file',
): Promise<readonly string[]> {
  const text = await readPem(path).catch((error: unknown) => {
    throw usageFailure([{ where, problem: `could not read ${outside(path)}: ${describeIoError(error)}` }]).but({
      cause: error,
    });
  });
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw usageFailure([{ where, problem: `${outside(path)} holds no certificate in PEM form` }]);
  }
  const extraPath = env['NODE_EXTRA_CA_CERTS'];
  // Node itself warns of an extra file that it cannot read.
  const extra = extraPath === undefined ? undefined : await readPem(extraPath).catch(() => undefined);
  return extra === undefined ? [text] : [text, extra];
}
