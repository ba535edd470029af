import { SaxesParser } from 'saxes';
import { quoteValue } from '../values.ts';
import { damaged } from './packed.ts';

/** Elements that declare what prefixes mean, from the inside. */
interface Scope {
  readonly attributes: XmlElement['attributes'];
  readonly above: Scope | undefined;
}

/** An element with its content. Names have no prefix if they are of the namespace of the part's root. */
export interface XmlElement {
  readonly name: string;
  /** By their names as written: one with a prefix is another attribute than the one without. */
  readonly attributes: Readonly<Record<string, string>>;
  /** What prefixes mean here. */
  readonly scope: Scope | undefined;
  readonly children: XmlElement[];
  text: string;
}

/** Longest tag or text in UTF-16 units, which the parser keeps: far above what a cell can hold. */
const MAX_LENGTH = 4 * 1024 * 1024;
const MAX_DEPTH = 64;
/** Most elements inside a wanted one, and UTF-16 units: more than a row of 16,384 cells has. */
const MAX_ELEMENTS = 200_000;
const MAX_ELEMENT_LENGTH = 32 * 1024 * 1024;

/** The namespace of a workbook's parts in either edition of the format. */
const EDITIONS: readonly string[] = [
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
];
/** Those of the roots. Of a part in any other, programs show nothing. */
const ROOTS: readonly string[] = [
  ...EDITIONS,
  'http://schemas.openxmlformats.org/package/2006/relationships',
  'http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing',
  // Of themes.
  'http://schemas.openxmlformats.org/drawingml/2006/main',
  'http://purl.oclc.org/ooxml/drawingml/main',
  'http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing',
];

/** The strict XML parser, with limits on what one file can make it keep. No document type, so no entities. */
export class XmlReader {
  readonly #parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  readonly #part: string;
  readonly #wanted: ReadonlySet<string>;
  /** Names of the open elements, and those that are kept. */
  readonly #path: string[] = [];
  readonly #open: XmlElement[] = [];
  #found: XmlElement[] = [];
  #elements = 0;
  #length = 0;
  #pending = 0;
  /** The namespace of the root, and what prefixes mean in each open element. */
  #namespace: string | undefined;
  readonly #scopes: (Scope | undefined)[] = [];

