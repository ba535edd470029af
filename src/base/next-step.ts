import { shellQuote } from './files/shell-quote.ts';

/** THE table of next steps: what to do, and the command for it. `{}` stands for what it is about. */
export const NEXT_STEPS = {
  'check with': 'card get {}',
  'show it': 'card get {}',
  'see the card as it is now': 'card get {}',
  'log in': 'auth login',
  'log in without a terminal': 'auth login --token-stdin',
  'log in with the keychain': 'auth login --keychain',
  'choose the current profile': 'profile use <name>',
  'list the profiles': 'profile list',
  'allow changes': 'profile set {} --read-only false',
  'try the sandbox': 'sandbox info',
  'start over from the built-in seed': 'sandbox reset',
  'list the runs': 'runs list',
  'resume it': 'runs resume {}',
  'resume it with a check of the cards': 'runs resume {} --reconcile',
  'see how it ends': 'runs show {}',
  'see its rows': 'runs results {}',
  'see its unknown rows': 'runs results {} --outcome unknown',
  'send its unknown rows again': 'runs resume {} --resend-unknown',
  'print the rows that are left': 'runs results {} --outcome rejected,not_sent --as-input',
  'remove it': 'runs remove {}',
  'check what happened': 'history',
  'list the entries': 'history',
  'list what is open': 'history --open',
  'list the changes of the card': 'history --id {}',
  'see how it ended': 'history show {}',
  'check it with': 'history reconcile {}',
  'record what you found out with': 'history resolve {} --as <applied|not_applied>',
  'apply the plan again': 'plan apply <file>',
  'apply it with the profile that it was made with': 'plan apply {}',
  'review the plan': 'plan show {}',
  'apply it': 'plan apply {}',
  'import an export of orders': 'card find --import <file>',
  'list the subscribers of a calendar': 'calendar subscribers list <calendarId>',
  'show a card': 'card get <cardId>',
  'list the rules that the sandbox chose': 'sandbox info --choices',
  'to start over': 'card find --forget',
} as const;

/** A step with its command. `words` say more than its name. */
export interface NextStep {
  readonly do: keyof typeof NEXT_STEPS;
  readonly words?: string | undefined;
  readonly about?: string | undefined;
  readonly profile?: string | undefined;
  readonly family?: string | undefined;
}

/**
 * What to do, beginning with a verb. The desk, whose menu is the next step, shows sentences alone. `repeat`: the same
 * call again, which a run makes itself. `set an option`: of the command line.
 */
export type Hint = string | NextStep | { readonly do: 'repeat' | 'set an option'; readonly words: string };

/** A complete command, which a shell reads as it was meant: quoted, and what looks like an option behind `--`. */
export function pasteable(words: string, { about, profile, family }: Omit<NextStep, 'do' | 'words'> = {}): string {
  const isOptionLike = about?.startsWith('-') === true;
  const named = about === undefined ? '{}' : shellQuote(about);
  const filled = isOptionLike ? words.replace(' {}', '') : words.replace('{}', () => named);
  const options = [
    ...(profile === undefined ? [] : ['-p', shellQuote(profile)]),
    ...(family === undefined ? [] : ['--family', family]),
    ...(isOptionLike ? ['--', named] : []),
  ];
  return ['frontdesk', filled, ...options].join(' ');
}

export function commandOf(step: NextStep): string {
  return pasteable(NEXT_STEPS[step.do], step);
}

const OF_NO_PROFILE: readonly NextStep['do'][] = [
  'choose the current profile',
  'list the profiles',
  'try the sandbox',
  'start over from the built-in seed',
  'list the rules that the sandbox chose',
];

/** The hint with the profile that the call named, unless its command names another, or what it is about tells. */
export function inProfile(hint: Hint, profile: string | undefined): Hint {
  if (profile === undefined || typeof hint === 'string' || !isStep(hint) || hint.about !== undefined) return hint;
  return OF_NO_PROFILE.includes(hint.do) ? hint : { ...hint, profile: hint.profile ?? profile };
}

function isStep(hint: Exclude<Hint, string>): hint is NextStep {
  return hint.do in NEXT_STEPS;
}

export function hintText(hint: Hint): string {
  if (typeof hint === 'string') return hint;
  return isStep(hint) ? `${hint.words ?? hint.do}: ${commandOf(hint)}` : hint.words;
}
