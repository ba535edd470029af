import { Failure } from '../failure.ts';
import { parseJson } from '../json/parse.ts';
import { JsonSyntaxError } from '../json/syntax-error.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { isJsonObject, JsonNumber, type JsonObject } from '../json/value.ts';
import { orElse } from './io-failure.ts';

export interface DocumentKind {
  readonly path: string;
  /** Its name in messages: `the settings file`. */
  readonly what: string;
  /** The newest layout that this frontdesk knows. */
  readonly version: number;
  /** False for secrets: messages then name the place of damage, and quote nothing. */
  readonly quotesText: boolean;
}

/** USAGE for a file that cannot be understood. It is left alone: it may be repaired (docs/faults.md C12). */
export function damagedFile(kind: Pick<DocumentKind, 'path' | 'what'>, where: string): Failure {
  return new Failure('USAGE', `${kind.what} ${kind.path} is damaged: ${where}. It was not changed`, {
    hints: ['fix it, or move it away and set it up again'],
  });
}

/** USAGE for a file of a newer frontdesk. It is not damaged, so nothing may replace it. */
export class NewerFileFailure extends Failure {
  constructor(kind: DocumentKind, version: string) {
    super(
      'USAGE',
      `${kind.what} ${kind.path} was written by a newer frontdesk (version ${version} of the file, this one reads ${kind.version}). It was not changed`,
      { hints: ['update frontdesk, or use another FRONTDESK_CONFIG_DIR for this one'] },
    );
  }
}

function parseText(bytes: Uint8Array, kind: DocumentKind): JsonObject {
  if (bytes.length === 0) throw damagedFile(kind, 'line 1: it is empty');
  const fault = () => damagedFile(kind, 'line 1: it is not UTF-8 text');
  const text = orElse(() => decodeUtf8(bytes), fault);
  if (text.startsWith('\ufeff')) throw damagedFile(kind, 'line 1: it begins with a byte order mark');
  try {
    const value = parseJson(text, { maxDepth: 16 });
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const place = `line ${error.line}, column ${error.column}`;
    throw damagedFile(kind, kind.quotesText ? error.message : place);
  }
  throw damagedFile(kind, 'line 1: it does not hold a JSON object');
}

/** Parses one of frontdesk's own JSON files as far as its version. USAGE if it is damaged or of a newer frontdesk. */
export function parseDocument(bytes: Uint8Array, kind: DocumentKind): JsonObject {
  const document = parseText(bytes, kind);
  const version = document.get('version');
  if (!(version instanceof JsonNumber) || !/^[1-9][0-9]{0,8}$/.test(version.text)) {
    throw damagedFile(kind, 'version is missing or not a whole number');
  }
  if (Number(version.text) > kind.version) throw new NewerFileFailure(kind, version.text);
  return document;
}
