/** With what the program itself takes, an answer of any form keeps below 260 MiB (reliability G14). */
const MAX_ANSWER_MEMORY_BYTES = 170 * 1024 * 1024;

/**
 * What is left for a parsed answer, in bytes of memory, beside the bytes and the text that it is made of. One
 * character past ASCII makes the whole text take two bytes a character.
 */
export function memoryLeft(bytes: Uint8Array, text: string): number {
  const textBytes = text.length === bytes.length ? text.length : 2 * text.length;
  return MAX_ANSWER_MEMORY_BYTES - bytes.length - textBytes;
}
