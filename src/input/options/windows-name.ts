import { sep, win32 } from 'node:path';
import { quotePath } from '../values.ts';

const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d) *(?:\.|$)/i;

/** Why no file may have that name on Windows, where Node makes one that no other program can open or remove. */
export function windowsNameProblem(path: string, isWindows = sep === '\\'): string | undefined {
  const name = isWindows ? win32.basename(path) : '';
  const problem = DEVICE.test(name) ? 'Windows uses that name for a device' : undefined;
  const ending = /[^. ][. ]+$/.test(name) ? 'Windows allows no names that end with a dot or a space' : undefined;
  return (problem ?? ending) && `cannot be ${quotePath(path)}: ${problem ?? ending}`;
}
