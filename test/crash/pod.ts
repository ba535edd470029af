import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Home } from '../support/run-frontdesk.ts';

const OWN_TIME = fileURLToPath(new URL('own-time.cjs', import.meta.url));
const LIMIT_MS = 120_000;

/** Its own processes, of which frontdesk is number 1, and its own host name. */
const NAMESPACES = ['--pid', '--uts', '--fork', '--kill-child', '--mount-proc'];

function canUnshare(more: readonly string[]): boolean {
  return spawnSync('unshare', [...more, ...NAMESPACES, 'true'], { stdio: 'ignore' }).status === 0;
}

/** How this system lets an ordinary process make namespaces; undefined: it does not. */
export const UNSHARE: readonly string[] | undefined = [[], ['--user', '--map-root-user']].find(canUnshare);

export interface PodSettings {
  readonly program: string;
  readonly args: readonly string[];
  readonly home: Home;
  readonly env: Readonly<Record<string, string>>;
  /** Its host name. */
  readonly name: string;
  /** How far its wall clock is ahead. */
  readonly clockOffsetMs: number;
  /** How much faster its time goes by than that of the test. */
  readonly speed: number;
}

export interface PodEnd {
  /** Of the program; something else when it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program as process 1 of a container with a clock of its own: nobody outside shares its view of processes. */
export class Pod {
  readonly name: string;
  readonly ended: Promise<PodEnd>;
  readonly startedMs = performance.now();
  /** When it ended or was killed. */
  endedMs = Number.POSITIVE_INFINITY;
  wasKilled = false;
  wasStopped = false;
  isStopped = false;
  readonly #child: ChildProcess;

  constructor({ program, args, home, env, name, clockOffsetMs, speed }: PodSettings) {
    this.name = name;
    const inner = `echo ${name} > /proc/sys/kernel/hostname; exec "$@"`;
    const command = [process.execPath, '--require', OWN_TIME, program, ...args];
    this.#child = spawn('unshare', [...(UNSHARE ?? []), ...NAMESPACES, 'sh', '-c', inner, 'sh', ...command], {
      cwd: join(home.path, 'work'),
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home.path,
        LANG: 'C.UTF-8',
        FRONTDESK_CONFIG_DIR: home.configDir,
        FRONTDESK_STATE_DIR: home.stateDir,
        TIME_SPEED: String(speed),
        CLOCK_OFFSET_MS: String(clockOffsetMs),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.ended = this.#collect();
  }

  get isOver(): boolean {
    return this.endedMs !== Number.POSITIVE_INFINITY;
  }

  kill(): void {
    if (!this.#signal('SIGKILL')) return;
    this.wasKilled = true;
    this.endedMs = performance.now();
  }

  stop(): void {
    if (!this.#signal('SIGSTOP')) return;
    this.isStopped = true;
    this.wasStopped = true;
  }

  goOn(): void {
    this.#signal('SIGCONT');
    this.isStopped = false;
  }

  terminate(): void {
    this.#signal('SIGTERM');
  }

  /** To process 1 of the pod; false when there is none (any more). */
  #signal(signal: NodeJS.Signals): boolean {
    const { pid } = this.#child;
    if (pid === undefined || this.isOver) return false;
    try {
      const inner = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
      return inner > 0 && process.kill(inner, signal);
    } catch {
      return false;
    }
  }

  #collect(): Promise<PodEnd> {
    const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    this.#child.stdout?.on('data', (part: Buffer) => parts.stdout.push(part));
    this.#child.stderr?.on('data', (part: Buffer) => parts.stderr.push(part));
    return new Promise((resolve, reject) => {
      let isHung = false;
      const limit = setTimeout(() => {
        isHung = true;
        this.#child.kill('SIGKILL');
      }, LIMIT_MS);
      this.#child.on('error', reject);
      this.#child.on('close', (code) => {
        clearTimeout(limit);
        if (!this.isOver) this.endedMs = performance.now();
        const stdout = Buffer.concat(parts.stdout).toString('utf8');
        const stderr = Buffer.concat(parts.stderr).toString('utf8');
        if (isHung) reject(new Error(`${this.name} hung\nstdout: ${stdout}\nstderr: ${stderr}`));
        else resolve({ code, stdout, stderr });
      });
    });
  }
}
