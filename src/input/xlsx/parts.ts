import { posix } from 'node:path';
import { damaged, WorkbookFault } from './packed.ts';
import { attributeOf, isTrue, type XmlHandlers, XmlReader } from './xml.ts';
import type { Archive } from './zip.ts';

interface Relation {
  readonly id: string;
  /** The last word of its type: `worksheet`; that word is the same in both editions of the format. */
  readonly kind: string;
  readonly part: string;
}

/** Reads a part through, handing over what it is made of. Yields after each piece, so that rows can be taken. */
export async function* readPart(archive: Archive, part: string, handlers: XmlHandlers): AsyncGenerator<void> {
  const reader = new XmlReader(part, handlers);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Buffer): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (error) {
      throw damaged(`${part} is not UTF-8`, error);
    }
  };
  for await (const bytes of archive.read(part)) {
    reader.write(decode(bytes));
    yield;
  }
  reader.write(decode());
  reader.close();
  yield;
}

/** Reads a part of which only the whole matters. */
export async function readWholePart(archive: Archive, part: string, handlers: Partial<XmlHandlers>): Promise<void> {
  const { open = () => undefined, close = () => undefined, text = () => undefined } = handlers;
  for await (const _ of readPart(archive, part, { open, close, text })) {
    // everything is in the handlers
  }
}

async function readRelations(archive: Archive, source: string): Promise<readonly Relation[]> {
  const relations: Relation[] = [];
  const folder = posix.dirname(source);
  const part = posix.join(folder, '_rels', `${posix.basename(source)}.rels`);
  if (!archive.has(part)) throw otherFormat(archive);
  await readWholePart(archive, part, {
    open(name, { Id: id, Type: type, Target: target }) {
      if (name !== 'Relationship' || id === undefined || type === undefined || target === undefined) return;
      const path = target.startsWith('/') ? target : posix.join(folder, target);
      relations.push({ id, kind: type.slice(type.lastIndexOf('/') + 1), part: posix.normalize(path) });
    },
  });
  return relations;
}

function otherFormat(archive: Archive): WorkbookFault {
  const isOpenDocument = archive.has('mimetype') && archive.has('content.xml');
  return new WorkbookFault(
    isOpenDocument ? 'is an OpenDocument file; save it as .xlsx' : 'is a ZIP file, but not a workbook',
  );
}

/**
 * Finds the parts of the workbook, as its relations say: their names are nowhere prescribed. Its sheets come in the order
 * of the tabs; those that hold only a chart are left out.
 */
export async function findParts(archive: Archive) {
  const main = (await readRelations(archive, '')).find(({ kind }) => kind === 'officeDocument')?.part;
  if (main === undefined) throw otherFormat(archive);
  if (main.toLowerCase().endsWith('.bin')) throw new WorkbookFault('is in the binary .xlsb format; save it as .xlsx');
  const relations = await readRelations(archive, main);
  const sheets: { name: string; part: string; isHidden: boolean }[] = [];
  let isWorkbook = false;
  let countsFrom1904 = false;
  await readWholePart(archive, main, {
    open(tag, attributes) {
      isWorkbook ||= tag === 'workbook';
      if (tag === 'workbookPr') countsFrom1904 = isTrue(attributes['date1904']);
      if (tag !== 'sheet') return;
      const id = attributeOf(attributes, 'id');
      const relation = relations.find((candidate) => candidate.id === id);
      const { name, state = 'visible' } = attributes;
      if (relation?.kind === 'worksheet' && name !== undefined) {
        sheets.push({ name, part: relation.part, isHidden: state !== 'visible' });
      }
    },
  });
  if (!isWorkbook) throw new WorkbookFault('is a document of another kind, not a workbook');
  if (sheets.length === 0) throw damaged('it has no sheet');
  const partOf = (kind: string) => relations.find((relation) => relation.kind === kind)?.part;
  return { sheets, countsFrom1904, sharedStrings: partOf('sharedStrings'), styles: partOf('styles') };
}
