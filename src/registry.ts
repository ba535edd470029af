import type { CallCommand, LocalCommand } from './command/command.ts';
import { type CommandEntry, createRegistry, type Registry } from './command/command-tree.ts';

type Declared = CallCommand | LocalCommand;

/** What the file of a command exports: its declaration, or of one that speaks of all commands how it is made of them. */
interface CommandModule {
  readonly command: Declared | ((registry: Registry) => Declared);
}

/** A line of the registry. The file of the command is loaded when it is used. */
function entry(words: string, summary: string, load: () => Promise<CommandModule>): CommandEntry {
  const path = words.split(' ');
  return {
    path,
    summary,
    async load() {
      const { command } = await load();
      return { ...(typeof command === 'function' ? command(REGISTRY) : command), path };
    },
  };
}

/** Every command, in the order of the overview. Its declaration and a line here make a command. */
export const REGISTRY: Registry = createRegistry(
  [
    entry('card get', 'Show cards', () => import('./commands/card/get.ts')),
    entry('card activate', 'Activate cards', () => import('./commands/card/activate.ts')),
    entry('card block', 'Block cards', () => import('./commands/card/block.ts')),
    entry('card reissue', 'Reissue cards', () => import('./commands/card/reissue.ts')),
    entry('card provision', 'Provision a card into a wallet', () => import('./commands/card/provision.ts')),
    entry('card wait', 'Wait until a card has a status', () => import('./commands/card/wait.ts')),
    entry('calendar update', 'Update a calendar', () => import('./commands/calendar/update.ts')),
    entry('calendar event create', 'Create an event', () => import('./commands/calendar/event/create.ts')),
    entry(
      'calendar subscribers list',
      'List the subscribers of a calendar',
      () => import('./commands/calendar/subscribers/list.ts'),
    ),
    entry(
      'calendar subscribers update',
      'Update a subscriber',
      () => import('./commands/calendar/subscribers/update.ts'),
    ),
    entry('auth login', 'Store a credential', () => import('./commands/auth/login.ts')),
    entry(
      'auth status',
      'Show where credentials come from and how they stand',
      () => import('./commands/auth/status.ts'),
    ),
    entry('auth logout', 'Remove stored credentials', () => import('./commands/auth/logout.ts')),
    entry('profile list', 'List profiles', () => import('./commands/profile/list.ts')),
    entry('profile show', 'Show one profile', () => import('./commands/profile/show.ts')),
    entry('profile set', 'Create or change a profile', () => import('./commands/profile/set.ts')),
    entry(
      'profile use',
      'Choose the profile that is used when none is named',
      () => import('./commands/profile/use.ts'),
    ),
    entry('profile remove', 'Remove a profile and its credentials', () => import('./commands/profile/remove.ts')),
    entry('config list', 'List preferences', () => import('./commands/config/list.ts')),
    entry('config get', 'Show one preference', () => import('./commands/config/get.ts')),
    entry('config set', 'Set a preference', () => import('./commands/config/set.ts')),
    entry('config unset', 'Take a preference away', () => import('./commands/config/unset.ts')),
    entry('config path', 'Show where the settings file is', () => import('./commands/config/path.ts')),
    entry('history list', 'List writes, newest first', () => import('./commands/history/list.ts')),
    entry('history show', 'Show one write', () => import('./commands/history/show.ts')),
    entry(
      'history resolve',
      'Record what became of a write of unknown outcome',
      () => import('./commands/history/resolve.ts'),
    ),
    entry(
      'history reconcile',
      'Read the cards of unknown writes, and record what they show',
      () => import('./commands/history/reconcile.ts'),
    ),
    entry('history prune', 'Delete old writes from the history', () => import('./commands/history/prune.ts')),
    entry('runs list', 'List runs, newest first', () => import('./commands/runs/list.ts')),
    entry('runs show', 'Show one run', () => import('./commands/runs/show.ts')),
    entry(
      'runs report',
      'Print a document about a run: html, junit or markdown',
      () => import('./commands/runs/report.ts'),
    ),
    entry('runs results', 'Print the rows of a run again', () => import('./commands/runs/results.ts')),
    entry('runs resume', 'Go on with a run', () => import('./commands/runs/resume.ts')),
    entry('runs revert', 'Plan to put back what a run changed', () => import('./commands/runs/revert.ts')),
    entry('runs remove', 'Delete what a run kept', () => import('./commands/runs/remove.ts')),
    entry('plan show', 'Show what a plan would send and what became of it', () => import('./commands/plan/show.ts')),
    entry('plan approve', 'Sign a plan, so that it may be applied', () => import('./commands/plan/approve.ts')),
    entry('plan apply', 'Send exactly the rows of a plan', () => import('./commands/plan/apply.ts')),
    entry('sandbox info', 'List the ids of the sandbox, or its choices', () => import('./commands/sandbox/info.ts')),
    entry('sandbox serve', 'Run the sandbox for other programs', () => import('./commands/sandbox/serve.ts')),
    entry('sandbox reset', 'Put the sandbox back to how it was at first', () => import('./commands/sandbox/reset.ts')),
    entry('mcp', 'Serve an assistant (Model Context Protocol)', () => import('./mcp/command.ts')),
    entry('desk', 'Take call after call: show a card, act on it', () => import('./desk/command.ts')),
    entry('api', 'Send one raw request', () => import('./commands/api.ts')),
    entry('doctor', 'Look for what may be wrong on this machine', () => import('./commands/doctor.ts')),
    entry('schema', 'Print commands, options and schemas as JSON, or as OpenAPI', () => import('./commands/schema.ts')),
    entry('completion', 'Print the completion script of a shell', () => import('./commands/completion.ts')),
    entry('help', 'Explain a command or a topic', () => import('./commands/help.ts')),
  ],
  [
    {
      path: ['card'],
      summary: 'Gift cards: look at them and change them',
      note: 'The service has no search and no list of cards: a card is found by its id alone. `frontdesk history` shows the cards that were changed from this machine.',
    },
    {
      path: ['calendar'],
      summary: 'Calendars, their events and subscribers',
      note: 'The service has no search: it lists the subscribers of a calendar by its id, and can show neither calendars nor events.',
    },
    { path: ['calendar', 'event'], summary: 'Events of a calendar' },
    { path: ['calendar', 'subscribers'], summary: 'Subscribers of a calendar' },
    { path: ['auth'], summary: 'Credentials on this machine' },
    { path: ['profile'], summary: 'Which service, what is allowed there' },
    { path: ['config'], summary: 'Preferences' },
    { path: ['history'], summary: 'The local record of writes', default: 'list' },
    { path: ['runs'], summary: 'Many-row runs', default: 'list' },
    { path: ['plan'], summary: 'What will be sent, to look at and approve' },
    { path: ['sandbox'], summary: 'The service, played on this machine', default: 'info' },
  ],
);
