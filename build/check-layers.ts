// `npm run check:layers`: every source against the table of layers: imports, rules, length. Exits 1 and names each breach.
import { fileURLToPath } from 'node:url';
import { layerBreaches } from './layers.ts';

const breaches = layerBreaches(fileURLToPath(new URL('..', import.meta.url)));
for (const breach of breaches) console.error(breach);
if (breaches.length > 0) process.exitCode = 1;
