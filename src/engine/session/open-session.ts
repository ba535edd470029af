import type { Family, Operation } from '../../api/operation.ts';
import type { CallGiven, Command } from '../../commands/command.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { findPlaces } from '../../files/paths.ts';
import { TokenMask } from '../../http/mask.ts';
import { paintsErrors, wantsColour } from '../../output/failure-text.ts';
import type { OutputOptions } from '../../output/options.ts';
import { type CallState, type CommonInput, Session, type SessionParts } from '../../session.ts';
import { readSettings } from '../../settings/read.ts';
import { type ResolvedProfile, resolveProfile } from '../../settings/resolve.ts';
import {
  type PreferenceRequest,
  type ResolvedPreferences,
  resolvePreferences,
} from '../../settings/resolve-preferences.ts';
import { NO_SETTINGS, type Settings } from '../../settings/settings.ts';
import { terminalPrompt } from '../ask/prompt.ts';
import { collect } from '../faults.ts';
import type { Given } from '../read-given.ts';
import { budgetOf, isUtf8, readCommon, refuseDisabledTls } from './common-input.ts';
import type { OpenService, ServiceOptions } from './open-service.ts';
import { checkPrinting, sensitiveMembers } from './printing.ts';
import { canRedraw, createWaitDisplay, isAccessible, type WaitDisplay } from './wait-display.ts';

/** Commands that report what is wrong with settings and environment work although both are. */
function mustWork(command: Command): boolean {
  return command.kind === 'local' && !command.needsSettings;
}

/** Settings for a command; one that fixes things works without those that are damaged. */
async function loadSettings(command: Command, configDir: string | undefined): Promise<Settings> {
  try {
    return await readSettings(configDir);
  } catch (error) {
    if (mustWork(command) && error instanceof Failure) return NO_SETTINGS;
    throw error;
  }
}

/** Preferences for a command; one that must work does without an environment that cannot be obeyed. */
function loadPreferences(command: Command, request: PreferenceRequest, faults: Failure[]): ResolvedPreferences {
  try {
    return resolvePreferences(request);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (mustWork(command)) return resolvePreferences({ ...request, env: {} });
    faults.push(error);
    return resolvePreferences({ ...request, flags: {}, env: {} });
  }
}

function outputOptions(
  context: Context,
  command: Command,
  given: Given,
  call: CallGiven | undefined,
  known: Pick<OutputOptions, 'format' | 'mask'> & { readonly profile: ResolvedProfile | undefined },
): OutputOptions {
  const { format, mask, profile } = known;
  const { common } = given;
  return {
    format,
    columns: common.columns,
    sortBy: common.sortBy,
    header: common.noHeader !== true,
    csvRaw: common.csvRaw === true,
    query: common.query,
    colour: wantsColour(context, context.stdout),
    unicode: isUtf8(context),
    isAccessible: isAccessible(context),
    mask,
    hideSensitive: sensitiveMembers(command, call),
    now: context.clock.now(),
    command: profile?.namedBy === undefined ? 'frontdesk' : `frontdesk -p ${profile.name}`,
  };
}

/** The certificates of `--ca-file`, read once. */
function trustOf(caFile: CommonInput['caFile'], env: Context['env']): () => Promise<readonly string[]> {
  let trust: Promise<readonly string[]> | undefined;
  return () => {
    trust ??=
      caFile === undefined
        ? Promise.resolve([])
        : import('./ca-file.ts').then(({ readCaFile }) => readCaFile(caFile.path, env, caFile.where));
    return trust;
  };
}

/** Makes the questions of a call; what is drawn on the terminal goes before one is asked. */
function promptsOf(
  context: Context,
  display: Pick<WaitDisplay, 'clear'>,
  {
    colour,
    unicode,
    isAvailable,
  }: { readonly colour: boolean; readonly unicode: boolean; readonly isAvailable: boolean },
): SessionParts['promptUntil'] {
  const look = context.env['TERM'] === 'dumb' ? 'dumb' : canRedraw(context) ? 'drawn' : 'lines';
  const open = () => {
    display.clear();
    return context.terminal();
  };
  return (presence) => terminalPrompt(open, context.signals, { colour, unicode, look }, isAvailable, presence);
}

