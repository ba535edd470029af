// Leaves out of the bundle what the program never reaches and what would cost every start.

/** Module of a package -> what stands in its place. Each is asked for in the built program's tests. */
const STUBS = [
  {
    // `allowH2: false` is set, and node:http2 alone doubles the time of a start.
    from: /undici\/lib\/dispatcher\/client\.js$/,
    source: './client-h2.js',
    code: "module.exports = () => { throw new Error('HTTP/2 is switched off'); };",
  },
  {
    // Bodies are texts; only FormData, Blob and iterators need fetch.
    from: /undici\/lib\/dispatcher\/client-h[12]\.js$/,
    source: '../web/fetch/body.js',
    code: "module.exports = { extractBody() { throw new Error('only texts are sent'); } };",
  },
  {
    // undici reads the default of an option that is always given, and knows a class of answers that none of ours is.
    from: /undici\/lib\/(?:dispatcher\/client|core\/util)\.js$/,
    source: 'node:http',
    code: 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };',
  },
  {
    // commander starts programs for subcommands that are files; there are none.
    from: /commander\/lib\/command\.js$/,
    source: 'node:child_process',
    code: 'module.exports = {};',
  },
];

/** The rolldown plugin that puts the stubs in; fails the build when a package no longer asks for one of them. */
export function slim() {
  const used = new Set();
  return {
    name: 'slim',
    resolveId(source, importer) {
      const at = STUBS.findIndex(
        (stub) => stub.source === source && stub.from.test((importer ?? '').replaceAll('\\', '/')),
      );
      if (at === -1) return null;
      used.add(at);
      return `\0slim-${at}.cjs`;
    },
    load(id) {
      const at = /^\0slim-(\d+)\.cjs$/.exec(id)?.[1];
      return at === undefined ? null : { code: STUBS[Number(at)].code, moduleType: 'js' };
    },
    buildEnd(error) {
      const unused = STUBS.filter((_, at) => !used.has(at));
      if (error === undefined && unused.length > 0) {
        throw new Error(
          `nothing asks for ${unused.map((stub) => stub.source).join(', ')} any more: mend build/slim.mjs`,
        );
      }
    },
  };
}
