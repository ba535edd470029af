// Preloaded by the benchmarks: writes the processor time that a process of Node took, in milliseconds, when it ends.
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.CPU_TIME_FILE, String((user + system) / 1000));
});
