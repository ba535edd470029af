// Leaves out of the bundle what the program never reaches, and puts off what not every call needs.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** Module of a package -> what stands in its place. */
const STUBS = [
  {
    // `allowH2: false` is set, and node:http2 alone doubles the time of a start.
    from: /\/undici\/lib\/dispatcher\/client\.js$/,
    source: './client-h2.js',
    code: "module.exports = () => { throw new Error('HTTP/2 is switched off'); };",
  },
  {
    // Bodies are texts; only FormData, Blob and iterators need fetch.
    from: /\/undici\/lib\/dispatcher\/client-h1\.js$/,
    source: '../web/fetch/body.js',
    code: "module.exports = { extractBody() { throw new Error('only texts are sent'); } };",
  },
  {
    // undici reads the default of an option that is always given, and knows a class of responses that frontdesk never has.
    from: /\/undici\/lib\/(?:dispatcher\/client|core\/util)\.js$/,
    source: 'node:http',
    code: 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };',
  },
  {
    // Brings the comparing and printing of any values along, for checks of invariants.
    from: /\/undici\/lib\//,
    source: 'node:assert',
    code: `module.exports = (value, message) => {
      if (!value) throw message instanceof Error ? message : new Error(message ?? 'an invariant of undici does not hold');
    };`,
  },
  {
    // The fetch half of undici keeps header names ready. frontdesk has few, and any can be lower-cased.
    from: /\/undici\/lib\/core\/util\.js$/,
    source: './tree',
    code: 'module.exports = { tree: { lookup() { return null; } } };',
  },
  {
    // commander starts programs for subcommands that are files; there are none.
    from: /\/commander\/lib\/command\.js$/,
    source: 'node:child_process',
    code: 'module.exports = {};',
  },
  {
    // frontdesk writes its own help, and names that are near to an unknown one are found there.
    from: /\/commander\/(?:index|lib\/command)\.js$/,
    source: /^\.\/(?:(?:lib\/)?help\.js|suggestSimilar)$/,
    code: 'module.exports = { Help: class {}, stripColor: (text) => text, suggestSimilar: () => "" };',
  },
  {
    // Answers of people are read by hand, so no JSON Schema is compiled.
    from: /\/@modelcontextprotocol\/server\/dist\/shimsNode\.mjs$/,
    source: /^\.\/ajvProvider-[\w-]+\.mjs$/,
    code: 'module.exports = { n: class {} };',
  },
];

/** Modules of Node that take a millisecond or more to load: loaded when the first of their members is used. */
const PUT_OFF = ['node:crypto', 'node:fs/promises', 'node:os', 'node:tls', 'node:zlib'];

/** Forwards any member that the Node which runs it has: a newer one has more than the Node that builds. */
function lazyBuiltin(name) {
  // Behind a prototype, because the members of the object itself are looked up, and so loaded, when it is imported.
  return `let loaded;
    const load = () => (loaded ??= process.getBuiltinModule('${name}'));
    module.exports = Object.create(new Proxy({}, {
      get: (_, member) => (member === '__esModule' ? undefined : load()[member]),
    }));`;
}

const isOf = (stub, source) => (typeof stub.source === 'string' ? stub.source === source : stub.source.test(source));

/**
 * Measures a text like string-width, whose tables of characters are made when it is first used: making them takes
 * longer than starting Node, and most texts are plain.
 */
const STRING_WIDTH = `let load;
  module.exports = (text, options) => {
    load ??= require(${JSON.stringify(fileURLToPath(import.meta.resolve('string-width')))}).default;
    return load(text, options);
  };`;

/** Cells are as wide as `displayWidth` makes them, and so cli-table3 adds nothing. */
const DISPLAY_WIDTH = `module.exports = require(${JSON.stringify(fileURLToPath(new URL('../src/screen/cut-text.ts', import.meta.url)))}).displayWidth;`;

const forward = (path) => (path ?? '').replaceAll('\\', '/');

const APART = '?protocol';

