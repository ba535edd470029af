import type { Files } from './disk.ts';
import { type Played, textAt } from './stage.ts';

/** A sentence, and what has to be so where it is said. */
export interface Claim {
  readonly words: RegExp;
  holds(played: Played): boolean;
}

/** A text without its numbers and times. */
export const lettersOf = (text: string) => text.replace(/\b[0-9a-f]{6,}\b|\d+/gi, '#');

function changes({ arrivals }: Played) {
  return arrivals.filter(({ asked }) => !['get', 'list', 'other read'].includes(asked.kind));
}

const isUnsent = (played: Played): boolean => changes(played).length === 0;
const isUnapplied = (played: Played): boolean => changes(played).every(({ doneMs }) => doneMs === undefined);

/** What may come and go without anybody's data: locks, files under way, what only makes reading quicker. */
export const OF_NO_ACCOUNT =
  /[./]lock(?:\/|$)|\.frontdesk-|\.tmp|open-writes|file-system-tried|\.key$|\/key$|\/reached$/;

/** Files of people below some folders, with what they hold. */
function dataOf(files: Files, below: RegExp): ReadonlyMap<string, string> {
  const kept = [...files].filter(([path, { bytes }]) => bytes && below.test(path) && !OF_NO_ACCOUNT.test(path));
  return new Map(kept.map(([path, { bytes }]) => [path, bytes?.toString('latin1') ?? '']));
}

/** Whether nothing below the folders is another than before; records of the history may have come behind. */
function isSame({ before, after }: Played, below: RegExp): boolean {
  const [old, now] = [dataOf(before.files, below), dataOf(after.files, below)];
  return [...new Set([...old.keys(), ...now.keys()])].every((path) => {
    const [was = '', is = ''] = [old.get(path), now.get(path)];
    if (path.startsWith('/state/writes/')) return is.startsWith(was);
    return old.has(path) === now.has(path) && was === is;
  });
}

const LOCAL = /^\/(?:state|config|jobs)\//;
const SETTINGS = /^\/config\//;

const settings = ({ after }: Played): string => textAt(after, '/config/settings.json') ?? '';
const credentials = ({ after }: Played): string => textAt(after, '/config/credentials.json') ?? '';

/** What is said of what was sent, saved or changed, in words that a test can hold against what happened. */
export const CLAIMS: readonly Claim[] = [
  {
    words: /\b\d+ requests?,/,
    // A run counts its writes, and one that only reads its reads.
    holds: (played) => {
      const writes = changes(played).length;
      const said = Number(/(\d+) requests?,/.exec(played.stderr)?.[1]);
      return said === writes || (writes === 0 && said === played.arrivals.length);
    },
  },
  { words: /nothing (?:was|is) sent/i, holds: isUnsent },
  { words: /this request was not sent/i, holds: isUnsent },
  { words: /this request (?:changed|was rejected, and changed) nothing/i, holds: isUnapplied },
  { words: /nothing was sent or changed/i, holds: (played) => isUnsent(played) && isSame(played, LOCAL) },
  // The record of a change that was sent and rejected stays on this machine.
  {
    words: /nothing was changed/i,
    holds: (played) => isUnapplied(played) && isSame(played, isUnsent(played) ? LOCAL : /^\/(?:config|jobs)\//),
  },
  // An answer that finds no place is one of an applied write anyway.
  { words: /but \/jobs\/out\.json could not be written/, holds: (played) => !isUnapplied(played) },
  { words: /nothing was moved/i, holds: (played) => isSame(played, SETTINGS) },
  { words: /nothing was started/i, holds: ({ stdout }) => !stdout.includes('Sandbox at') },
  {
    words: /\{?[\w/.]+\}? is saved, but could not be synced/,
    holds: ({ before, after, stderr }) => {
      const [, path = ''] = /(\S+) is saved, but could not/.exec(stderr) ?? [];
      return textAt(after, path) !== undefined && textAt(after, path) !== textAt(before, path);
    },
  },
  { words: /the earlier content is unchanged/i, holds: (played) => isSame(played, /^\/config\/|^\/jobs\/failed/) },
  {
    words: /Stored, not tried|the credential is stored|The token is stored\./,
    holds: (played) => /"token|"command|"file/.test(credentials(played)),
  },
  { words: /the profile new and its URL are saved/, holds: (played) => settings(played).includes('"new"') },
  { words: /the setting is saved/, holds: (played) => !isSame(played, SETTINGS) },
  { words: /(?:Profile \S+|the profile) is removed/, holds: (played) => !settings(played).includes('"live"') },
];

/** How such a sentence looks. */
export const CLAIM_LIKE =
  /\bnothing (?:more )?(?:of it )?(?:was|is|were) \w+|\bis (?:removed|saved|stored)\b|content is unchanged|\b\d+ requests?,/i;

/** Sentences that look like it: rules, pages of help, and what another test holds. */
export const NO_CLAIMS: readonly RegExp[] = [
  /^no profile is stored yet/,
  /^A run is in one of five states/,
  /the desk has ended\. Nothing more was done/,
  // What left before stands in the counts beside it, which are held against the requests.
  /^nothing more of it is sent from here/i,
  // A description of the command.
  /^Uses the credential, retries and rules/,
  /nothing is drawn twice/,
  /nothing is unknown$/,
  /^is merged \(/,
  /^is shown otherwise than it is stored/,
  /^nothing is left to send$/,
  // By the outcome that the record has of the write.
  /^ended as \{outcome\}, so nothing is left to resolve$/,
  /left out, because nothing was applied/,
];
