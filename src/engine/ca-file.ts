import { readFile } from 'node:fs/promises';
import { Failure } from '../failure.ts';
import { messageOf } from '../files/io-failure.ts';

/** A file of certificates, and the option or variable that names it. */
export interface CaFile {
  readonly path: string;
  readonly where: '--ca-file' | 'FRONTDESK_CA_FILE';
}

/**
 * PEM texts to trust besides the built-in certificates: `--ca-file`, and the file of NODE_EXTRA_CA_CERTS, which
 * Node forgets once certificates are given. USAGE when the named file cannot be read or holds no certificate.
 */
export async function readCaFile(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  where: CaFile['where'] = '--ca-file',
): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new Failure('USAGE', `${where}: ${path} cannot be read: ${messageOf(error)}; nothing was sent`, {
      cause: error,
    });
  });
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Failure('USAGE', `${where}: ${path} holds no certificate in PEM form; nothing was sent`);
  }
  const extraPath = env['NODE_EXTRA_CA_CERTS'];
  // Node itself warns of an extra file that it cannot read.
  const extra = extraPath === undefined ? undefined : await readFile(extraPath, 'utf8').catch(() => undefined);
  return extra === undefined ? [text] : [text, extra];
}
