import { sep } from 'node:path';
import { escapeUnsafe } from '../json/unsafe-characters.ts';

/** The shells that a hint may be pasted into. `cmd` also stands for any program of Windows that is none of the others. */
export type Shell = 'sh' | 'powershell' | 'cmd';

type Environment = Readonly<Record<string, string | undefined>>;

let current: Shell = sep === '/' ? 'sh' : 'cmd';

/**
 * The shell that started a process on Windows. Git Bash sets MSYSTEM or SHELL. PowerShell puts a folder of the user before the
 * two of the machine into PSModulePath; one that was started from cmd.exe has its PROMPT too.
 */
export function shellOf(env: Environment): Shell {
  if (env['MSYSTEM'] !== undefined || env['SHELL'] !== undefined) return 'sh';
  return (env['PSModulePath'] ?? '').split(';').length > 2 ? 'powershell' : 'cmd';
}

/** Quotes for the shell in use from now on: said once, when the program starts. */
export function quoteFor(shell: Shell): void {
  current = shell;
}

/** The escape of a character that a message cannot hold, as `$'…'` of bash, zsh and ksh reads it. */
function shellEscape(codePoint: number): string {
  if (codePoint <= 0x7f) return `\\x${codePoint.toString(16).padStart(2, '0')}`;
  if (codePoint <= 0xffff) return `\\u${codePoint.toString(16).padStart(4, '0')}`;
  return `\\U${codePoint.toString(16).padStart(8, '0')}`;
}

/** Returns a string as one word of a shell: a command in a message is pasted as it stands there, so it is one safe line. */
export function shellQuote(text: string, shell: Shell = current): string {
  if (shell !== 'sh') return windowsQuote(text, shell);
  if (/^[A-Za-z0-9_./:@%+=,-]+$/.test(text)) return text;
  if (escapeUnsafe(text, () => '') === text) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `$'${escapeUnsafe(text.replace(/[\\']/g, '\\$&'), shellEscape)}'`;
}

/**
 * Double quotes mean the same to cmd and to PowerShell, unless one of them reads something inside. cmd has no quote for
 * a percent sign or a line break: such a string is shown as well as it can be.
 */
function windowsQuote(text: string, shell: Shell): string {
  if (/^[A-Za-z0-9_./:=\\-]+$/.test(text)) return text;
  if (shell === 'powershell' && /["$`\u201c-\u201e]|[^ -~]/.test(text))
    return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
  // Node reads a doubled quote as one, and a backslash before the last quote as itself only when doubled.
  return `"${text.replaceAll('"', '""').replace(/\\+$/, '$&$&')}"`;
}

/** The command that removes files, in the shell in use. `del` is known to cmd and to PowerShell. */
export function removeCommand(paths: readonly string[]): string {
  return `${current === 'sh' ? 'rm' : 'del'} ${paths.map((path) => shellQuote(path)).join(' ')}`;
}
