/** With what the program itself takes, an answer of any form keeps below 260 MiB (docs/faults.md G14). */
const MAX_ANSWER_MEMORY_BYTES = 160 * 1024 * 1024;

/**
 * What is left for a parsed answer, in bytes of memory, beside the text of `bytes` bytes that it is made of. The
 * text counts twice, because the pieces that it was put together from are still there; one character past ASCII
 * makes it take two bytes a character.
 */
export function memoryLeft(bytes: number, text: string): number {
  const textBytes = text.length === bytes ? bytes : 2 * text.length;
  return MAX_ANSWER_MEMORY_BYTES - bytes - textBytes;
}
