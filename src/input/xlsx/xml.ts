import { SaxesParser } from 'saxes';
import { damaged } from './packed.ts';

/** An element with its content. Names have no namespace prefix. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/** Longest tag or text in UTF-16 units, which the parser keeps: far above what a cell can hold. */
const MAX_LENGTH = 4 * 1024 * 1024;
const MAX_DEPTH = 64;
/** Most elements inside a wanted one: more than a row of 16,384 cells has. */
const MAX_ELEMENTS = 200_000;

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
  #pending = 0;

  /** `part`: the file inside the archive, for messages. `wanted`: the elements to keep, by whole path. */
  constructor(part: string, wanted: readonly string[]) {
    this.#part = part;
    this.#wanted = new Set(wanted);
    this.#parser.on('doctype', () => this.#refuse('it has a document type'));
    this.#parser.on('opentag', ({ name, attributes }) => this.#begin(name.slice(name.indexOf(':') + 1), attributes));
    this.#parser.on('closetag', () => this.#end());
    const add = (text: string) => {
      const element = this.#open.at(-1);
      if (element !== undefined) element.text += text;
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

  #begin(name: string, attributes: XmlElement['attributes']): void {
    this.#pending = 0;
    const parent = this.#open.at(-1);
    this.#path.push(name);
    // The whole path: extensions may have elements of the same names, which no program shows.
    const isKept = parent !== undefined || this.#wanted.has(this.#path.join('/'));
    if (this.#path.length > MAX_DEPTH) this.#refuse('it is nested too deep');
    if (!isKept) return;
    this.#elements += 1;
    if (this.#elements > MAX_ELEMENTS) this.#refuse('an element holds too many others');
    const element: XmlElement = { name, attributes, children: [], text: '' };
    parent?.children.push(element);
    this.#open.push(element);
  }

  #end(): void {
    this.#pending = 0;
    this.#path.pop();
    const element = this.#open.pop();
    if (element === undefined || this.#open.length > 0) return;
    this.#elements = 0;
    this.#found.push(element);
  }

  #refuse(reason: string): never {
    throw damaged(`${this.#part}: ${reason}`);
  }
}

/** A switch as XML Schema writes it. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
