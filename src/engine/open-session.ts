import type { Command } from '../commands/command.ts';
import type { Context, PromptPort } from '../context.ts';
import { refuseDisabledTls } from '../credentials/tls.ts';
import { Failure } from '../failure.ts';
import { findPlaces, requireConfigDir, requireStateDir } from '../files/paths.ts';
import { TokenMask } from '../http/mask.ts';
import { hasOption, lastValue, type RawInput } from '../options/raw-input.ts';
import { asFormat, type OutputOptions } from '../output/options.ts';
import type { Session } from '../session.ts';
import { readSettings } from '../settings/read.ts';
import { type ResolvedProfile, resolveProfile, resolveTarget } from '../settings/resolve.ts';
import {
  type PreferenceRequest,
  type ResolvedPreferences,
  resolvePreferences,
} from '../settings/resolve-preferences.ts';
import { NO_SETTINGS, SANDBOX_URL, type Settings } from '../settings/settings.ts';
import type { CaFile } from './ca-file.ts';
import type { CallState } from './call-state.ts';
import { budgetOf, caFileOf, commonValue, isUtf8, outputFlag, readCommon, wantsColour } from './common-input.ts';
import { collect } from './faults.ts';
import { checkPrinting, sensitiveMembers } from './printing.ts';
import { type Presence, terminalPrompt } from './prompt.ts';
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
    return resolvePreferences({ ...request, flag: () => undefined, env: {} });
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

/** The value of an option that is a preference; a command may give `--output` or `--timeout` a meaning of its own. */
function preferenceFlag(command: Command, input: RawInput, long: string): string | undefined {
  if (long === 'output') return outputFlag(command, input);
  return long === 'timeout' ? commonValue(command, input, long) : lastValue(input, long);
}

function outputOptions(
  context: Context,
  command: Command,
  input: RawInput,
  known: Pick<OutputOptions, 'format' | 'mask'> & { readonly profile: ResolvedProfile | undefined },
): OutputOptions {
  const { format, mask, profile } = known;
  return {
    format,
    columns: lastValue(input, 'columns'),
    sortBy: lastValue(input, 'sort-by'),
    header: !hasOption(input, 'no-header'),
    csvRaw: hasOption(input, 'csv-raw'),
    query: lastValue(input, 'query'),
    colour: wantsColour(context.env, context.stdout, input),
    unicode: isUtf8(context),
    mask,
    hideSensitive: sensitiveMembers(command, input),
    now: context.clock.now(),
    command: profile?.namedBy === undefined ? 'frontdesk' : `frontdesk -p ${profile.name}`,
  };
}

/** The certificates of `--ca-file`, read once. */
function trustOf(caFile: CaFile | undefined, env: Context['env']): () => Promise<readonly string[]> {
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
  input: RawInput,
  state: CallState,
  faults: Failure[] = [],
): Promise<OpenSession> {
  const { env, stderr } = context;
  const places = findPlaces(context);
  const mayBeNew = command.path.join(' ') === 'auth login';
  const profile = profileInUse(await loadSettings(command, places.configDir), (settings) =>
    resolveProfile({ flagProfile: lastValue(input, 'profile'), env, settings }, { mayBeNew }),
  );
  const callsService = command.kind === 'call' || command.usesProfile;
  if (callsService) await collect(faults, () => profile.get());
  const flag = (long: string) => preferenceFlag(command, input, long);
  const request = { flag, env, profile: profile.known, settings: profile.settings };
  const preferences = loadPreferences(command, request, faults);
  const format = preferences.output.value;
  if (faults.length === 0) state.format = format;
  const tokens = new TokenMask();
  const mask = (text: string) => tokens.text(text);
  state.mask = mask;
  const output = outputOptions(context, command, input, { format, mask, profile: profile.known });
  await checkPrinting(command, input, output, faults);
  if (!mustWork(command)) await collect(faults, () => refuseDisabledTls(env));
  const trustPems = trustOf(caFileOf(input, env), env);
  if (callsService) await collect(faults, trustPems);
  const common = readCommon(context, input);
  const { unicode } = output;
  const colour = wantsColour(env, stderr, input);
  const timeoutMs = preferences.timeoutMs.value;
  const { quiet, verbose } = common;
  const display = createWaitDisplay(context, { quiet, verbose, format, colour, unicode, timeoutMs });
  state.clearDisplay = () => display.clear();
  const canAsk = context.stdin.isTerminal && stderr.isTerminal && !hasOption(input, 'no-input');
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
    input,
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
  readonly input: RawInput;
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
  { input, context, profile, preferences }: Parts,
  run: Parameters<Session['adoptRun']>[0],
  useFormat: Session['useFormat'],
): void {
  const given = lastValue(input, 'profile');
  if (given !== undefined && given !== run.profile) {
    throw new Failure('USAGE', `the run belongs to profile ${run.profile}, not ${given}; nothing was sent`);
  }
  profile.known = resolveOwnProfile(run.profile, context.env, profile.settings);
  if (preferences.output.source !== 'flag') useFormat(asFormat(run.output) ?? preferences.output.value);
}
