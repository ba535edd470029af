// The layers of src: what each holds and what it may import. `npm run check:layers` holds every import against this
// table, types included, and docs/architecture.md shows it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** One folder or file at the top of src. */
export interface Layer {
  readonly name: string;
  /** What a reader finds there: one line of the picture. */
  readonly holds: string;
  /** Layers it may import from besides its own files. */
  readonly imports: readonly string[];
}

const GROUND = ['json', 'context', 'failure', 'call-outcome'];
const OPERATION = ['api', 'wire', 'http'];
const INPUT_OUTPUT = ['files', 'output', 'rows', 'input', 'options'];
const LOCAL_RECORDS = ['settings', 'credentials', 'run', 'plan', 'history'];
const BELOW_SESSION = [...GROUND, ...OPERATION, ...INPUT_OUTPUT, ...LOCAL_RECORDS, 'call-state'];

/** From the bottom up: a layer stands above everything that it imports, so no two import each other. */
export const LAYERS: readonly Layer[] = [
  { name: 'context', holds: 'ports: streams, clock, chance, signals, environment', imports: [] },
  { name: 'json', holds: 'JSON that keeps digits and the order of keys', imports: [] },
  { name: 'failure', holds: 'the table of failures', imports: ['json'] },
  {
    name: 'call-outcome',
    holds: 'how a call ended, in memory and in files',
    imports: ['json', 'failure'],
  },
  { name: 'api', holds: 'the table of operations, with schemas and limits', imports: ['json'] },
  { name: 'process', holds: 'the real ports', imports: ['context'] },
  { name: 'files', holds: 'atomic writes, locks, modes, the usual folders', imports: GROUND },
  {
    name: 'wire',
    holds: 'bytes and connections: transport, TLS, proxy, stages',
    imports: GROUND,
  },
  {
    name: 'http',
    holds: 'request, response, retry, card check, outcome',
    imports: [...GROUND, 'api', 'wire'],
  },
  {
    name: 'output',
    holds: 'formats, safe text, queries, the card view',
    imports: [...GROUND, ...OPERATION],
  },
  { name: 'rows', holds: 'rows of a run, written down once', imports: [...GROUND, 'files'] },
  {
    name: 'input',
    holds: 'fields from options, rows from files, --expect',
    imports: [...GROUND, 'api', 'files', 'output', 'rows'],
  },
  {
    name: 'options',
    holds: 'options as data, and the one reader of argv',
    imports: [...GROUND, 'api', 'output', 'input'],
  },
  { name: 'sandbox', holds: 'the simulated service', imports: [...GROUND, 'api', 'files'] },
  { name: 'settings', holds: 'profiles and preferences', imports: [...GROUND, 'api', 'wire', ...INPUT_OUTPUT] },
  {
    name: 'credentials',
    holds: 'tokens',
    imports: [...GROUND, ...OPERATION, 'files', 'output', 'input'],
  },
  {
    name: 'run',
    holds: 'pace, stop rules, results in order; journal/ on the disk',
    imports: [...GROUND, ...OPERATION, 'files', 'output', 'rows'],
  },
  {
    name: 'plan',
    holds: 'plan files, hashes, approvals',
    imports: [...GROUND, 'api', ...INPUT_OUTPUT],
  },
  {
    name: 'report',
    holds: 'a run as a page, test results, a summary; a plan as Markdown',
    imports: [...GROUND, 'input', 'output', 'run', 'plan'],
  },
  { name: 'history', holds: 'the record of changes', imports: [...GROUND, 'api', 'files', 'output', 'run'] },
  {
    name: 'library',
    holds: 'the calls as functions: what `import` gives',
    imports: [...GROUND, ...OPERATION, 'process', 'input', 'output', 'credentials'],
  },
  {
    name: 'call-state',
    holds: 'whether a write of the call may still leave',
    imports: ['context', 'output'],
  },
  { name: 'session', holds: 'how a command reaches the world', imports: BELOW_SESSION },
  {
    name: 'command',
    holds: 'what a command is, and what it was given',
    imports: [...GROUND, 'api', 'files', 'run', 'plan', 'input', 'output', 'options', 'session'],
  },
  {
    name: 'describe',
    holds: 'help, schema, completions, man page',
    imports: [...GROUND, 'api', 'http', 'output', 'options', 'run', 'plan', 'command', 'sandbox'],
  },
  {
    name: 'call',
    holds: 'one call, from its words to its outcome',
    imports: [...BELOW_SESSION, 'session', 'command'],
  },
  {
    name: 'ask',
    holds: 'prompts, waits, missing values',
    imports: [...GROUND, ...OPERATION, ...INPUT_OUTPUT, 'session', 'command', 'call'],
  },
  {
    name: 'bulk',
    holds: 'plans and runs made, sent, resumed, reverted, reported',
    imports: [...BELOW_SESSION, 'report', 'session', 'command', 'call', 'ask'],
  },
  {
    name: 'engine',
    holds: 'argv to exit code; session/ opens what commands need',
    imports: [...BELOW_SESSION, 'process', 'sandbox', 'session', 'command', 'describe', 'call', 'ask', 'bulk'],
  },
  {
    name: 'doctor',
    holds: 'what may be wrong on this machine',
    imports: [...BELOW_SESSION, 'process', 'session', 'describe', 'ask', 'engine'],
  },
  {
    name: 'commands',
    holds: 'card block is commands/card/block.ts',
    imports: [
      ...BELOW_SESSION,
      ...['sandbox', 'report', 'session', 'command', 'describe', 'call', 'ask', 'bulk', 'engine', 'doctor'],
    ],
  },
  {
    name: 'mcp',
    holds: 'the calls as tools of an assistant',
    imports: [...BELOW_SESSION, 'session', 'command', 'describe', 'call', 'bulk', 'commands'],
  },
  {
    name: 'desk',
    holds: 'a loop over the card commands',
    imports: [...BELOW_SESSION, 'report', 'session', 'command', 'call', 'ask', 'engine', 'commands'],
  },
  {
    name: 'registry',
    holds: 'every command',
    imports: ['command', 'commands', 'desk', 'mcp'],
  },
  {
    name: 'main',
    holds: 'process, registry and engine put together',
    imports: ['context', 'process', 'engine', 'registry'],
  },
];

