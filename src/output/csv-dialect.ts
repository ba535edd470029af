/** How a CSV file is written; `mark` is a byte order mark or nothing. */
export interface CsvDialect {
  readonly delimiter: string;
  readonly lineEnd: string;
  readonly mark: string;
}

export const RFC_4180: CsvDialect = { delimiter: ',', lineEnd: '\r\n', mark: '' };
