import { SaxesParser } from 'saxes';
import { damaged } from './packed.ts';

/** What a part of a workbook is made of. Names come without their namespace prefix. */
export interface XmlHandlers {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close(name: string): void;
  text(text: string): void;
}

/** The parser keeps a tag or a text until it ends; this (UTF-16 units) is far above what a cell can hold. */
const MAX_LENGTH = 4 * 1024 * 1024;
const MAX_DEPTH = 64;

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The strict XML parser, with limits on what one file can make it keep. No document type, so no entities. */
export class XmlReader {
  readonly #parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  readonly #part: string;
  #pending = 0;
  #depth = 0;

  /** `part` is the name of the file inside the workbook, for messages. */
  constructor(part: string, handlers: XmlHandlers) {
    this.#part = part;
    this.#parser.on('doctype', () => this.#refuse('it has a document type'));
    this.#parser.on('opentag', ({ name, attributes }) => {
      this.#pending = 0;
      this.#depth += 1;
      if (this.#depth > MAX_DEPTH) this.#refuse('it is nested too deep');
      handlers.open(localName(name), attributes);
    });
    this.#parser.on('closetag', ({ name }) => {
      this.#pending = 0;
      this.#depth -= 1;
      handlers.close(localName(name));
    });
    this.#parser.on('text', (text) => handlers.text(text));
    this.#parser.on('cdata', (text) => handlers.text(text));
    this.#parser.on('error', (error) => this.#refuse(error.message));
  }

  /** Takes a piece of the text. Raises a `WorkbookFault`. */
  write(text: string): void {
    this.#pending += text.length;
    this.#parser.write(text);
    if (this.#pending > MAX_LENGTH) this.#refuse('a text of more than 4 million characters');
  }

  /** The text is over. */
  close(): void {
    this.#parser.close();
  }

  #refuse(reason: string): never {
    throw damaged(`${this.#part}: ${reason}`);
  }
}

/** An attribute by its local name: `r:id` whatever the prefix is. */
export function attributeOf(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  return attributes[name] ?? Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`))?.[1];
}

/** A switch as XML Schema writes it. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
