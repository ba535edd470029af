import { posix } from 'node:path';
import { orElse } from '../../base/files/io-failure.ts';
import { quoteValue } from '../values.ts';
import { damaged, WorkbookFault } from './packed.ts';
import { namespaceOf, type XmlElement, XmlReader } from './xml.ts';
import type { Archive } from './zip.ts';

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

/** Most elements of a small part, and UTF-16 units in them: spreadsheets keep fewer. */
const MAX_ELEMENTS = 100_000;
const MAX_ELEMENTS_LENGTH = 16 * 1024 * 1024;

export async function allElements(archive: Archive, part: string, ...wanted: readonly string[]): Promise<XmlElement[]> {
  const elements: XmlElement[] = [];
  let length = 0;
  for await (const batch of readElements(archive, part, ...wanted)) {
    for (const element of batch) {
      elements.push(element);
      length += lengthOf(element);
    }
    if (elements.length > MAX_ELEMENTS || length > MAX_ELEMENTS_LENGTH) throw damaged(`${part}: it is too large`);
  }
  return elements;
}

function lengthOf({ text, attributes, children }: XmlElement): number {
  let length = text.length;
  for (const key in attributes) length += key.length + (attributes[key]?.length ?? 0);
  for (const child of children) length += lengthOf(child);
  return length;
}

/** The namespace of relations in either edition of the format. Types of relations begin with it. */
const RELATIONS = [
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
  'http://purl.oclc.org/ooxml/officeDocument/relationships',
];

const READ: ReadonlySet<string> = new Set(['officeDocument', 'worksheet', 'sharedStrings', 'styles']);

