import { damaged } from './packed.ts';
import { allElements } from './parts.ts';
import { insideOf, wholeNumber, type XmlElement } from './xml.ts';
import type { Archive } from './zip.ts';

/** How the number format of a cell shows what is stored, as far as it matters for reading. */
export interface CellFormat {
  /** For messages: the pattern, or the number of one that every program knows. */
  readonly name: string;
  /** Are whole numbers shown with exactly the digits that are stored? */
  readonly showsNumbers: boolean;
  readonly showsTexts: boolean;
  /** Is TRUE shown as true? */
  readonly showsBooleans: boolean;
  /** What to change about the cell, if that is not its number format or its type. */
  readonly advice?: string | undefined;
}

const PLAIN: ReadonlySet<string> = new Set(['general', '0', '@']);
/** Formats that a file names by their number alone, and that show numbers as they are. */
const PLAIN_NUMBERS: ReadonlySet<number> = new Set([0, 1, 49]);
const FIRST_CUSTOM = 164;
/** Programs keep fewer styles, and take no longer pattern. */
const MAX_STYLES = 65_536;
const MAX_PATTERN = 4096;
/** Sections of a pattern: for positive numbers, negative ones, zero and texts. */
const ALL_SECTIONS = 4;

/** A quoted text, an escaped character, a color or condition, padding, a fill, the end of a section, any other. */
const PART = /"[^"]*"?|\\.?|\[[^\]]*\]?|_.?|\*.?|;|./gsu;
/** Parts that add nothing to a text but blanks and color, or name a language. */
const ADDS_NOTHING =
  /^(?:_.|\* |\[(?:\$-[\da-f]+|black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)\]|\\ )$/isu;

/** The sections of a pattern without what adds nothing to a text. In one pass, however it is nested. */
function sectionsOf(pattern: string): readonly string[] {
  const sections = [''];
  for (const [part] of pattern.matchAll(PART)) {
    if (part === ';') sections.push('');
    else if (!ADDS_NOTHING.test(part))
      sections.push(`${sections.pop() ?? ''}${part === '@' ? part : part.replaceAll('@', 'x')}`);
  }
  return sections;
}

