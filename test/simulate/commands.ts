import type { Kind } from './answers.ts';
import type { Deed, Input, Plan, Unknown } from './plan.ts';

export const ENVIRONMENT = {
  HOME: '/home/ann',
  FRONTDESK_STATE_DIR: '/state',
  FRONTDESK_CONFIG_DIR: '/config',
  FRONTDESK_CARDS_URL: 'http://127.0.0.1:8080',
  FRONTDESK_CALENDAR_URL: 'http://127.0.0.1:8080',
  FRONTDESK_CARDS_TOKEN: 'token-of-the-cards-0123456789',
  FRONTDESK_CALENDAR_TOKEN: 'token-of-the-calendar-0123456789',
};

const COMMANDS: Readonly<Record<Kind, readonly string[]>> = {
  block: ['card', 'block'],
  activate: ['card', 'activate'],
  reissue: ['card', 'reissue'],
  provision: ['card', 'provision'],
  event: ['calendar', 'event', 'create'],
  subscriber: ['calendar', 'subscribers', 'update'],
};

const START = '2026-08-01T12:00:00';

/** What stands in the input of a run, and in the older file that it is compared with. */
export function textOf({ kind, keys }: Input, firstName = 'New'): string {
  switch (kind) {
    case 'activate':
      return keys.map((key) => `${key}\n`).join('');
    case 'event':
      return `name,start,calendar\n${keys.map((key) => `${key},${START},cal_1\n`).join('')}`;
    case 'subscriber':
      return `id,first_name\n${keys.map((key) => `${key},${firstName}\n`).join('')}`;
    default:
      return `cardId,reason\n${keys.map((key) => `${key},lost\n`).join('')}`;
  }
}

export const fileOf = (run: string, { kind }: Input): string => `/jobs/${run}.${kind === 'activate' ? 'txt' : 'csv'}`;
export const olderOf = (run: string): string => `/jobs/${run}-older.csv`;

function writeOf(kind: Kind, key: string): readonly string[] {
  const command = COMMANDS[kind];
  switch (kind) {
    case 'event':
      return [...command, '--calendar', 'cal_1', '--name', key, '--start', START];
    case 'subscriber':
      return [...command, key, '--first-name', 'Single'];
    case 'provision':
      return [...command, key.split(' ')[0] ?? '', '--wallet', 'wallet_a'];
    case 'activate':
      return [...command, key];
    default:
      return [...command, key, '--yes'];
  }
}

const UNKNOWN: Readonly<Record<Unknown, readonly string[]>> = {
  leave: [],
  reconcile: ['--reconcile'],
  resend: ['--resend-unknown', '--yes'],
};

/** The command line of a deed that takes one. */
export function commandOf(deed: Deed, { inputs, timeoutS }: Plan): readonly string[] {
  const wait = ['--timeout', `${timeoutS}s`];
  switch (deed.what) {
    case 'write':
      return [...writeOf(deed.kind, deed.key), ...(deed.isAgain ? ['--again'] : []), ...wait, '-o', 'json'];
    case 'run': {
      const input = inputs[deed.run];
      if (input === undefined) throw new Error(`there is no input ${deed.run}`);
      const older = input.kind === 'subscriber' ? ['--changed-from', olderOf(deed.run)] : [];
      const again = deed.isAgain && (input.kind === 'reissue' || input.kind === 'event') ? ['--again'] : [];
      const rows = ['--from', fileOf(deed.run, input), ...older, '--run', deed.run, '-j', String(input.concurrency)];
      const unknown = UNKNOWN[deed.unknown].filter((option) => option !== '--yes');
      return [...COMMANDS[input.kind], ...rows, '--yes', ...unknown, ...again, ...wait, '-o', 'ndjson'];
    }
    case 'resume':
      return ['runs', 'resume', deed.run, ...UNKNOWN[deed.unknown], ...wait, '-o', 'ndjson'];
    case 'results':
      return ['runs', 'results', deed.run, '-o', 'ndjson'];
    case 'revert':
      return ['runs', 'revert', deed.run, '--plan', `/jobs/revert-${deed.number}.ndjson`, '-o', 'json'];
    case 'history':
      return ['history', '-o', 'json', '--limit', '1000'];
    case 'reconcile':
      return ['history', 'reconcile', ...wait, '-o', 'json'];
    case 'prune':
      return ['history', 'prune', '--older-than', deed.olderThan, '--yes', '-o', 'json'];
    case 'resolve':
      return ['history', '--open', '-o', 'json'];
  }
}
