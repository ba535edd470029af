import { type ChildProcess, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Home, programCommand } from '../support/run-frontdesk.ts';
import { type ShellEnd, startIn } from '../support/shell.ts';

const OWN_TIME = fileURLToPath(new URL('own-time.cjs', import.meta.url));

/** Its own processes, of which frontdesk is number 1, and its own host name. */
const NAMESPACES = ['--pid', '--uts', '--fork', '--kill-child', '--mount-proc'];

function canUnshare(more: readonly string[]): boolean {
  return spawnSync('unshare', [...more, ...NAMESPACES, 'true'], { stdio: 'ignore' }).status === 0;
}

/** How this system lets an ordinary process make namespaces; undefined: it does not. */
export const UNSHARE: readonly string[] | undefined = [[], ['--user', '--map-root-user']].find(canUnshare);

export interface PodSettings {
  readonly args: readonly string[];
  readonly home: Home;
  readonly env: Readonly<Record<string, string>>;
  readonly name: string;
  /** How far its wall clock is ahead. */
  readonly clockOffsetMs: number;
  /** How much faster its time goes by than that of the test. */
  readonly speed: number;
}

/** The program as process 1 of a container with a clock of its own: nobody outside shares its view of processes. */
export class Pod {
  readonly ended: Promise<ShellEnd>;
  #isOver = false;
  readonly #child: ChildProcess;

  constructor({ args, home, env, name, clockOffsetMs, speed }: PodSettings) {
    const inner = `echo ${name} > /proc/sys/kernel/hostname; exec "$@"`;
    const { command, args: words, env: all } = programCommand(args, home, env);
    const unshare = ['unshare', ...(UNSHARE ?? []), ...NAMESPACES, 'sh', '-c', inner, 'sh', command];
    const time = { TIME_SPEED: String(speed), CLOCK_OFFSET_MS: String(clockOffsetMs) };
    const own = { ...time, ...all };
    const { child, ended } = startIn(join(home.path, 'work'), [...unshare, '--require', OWN_TIME, ...words], own);
    this.#child = child;
    this.ended = ended.finally(() => {
      this.#isOver = true;
    });
  }

  /** To process 1 of the pod, if there is one (still). */
  signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#isOver) return;
    try {
      const inner = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
      if (inner > 0) process.kill(inner, signal);
    } catch {
      // It ended meanwhile.
    }
  }
}
