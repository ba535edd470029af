import type { Command } from './commands/command.ts';
import { type CommandEntry, createRegistry } from './commands/registry.ts';

/** Commands of one module by dotted path, with the summary and the export. The module is loaded when one is used. */
function from<Module>(
  load: () => Promise<Module>,
  commands: Readonly<Record<string, readonly [summary: string, pick: (module: Module) => Command]>>,
): readonly CommandEntry[] {
  return Object.entries(commands).map(([path, [summary, pick]]) => ({
    path: path.split('.'),
    summary,
    load: async () => pick(await load()),
  }));
}

/** Every command, in the order of the overview. A line here and a file of its own make a command. */
export const REGISTRY = createRegistry(
  [
    ...from(() => import('./commands/card/get.ts'), {
      'card.get': ['Show cards', (module) => module.cardGet],
    }),
    ...from(() => import('./commands/card/activate.ts'), {
      'card.activate': ['Activate cards', (module) => module.cardActivate],
    }),
    ...from(() => import('./commands/card/block.ts'), {
      'card.block': ['Block cards', (module) => module.cardBlock],
    }),
    ...from(() => import('./commands/card/reissue.ts'), {
      'card.reissue': ['Reissue cards', (module) => module.cardReissue],
    }),
    ...from(() => import('./commands/card/provision.ts'), {
      'card.provision': ['Provision a card into a wallet', (module) => module.cardProvision],
    }),
    ...from(() => import('./local/wait.ts'), {
      'card.wait': ['Wait until a card has a status', (module) => module.cardWaitCommand],
    }),
    ...from(() => import('./commands/calendar/update.ts'), {
      'calendar.update': ['Update a calendar', (module) => module.calendarUpdate],
    }),
    ...from(() => import('./commands/calendar/event-create.ts'), {
      'calendar.event.create': ['Create an event', (module) => module.calendarEventCreate],
    }),
    ...from(() => import('./commands/calendar/subscribers-list.ts'), {
      'calendar.subscribers.list': ['List the subscribers of a calendar', (module) => module.calendarSubscribersList],
    }),
    ...from(() => import('./commands/calendar/subscribers-update.ts'), {
      'calendar.subscribers.update': ['Update a subscriber', (module) => module.calendarSubscribersUpdate],
    }),
    ...from(() => import('./local/auth.ts'), {
      'auth.login': ['Store a credential', (module) => module.authLoginCommand],
      'auth.status': ['Show where credentials come from and how they stand', (module) => module.authStatusCommand],
      'auth.logout': ['Remove stored credentials', (module) => module.authLogoutCommand],
    }),
    ...from(() => import('./local/profile.ts'), {
      'profile.list': ['List profiles', (module) => module.profileListCommand],
      'profile.show': ['Show one profile', (module) => module.profileShowCommand],
      'profile.set': ['Create or change a profile', (module) => module.profileSetCommand],
      'profile.use': ['Choose the profile that is used when none is named', (module) => module.profileUseCommand],
      'profile.remove': ['Remove a profile and its credentials', (module) => module.profileRemoveCommand],
    }),
    ...from(() => import('./local/config.ts'), {
      'config.list': ['List preferences', (module) => module.configListCommand],
      'config.get': ['Show one preference', (module) => module.configGetCommand],
      'config.set': ['Set a preference', (module) => module.configSetCommand],
      'config.unset': ['Take a preference away', (module) => module.configUnsetCommand],
      'config.path': ['Show where the settings file is', (module) => module.configPathCommand],
    }),
    ...from(() => import('./local/history.ts'), {
      'history.list': ['List writes, newest first', (module) => module.historyListCommand],
      'history.show': ['Show one write', (module) => module.historyShowCommand],
      'history.prune': ['Delete old writes from the history', (module) => module.historyPruneCommand],
    }),
    ...from(() => import('./local/runs.ts'), {
      'runs.list': ['List runs, newest first', (module) => module.runsListCommand],
      'runs.show': ['Show one run', (module) => module.runsShowCommand],
      'runs.report': ['Print a document about a run: html, junit or markdown', (module) => module.runsReportCommand],
      'runs.results': ['Print the rows of a run again', (module) => module.runsResultsCommand],
      'runs.resume': ['Go on with a run', (module) => module.runsResumeCommand],
      'runs.revert': ['Plan to put back what a run changed', (module) => module.runsRevertCommand],
      'runs.remove': ['Delete what a run kept', (module) => module.runsRemoveCommand],
    }),
    ...from(() => import('./local/plan.ts'), {
      'plan.show': ['Show what a plan would send and what became of it', (module) => module.planShowCommand],
      'plan.approve': ['Sign a plan, so that it may be applied', (module) => module.planApproveCommand],
      'plan.apply': ['Send exactly the rows of a plan, once', (module) => module.planApplyCommand],
    }),
    ...from(() => import('./local/sandbox.ts'), {
      'sandbox.info': ['List the ids of the sandbox, or its choices', (module) => module.sandboxInfoCommand],
      'sandbox.serve': ['Run the sandbox for other programs', (module) => module.sandboxServeCommand],
      'sandbox.reset': ['Put the sandbox back to how it was at first', (module) => module.sandboxResetCommand],
    }),
    ...from(() => import('./mcp/command.ts'), {
      mcp: ['Serve an assistant (Model Context Protocol)', (module) => module.mcpCommand],
    }),
    ...from(() => import('./desk/desk-command.ts'), {
      desk: ['Take call after call: show a card, act on it', (module) => module.deskCommand],
    }),
    ...from(() => import('./local/api.ts'), {
      api: ['Send one raw request', (module) => module.apiCommand],
    }),
    ...from(() => import('./local/doctor.ts'), {
      doctor: ['Look for what may be wrong on this machine', (module) => module.doctorCommand],
    }),
    ...from(() => import('./local/schema.ts'), {
      schema: [
        'Print commands, options and schemas as JSON, or OpenAPI of the service',
        (module) => module.schemaCommand(REGISTRY),
      ],
    }),
    ...from(() => import('./local/completion.ts'), {
      completion: ['Print the completion script of a shell', (module) => module.completionCommand(REGISTRY)],
    }),
    ...from(() => import('./local/help.ts'), {
      help: ['Explain a command or a topic', (module) => module.helpCommand(REGISTRY)],
    }),
  ],
  [
    { path: ['card'], summary: 'Gift cards: look at them and change them' },
    { path: ['calendar'], summary: 'Calendars, their events and subscribers' },
    { path: ['calendar', 'event'], summary: 'Events of a calendar' },
    { path: ['calendar', 'subscribers'], summary: 'Subscribers of a calendar' },
    { path: ['auth'], summary: 'Credentials on this machine' },
    { path: ['profile'], summary: 'Where the service is, and what is allowed there' },
    { path: ['config'], summary: 'Preferences' },
    { path: ['history'], summary: 'The local record of writes', default: 'list' },
    { path: ['runs'], summary: 'Runs of many rows', default: 'list' },
    { path: ['plan'], summary: 'What would be sent, to look at and approve first' },
    { path: ['sandbox'], summary: 'The service, played on this machine', default: 'info' },
  ],
);