/** Booleans as LibreOffice writes them in the languages of most of its users. Other words could say the opposite. */
const TRUE_WORDS = 'TRUE|WAHR|VRAI|VERDADERO|VERO|VERDADEIRO|WAAR|PRAWDA|SANT|SAND|TOSI|IGAZ|PRAVDA|DOĞRU|ИСТИНА|真';
const BOOLEAN = new RegExp(`^"(${TRUE_WORDS})";"\\1";"(?!${TRUE_WORDS})[^"]+"$`, 'iu');
/** Shows TRUE as 1. */
const DIGITS = /^[#,]*0(?:\.0+)?%?$/;

export function cellFormat(pattern: string): CellFormat {
  const isPlain = PLAIN.has(pattern.toLowerCase());
  const showsBooleans = isPlain || DIGITS.test(pattern) || BOOLEAN.test(pattern);
  const known = { name: pattern, showsNumbers: isPlain, showsBooleans };
  if (isPlain || pattern.length > MAX_PATTERN) return { ...known, showsTexts: isPlain };
  const sections = sectionsOf(pattern);
  const ofTexts = sections.filter((section, index) => index === ALL_SECTIONS - 1 || section.includes('@'));
  return { ...known, showsTexts: ofTexts.every((section) => section === '@') };
}

export const GENERAL = cellFormat('General');
/** The format of a style that the file does not have. */
const UNKNOWN: CellFormat = { name: 'unknown', showsNumbers: false, showsTexts: false, showsBooleans: false };
/** Of a zero in a sheet that leaves zeros out. */
export const NO_ZEROS: CellFormat = { ...UNKNOWN, name: 'zeros are not shown' };
/** Of a style that repeats what it shows until the cell is full: 1 is shown as 1111. */
const REPEATED: CellFormat = {
  ...UNKNOWN,
  name: 'alignment: fill',
  advice: 'Set its horizontal alignment to General',
};

function repeats(style: XmlElement): boolean {
  return insideOf(style).some(({ name, attributes: { horizontal } }) => name === 'alignment' && horizontal === 'fill');
}

/** The formats of a workbook: by the number of a cell's style, and of the styles of conditional formats. */
export interface CellFormats {
  readonly styles: readonly CellFormat[];
  /** Of the named style that a cell without another one has. */
  readonly normal: CellFormat;
  readonly conditional: ReadonlySet<number>;
}

/** Those that every program knows have no text of their own. */
function builtIn(id: number): CellFormat {
  return { name: `number ${id}`, showsNumbers: PLAIN_NUMBERS.has(id), showsTexts: true, showsBooleans: true };
}

/** What both of two show. */
function stricter(one: CellFormat, other: CellFormat): CellFormat {
  if (one === other) return one;
  const showsTexts = one.showsTexts && other.showsTexts;
  const showsBooleans = one.showsBooleans && other.showsBooleans;
  const isOther = (one.showsNumbers && !other.showsNumbers) || (one.showsTexts && !showsTexts);
  const showsNumbers = one.showsNumbers && other.showsNumbers;
  const { name, advice } = isOther || (one.showsBooleans && !showsBooleans) ? other : one;
  return { name, advice, showsNumbers, showsTexts, showsBooleans };
}

/**
 * The format of a cell. Without its own style it has that of its row, of its column, the first or the named one:
 * programs differ.
 */
export function formatOf(formats: CellFormats, own: string | undefined, row: number, column: number): CellFormat {
  const { styles, normal } = formats;
  const styleOf = (style: number) => (styles.length === 0 ? normal : (styles[style] ?? UNKNOWN));
  if (own !== undefined) return styleOf(wholeNumber(own));
  return [styleOf(column), styleOf(0), normal].reduce(stricter, styleOf(row));
}

export const NO_FORMATS: CellFormats = { styles: [], normal: GENERAL, conditional: new Set() };

/** Reads the formats of cell styles. Raises a `WorkbookFault` if there are more than a spreadsheet keeps. */
export async function readCellFormats(archive: Archive, part: string): Promise<CellFormats> {
  const paths = ['numFmts/numFmt', 'cellXfs/xf', 'dxfs/dxf'].map((path) => `styleSheet/${path}`);
  const found = await allElements(archive, part, ...paths);
  if (found.length > MAX_STYLES) throw damaged(`${part}: it has too many styles`);
  const formats = new Map<number, CellFormat>();
  for (const { name, attributes } of found) {
    if (name !== 'numFmt') continue;
    const id = wholeNumber(attributes['numFmtId'] ?? '');
    const format = cellFormat(attributes['formatCode'] ?? '');
    // Programs may follow either of two formats with one number.
    formats.set(id, stricter(format, formats.get(id) ?? (id < FIRST_CUSTOM ? builtIn(id) : format)));
  }
  const formatOfId = (id: number): CellFormat => {
    const known = formats.get(id) ?? builtIn(id);
    formats.set(id, known);
    return known;
  };
  // Programs may take what the named style has where the cell's own is missing.
  const named = await allElements(archive, part, 'styleSheet/cellStyleXfs/xf');
  const namedFormats = named.map((style) =>
    repeats(style) ? REPEATED : formatOfId(wholeNumber(style.attributes['numFmtId'] ?? '0')),
  );
  const namedFormat = (xfId = '0') => namedFormats[wholeNumber(xfId)] ?? formatOfId(0);
  const formatOfStyle = (style: XmlElement) => {
    const { numFmtId, xfId } = style.attributes;
    const ofName = namedFormat(xfId);
    if (ofName === REPEATED || repeats(style)) return REPEATED;
    return numFmtId === undefined ? ofName : formatOfId(wholeNumber(numFmtId));
  };
  const normal = (await allElements(archive, part, 'styleSheet/cellStyles/cellStyle')).filter(isNormal);
  const conditional = found.filter(({ name }) => name === 'dxf');
  return {
    styles: found.filter(({ name }) => name === 'xf').map(formatOfStyle),
    normal: normal.map(({ attributes: { xfId } }) => namedFormat(xfId)).reduce(stricter, namedFormat()),
    conditional: new Set(
      conditional.flatMap((style, at) => (insideOf(style).some(({ name }) => name === 'numFmt') ? [at] : [])),
    ),
  };
}

/** Is this the named style that cells without another one have? */
function isNormal({ attributes: { name = '', builtinId } }: XmlElement): boolean {
  return builtinId === '0' || name.toLowerCase() === 'normal';
}

/** The ranges of a conditional format, or of those in an extension, that have a number format or hide values. */
export function rangesOf(element: XmlElement, withFormat: ReadonlySet<number>): readonly string[] {
  const formats =
    element.name === 'ext' ? insideOf(element).filter(({ name }) => name === 'conditionalFormatting') : [element];
  return formats.flatMap((format) => {
    const inside = insideOf(format);
    const isFormatted = inside.some(
      ({ name, attributes: { dxfId, showValue = '1' } }) =>
        name === 'numFmt' ||
        !['1', 'true'].includes(showValue) ||
        (dxfId !== undefined && withFormat.has(wholeNumber(dxfId))),
    );
    if (!isFormatted) return [];
    const ranges = inside.filter(({ name }) => name === 'sqref').map(({ text }) => text);
    return [format.attributes['sqref'] ?? '', ...ranges].join(' ').trim().split(/\s+/);
  });
}