/** What a part refers to; `kind` is the last word of its type (`worksheet`), empty for types of other makers. */
export async function readRelations(archive: Archive, source: string) {
  const folder = posix.dirname(source);
  const part = posix.join(folder, '_rels', `${posix.basename(source)}.rels`);
  if (!archive.has(part)) return [];
  const found = await allElements(archive, part, 'Relationships/Relationship');
  return found.flatMap(({ attributes: { Id: id, Type: type, Target: target, TargetMode: mode } }) => {
    if (id === undefined || type === undefined || target === undefined) return [];
    const at = type.lastIndexOf('/');
    const kind = RELATIONS.includes(type.slice(0, at)) ? type.slice(at + 1) : '';
    if (mode === 'External' && READ.has(kind)) throw damaged(`${part}: it refers to a ${kind} outside of the file`);
    const path = target.replaceAll('\\', '/');
    // Others look for a part of this very name.
    if (READ.has(kind) && /(?:^|\/)\.?(?:\/|$)/.test(path.replace(/^\//, ''))) {
      throw damaged(`${part}: ${quoteValue(target)} is no name of a part`);
    }
    const whole = path.startsWith('/') ? path : posix.join(folder, path);
    return [{ id, kind, part: posix.normalize(whole) }];
  });
}

const SAVE = 'open it in the program that made it and save it as .xlsx';

function otherFormat(archive: Archive): WorkbookFault {
  if (archive.has('mimetype') && archive.has('content.xml')) {
    return new WorkbookFault(`is an OpenDocument file (.ods): ${SAVE}`);
  }
  const isNumbers = archive.has('Index/Document.iwa') || archive.has('Index.zip') || archive.has('index.apxl');
  if (isNumbers) return new WorkbookFault('is a file of Apple Numbers: export it as Excel (.xlsx) or CSV');
  return new WorkbookFault('is a ZIP archive, not an .xlsx file: unpack it, and name the file in it');
}

type Relation = Awaited<ReturnType<typeof readRelations>>[number];

/** The one relation of a kind. Of two, others take the one whose ID sorts first, or of the older edition. */
function onlyOne(relations: readonly Relation[], kind: string, source: string): Relation | undefined {
  const [first, ...others] = relations.filter((relation) => relation.kind === kind);
  if (others.length > 0) throw damaged(`${source}: it refers to two parts of the kind ${kind}`);
  return first;
}

/** Sheets in any other state are shown. */
const HIDDEN: ReadonlySet<string> = new Set(['hidden', 'veryHidden']);
/** What Office makes besides workbooks, by the folder of the main part. */
const NO_WORKBOOKS: Readonly<Record<string, string>> = {
  word: 'a text document (.docx)',
  ppt: 'a presentation (.pptx)',
};

/** Finds the parts of the file by its relations: names are not prescribed. Sheets are in the order of the tabs. */
export async function findParts(archive: Archive) {
  const main = onlyOne(await readRelations(archive, ''), 'officeDocument', 'the file')?.part;
  if (main === undefined) throw otherFormat(archive);
  if (main.toLowerCase().endsWith('.bin')) throw new WorkbookFault(`is in the binary .xlsb format: ${SAVE}`);
  const other = NO_WORKBOOKS[main.split('/', 1)[0] ?? ''];
  if (other !== undefined) {
    throw new WorkbookFault(`is ${other}: copy its table into a spreadsheet, and save that as .xlsx`);
  }
  const relations = await readRelations(archive, main);
  const found = await allElements(archive, main, 'workbook/sheets/sheet');
  const byId = new Map(relations.map((relation) => [relation.id, relation]));
  if (byId.size < relations.length) throw damaged(`${main}: two of its parts have one id`);
  const sheets = found.flatMap(({ attributes, scope }) => {
    // `r:id`, whatever the prefix is.
    const [id = '', ...others] = Object.keys(attributes)
      .filter((key) => key.endsWith(':id') && RELATIONS.includes(namespaceOf(key.slice(0, -':id'.length), scope) ?? ''))
      .map((key) => attributes[key]);
    if (others.length > 0) throw damaged(`${main}: a sheet has two parts`);
    const relation = byId.get(id);
    const { name, state = '' } = attributes;
    // Of others, programs show one as if it were a table.
    if (name === undefined) throw damaged(`${main}: a sheet has no name`);
    if (relation?.kind === 'chartsheet') return [];
    if (relation?.kind !== 'worksheet') throw damaged(`${main}: the sheet ${quoteValue(name)} is no worksheet`);
    return [{ name, part: relation.part, isHidden: HIDDEN.has(state) }];
  });
  if (sheets.length === 0) throw damaged('it has no sheet');
  if (new Set(sheets.map(({ name }) => name)).size < sheets.length) throw damaged(`${main}: two sheets have one name`);
  // A part that is named and missing is not needed, unless a cell refers to it.
  const partOf = (kind: string) => {
    const part = onlyOne(relations, kind, main)?.part;
    return part !== undefined && archive.has(part) ? part : undefined;
  };
  return { sheets, sharedStrings: partOf('sharedStrings'), styles: partOf('styles') };
}

/** Refuses a sheet whose cells a spreadsheet fills anew when it opens them, so that it shows others than are stored. */
export async function refuseFilledAnew(archive: Archive, { name, part }: Sheet): Promise<void> {
  const relations = await readRelations(archive, part);
  if (!relations.some(({ kind }) => kind === 'pivotTable')) return;
  throw new WorkbookFault(`has a pivot table in the sheet ${quoteValue(name)}: copy the list into a sheet of its own`);
}

/** Most bytes of all strings, which are kept while the rows are read: far above a million rows of people. */
const MAX_BYTES = 200 * 1024 * 1024;
/** What V8 takes for a string besides its characters. */
const STRING_BYTES = 40;
const ESCAPE = /_x([0-9A-Fa-f]{4})_/g;
const FIRST_VISIBLE = 0x20;

/**
 * A string as typed. The format writes what XML cannot hold as `_x000D_`. Undefined: it has such digits in lower case,
 * which only some programs take for an escape. Nobody types that of a control character, and SheetJS writes it.
 */
export function unescapeText(text: string): string | undefined {
  if (!text.includes('_x')) return text;
  let isOdd = false;
  const typed = text.replace(ESCAPE, (_, digits: string) => {
    const code = Number.parseInt(digits, 16);
    isOdd ||= /[a-f]/.test(digits) && code >= FIRST_VISIBLE;
    return String.fromCharCode(code);
  });
  return isOdd ? undefined : typed;
}

/** What may stand in a text, and in a run of it. Readings of Asian scripts and the looks of a run are not text. */
const IN_TEXT: ReadonlySet<string> = new Set(['t', 'r', 'rPh', 'phoneticPr']);
const IN_RUN: ReadonlySet<string> = new Set(['t', 'rPr']);

/**
 * The text of an entry or of a cell's own: one text, or runs of them. Undefined: it has more than spreadsheets show,
 * such as a second text.
 */
export function textOf({ children }: XmlElement): string | undefined {
  let text = '';
  let [texts, runs] = [0, 0];
  for (const child of children) {
    if (!IN_TEXT.has(child.name)) return undefined;
    const isRun = child.name === 'r';
    if (!isRun && child.name !== 't') continue;
    if (isRun) runs += 1;
    else texts += 1;
    // Spreadsheets read each run by itself.
    const typed = isRun ? textOfRun(child) : ownText(child);
    if (typed === undefined) return undefined;
    text += typed;
  }
  return texts > 1 || (texts > 0 && runs > 0) ? undefined : text;
}

function ownText({ text, children }: XmlElement): string | undefined {
  return children.length > 0 ? undefined : unescapeText(text);
}

function textOfRun({ children }: XmlElement): string | undefined {
  const [own, ...others] = children.filter(({ name }) => name === 't');
  if (others.length > 0 || children.some(({ name }) => !IN_RUN.has(name))) return undefined;
  return own === undefined ? '' : ownText(own);
}

/** The strings that cells refer to by number; undefined for one that shows otherwise than it can be read. */
export async function readSharedStrings(archive: Archive, part: string): Promise<readonly (string | undefined)[]> {
  const strings: (string | undefined)[] = [];
  let bytes = 0;
  for await (const entries of readElements(archive, part, 'sst/*')) {
    for (const entry of entries) {
      if (entry.name === 'extLst') continue;
      // Programs count its texts otherwise, and each cell below would show another one.
      if (entry.name !== 'si') throw damaged(`${part}: ${quoteValue(entry.name)} is among its texts`);
      const text = textOf(entry);
      bytes += 2 * (text?.length ?? 0) + STRING_BYTES;
      if (bytes > MAX_BYTES) throw new WorkbookFault('contains too much text: split it');
      strings.push(text);
    }
  }
  return strings;
}