/**
 * Gives the protocol of assistants a copy of zod of its own: it uses far more of zod than frontdesk, and whatever it
 * uses would come into the chunk that every call loads.
 */
export function keepProtocolApart() {
  return {
    name: 'keep-protocol-apart',
    async resolveId(source, importer) {
      const from = forward(importer);
      const isZod = /^zod(?:\/|$)/.test(source) && from.includes('/@modelcontextprotocol/');
      if (!isZod && !from.endsWith(APART)) return null;
      const found = await this.resolve(source, importer.replace(/\?protocol$/, ''), { skipSelf: true });
      // zod says in its package.json that none of its modules does anything by being loaded.
      return found === null ? null : { id: `${found.id}${APART}`, moduleSideEffects: false };
    },
    load(id) {
      if (!id.endsWith(APART)) return null;
      return { code: readFileSync(id.slice(0, -APART.length), 'utf8'), moduleType: 'js' };
    },
  };
}

/**
 * The first connection of undici compiles its parser, which has to be quick on every Node.
 */
export function baselineParser() {
  const path = (name) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));
  const code = `const connect = require(${JSON.stringify(require.resolve('undici/lib/dispatcher/client-h1.js'))});
    const { withBaselineWasm } = require(${path('../src/base/process/wasm.ts')});
    module.exports = (client, socket) => withBaselineWasm(() => connect(client, socket));`;
  let isFound = false;
  return {
    name: 'baseline-parser',
    resolveId(source, importer) {
      const isParser = source === './client-h1.js' && /\/undici\/lib\/dispatcher\/client\.js$/.test(forward(importer));
      isFound ||= isParser;
      return isParser ? '\0baseline-parser.cjs' : null;
    },
    load: (id) => (id === '\0baseline-parser.cjs' ? { code, moduleType: 'js' } : null),
    buildEnd(error) {
      if (error === undefined && !isFound) throw new Error('undici compiles its parser elsewhere: fix build/slim.mjs');
    },
  };
}

/** The rolldown plugin that does both; fails the build when a package no longer asks for what a stub stands for. */
export function slim() {
  const used = new Set();
  return {
    name: 'slim',
    resolveId(source, importer, { kind }) {
      if (source === 'string-width') {
        return forward(importer).includes('/cli-table3/') ? '\0display-width.cjs' : '\0string-width.cjs';
      }
      const at = STUBS.findIndex((stub) => isOf(stub, source) && stub.from.test(forward(importer)));
      if (at !== -1) {
        used.add(at);
        return `\0stub-${at}.cjs`;
      }
      const isOurs =
        kind !== 'dynamic-import' &&
        /\/src\/[^?]*\.ts$/.test(forward(importer)) &&
        !forward(importer).includes('/node_modules/');
      return isOurs && PUT_OFF.includes(source) ? `\0lazy-${PUT_OFF.indexOf(source)}.cjs` : null;
    },
    load(id) {
      if (id === '\0display-width.cjs') return { code: DISPLAY_WIDTH, moduleType: 'js' };
      if (id === '\0string-width.cjs') return { code: STRING_WIDTH, moduleType: 'js' };
      const [, kind, at] = /^\0(stub|lazy)-(\d+)\.cjs$/.exec(id) ?? [];
      if (kind === undefined) return null;
      return { code: kind === 'stub' ? STUBS[Number(at)].code : lazyBuiltin(PUT_OFF[Number(at)]), moduleType: 'js' };
    },
    // A real import() starts the loader of ES modules first, and a standalone executable has none.
    transform(code, id) {
      if (!/[\\/]src[\\/].*\.ts$/.test(id) || id.includes('node_modules')) return null;
      return code.replace(/\bimport\('(node:[\w/]+)'\)/g, "Promise.resolve(process.getBuiltinModule('$1'))");
    },
    buildEnd(error) {
      const unused = STUBS.filter((_, at) => !used.has(at));
      if (error === undefined && unused.length > 0) {
        throw new Error(
          `nothing asks for ${unused.map((stub) => stub.source).join(', ')} any more: fix build/slim.mjs`,
        );
      }
    },
  };
}
