// Preloaded by the benchmarks: writes the most memory a process of Node ever held, in KiB, when it ends.
const { writeFileSync } = require('node:fs');

process.on('exit', () => writeFileSync(process.env.PEAK_MEMORY_FILE, String(process.resourceUsage().maxRSS)));
