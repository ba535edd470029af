// Compiles every file of a folder with every function in it: `node --predictable compile-chunks.cjs <from> <to>`, by the very
// Node that will run it, because another one would not take the result. It is made under an option that V8 does not
// ask for when it takes it, so that the same program always gives the same compiled code, and without the option that it
// would ask for.
const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

const [from, to] = process.argv.slice(2);
for (const name of readdirSync(from)) {
  setFlagsFromString('--no-lazy');
  const script = new Script(readFileSync(`${from}/${name}`, 'latin1'), { filename: `chunks/${name}` });
  setFlagsFromString('--lazy');
  writeFileSync(`${to}/${name}`, script.createCachedData());
}
