// The rooms of src, from the top down: each may import those below it, and no two import each other. Each does
// something that no other does. `npm run check:layers` holds every source against this list: its imports, types
// included, the rules, and its length. docs/architecture.md shows it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** One folder or file at the top of src. */
export interface Layer {
  readonly name: string;
  /** What a reader finds there: one line of the picture. */
  readonly holds: string;
  /** Rooms below it that it may not import. */
  readonly never?: readonly string[];
  readonly rule?: Rule;
}

/** What one room alone does: `only writes sends a request`. */
interface Rule {
  readonly alone: string;
  /** The words of a source that does it. */
  readonly by: RegExp;
  /** Folders and files that may, else those of the room. */
  readonly places?: readonly string[];
}

export const LAYERS: readonly Layer[] = [
  { name: 'main', holds: 'process, registry and cli put together' },
  { name: 'registry', holds: 'every command' },
  {
    name: 'desk',
    holds: 'a loop over the card commands',
    never: ['mcp', 'sandbox'],
    rule: { alone: 'calls commands again and again in one process', by: /\bcaller: 'desk'/ },
  },
  {
    name: 'mcp',
    holds: 'the calls as tools of an assistant',
    never: ['sandbox'],
    rule: { alone: 'speaks the protocol of assistants', by: /'@modelcontextprotocol\// },
  },
  {
    name: 'cli',
    holds: 'argv to exit code: program, commands, help, completions, doctor',
    rule: {
      alone: 'reads the words of the command line',
      by: /\bargv\b/,
      // Whether to use colors is asked before they are read.
      places: ['src/cli/', 'src/base/', 'src/screen/failure-text.ts'],
    },
  },
  {
    name: 'runs',
    holds: 'many rows: plan, send, resume, revert, report',
    never: ['sandbox'],
    rule: { alone: 'has several requests in progress at once', by: /\bnew Limiter\b/ },
  },
  {
    name: 'writes',
    holds: 'one change from its words to its outcome: guards, judge, question, attempt',
    never: ['sandbox'],
    rule: {
      alone: 'calls a client',
      by: /\bclient\.call\b/,
      // `transmit`, and the wrapper that refuses a change which no guard let pass.
      places: ['src/writes/resource.ts', 'src/cli/open-service.ts'],
    },
  },
  {
    name: 'command',
    holds: 'what a command is, and how it reaches the world',
    never: ['sandbox'],
    rule: {
      alone: 'gives a session to the rooms above it',
      by: /\bSession\b/,
      places: ['command', 'writes', 'runs', 'cli', 'mcp', 'desk'].map((name) => `src/${name}/`),
    },
  },
  {
    name: 'records',
    holds: 'what was sent and how it ended: ledger, open writes, journals, stored runs',
    never: ['profile', 'sandbox'],
    rule: {
      alone: 'names the files of a record',
      by: /stateDir, '(?:writes|open|sent|runs|runs-begun|cards|history-key)'/,
    },
  },
  {
    name: 'profile',
    holds: 'services, tokens, preferences',
    never: ['sandbox'],
    rule: {
      alone: 'runs another program, for a token',
      by: /'node:child_process'/,
      places: ['src/profile/', 'src/base/'],
    },
  },
  {
    name: 'input',
    holds: 'options, fields, files of rows',
    never: ['sandbox'],
    rule: {
      alone: 'reads another encoding than UTF-8',
      by: /'utf-?16/,
      // It cuts a text in memory.
      places: ['src/input/', 'src/base/json/shorten.ts'],
    },
  },
  {
    name: 'screen',
    holds: 'tables, JSON, CSV, workbooks, cards, queries',
    never: ['sandbox'],
    rule: {
      alone: 'makes a text safe for a screen',
      by: /\bescapeUnsafe\(/,
      places: ['src/screen/', 'src/base/'],
    },
  },
  {
    name: 'sandbox',
    holds: 'the simulated service',
    rule: { alone: 'answers requests', by: /from 'node:https?'/ },
  },
  {
    name: 'service',
    holds: 'the table of operations, HTTP, wire',
    rule: { alone: 'opens connections', by: /from 'node:tls'/ },
  },
  {
    name: 'base',
    holds: 'JSON, files and locks, process, failures, ports',
    rule: {
      alone: 'reads the clock, and takes a chance',
      by: /\bDate\.now\(|\bMath\.random\b|\bperformance\.now\(/,
      places: ['src/base/process/'],
    },
  },
];

/** A longer file has two subjects. */
const MAX_LINES = 330;

/** Packages that one file alone may import: the others reach them through it. */
export const ONLY_IMPORTER: Readonly<Record<string, string>> = {
  commander: 'src/cli/argv.ts',
  '@inquirer/core': 'src/writes/ask/inquirer.ts',
  '@inquirer/prompts': 'src/writes/ask/drawn.ts',
  undici: 'src/service/wire/transport.ts',
  conf: 'src/profile/write.ts',
  ora: 'src/writes/ask/wait-display.ts',
  saxes: 'src/input/xlsx/xml.ts',
  yazl: 'src/screen/workbook.ts',
  'cli-table3': 'src/screen/terminal-table.ts',
};

const IMPORT = /(?:\bfrom|\bimport\(|^import)\s*'([^']+)'/gm;

function layerOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.ts$/, '');
}

function placesOf({ name, rule }: Layer): readonly string[] {
  return rule?.places ?? [`src/${name}/`];
}

/** The rules of other rooms that a source breaks. */
function brokenRules(path: string, text: string): readonly string[] {
  return LAYERS.flatMap((layer) => {
    const { name, rule } = layer;
    if (rule === undefined || !rule.by.test(text) || placesOf(layer).some((place) => path.startsWith(place))) return [];
    return [`${path}: only ${name} ${rule.alone} (${placesOf(layer).join(', ')})`];
  });
}

/** What is wrong with one file, one line each. `path` is from the root, with slashes. */
export function breachesOf(path: string, text: string): readonly string[] {
  const own = layerOf(path);
  const place = LAYERS.findIndex(({ name }) => name === own);
  const below = LAYERS.slice(place + 1).filter(({ name }) => LAYERS[place]?.never?.includes(name) !== true);
  if (place === -1) return [`${path}: ${own} is not in the table of layers (build/layers.ts)`];
  const imports = [...text.matchAll(IMPORT)].flatMap(([, specifier = '']) => {
    if (specifier.startsWith('.')) {
      const target = layerOf(posix.join(posix.dirname(path), specifier));
      if (target === own || below.some(({ name }) => name === target)) return [];
      return [`${path}: ${own} may not import ${target}`];
    }
    const only = Object.entries(ONLY_IMPORTER).find(([name]) => specifier === name || specifier.startsWith(`${name}/`));
    return only === undefined || only[1] === path ? [] : [`${path}: only ${only[1]} imports ${only[0]}`];
  });
  const lines = text.split('\n').length - 1;
  const tooLong = lines > MAX_LINES ? [`${path}: ${lines} lines, more than ${MAX_LINES}`] : [];
  return [...imports, ...brokenRules(path, text), ...tooLong];
}

/** Every breach in the sources below `root`. */
export function layerBreaches(root: string): readonly string[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));
  return sources.flatMap((name) => {
    const path = `src/${name.replaceAll('\\', '/')}`;
    return breachesOf(path, readFileSync(join(root, path), 'utf8'));
  });
}

/** The picture of the rooms and their rules, top first, as docs/architecture.md shows it. */
export function layerPicture(): string {
  const rows = LAYERS.map(({ name, holds }) => {
    const isFile = ['main', 'registry'].includes(name);
    return `  ${`${name}${isFile ? '.ts' : '/'}`.padEnd(16)} ${holds}`;
  });
  const rules = LAYERS.flatMap(({ name, rule }) => (rule === undefined ? [] : [`- Only \`${name}\` ${rule.alone}.`]));
  return ['```', 'src/', ...rows, '```', '', ...rules].join('\n');
}
