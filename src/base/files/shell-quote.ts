import { sep } from 'node:path';
import { escapeUnsafe } from '../json/unsafe-characters.ts';

/** The shells that a hint may be pasted into. `cmd` stands for any other program of Windows too. */
export type Shell = 'sh' | 'powershell' | 'cmd';

type Environment = Readonly<Record<string, string | undefined>>;

let current: Shell = sep === '/' ? 'sh' : 'cmd';

/**
 * The shell that started a process on Windows. Git Bash sets MSYSTEM or SHELL. PowerShell puts a folder of the user
 * first into PSModulePath, and has a PROMPT if cmd.exe started it.
 */
export function shellOf(env: Environment): Shell {
  if (env['MSYSTEM'] !== undefined || env['SHELL'] !== undefined) return 'sh';
  return (env['PSModulePath'] ?? '').split(';').length > 2 ? 'powershell' : 'cmd';
}

/** Sets the shell to quote for, when the program starts. */
export function quoteFor(shell: Shell): void {
  current = shell;
}

/** A character that a message cannot hold, as `$'…'` of bash, zsh and ksh. */
function shellEscape(codePoint: number): string {
  if (codePoint <= 0x7f) return `\\x${codePoint.toString(16).padStart(2, '0')}`;
  if (codePoint <= 0xffff) return `\\u${codePoint.toString(16).padStart(4, '0')}`;
  return `\\U${codePoint.toString(16).padStart(8, '0')}`;
}

/** A string as one word of a shell. A command in a message must be one safe line. */
export function shellQuote(text: string, shell: Shell = current): string {
  if (shell !== 'sh') return windowsQuote(text, shell);
  if (/^[A-Za-z0-9_./:@%+=,-]+$/.test(text)) return text;
  if (escapeUnsafe(text, () => '') === text) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `$'${escapeUnsafe(text.replace(/[\\']/g, '\\$&'), shellEscape)}'`;
}

/**
 * Double quotes mean the same to cmd and PowerShell, unless one of them expands something inside. cmd cannot quote a
 * percent sign or a line break: such a string is shown as well as possible.
 */
function windowsQuote(text: string, shell: Shell): string {
  if (/^[A-Za-z0-9_./:=\\-]+$/.test(text)) return text;
  if (shell === 'powershell' && /["$`\u201c-\u201e]|[^ -~]/.test(text))
    return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
  // Node reads a doubled quote as one, and a backslash before the last quote only if doubled.
  return `"${text.replaceAll('"', '""').replace(/\\+$/, '$&$&')}"`;
}

/** The command that removes files. `del` is known to cmd and PowerShell. */
export function removeCommand(paths: readonly string[]): string {
  return `${current === 'sh' ? 'rm' : 'del'} ${paths.map((path) => shellQuote(path)).join(' ')}`;
}
