import type { CallGiven, Command } from '../commands/command.ts';
import type { Context, PromptPort } from '../context.ts';
import { refuseDisabledTls } from '../credentials/tls.ts';
import { Failure } from '../failure.ts';
import { findPlaces, requireConfigDir, requireStateDir } from '../files/paths.ts';
import { TokenMask } from '../http/mask.ts';
import { asFormat, type OutputOptions } from '../output/options.ts';
import type { CommonInput, Session } from '../session.ts';
import { readSettings } from '../settings/read.ts';
import { type ResolvedProfile, resolveProfile, resolveTarget } from '../settings/resolve.ts';
import {
  type PreferenceRequest,
  type ResolvedPreferences,
  resolvePreferences,
} from '../settings/resolve-preferences.ts';
import { NO_SETTINGS, SANDBOX_URL, type Settings } from '../settings/settings.ts';
import type { CallState } from './call-state.ts';
import { budgetOf, isUtf8, readCommon, wantsColour } from './common-input.ts';
import { collect } from './faults.ts';
import { checkPrinting, sensitiveMembers } from './printing.ts';
import { type Presence, terminalPrompt } from './prompt.ts';
import type { Given } from './read-given.ts';
import { openRecorderOf, printerOf, Services } from './session-parts.ts';
import { canRedraw, createWaitDisplay, type WaitDisplay } from './wait-display.ts';

export interface OpenSession extends Session {
  /** What is wrong with the common options: nothing may be sent, and the call's own faults are reported with it. */
  readonly faults: readonly Failure[];
  /** Whether a person could be asked if the call had no faults. */
  readonly canAsk: boolean;
  /** The same questions, left without an answer when nobody seems to be there. */
  promptUntil(presence: Presence): PromptPort;
  close(): Promise<void>;
}

/** Commands that report what is wrong with settings and environment work although both are. */
function mustWork(command: Command): boolean {
  return command.kind === 'local' && !command.needsSettings;
}

