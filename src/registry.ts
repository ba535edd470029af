import type { CallCommand, LocalCommand } from './command/command.ts';
import { type CommandEntry, createRegistry, type Registry } from './command/command-tree.ts';

type Declared = CallCommand | LocalCommand;
/** A command as a module exports it, or how it is made: one that speaks of all commands, for the registry that holds it. */
type Exported = Declared | ((registry: Registry) => Declared);
type NameIn<Module> = { [Name in keyof Module]: Module[Name] extends Exported ? Name : never }[keyof Module];

/** Commands of one module by dotted path, with the summary and the export. The module is loaded when one is used. */
function from<Module>(
  load: () => Promise<Module>,
  commands: Readonly<Record<string, readonly [summary: string, name: NameIn<Module>]>>,
): readonly CommandEntry[] {
  return Object.entries(commands).map(([words, [summary, name]]) => {
    const path = words.split('.');
    return {
      path,
      summary,
      async load() {
        // `NameIn` takes no name of anything else.
        const exported = (await load())[name] as Exported;
        return { ...(typeof exported === 'function' ? exported(REGISTRY) : exported), path };
      },
    };
  });
}

/** Every command, in the order of the overview. Its declaration and a line here make a command. */
export const REGISTRY: Registry = createRegistry(
  [
    ...from(() => import('./commands/card.ts'), {
      'card.get': ['Show cards', 'cardGet'],
      'card.activate': ['Activate cards', 'cardActivate'],
      'card.block': ['Block cards', 'cardBlock'],
      'card.reissue': ['Reissue cards', 'cardReissue'],
      'card.provision': ['Provision a card into a wallet', 'cardProvision'],
    }),
    ...from(() => import('./local/card-wait.ts'), {
      'card.wait': ['Wait until a card has a status', 'cardWaitCommand'],
    }),
    ...from(() => import('./commands/calendar.ts'), {
      'calendar.update': ['Update a calendar', 'calendarUpdate'],
      'calendar.event.create': ['Create an event', 'calendarEventCreate'],
      'calendar.subscribers.list': ['List the subscribers of a calendar', 'calendarSubscribersList'],
      'calendar.subscribers.update': ['Update a subscriber', 'calendarSubscribersUpdate'],
    }),
    ...from(() => import('./local/login.ts'), { 'auth.login': ['Store a credential', 'authLoginCommand'] }),
    ...from(() => import('./local/auth.ts'), {
      'auth.status': ['Show where credentials come from and how they stand', 'authStatusCommand'],
      'auth.logout': ['Remove stored credentials', 'authLogoutCommand'],
    }),
    ...from(() => import('./local/profile.ts'), {
      'profile.list': ['List profiles', 'profileListCommand'],
      'profile.show': ['Show one profile', 'profileShowCommand'],
      'profile.set': ['Create or change a profile', 'profileSetCommand'],
      'profile.use': ['Choose the profile that is used when none is named', 'profileUseCommand'],
      'profile.remove': ['Remove a profile and its credentials', 'profileRemoveCommand'],
    }),
    ...from(() => import('./local/config.ts'), {
      'config.list': ['List preferences', 'configListCommand'],
      'config.get': ['Show one preference', 'configGetCommand'],
      'config.set': ['Set a preference', 'configSetCommand'],
      'config.unset': ['Take a preference away', 'configUnsetCommand'],
      'config.path': ['Show where the settings file is', 'configPathCommand'],
    }),
    ...from(() => import('./local/history.ts'), {
      'history.list': ['List writes, newest first', 'historyListCommand'],
      'history.show': ['Show one write', 'historyShowCommand'],
      'history.resolve': ['Record what became of a write of unknown outcome', 'historyResolveCommand'],
      'history.reconcile': ['Read the cards of unknown writes, and record what they show', 'historyReconcileCommand'],
      'history.prune': ['Delete old writes from the history', 'historyPruneCommand'],
    }),
    ...from(() => import('./local/runs.ts'), {
      'runs.list': ['List runs, newest first', 'runsListCommand'],
      'runs.show': ['Show one run', 'runsShowCommand'],
      'runs.report': ['Print a document about a run: html, junit or markdown', 'runsReportCommand'],
      'runs.results': ['Print the rows of a run again', 'runsResultsCommand'],
      'runs.resume': ['Go on with a run', 'runsResumeCommand'],
      'runs.revert': ['Plan to put back what a run changed', 'runsRevertCommand'],
      'runs.remove': ['Delete what a run kept', 'runsRemoveCommand'],
    }),
    ...from(() => import('./local/plan.ts'), {
      'plan.show': ['Show what a plan would send and what became of it', 'planShowCommand'],
      'plan.approve': ['Sign a plan, so that it may be applied', 'planApproveCommand'],
      'plan.apply': ['Send exactly the rows of a plan', 'planApplyCommand'],
    }),
    ...from(() => import('./local/sandbox.ts'), {
      'sandbox.info': ['List the ids of the sandbox, or its choices', 'sandboxInfoCommand'],
      'sandbox.serve': ['Run the sandbox for other programs', 'sandboxServeCommand'],
      'sandbox.reset': ['Put the sandbox back to how it was at first', 'sandboxResetCommand'],
    }),
    ...from(() => import('./mcp/command.ts'), { mcp: ['Serve an assistant (Model Context Protocol)', 'mcpCommand'] }),
    ...from(() => import('./desk/desk-command.ts'), {
      desk: ['Take call after call: show a card, act on it', 'deskCommand'],
    }),
    ...from(() => import('./local/api.ts'), { api: ['Send one raw request', 'apiCommand'] }),
    ...from(() => import('./local/doctor.ts'), {
      doctor: ['Look for what may be wrong on this machine', 'doctorCommand'],
    }),
    ...from(() => import('./local/schema.ts'), {
      schema: ['Print commands, options and schemas as JSON, or as OpenAPI', 'schemaCommand'],
    }),
    ...from(() => import('./local/completion.ts'), {
      completion: ['Print the completion script of a shell', 'completionCommand'],
    }),
    ...from(() => import('./local/help.ts'), { help: ['Explain a command or a topic', 'helpCommand'] }),
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
