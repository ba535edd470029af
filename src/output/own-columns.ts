/** What `--failed` and `runs results --as-input` add to the original columns of an input. */
export const OWN_COLUMNS = ['_row', '_outcome', '_error'] as const;

export function isOwnColumn(name: string): boolean {
  return OWN_COLUMNS.some((own) => own === name);
}