/** The profile of a run: the one that the environment makes up has no stored settings to name. */
function resolveOwnProfile(name: string, env: Context['env'], settings: Settings): ResolvedProfile {
  const isNamed = name !== 'default' || settings.profiles.has('default');
  return resolveProfile({ flagProfile: isNamed ? name : undefined, env, settings });
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

/** The settings of a call, and its profile, which is chosen when it is first asked for. */
function profileInUse(settings: Settings, choose: (settings: Settings) => ResolvedProfile) {
  return {
    settings,
    /** Undefined: nobody has asked for it yet. */
    known: undefined as ResolvedProfile | undefined,
    get(): ResolvedProfile {
      this.known ??= choose(this.settings);
      return this.known;
    },
  };
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
    colour: wantsColour(context.env, context.stdout, common),
    unicode: isUtf8(context),
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
): Promise<OpenSession> {
  const { env, stderr } = context;
  const places = findPlaces(context);
  const mayBeNew = command.path.join(' ') === 'auth login';
  const profile = profileInUse(await loadSettings(command, places.configDir), (settings) =>
    resolveProfile({ flagProfile: given.common.profile, env, settings }, { mayBeNew }),
  );
  const callsService = command.kind === 'call' || command.usesProfile;
  if (callsService) await collect(faults, () => profile.get());
  const request = { flags: given.common, env, profile: profile.known, settings: profile.settings };
  const preferences = loadPreferences(command, request, faults);
  const format = preferences.output.value;
  if (faults.length === 0) state.format = format;
  const tokens = new TokenMask();
  const mask = (text: string) => tokens.text(text);
  state.mask = mask;
  const output = outputOptions(context, command, given, call, { format, mask, profile: profile.known });
  await checkPrinting(command, call, output, faults);
  if (!mustWork(command)) await collect(faults, () => refuseDisabledTls(env));
  const common = readCommon(context, given.common);
  const trustPems = trustOf(common.caFile, env);
  if (callsService) await collect(faults, trustPems);
  const { unicode } = output;
  const colour = wantsColour(env, stderr, given.common);
  const timeoutMs = preferences.timeoutMs.value;
  const { quiet, verbose } = common;
  const display = createWaitDisplay(context, { quiet, verbose, format, colour, unicode, timeoutMs });
  state.clearDisplay = () => display.clear();
  const canAsk = context.stdin.isTerminal && stderr.isTerminal && given.common.noInput !== true;
  const open = () => {
    display.clear();
    return context.terminal();
  };
  const look = env['TERM'] === 'dumb' ? 'dumb' : canRedraw(context) ? 'drawn' : 'lines';
  const style = { colour, unicode, look } as const;
  // A call that is refused anyway asks nothing first.
  const promptUntil = (presence?: Presence) =>
    terminalPrompt(open, context.signals, style, canAsk && faults.length === 0, presence);
  const services = new Services({
    display,
    mask: tokens,
    trustPems,
    state,
    isLasting: command.kind === 'local' && command.isLasting === true,
  });
  return sessionOf({
    context,
    command,
    state,
    faults,
    places,
    profile,
    preferences,
    output,
    common,
    display,
    canAsk,
    promptUntil,
    services,
  });
}

/** What a session is made of. */
interface Parts extends Pick<OpenSession, 'context' | 'faults' | 'canAsk' | 'common' | 'preferences' | 'places'> {
  readonly command: Command;
  readonly state: CallState;
  readonly profile: ReturnType<typeof profileInUse>;
  readonly display: WaitDisplay;
  readonly services: Services;
  readonly promptUntil: (presence?: Presence) => PromptPort;
  output: OutputOptions;
}

function sessionOf(parts: Parts): OpenSession {
  const { context, faults, canAsk, common, preferences, places, promptUntil, profile, display, services } = parts;
  const { clock, pid, platform } = context;
  const configDir = () => requireConfigDir(places);
  const session: OpenSession = {
    context,
    faults,
    canAsk,
    operation: parts.command.path.join('.'),
    common,
    get output() {
      return parts.output;
    },
    policy: {
      timeoutMs: preferences.timeoutMs.value,
      retries: preferences.retries.value,
      retryMaxTimeMs: budgetOf(preferences),
    },
    preferences,
    get profile() {
      return profile.get();
    },
    prompt: promptUntil(),
    promptUntil,
    listener: display.listener,
    places,
    configDir,
    stateDir: () => requireStateDir(places),
    settings: async () => profile.settings,
    async changeSettings(change) {
      const { changeSettings } = await import('../settings/write.ts');
      profile.settings = await changeSettings({ configDir: configDir(), pid, clock }, change);
      profile.known = undefined;
      return profile.settings;
    },
    credentialPlace: () => ({ configDir: configDir(), platform, pid, clock }),
    baseUrl: (family) => (profile.get().isSandbox ? SANDBOX_URL : resolveTarget(profile.get(), family).url),
    service: (family) => services.open(family, session),
    permitWrites: (operation) => services.permit(operation),
    recorder: (via) => openRecorderOf(context, places, common, via),
    adoptRun: (run) => adoptRun(parts, run, (format) => session.useFormat(format)),
    dropAtSignal(path) {
      parts.state.temporary = path;
    },
    useFormat(next, dialect) {
      parts.output = { ...parts.output, format: next, dialect };
      parts.state.format = next;
    },
    showSensitive() {
      parts.output = { ...parts.output, hideSensitive: [] };
    },
    ...printerOf(context, common, display, () => parts.output),
    async close() {
      display.clear();
      await services.close();
    },
  };
  return session;
}

/** USAGE when another profile was named than that of the run. */
function adoptRun(
  { common, context, profile, preferences }: Parts,
  run: Parameters<Session['adoptRun']>[0],
  useFormat: Session['useFormat'],
): void {
  const given = common.profile;
  if (given !== undefined && given !== run.profile) {
    throw new Failure('USAGE', `the run belongs to profile ${run.profile}, not ${given}; nothing was sent`);
  }
  profile.known = resolveOwnProfile(run.profile, context.env, profile.settings);
  if (preferences.output.source !== 'flag') useFormat(asFormat(run.output) ?? preferences.output.value);
}
