// Preloaded by the benchmarks: writes the most memory (MiB) and the processor time (ms) of a process of Node when it ends.
const { readFileSync, writeFileSync } = require('node:fs');

/** Elsewhere than on Linux; there the figure of the system begins with the most memory of the process that started this one. */
const otherwise = () => process.resourceUsage().maxRSS;

function peakKiB() {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? otherwise());
  } catch {
    return otherwise();
  }
}

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const usage = { mib: peakKiB() / 1024, cpuMs: (user + system) / 1000 };
  writeFileSync(process.env.USAGE_FILE, JSON.stringify(usage));
});
