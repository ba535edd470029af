const PLAIN_ASCII = /^[\x20-\x7e]*$/;

// Sets of characters take milliseconds to build, so each is built at its first use.

/** Letters and marks of scripts that need joiners. Between Latin letters a joiner only hides. */
function isJoining(character: string): boolean {
  return (
    /[\p{scx=Arabic}\p{scx=Syriac}\p{scx=Mongolian}\p{scx=Nko}\p{scx=Devanagari}\p{scx=Bengali}\p{scx=Gurmukhi}\p{scx=Gujarati}\p{scx=Oriya}\p{scx=Tamil}\p{scx=Telugu}\p{scx=Kannada}\p{scx=Malayalam}\p{scx=Sinhala}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}\p{scx=Balinese}\p{scx=Javanese}\p{scx=Thaana}\p{scx=Hebrew}]/u.test(
      character,
    ) && /[\p{L}\p{M}]/u.test(character)
  );
}

const BLACK_FLAG = '\u{1f3f4}';
/** England, Scotland, Wales: the only emoji that are spelt with tag characters. */
const TAG_FLAG =
  /\u{1f3f4}(?:\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073}))\u{e007f}/uy;

const ZERO_WIDTH_NON_JOINER = 0x200c;
const ZERO_WIDTH_JOINER = 0x200d;

/**
 * The text with each unsafe character replaced by what `replacement` returns. Ordinary text of every script stays:
 * joiners where a script or an emoji needs them, one variation selector after its base, flags.
 */
export function escapeUnsafe(text: string, replacement: (codePoint: number) => string): string {
  if (PLAIN_ASCII.test(text)) return text;
  if (text.length <= SLICE_LENGTH) return escapeSlice(text, replacement);
  // A single replacement would hold millions of matches at once.
  const slices: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfSlice(text, at, SLICE_LENGTH);
    slices.push(escapeSlice(text.slice(at, end), replacement));
    at = end;
  }
  return slices.join('');
}

const SLICE_LENGTH = 16_384;
/** How many code units are searched for a place to cut. */
const CUT_RANGE = 1024;

/** Where a slice may end: between two ASCII characters, which stand alone, or at least not inside a pair. */
export function endOfSlice(text: string, start: number, length: number): number {
  const end = start + length;
  if (end >= text.length) return text.length;
  for (let at = end; at > end - CUT_RANGE; at -= 1) {
    if (isAscii(text.charCodeAt(at - 1)) && isAscii(text.charCodeAt(at))) return at;
  }
  const isInsidePair = (text.charCodeAt(end) & 0xfc00) === 0xdc00 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isInsidePair ? end - 1 : end;
}

function isAscii(unit: number): boolean {
  return unit >= 0x20 && unit <= 0x7e;
}

function escapeSlice(text: string, replacement: (codePoint: number) => string): string {
  let flagEnd = 0;
  // Controls, lone surrogates, line and paragraph separators, and everything invisible or reordering.
  const candidates = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
  return text.replace(candidates, (character: string, index: number) => {
    const codePoint = character.codePointAt(0) ?? 0;
    if (codePoint <= 0x9f) return replacement(codePoint);
    if (codePoint >= 0xe0000 && codePoint <= 0xe007f && index >= flagEnd) flagEnd = endOfFlag(text, index);
    if (index < flagEnd || belongs(text, index, character.length, codePoint)) return character;
    return replacement(codePoint);
  });
}

/** The end of the flag whose first tag is at `index`; 0 if there is no such flag. */
function endOfFlag(text: string, index: number): number {
  TAG_FLAG.lastIndex = index - BLACK_FLAG.length;
  return index >= BLACK_FLAG.length && TAG_FLAG.test(text) ? TAG_FLAG.lastIndex : 0;
}

function belongs(text: string, index: number, length: number, codePoint: number): boolean {
  if (codePoint === ZERO_WIDTH_NON_JOINER || codePoint === ZERO_WIDTH_JOINER) {
    const before = codePointBefore(text, index);
    const [after = ''] = text.slice(index + length, index + length + 2);
    const joins = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u.test(before);
    if (codePoint === ZERO_WIDTH_JOINER && joins && /\p{Extended_Pictographic}/u.test(after)) return true;
    return isJoining(before) && isJoining(after);
  }
  const isSelector = /^[\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u.test(text.slice(index, index + length));
  // A second consecutive selector carries hidden data.
  const isVariable = () =>
    /[\p{Emoji}\p{S}\p{sc=Han}\p{sc=Mongolian}\p{sc=Myanmar}]/u.test(codePointBefore(text, index));
  return isSelector && isVariable();
}

function codePointBefore(text: string, index: number): string {
  const low = text.charCodeAt(index - 1);
  return text.slice((low & 0xfc00) === 0xdc00 ? index - 2 : index - 1, index);
}
