import type { Family } from '../api/operation.ts';
import type { Command } from '../commands/command.ts';
import type { Context } from '../context.ts';
import { refuseDisabledTls } from '../credentials/tls.ts';
import { Failure, type Notice } from '../failure.ts';
import { findPlaces, requireConfigDir, requireStateDir } from '../files/paths.ts';
import { TokenMask } from '../http/mask.ts';
import { hasOption, lastValue, type RawInput } from '../input/raw-input.ts';
import { renderNotice } from '../output/failure-text.ts';
import { asFormat, type OutputOptions } from '../output/options.ts';
import { openRowWriter, renderResult, writingBeside } from '../output/render.ts';
import type { Service, Session } from '../session.ts';
import { readSettings } from '../settings/read.ts';
import { type ResolvedProfile, resolveProfile, resolveTarget } from '../settings/resolve.ts';
import {
  type PreferenceRequest,
  type ResolvedPreferences,
  resolvePreferences,
} from '../settings/resolve-preferences.ts';
import { NO_SETTINGS, SANDBOX_URL, type Settings } from '../settings/settings.ts';
import type { CallState } from './call-state.ts';
import { budgetOf, caFileOf, commonValue, isUtf8, outputFlag, readCommon, wantsColour } from './common-input.ts';
import { checkPrinting, sensitiveMembers } from './printing.ts';
import { terminalPrompt } from './prompt.ts';
import { canRedraw, createWaitDisplay } from './wait-display.ts';

