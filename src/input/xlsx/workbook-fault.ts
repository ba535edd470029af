/** Why a file cannot be read as a workbook: a clause about the file, such as `is encrypted`. */
export class WorkbookFault extends Error {
  constructor(problem: string, cause?: unknown) {
    super(problem, { cause });
    this.name = 'WorkbookFault';
  }
}

/** A fault of a file that breaks the rules of its own format. `detail` says which. */
export function damaged(detail: string, cause?: unknown): WorkbookFault {
  return new WorkbookFault(`is damaged, or not a workbook (${detail})`, cause);
}
