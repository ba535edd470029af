/** A positional argument. */
export interface ArgumentSpec {
  readonly name: string;
  readonly text: string;
  readonly required: boolean;
  readonly variadic?: boolean;
  readonly choices?: readonly string[];
  /** What this machine has under such names: completions ask for them at a Tab. */
  readonly names?: 'profile' | 'run';
}

/** An option as help, parser, completions and `schema` see it. */
export interface OptionSpec {
  /** Without dashes: `client-device-id`, `no-url`. */
  readonly long: string;
  readonly short?: string;
  /** Placeholder of the value, `text` without brackets; absent: a switch. */
  readonly value?: string;
  readonly text: string;
  readonly choices?: readonly string[];
  /** May be given more than once; else the last one counts, or two are refused where they set a field. */
  readonly repeatable?: boolean;
  /** Environment variable that says the same. */
  readonly env?: string;
  /** The value is a path: completions offer files. */
  readonly isFile?: boolean;
  /** API field of the body or query that the option sets. */
  readonly field?: string;
  readonly required?: boolean;
}

export interface Example {
  readonly text: string;
  /** The words after `frontdesk`, as typed in a shell. */
  readonly line: string;
}