  /**
   * `part`: the file inside the archive, for messages. `wanted`: the elements to keep, by whole path; `*` at its end is
   * every element there.
   */
  constructor(part: string, wanted: readonly string[]) {
    this.#part = part;
    this.#wanted = new Set(wanted);
    this.#parser.on('xmldecl', ({ encoding = 'utf-8', version = '1.0' }) => {
      // The format has 1.0, and others read nothing of 1.1.
      if (version !== '1.0') this.#refuse(`it is XML ${version}, not 1.0`);
      if (!/^(?:utf-?8|us-ascii)$/i.test(encoding)) this.#refuse(`its encoding is ${encoding}, not UTF-8`);
    });
    this.#parser.on('doctype', () => this.#refuse('it has a document type'));
    this.#parser.on('opentag', ({ name, attributes }) => this.#begin(this.#nameOf(name, attributes), attributes));
    this.#parser.on('closetag', () => this.#end());
    const add = (text: string) => {
      const element = this.#open.at(-1);
      if (element === undefined) return;
      element.text += text;
      this.#addLength(text.length);
    };
    this.#parser.on('text', add);
    this.#parser.on('cdata', add);
    this.#parser.on('error', (error) => this.#refuse(error.message));
  }

  /** Throws a `WorkbookFault`. */
  write(text: string): void {
    this.#pending += text.length;
    this.#parser.write(text);
    if (this.#pending > MAX_LENGTH) this.#refuse('a text of more than 4 million characters');
  }

  close(): void {
    this.#parser.close();
  }

  take(): readonly XmlElement[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** The name without its prefix; with it (or a `:`) in another namespace than the root's, which no program shows. */
  #nameOf(name: string, attributes: XmlElement['attributes']): string {
    const mark = name.indexOf(':');
    const above = this.#scopes.at(-1);
    const scope = declaresPrefixes(attributes) ? { attributes, above } : above;
    this.#scopes.push(scope);
    const namespace = namespaceOf(mark === -1 ? '' : name.slice(0, mark), scope);
    if (this.#namespace === undefined && !ROOTS.includes(namespace ?? '')) {
      this.#refuse(`${quoteValue(name)} is not of the format`);
    }
    this.#namespace ??= namespace;
    if (namespace === this.#namespace) return name.slice(mark + 1);
    if (EDITIONS.includes(namespace ?? '')) {
      this.#refuse(`${quoteValue(name)} is of another edition of the format, which programs show in different ways`);
    }
    return mark === -1 ? `:${name}` : name;
  }

  #begin(name: string, attributes: XmlElement['attributes']): void {
    this.#pending = 0;
    const parent = this.#open.at(-1);
    this.#path.push(name);
    const isKept = parent !== undefined || this.#isWanted();
    if (this.#path.length > MAX_DEPTH) this.#refuse('it is nested too deep');
    if (!isKept) return;
    this.#elements += 1;
    if (this.#elements > MAX_ELEMENTS) this.#refuse('an element holds too many others');
    this.#addLength(name.length);
    for (const key in attributes) this.#addLength(key.length + (attributes[key]?.length ?? 0));
    const element: XmlElement = { name, attributes, scope: this.#scopes.at(-1), children: [], text: '' };
    parent?.children.push(element);
    this.#open.push(element);
  }

  #end(): void {
    this.#pending = 0;
    this.#path.pop();
    this.#scopes.pop();
    const element = this.#open.pop();
    if (element === undefined || this.#open.length > 0) return;
    this.#elements = 0;
    this.#length = 0;
    this.#found.push(element);
  }

  /** By the whole path: extensions may have elements of the same names, which no program shows. */
  #isWanted(): boolean {
    const name = this.#path.at(-1) ?? '';
    const above = this.#path.slice(0, -1);
    const own = above.filter((each) => !each.includes(':')).join('/');
    if (!this.#wanted.has(`${own}/${name}`) && !this.#wanted.has(`${own}/*`)) return false;
    // One of two alternatives, or what a program takes for one.
    const around = above.find((each) => each.includes(':'));
    if (around === undefined) return true;
    return this.#refuse(`${quoteValue(name)} is in ${quoteValue(around)}, which programs show in different ways`);
  }

  #addLength(length: number): void {
    this.#length += length;
    if (this.#length > MAX_ELEMENT_LENGTH) this.#refuse('an element holds too much text');
  }

  #refuse(reason: string): never {
    throw damaged(`${this.#part}: ${reason}`);
  }
}

function declaresPrefixes(attributes: XmlElement['attributes']): boolean {
  for (const key in attributes) if (key.startsWith('xmlns')) return true;
  return false;
}

/** What a prefix means (`''`: none); undefined if nothing declares it. */
export function namespaceOf(prefix: string, scope: Scope | undefined): string | undefined {
  const key = prefix === '' ? 'xmlns' : `xmlns:${prefix}`;
  for (let at = scope; at !== undefined; at = at.above) {
    const namespace = at.attributes[key];
    if (namespace !== undefined) return namespace;
  }
  return prefix === '' ? '' : undefined;
}

const OFF: ReadonlySet<string> = new Set(['', '0', 'false', 'off', 'f']);

/** A switch. Programs read more as true than XML Schema has. */
export function isTrue(value = ''): boolean {
  return !OFF.has(value.trim().toLowerCase());
}

/** The elements inside, at any depth. Without their prefixes: a program may take what another leaves out. */
export function insideOf({ children }: Pick<XmlElement, 'children'>): readonly XmlElement[] {
  return children.flatMap((child) => [
    { ...child, name: child.name.slice(child.name.indexOf(':') + 1) },
    ...insideOf(child),
  ]);
}

/** A number in digits alone: programs do not agree on what `0x1`, `1e0` or ` 1 ` is. */
export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw damaged(`${quoteValue(text)} is not a whole number`);
  return Number(text);
}
