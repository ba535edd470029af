import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { type Plugin, rolldown } from 'rolldown';
import { type Mutation, mutate } from './mutant.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a process is given in the place of what Node gives. */
interface Given {
  readonly require: (name: string) => unknown;
  readonly process: unknown;
  readonly Date: unknown;
  readonly setTimeout: unknown;
  readonly setInterval: unknown;
  readonly setImmediate: unknown;
  readonly clearTimeout: unknown;
  readonly clearInterval: unknown;
  readonly clearImmediate: unknown;
}

const NAMES = [
  'require',
  'process',
  'Date',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
] as const satisfies readonly (keyof Given)[];

/** The program, with all of its modules, to be loaded anew by each process. */
export interface Program {
  load(given: Given): { start(): Promise<void> };
}

/** As far as the parser of HTTP needs it; Node has no types of it. */
interface Wasm {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: unknown;
}

/** The parser of HTTP is compiled once, and not by each process. */
function compileOnce(): Wasm {
  const wasm = Reflect.get(globalThis, 'WebAssembly') as Wasm;
  const compiled = new Map<number, object>();
  function Module(bytes: Uint8Array): object {
    const known = compiled.get(bytes.length) ?? new wasm.Module(bytes);
    compiled.set(bytes.length, known);
    return known;
  }
  return { Module: Module as unknown as Wasm['Module'], Instance: wasm.Instance };
}

type PluginMaker = () => Plugin;

/** What leaves out of a bundle what the program never reaches, as the build does. */
async function pluginsOfTheBuild(): Promise<readonly Plugin[]> {
  const { slim, keepProtocolApart }: Record<'slim' | 'keepProtocolApart', PluginMaker> = await import(
    pathToFileURL(join(ROOT, 'build/slim.mjs')).href
  );
  return [slim(), keepProtocolApart()];
}

/** Bundles the sources as the build does, with lines of them changed. */
export async function loadProgram(mutations: readonly Mutation[] = []): Promise<Program> {
  const left = new Set(mutations);
  const bundle = await rolldown({
    input: join(ROOT, 'src/main.ts'),
    platform: 'node',
    cwd: ROOT,
    transform: { define: { FRONTDESK_VERSION: '"0.0.0-simulated"' } },
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      {
        name: 'mutant',
        transform(code, id) {
          const own = mutations.filter(({ file }) => id === join(ROOT, file));
          for (const mutation of own) left.delete(mutation);
          return own.length === 0 ? null : own.reduce(mutate, code);
        },
      },
      ...(await pluginsOfTheBuild()),
    ],
  });
  const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false, comments: { legal: false } });
  await bundle.close();
  for (const { file } of left) throw new Error(`${file} is no part of the program`);
  const names = [...NAMES, 'module', 'exports', 'WebAssembly'].join(', ');
  const script = new Script(`(function (${names}) {${output[0].code}\n})`, { filename: 'frontdesk.cjs' });
  const wasm = compileOnce();
  return {
    load(given) {
      const module = { exports: {} as { start(): Promise<void> } };
      const values = [...NAMES.map((name) => given[name]), module, module.exports, wasm];
      (script.runInThisContext() as (...all: unknown[]) => void)(...values);
      return module.exports;
    },
  };
}
