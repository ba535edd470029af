import type { Context } from '../context.ts';
import { shellQuote } from '../files/safety.ts';
import { type Check, ok, warning } from './check.ts';
import { obstacleTo } from './folders.ts';

const NAME = 'compile-cache';
const ANEW = 'every start compiles the program again';

/** Whether starts use the code that earlier ones compiled; without it they take about twice as long. */
export async function checkCompiledCode({ compiledCode, env }: Context): Promise<Check> {
  if (compiledCode === undefined) return ok(NAME, 'none: the program runs from its sources');
  const { reason, where = '', folder = '', chunks } = compiledCode;
  const states = [...chunks.values()].map(({ state }) => state);
  const count = (wanted: string) => states.filter((state) => state === wanted).length;
  const used = `${count('used')} of the ${states.length} files that doctor loads were compiled already`;
  switch (reason) {
    case 'inside':
      return ok(NAME, `inside the executable: ${used}`);
    case 'off':
      return ok(NAME, `off (NODE_DISABLE_COMPILE_CACHE): ${ANEW}`);
    case 'homeless':
      return ok(NAME, `none, as there is no home folder: ${ANEW}`);
    case 'unsafe':
      return warning(NAME, `${where} is not used, as it is not yours alone: ${ANEW}`, `rm -r ${shellQuote(where)}`);
    case 'unreadable':
      return warning(NAME, `${where} cannot be looked at: ${ANEW}`, 'make it readable, or set XDG_CACHE_HOME');
    default:
  }
  if (count('refused') > 0) {
    const options = env['NODE_OPTIONS'] === undefined ? 'node' : 'NODE_OPTIONS';
    return warning(NAME, `Node does not take what is kept in ${folder}: ${ANEW}`, `look at the options in ${options}`);
  }
  if (count('damaged') > 0) return warning(NAME, `damaged files in ${folder} were not used; they are written anew`);
  const obstacle = count('used') > 0 ? undefined : await obstacleTo(folder);
  if (obstacle !== undefined) return warning(NAME, `${obstacle}: ${ANEW}`, 'make it writable, or set XDG_CACHE_HOME');
  return ok(NAME, `${folder}: ${used}`);
}
