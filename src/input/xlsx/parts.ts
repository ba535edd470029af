import { posix } from 'node:path';
import { orElse } from '../../files/io-failure.ts';
import { damaged, WorkbookFault } from './packed.ts';
import { isTrue, type XmlElement, XmlReader } from './xml.ts';
import type { Archive } from './zip.ts';

/** A sheet of a workbook. */
export interface Sheet {
  readonly name: string;
  readonly part: string;
  readonly isHidden: boolean;
}

/** The wanted elements of a part (by whole path), piece by piece. */
export async function* readElements(archive: Archive, part: string, ...wanted: readonly string[]) {
  const reader = new XmlReader(part, wanted);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const notText = (error: unknown) => damaged(`${part} is not UTF-8`, error);
  const decode = (bytes?: Buffer) => orElse(() => decoder.decode(bytes, { stream: bytes !== undefined }), notText);
  for await (const bytes of archive.read(part)) {
    reader.write(decode(bytes));
    yield reader.take();
  }
  reader.write(decode());
  reader.close();
  yield reader.take();
}

/** All wanted elements of a small part. */
export async function allElements(archive: Archive, part: string, ...wanted: readonly string[]): Promise<XmlElement[]> {
  const elements: XmlElement[] = [];
  for await (const batch of readElements(archive, part, ...wanted)) elements.push(...batch);
  return elements;
}

/** What a part refers to; `kind` is the last word of its type (`worksheet`), the same in both editions of the format. */
async function readRelations(archive: Archive, source: string) {
  const folder = posix.dirname(source);
  const part = posix.join(folder, '_rels', `${posix.basename(source)}.rels`);
  if (!archive.has(part)) throw otherFormat(archive);
  const found = await allElements(archive, part, 'Relationships/Relationship');
  return found.flatMap(({ attributes: { Id: id, Type: type, Target: target } }) => {
    if (id === undefined || type === undefined || target === undefined) return [];
    const path = target.startsWith('/') ? target : posix.join(folder, target);
    return [{ id, kind: type.slice(type.lastIndexOf('/') + 1), part: posix.normalize(path) }];
  });
}

function otherFormat(archive: Archive): WorkbookFault {
  const isOpenDocument = archive.has('mimetype') && archive.has('content.xml');
  return new WorkbookFault(
    isOpenDocument ? 'is an OpenDocument file: save it as .xlsx' : 'is a ZIP file, but not an .xlsx file',
  );
}

/** Finds the parts of the file by its relations: names are not prescribed. Sheets are in the order of the tabs. */
export async function findParts(archive: Archive) {
  const main = (await readRelations(archive, '')).find(({ kind }) => kind === 'officeDocument')?.part;
  if (main === undefined) throw otherFormat(archive);
  if (main.toLowerCase().endsWith('.bin')) throw new WorkbookFault('is in the binary .xlsb format: save it as .xlsx');
  const relations = await readRelations(archive, main);
  const [workbook] = await allElements(archive, main, 'workbook');
  if (workbook === undefined) throw new WorkbookFault('is another kind of document, not a spreadsheet');
  const within = (name: string) => workbook.children.filter((element) => element.name === name);
  const countsFrom1904 = within('workbookPr').some(({ attributes }) => isTrue(attributes['date1904']));
  const sheets = within('sheets').flatMap(({ children }) =>
    children.flatMap(({ attributes }) => {
      // `r:id`, whatever the prefix is.
      const id = attributes['id'] ?? Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
      const relation = relations.find((candidate) => candidate.id === id);
      const { name, state = 'visible' } = attributes;
      if (relation?.kind !== 'worksheet' || name === undefined) return [];
      return [{ name, part: relation.part, isHidden: state !== 'visible' }];
    }),
  );
  if (sheets.length === 0) throw damaged('it has no sheet');
  const partOf = (kind: string) => relations.find((relation) => relation.kind === kind)?.part;
  return { sheets, countsFrom1904, sharedStrings: partOf('sharedStrings'), styles: partOf('styles') };
}

/** Most UTF-16 units of all strings, which are kept while the rows are read: far above a million rows of people. */
const MAX_LENGTH = 128 * 1024 * 1024;
/** A cell, its own text, an entry, a run. Other elements in them are not shown. */
const HOLD_TEXT: ReadonlySet<string> = new Set(['c', 'is', 'si', 'r']);
const ESCAPE = /_x([0-9A-Fa-f]{4})_/g;

/** A string as typed. The format writes what XML cannot hold as `_x000D_`. */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPE, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** The text of an entry or a cell: its runs, without readings of Asian scripts. */
export function textOf(element: XmlElement): string {
  const runs = ({ name, text, children }: XmlElement): string =>
    name === 't' ? text : HOLD_TEXT.has(name) ? children.map(runs).join('') : '';
  return unescapeText(runs(element));
}

/** The strings that cells refer to by number. */
export async function readSharedStrings(archive: Archive, part: string): Promise<readonly string[]> {
  const strings: string[] = [];
  let length = 0;
  for await (const entries of readElements(archive, part, 'sst/si')) {
    for (const entry of entries) {
      const text = textOf(entry);
      // Each entry costs memory, even an empty one.
      length += text.length + 16;
      if (length > MAX_LENGTH) throw new WorkbookFault('contains too much text: split it');
      strings.push(text);
    }
  }
  return strings;
}
