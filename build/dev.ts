// `npm run dev -- card get …` runs the sources without a build.
import { start } from '../src/main.ts';

await start();