/** Packages that one file alone may import: the others reach them through it. */
export const ONLY_IMPORTER: Readonly<Record<string, string>> = {
  commander: 'src/engine/argv.ts',
  '@inquirer/core': 'src/ask/select.ts',
  '@inquirer/prompts': 'src/ask/drawn.ts',
  undici: 'src/wire/transport.ts',
  conf: 'src/settings/write.ts',
  ora: 'src/ask/wait-display.ts',
  saxes: 'src/input/xlsx/xml.ts',
  yazl: 'src/output/workbook.ts',
  'cli-table3': 'src/output/terminal-table.ts',
};

const IMPORT = /(?:\bfrom|\bimport\(|^import)\s*'([^']+)'/gm;

function layerOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.ts$/, '');
}

/** What is wrong with the imports of one file, one line each. `path` is from the root, with slashes. */
export function breachesOf(path: string, text: string): readonly string[] {
  const own = layerOf(path);
  const layer = LAYERS.find(({ name }) => name === own);
  if (layer === undefined) return [`${path}: ${own} is not in the table of layers (build/layers.ts)`];
  return [...text.matchAll(IMPORT)].flatMap(([, specifier = '']) => {
    if (specifier.startsWith('.')) {
      const target = layerOf(posix.join(posix.dirname(path), specifier));
      if (target === own || layer.imports.includes(target)) return [];
      return [`${path}: ${own} may not import ${target}`];
    }
    const only = Object.entries(ONLY_IMPORTER).find(([name]) => specifier === name || specifier.startsWith(`${name}/`));
    return only === undefined || only[1] === path ? [] : [`${path}: only ${only[1]} imports ${only[0]}`];
  });
}

/** What is wrong with the table itself: a layer that imports one that does not stand below it. */
export function tableFaults(layers: readonly Layer[]): readonly string[] {
  return layers.flatMap(({ name, imports }, index) => {
    const below = layers.slice(0, index).map((layer) => layer.name);
    return imports.filter((other) => !below.includes(other)).map((other) => `${name} stands below ${other}`);
  });
}

/** Every breach in the sources below `root`. */
export function layerBreaches(root: string): readonly string[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));
  return [
    ...tableFaults(LAYERS),
    ...sources.flatMap((name) => {
      const path = `src/${name.replaceAll('\\', '/')}`;
      return breachesOf(path, readFileSync(join(root, path), 'utf8'));
    }),
  ];
}

/** The picture of the layers, top first, as docs/architecture.md shows it. */
export function layerPicture(): string {
  const rows = [...LAYERS].reverse().map(({ name, holds }) => {
    const isFile = ['main', 'registry', 'session', 'call-state', 'context', 'failure', 'call-outcome'].includes(name);
    return `  ${`${name}${isFile ? '.ts' : '/'}`.padEnd(16)} ${holds}`;
  });
  return ['```', 'src/', ...rows, '```'].join('\n');
}
