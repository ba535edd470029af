export type JsonProblem = 'syntax' | 'duplicate_key' | 'too_deep' | 'too_many';

/** Why and where a text is not JSON that frontdesk accepts. The message repeats line, column and path. */
export class JsonSyntaxError extends Error {
  readonly problem: JsonProblem;
  /** Why, without the place. */
  readonly reason: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, counted in code points. */
  readonly column: number;
  /** 0-based, in UTF-16 units of the text as given (a byte order mark counts). */
  readonly offset: number;
  readonly path: string;

  constructor(problem: JsonProblem, what: string, place: Pick<JsonSyntaxError, 'line' | 'column' | 'offset' | 'path'>) {
    const at = place.path === '' ? '' : ` (at ${place.path})`;
    super(`line ${place.line}, column ${place.column}${at}: ${what}`);
    this.name = 'JsonSyntaxError';
    this.problem = problem;
    this.reason = what;
    this.line = place.line;
    this.column = place.column;
    this.offset = place.offset;
    this.path = place.path;
  }
}
