import type { CallCommand, LocalCommand } from './command/command.ts';
import { type CommandEntry, createRegistry, type Registry } from './command/command-tree.ts';

type Declared = CallCommand | LocalCommand;

/** What the file of a command exports: its declaration, or, if it needs all commands, a function that makes it. */
type CommandModule = { readonly command: Declared | ((registry: Registry) => Declared) };

/** A line of the registry. The command's file is loaded when it is used. */
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

/** Every command, in the order of the overview. A declaration and a line here make a command. */
export const REGISTRY: Registry = createRegistry(
  [
    entry('card get', 'Show gift cards', () => import('./cli/commands/card/get.ts')),
    entry('card find', 'Find cards by order number', () => import('./cli/commands/card/find.ts')),
    entry('card activate', 'Activate gift cards', () => import('./cli/commands/card/activate.ts')),
    entry('card block', 'Block gift cards (cannot be undone)', () => import('./cli/commands/card/block.ts')),
    entry('card reissue', 'Reissue gift cards (cannot be undone)', () => import('./cli/commands/card/reissue.ts')),
    entry(
      'card provision',
      'Get the data that adds a card to a wallet',
      () => import('./cli/commands/card/provision.ts'),
    ),
    entry('card wait', 'Wait for a card to reach a status', () => import('./cli/commands/card/wait.ts')),
    entry('calendar update', 'Update calendars', () => import('./cli/commands/calendar/update.ts')),
    entry('calendar event create', 'Create events', () => import('./cli/commands/calendar/event/create.ts')),
    entry(
      'calendar subscribers list',
      "List a calendar's subscribers",
      () => import('./cli/commands/calendar/subscribers/list.ts'),
    ),
    entry(
      'calendar subscribers update',
      'Update subscribers',
      () => import('./cli/commands/calendar/subscribers/update.ts'),
    ),
    entry('auth login', 'Store a credential for a profile', () => import('./cli/commands/auth/login.ts')),
    entry('auth status', 'Show credential sources and expiry dates', () => import('./cli/commands/auth/status.ts')),
    entry('auth logout', 'Delete stored credentials', () => import('./cli/commands/auth/logout.ts')),
    entry('profile list', 'List profiles', () => import('./cli/commands/profile/list.ts')),
    entry('profile show', 'Show a profile', () => import('./cli/commands/profile/show.ts')),
    entry('profile set', 'Create or update a profile', () => import('./cli/commands/profile/set.ts')),
    entry('profile use', 'Choose the current profile', () => import('./cli/commands/profile/use.ts')),
    entry('profile remove', 'Delete a profile and its credentials', () => import('./cli/commands/profile/remove.ts')),
    entry('config list', 'List preferences and their sources', () => import('./cli/commands/config/list.ts')),
    entry('config get', 'Show a preference', () => import('./cli/commands/config/get.ts')),
    entry('config set', 'Set a preference', () => import('./cli/commands/config/set.ts')),
    entry('config unset', 'Reset a preference to its default', () => import('./cli/commands/config/unset.ts')),
    entry('config path', 'Show the path of the settings file', () => import('./cli/commands/config/path.ts')),
    entry('history list', 'List changes and how each one ended', () => import('./cli/commands/history/list.ts')),
    entry('history show', 'Show a history entry', () => import('./cli/commands/history/show.ts')),
    entry(
      'history resolve',
      'Record what you found out about a change',
      () => import('./cli/commands/history/resolve.ts'),
    ),
    entry(
      'history reconcile',
      'Resolve unknown outcomes by checking the cards',
      () => import('./cli/commands/history/reconcile.ts'),
    ),
    entry('history prune', 'Delete old history entries', () => import('./cli/commands/history/prune.ts')),
    entry('runs list', 'List bulk runs, newest first', () => import('./cli/commands/runs/list.ts')),
    entry('runs show', 'Show the state of a run', () => import('./cli/commands/runs/show.ts')),
    entry('runs report', 'Print a run report: HTML, JUnit or Markdown', () => import('./cli/commands/runs/report.ts')),
    entry('runs results', 'Print the result of each row of a run', () => import('./cli/commands/runs/results.ts')),
    entry('runs resume', 'Resume a run', () => import('./cli/commands/runs/resume.ts')),
    entry('runs revert', 'Write a plan that restores the old values', () => import('./cli/commands/runs/revert.ts')),
    entry('runs remove', 'Delete a run and the data it stored', () => import('./cli/commands/runs/remove.ts')),
    entry('plan show', "Show a plan's contents and state", () => import('./cli/commands/plan/show.ts')),
    entry('plan apply', 'Apply a plan exactly as written', () => import('./cli/commands/plan/apply.ts')),
    entry('sandbox info', "List the sandbox's cards and calendars", () => import('./cli/commands/sandbox/info.ts')),
    entry('sandbox serve', 'Run the sandbox as a server', () => import('./cli/commands/sandbox/serve.ts')),
    entry('sandbox reset', 'Reset the sandbox to its initial data', () => import('./cli/commands/sandbox/reset.ts')),
    entry('mcp', 'Run an MCP server for AI assistants', () => import('./mcp/command.ts')),
    entry('desk', 'Look up and change cards during customer calls', () => import('./desk/command.ts')),
    entry('api', 'Send a raw API request', () => import('./cli/commands/api.ts')),
    entry('doctor', 'Check this machine for problems', () => import('./cli/commands/doctor.ts')),
    entry('schema', 'Print commands and schemas as JSON or OpenAPI', () => import('./cli/commands/schema.ts')),
    entry('completion', 'Print a shell completion script', () => import('./cli/commands/completion.ts')),
    entry('help', 'Show help for a command or topic', () => import('./cli/commands/help.ts')),
  ],
  [
    {
      path: ['card'],
      summary: 'Show and change gift cards',
      note: 'The service documents no search and no list of cards. `frontdesk card find` finds cards that this machine has read or changed, by order number.',
    },
    {
      path: ['calendar'],
      summary: 'Manage calendars, events and subscribers',
      note: 'The service lists the subscribers of a calendar if you have the calendar ID. It documents no search, and no way to show calendars or events.',
    },
    { path: ['calendar', 'event'], summary: 'Create calendar events' },
    { path: ['calendar', 'subscribers'], summary: 'List and update subscribers' },
    { path: ['auth'], summary: 'Manage credentials' },
    { path: ['profile'], summary: 'Manage services and their limits' },
    { path: ['config'], summary: 'Manage preferences' },
    { path: ['history'], summary: 'Show the record of changes', default: 'list' },
    { path: ['runs'], summary: 'Manage runs', default: 'list' },
    { path: ['plan'], summary: 'Review and apply planned changes' },
    { path: ['sandbox'], summary: 'Practice on a simulated service', default: 'info' },
  ],
);
