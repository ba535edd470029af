import type { Format } from '../output/options.ts';

/** What is known of the call so far, for the report of a failure at any moment. */
export interface CallState {
  format: Format;
  operation: string | undefined;
  /** Takes our own tokens out of a text; the second net under everything that is reported. */
  mask?: (text: string) => string;
  /** Writes whose request may have left and whose outcome is not known yet. */
  writesUnderWay: number;
  /** Takes away what is drawn on the terminal, before a report that nobody could foresee. */
  clearDisplay?: () => void;
  /** A file or folder with customers' data that must not outlive the call. */
  temporary?: string | undefined;
}