/** The services of a session, each opened when it is first asked for. */
class Services {
  readonly #options: Omit<ServiceOptions, 'isPermitted'>;
  readonly #permitted = new Set<string>();
  readonly #opened = new Map<Family, Promise<OpenService>>();

  constructor(options: Omit<ServiceOptions, 'isPermitted'>) {
    this.#options = options;
  }

  open(family: Family, session: Session): Promise<OpenService> {
    const known = this.#opened.get(family);
    if (known !== undefined) return known;
    const isPermitted = ({ name }: Operation) => this.#permitted.has(name);
    const opening = import('./open-service.ts').then(({ openService }) =>
      openService(session, family, { ...this.#options, isPermitted }),
    );
    this.#opened.set(family, opening);
    return opening;
  }

  permit({ name }: Operation): void {
    this.#permitted.add(name);
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#opened.values());
    for (const service of opened) if (service.status === 'fulfilled') await service.value.close();
  }
}

/**
 * Opens the session of one call: reads its common options and settings, and nothing else yet. `faults` holds what is
 * wrong with the command line so far.
 */
export async function openSession(
  context: Context,
  command: Command,
  given: Given,
  call: CallGiven | undefined,
  state: CallState,
  faults: Failure[],
): Promise<Session> {
  const { env, stderr } = context;
  const places = findPlaces(context);
  const mayBeNew = command.path.join(' ') === 'auth login';
  const settings = await loadSettings(command, places.configDir);
  const chooseProfile = (known: Settings) =>
    resolveProfile({ flagProfile: given.common.profile, env, settings: known }, { mayBeNew });
  const callsService = command.kind === 'call' || command.usesProfile;
  let profile: ResolvedProfile | undefined;
  if (callsService) {
    await collect(faults, () => {
      profile = chooseProfile(settings);
    });
  }
  const request = { flags: given.common, env, profile, settings };
  const preferences = loadPreferences(command, request, faults);
  const format = preferences.output.value;
  if (faults.length === 0) state.format = format;
  const tokens = new TokenMask();
  const mask = (text: string) => tokens.text(text);
  state.mask = mask;
  const output = outputOptions(context, command, given, call, { format, mask, profile });
  const changing = { settings, profile, output };
  await checkPrinting(command, call, output, faults);
  if (!mustWork(command)) await collect(faults, () => refuseDisabledTls(env));
  const common = readCommon(context, given.common);
  const trustPems = trustOf(common.caFile, env);
  if (callsService) await collect(faults, trustPems);
  const { unicode } = output;
  const colour = paintsErrors(context);
  const timeoutMs = preferences.timeoutMs.value;
  const { quiet, verbose } = common;
  const display = createWaitDisplay(context, { quiet, verbose, format, colour, unicode, timeoutMs });
  state.clearDisplay = () => display.clear();
  const canAsk = context.stdin.isTerminal && stderr.isTerminal && given.common.noInput !== true;
  // A call that is refused anyway asks nothing first.
  const isAvailable = canAsk && faults.length === 0;
  return new Session({
    context,
    operation: command.path.join('.'),
    state,
    faults,
    places,
    changing,
    preferences,
    policy: {
      timeoutMs,
      retries: preferences.retries.value,
      retryMaxTimeMs: budgetOf(preferences),
    },
    common,
    display,
    canAsk,
    chooseProfile,
    promptUntil: promptsOf(context, display, { colour, unicode, isAvailable }),
    services: new Services({
      display,
      mask: tokens,
      trustPems,
      state,
      isLasting: command.kind === 'local' && command.isLasting === true,
    }),
  });
}
