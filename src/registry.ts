import { createRegistry } from './commands/registry.ts';

/**
 * Every command, in the order of the overview. A line here and a file of its own make a command; its
 * declaration is loaded only when it is used.
 */
export const REGISTRY = createRegistry(
  [
    {
      path: ['card', 'get'],
      summary: 'Show cards',
      load: async () => (await import('./commands/card/get.ts')).cardGet,
    },
    {
      path: ['card', 'activate'],
      summary: 'Activate cards',
      load: async () => (await import('./commands/card/activate.ts')).cardActivate,
    },
    {
      path: ['card', 'block'],
      summary: 'Block cards',
      load: async () => (await import('./commands/card/block.ts')).cardBlock,
    },
    {
      path: ['card', 'reissue'],
      summary: 'Reissue cards',
      load: async () => (await import('./commands/card/reissue.ts')).cardReissue,
    },
    {
      path: ['card', 'provision'],
      summary: 'Provision a card into a wallet',
      load: async () => (await import('./commands/card/provision.ts')).cardProvision,
    },
    {
      path: ['card', 'wait'],
      summary: 'Wait until a card has a status',
      load: async () => (await import('./local/wait.ts')).cardWaitCommand,
    },
    {
      path: ['calendar', 'update'],
      summary: 'Update a calendar',
      load: async () => (await import('./commands/calendar/update.ts')).calendarUpdate,
    },
    {
      path: ['calendar', 'event', 'create'],
      summary: 'Create an event',
      load: async () => (await import('./commands/calendar/event-create.ts')).calendarEventCreate,
    },
    {
      path: ['calendar', 'subscribers', 'list'],
      summary: 'List the subscribers of a calendar',
      load: async () => (await import('./commands/calendar/subscribers-list.ts')).calendarSubscribersList,
    },
    {
      path: ['calendar', 'subscribers', 'update'],
      summary: 'Update a subscriber',
      load: async () => (await import('./commands/calendar/subscribers-update.ts')).calendarSubscribersUpdate,
    },
    {
      path: ['auth', 'login'],
      summary: 'Store a credential',
      load: async () => (await import('./local/auth.ts')).authLoginCommand,
    },
    {
      path: ['auth', 'status'],
      summary: 'Show where credentials come from and how they stand',
      load: async () => (await import('./local/auth.ts')).authStatusCommand,
    },
    {
      path: ['auth', 'logout'],
      summary: 'Remove stored credentials',
      load: async () => (await import('./local/auth.ts')).authLogoutCommand,
    },
    {
      path: ['profile', 'list'],
      summary: 'List profiles',
      load: async () => (await import('./local/profile.ts')).profileListCommand,
    },
    {
      path: ['profile', 'show'],
      summary: 'Show one profile',
      load: async () => (await import('./local/profile.ts')).profileShowCommand,
    },
    {
      path: ['profile', 'set'],
      summary: 'Create or change a profile',
      load: async () => (await import('./local/profile.ts')).profileSetCommand,
    },
    {
      path: ['profile', 'use'],
      summary: 'Choose the profile that is used when none is named',
      load: async () => (await import('./local/profile.ts')).profileUseCommand,
    },
    {
      path: ['profile', 'remove'],
      summary: 'Remove a profile and its credentials',
      load: async () => (await import('./local/profile.ts')).profileRemoveCommand,
    },
    {
      path: ['config', 'list'],
      summary: 'List preferences',
      load: async () => (await import('./local/config.ts')).configListCommand,
    },
    {
      path: ['config', 'get'],
      summary: 'Show one preference',
      load: async () => (await import('./local/config.ts')).configGetCommand,
    },
    {
      path: ['config', 'set'],
      summary: 'Set a preference',
      load: async () => (await import('./local/config.ts')).configSetCommand,
    },
    {
      path: ['config', 'unset'],
      summary: 'Take a preference away',
      load: async () => (await import('./local/config.ts')).configUnsetCommand,
    },
    {
      path: ['config', 'path'],
      summary: 'Show where the settings file is',
      load: async () => (await import('./local/config.ts')).configPathCommand,
    },
    {
      path: ['history', 'list'],
      summary: 'List writes, newest first',
      load: async () => (await import('./local/history.ts')).historyListCommand,
    },
    {
      path: ['history', 'show'],
      summary: 'Show one write',
      load: async () => (await import('./local/history.ts')).historyShowCommand,
    },
    {
      path: ['history', 'prune'],
      summary: 'Delete old writes from the history',
      load: async () => (await import('./local/history.ts')).historyPruneCommand,
    },
    {
      path: ['runs', 'list'],
      summary: 'List runs, newest first',
      load: async () => (await import('./local/runs.ts')).runsListCommand,
    },
    {
      path: ['runs', 'show'],
      summary: 'Show one run',
      load: async () => (await import('./local/runs.ts')).runsShowCommand,
    },
    {
      path: ['runs', 'report'],
      summary: 'Print a document about a run: html, junit or markdown',
      load: async () => (await import('./local/runs.ts')).runsReportCommand,
    },
    {
      path: ['runs', 'results'],
      summary: 'Print the rows of a run again',
      load: async () => (await import('./local/runs.ts')).runsResultsCommand,
    },
    {
      path: ['runs', 'resume'],
      summary: 'Go on with a run',
      load: async () => (await import('./local/runs.ts')).runsResumeCommand,
    },
    {
      path: ['runs', 'revert'],
      summary: 'Plan to put back what a run changed',
      load: async () => (await import('./local/runs.ts')).runsRevertCommand,
    },
    {
      path: ['runs', 'remove'],
      summary: 'Delete what a run kept',
      load: async () => (await import('./local/runs.ts')).runsRemoveCommand,
    },
    {
      path: ['plan', 'show'],
      summary: 'Show what a plan would send and what became of it',
      load: async () => (await import('./local/plan.ts')).planShowCommand,
    },
    {
      path: ['plan', 'approve'],
      summary: 'Sign a plan, so that it may be applied',
      load: async () => (await import('./local/plan.ts')).planApproveCommand,
    },
    {
      path: ['plan', 'apply'],
      summary: 'Send exactly the rows of a plan, once',
      load: async () => (await import('./local/plan.ts')).planApplyCommand,
    },
    {
      path: ['sandbox', 'info'],
      summary: 'List the sandbox’s ids and choices',
      load: async () => (await import('./local/sandbox.ts')).sandboxInfoCommand,
    },
    {
      path: ['sandbox', 'serve'],
      summary: 'Run the sandbox for other programs',
      load: async () => (await import('./local/sandbox.ts')).sandboxServeCommand,
    },
    {
      path: ['sandbox', 'reset'],
      summary: 'Put the sandbox back to how it was at first',
      load: async () => (await import('./local/sandbox.ts')).sandboxResetCommand,
    },
    {
      path: ['mcp'],
      summary: 'Serve an assistant (Model Context Protocol)',
      load: async () => (await import('./mcp/command.ts')).mcpCommand,
    },
    {
      path: ['desk'],
      summary: 'Serve card after card at the terminal',
      load: async () => (await import('./desk/desk-command.ts')).deskCommand,
    },
    {
      path: ['api'],
      summary: 'Send one raw request',
      load: async () => (await import('./local/api.ts')).apiCommand,
    },
    {
      path: ['doctor'],
      summary: 'Look for what may be wrong on this machine',
      load: async () => (await import('./local/doctor.ts')).doctorCommand,
    },
    {
      path: ['schema'],
      summary: 'Print commands, options and schemas as JSON, or OpenAPI of the service',
      load: async () => (await import('./local/schema.ts')).schemaCommand(REGISTRY),
    },
    {
      path: ['completion'],
      summary: 'Print the completion script of a shell',
      load: async () => (await import('./local/completion.ts')).completionCommand(REGISTRY),
    },
    {
      path: ['help'],
      summary: 'Explain a command or a topic',
      load: async () => (await import('./local/help.ts')).helpCommand(REGISTRY),
    },
  ],
  [
    { path: ['card'], summary: 'Gift cards: look at them and change them' },
    { path: ['calendar'], summary: 'Calendars, their events and subscribers' },
    { path: ['calendar', 'event'], summary: 'Events of a calendar' },
    { path: ['calendar', 'subscribers'], summary: 'Subscribers of a calendar' },
    { path: ['auth'], summary: 'Credentials on this machine' },
    { path: ['profile'], summary: 'Profiles: where the service is and what is allowed there' },
    { path: ['config'], summary: 'Preferences' },
    { path: ['history'], summary: 'The local record of writes', default: 'list' },
    { path: ['runs'], summary: 'Runs of many rows', default: 'list' },
    { path: ['plan'], summary: 'Plans: what would be sent, looked at and approved before it is' },
    { path: ['sandbox'], summary: 'The service, played on this machine', default: 'info' },
  ],
);