export interface OpenSession extends Session {
  /** What is wrong with the common options: nothing may be sent, and the call's own faults are reported with it. */
  readonly faults: readonly Failure[];
  /** Whether a person could be asked if the call had no faults. */
  readonly canAsk: boolean;
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

/** Keeps what is wrong, to be reported with the other faults of the call. */
async function collect(faults: Failure[], check: () => unknown): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'USAGE') throw error;
    faults.push(error);
  }
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
  const { env, clock, stdout, stderr } = context;
  const common = readCommon(context, input);
  const places = findPlaces(context);
  let settings = await loadSettings(command, places.configDir);
  const mayBeNew = command.path.join(' ') === 'auth login';
  let profile: ResolvedProfile | undefined;
  const getProfile = () => {
    profile ??= resolveProfile({ flagProfile: lastValue(input, 'profile'), env, settings }, { mayBeNew });
    return profile;
  };
  const callsService = command.kind === 'call' || command.usesProfile;
  if (callsService) await collect(faults, getProfile);
  const request: PreferenceRequest = {
    flags: {
      output: outputFlag(command, input),
      timeout: commonValue(command, input, 'timeout'),
      retries: lastValue(input, 'retries'),
      retryMaxTime: lastValue(input, 'retry-max-time'),
      concurrency: lastValue(input, 'concurrency'),
    },
    env,
    profile,
    settings,
  };
  const preferences = loadPreferences(command, request, faults);
  const format = preferences.output.value;
  if (faults.length === 0) state.format = format;
  const mask = new TokenMask();
  state.mask = (text) => mask.text(text);
  let output: OutputOptions = {
    format,
    columns: lastValue(input, 'columns'),
    sortBy: lastValue(input, 'sort-by'),
    header: !hasOption(input, 'no-header'),
    csvRaw: hasOption(input, 'csv-raw'),
    query: lastValue(input, 'query'),
    colour: wantsColour(env, stdout, input),
    unicode: isUtf8(context),
    mask: (text) => mask.text(text),
    hideSensitive: sensitiveMembers(command, input),
    now: clock.now(),
    command: profile?.namedBy === undefined ? 'frontdesk' : `frontdesk -p ${profile.name}`,
  };
  await checkPrinting(command, input, output, faults);
  if (!mustWork(command)) await collect(faults, () => refuseDisabledTls(env));
  const caFile = caFileOf(input, env);
  let trust: Promise<readonly string[]> | undefined;
  const trustPems = () => {
    trust ??=
      caFile === undefined
        ? Promise.resolve([])
        : import('./ca-file.ts').then(({ readCaFile }) => readCaFile(caFile.path, env, caFile.where));
    return trust;
  };
  if (callsService) await collect(faults, trustPems);

  const notify = async (notice: Notice) => {
    if (notice.level === 'note' && common.quiet) return;
    await stderr.write(renderNotice(notice, output.format, stderr, (text) => mask.text(text)));
  };
  const display = createWaitDisplay(context, {
    quiet: common.quiet,
    verbose: common.verbose,
    format,
    colour: wantsColour(env, stderr, input),
    unicode: output.unicode,
    timeoutMs: preferences.timeoutMs.value,
  });
  state.clearDisplay = () => display.clear();
  const permitted = new Set<string>();
  const services = new Map<Family, Promise<Service & { close(): Promise<void> }>>();
  const canAsk = context.stdin.isTerminal && stderr.isTerminal && !hasOption(input, 'no-input');
  const promptUntil = (leave?: AbortSignal) =>
    terminalPrompt(
      () => {
        display.clear();
        return context.terminal();
      },
      context.signals,
      { colour: wantsColour(env, stderr, input), unicode: output.unicode, plain: !canRedraw(context) },
      // A call that is refused anyway asks nothing first.
      canAsk && faults.length === 0,
      leave,
    );
  const session: OpenSession = {
    context,
    faults,
    canAsk,
    operation: command.path.join('.'),
    common,
    get output() {
      return output;
    },
    policy: {
      timeoutMs: preferences.timeoutMs.value,
      retries: preferences.retries.value,
      retryMaxTimeMs: budgetOf(preferences),
    },
    preferences,
    get profile() {
      return getProfile();
    },
    prompt: promptUntil(),
    promptUntil,
    listener: display.listener,
    places,
    configDir: () => requireConfigDir(places),
    stateDir: () => requireStateDir(places),
    settings: async () => settings,
    async changeSettings(change) {
      const { changeSettings } = await import('../settings/write.ts');
      settings = await changeSettings({ configDir: requireConfigDir(places), pid: context.pid, clock }, change);
      profile = undefined;
      return settings;
    },
    credentialPlace: () => ({
      configDir: requireConfigDir(places),
      platform: context.platform,
      pid: context.pid,
      clock,
    }),
    baseUrl: (family) => (getProfile().isSandbox ? SANDBOX_URL : resolveTarget(getProfile(), family).url),
    service(family) {
      const known = services.get(family);
      if (known !== undefined) return known;
      const opening = import('./open-service.ts').then(({ openService }) =>
        openService(session, family, {
          onWaiting: (listener) => display.waiting(listener),
          onAnswered: () => display.clear(),
          mask,
          trustPems,
          state,
          isLasting: command.kind === 'local' && command.isLasting === true,
          isPermitted: ({ name }) => permitted.has(name),
        }),
      );
      services.set(family, opening);
      return opening;
    },
    permitWrites: ({ name }) => void permitted.add(name),
    async recorder(via) {
      const { openRecorder, NO_RECORD } = await import('../history/record.ts');
      const auditPath = env['FRONTDESK_AUDIT_LOG'] ?? '';
      const audit = auditPath === '' ? undefined : (await import('../history/audit-log.ts')).openAuditLog(auditPath);
      const user = via === undefined ? context.user : `${context.user} via ${via}`;
      const ports = { clock, pid: context.pid, user, audit };
      if (!common.history) return audit === undefined ? NO_RECORD : openRecorder({ ...ports, stateDir: undefined });
      const { stateDir } = places;
      if (stateDir !== undefined) return openRecorder({ ...ports, stateDir });
      throw new Failure(
        'LOCAL_IO',
        'the history cannot be written: there is no home folder, and FRONTDESK_STATE_DIR is not set; nothing was sent',
        { hints: ['set FRONTDESK_STATE_DIR, or add --no-history to keep no record of this write'] },
      );
    },
    adoptRun(run) {
      const given = lastValue(input, 'profile');
      if (given !== undefined && given !== run.profile) {
        throw new Failure('USAGE', `the run belongs to profile ${run.profile}, not ${given}; nothing was sent`);
      }
      const own = resolveOwnProfile(run.profile, env, settings);
      profile = own;
      if (preferences.output.source !== 'flag') session.useFormat(asFormat(run.output) ?? format);
    },
    useFormat(next) {
      output = { ...output, format: next };
      state.format = next;
    },
    print: async (result) => {
      display.clear();
      await renderResult(result, output, stdout);
    },
    openRows: (rowColumns, expectedRows, around) =>
      openRowWriter(rowColumns, output, around === undefined ? stdout : writingBeside(stdout, around), expectedRows),
    async report(failure) {
      display.clear();
      const { renderFailure } = await import('../output/failure-text.ts');
      const { widthOf } = await import('../output/line-break.ts');
      const style = {
        width: widthOf(stderr),
        debug: env['FRONTDESK_DEBUG'] === '1',
        mask: (text: string) => mask.text(text),
      };
      await stderr.write(renderFailure(failure, output.format, style));
    },
    notify: async (notice) => {
      display.clear();
      await notify(notice);
    },
    async close() {
      display.clear();
      const opened = await Promise.allSettled(services.values());
      for (const service of opened) if (service.status === 'fulfilled') await service.value.close();
    },
  };
  return session;
}
