import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const README = readFileSync(join(root, 'README.md'), 'utf8');

interface Step {
  readonly command: string;
  /** Output as printed in the README, stdout and stderr as a terminal mixes them. */
  readonly output: string;
}

/** The steps of every ```console block, block by block. */
function sessions(markdown: string): readonly (readonly Step[])[] {
  return [...markdown.matchAll(/^```console\n(.*?)^```$/gms)].map((block) =>
    (block[1] ?? '')
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        return { command: part.slice(0, end), output: part.slice(end + 1) };
      }),
  );
}

/** Runs a session in one shell; answers the output of each step, without the note that this is the sandbox. */
function run(steps: readonly Step[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-readme-'));
  try {
    mkdirSync(join(folder, 'bin'));
    symlinkSync(join(root, 'bin', 'frontdesk.js'), join(folder, 'bin', 'frontdesk'));
    const script = steps.map(({ command }) => `__s=$?; echo "@@@"; (exit $__s)\n${command}\n`).join('');
    const { stdout } = spawnSync('bash', ['-c', `exec 2>&1\n${script}`], {
      cwd: folder,
      env: {
        PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
        HOME: folder,
        FRONTDESK_PROFILE: 'sandbox',
        LANG: 'C.UTF-8',
      },
      encoding: 'utf8',
    });
    return stdout
      .split('@@@\n')
      .slice(1)
      .map((output) => output.replace(/^frontdesk: note: this is the sandbox .*\n/gm, ''));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('every session of the README runs as printed', () => {
  const found = sessions(README);

  it('has sessions to run', () => {
    expect(found.length).toBeGreaterThanOrEqual(2);
  });

  it.each(found.map((steps) => [steps[1]?.command ?? '', steps] as const))('%s …', (_name, steps) => {
    const outputs = run(steps);
    for (const [index, { command, output }] of steps.entries()) {
      if (output !== '') expect(`$ ${command}\n${outputs[index]}`).toBe(`$ ${command}\n${output}`);
    }
    expect(outputs).toHaveLength(steps.length);
  });
});
