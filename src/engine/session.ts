import type { Family, Operation } from '../api/operation.ts';
import { type CallCommand, type Command, isMany } from '../commands/command.ts';
import { FORMATS } from '../commands/common-options.ts';
import type { CommonInput, Service, Session } from '../commands/session.ts';
import type { Context, OutputPort } from '../context.ts';
import { refuseDisabledTls } from '../credentials/tls.ts';
import { Failure } from '../failure.ts';
import { findPlaces, requireConfigDir, requireStateDir } from '../files/paths.ts';
import type { Notice } from '../http/call.ts';
import { TokenMask } from '../http/mask.ts';
import { hasOption, lastValue, type RawInput } from '../input/raw-input.ts';
import { type Column, type IsOpenPath, openUnder } from '../output/column.ts';
import { renderNotice } from '../output/failure-text.ts';
import type { Format, OutputOptions } from '../output/options.ts';
import { checkOutput, openRowWriter, renderResult } from '../output/render.ts';
import { readSettings } from '../settings/read.ts';
import { type ResolvedProfile, resolveProfile, resolveTarget } from '../settings/resolve.ts';
import {
  type PreferenceRequest,
  type ResolvedPreferences,
  resolvePreferences,
} from '../settings/resolve-preferences.ts';
import { NO_SETTINGS, type Settings } from '../settings/settings.ts';
import type { CaFile } from './ca-file.ts';
import type { CallState } from './program.ts';
import { terminalPrompt } from './prompt.ts';
import { canRedraw, createWaitDisplay } from './wait-display.ts';

/** The base URL shown by `--dry-run` in the sandbox, whose port is chosen when it starts. */
const SANDBOX_URL = 'http://127.0.0.1';

export interface OpenSession extends Session {
  /** What is wrong with the common options: nothing may be sent, and the call's own faults are told with it. */
  readonly faults: readonly Failure[];
  close(): Promise<void>;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}

function readCommon(context: Context, input: RawInput): CommonInput {
  return {
    quiet: hasOption(input, 'quiet'),
    verbose: hasOption(input, 'verbose'),
    dryRun: hasOption(input, 'dry-run'),
    yes: hasOption(input, 'yes'),
    history: !hasOption(input, 'no-history') && !isSet(context.env['FRONTDESK_NO_HISTORY']),
    ignoreExpiry: hasOption(input, 'ignore-expiry'),
  };
}

/** Colour is for terminals only: a pipe never carries an escape sequence, whatever FORCE_COLOR says. */
function wantsColour(env: Context['env'], output: OutputPort, input: RawInput): boolean {
  if (!output.isTerminal || hasOption(input, 'no-color') || isSet(env['NO_COLOR'])) return false;
  return isSet(env['FORCE_COLOR']) || env['TERM'] !== 'dumb';
}

function isUtf8({ env, platform }: Context): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '');
  return platform === 'win32' || platform === 'darwin' || /utf-?8/i.test(locale ?? '');
}

/** One attempt may always take the whole of its own limit: a longer --timeout is not cut at the built-in budget. */
function budgetOf({ timeoutMs, retryMaxTimeMs }: ResolvedPreferences): number {
  return retryMaxTimeMs.source === 'flag' ? retryMaxTimeMs.value : Math.max(retryMaxTimeMs.value, timeoutMs.value);
}

/** Names that a command's own options take away from the common ones (`profile set --output`, `card wait --timeout`). */
function commonValue(command: Command, input: RawInput, long: string): string | undefined {
  return command.options.some((option) => option.long === long) ? undefined : lastValue(input, long);
}

/** An empty variable counts as one that is not set. */
function caFileOf(input: RawInput, env: Context['env']): CaFile | undefined {
  const flag = lastValue(input, 'ca-file');
  if (flag !== undefined) return { path: flag, where: '--ca-file' };
  const path = env['FRONTDESK_CA_FILE'] ?? '';
  return path === '' ? undefined : { path, where: 'FRONTDESK_CA_FILE' };
}

/** `--json` is `--output json`: of both, the later one counts. */
function outputFlag(command: Command, input: RawInput): string | undefined {
  const output = commonValue(command, input, 'output');
  const last = [...input.options.keys()].findLast(
    (long) => long === 'json' || (long === 'output' && output !== undefined),
  );
  return last === 'json' ? 'json' : output;
}

function sensitiveMembers(command: Command, input: RawInput): readonly string[] {
  if (command.kind !== 'call' || hasOption(input, 'show-sensitive')) return [];
  const rows: readonly Operation[] =
    'rows' in command.operation ? Object.values(command.operation.rows) : [command.operation];
  return rows.flatMap((row) => (row.effect.kind === 'write' ? (row.effect.sensitive ?? []) : []));
}

/** Which dotted paths `--columns` may name besides the fixed columns. */
function openPaths(command: Command, isRun: boolean): IsOpenPath {
  if (command.kind === 'local') return () => true;
  return isRun && command.writes ? openUnder('resource', 'error') : openUnder('metadata', 'transactions');
}

/** The columns that `--columns` may name: those of a write over many rows are those of its results. */
async function printedColumns(command: CallCommand, input: RawInput): Promise<readonly Column[]> {
  if (!command.writes || !isMany(command, input)) return command.columns;
  const { RUN_COLUMNS } = await import('./many/run-rows.ts');
  return RUN_COLUMNS;
}

/** Commands that tell what is wrong with settings and environment work although both are. */
function mustWork(command: Command): boolean {
  return command.kind === 'local' && !command.needsSettings;
}

/** The profile of a run: the one that the environment makes up has no stored settings to name. */
function resolveOwnProfile(name: string, env: Context['env'], settings: Settings): ResolvedProfile {
  const isNamed = name !== 'default' || settings.profiles.has('default');
  return resolveProfile({ flagProfile: isNamed ? name : undefined, env, settings });
}

function formatOf(value: unknown): Format | undefined {
  return FORMATS.find((format) => format === value);
}

/** Settings for a command; one that mends things works without those that are damaged. */
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

/** Whether the result can be printed as asked; what is wrong is kept to be told with the other faults of the call. */
async function checkPrinting(
  command: Command,
  input: RawInput,
  output: OutputOptions,
  faults: Failure[],
): Promise<void> {
  const columns = command.kind === 'call' ? await printedColumns(command, input) : [];
  const isRun = command.kind === 'call' && isMany(command, input);
  try {
    await checkOutput(output, columns, openPaths(command, isRun), isRun);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    faults.push(error);
  }
}

/** Opens the session of one call: reads its common options and settings, and nothing else yet. */
export async function openSession(
  context: Context,
  command: Command,
  input: RawInput,
  state: CallState,
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
  if (command.kind === 'call' || command.usesProfile) getProfile();
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
  const faults: Failure[] = [];
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
  if (!mustWork(command)) refuseDisabledTls(env);

  const notify = async (notice: Notice) => {
    if (notice.level === 'note' && common.quiet) return;
    await stderr.write(renderNotice(notice, output.format, stderr.isTerminal, (text) => mask.text(text)));
  };
  const display = createWaitDisplay(context, {
    quiet: common.quiet,
    verbose: common.verbose,
    format,
    colour: wantsColour(env, stderr, input),
    unicode: output.unicode,
  });
  state.clearDisplay = () => display.clear();
  const services = new Map<Family, Promise<Service & { close(): Promise<void> }>>();
  const session: OpenSession = {
    context,
    faults,
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
    prompt: terminalPrompt(
      () => {
        display.clear();
        return context.terminal();
      },
      context.signals,
      { colour: wantsColour(env, stderr, input), unicode: output.unicode, plain: !canRedraw(context) },
      // A call that is refused anyway asks nothing first.
      context.stdin.isTerminal && stderr.isTerminal && !hasOption(input, 'no-input') && faults.length === 0,
    ),
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
      const opening = import('./service.ts').then(({ openService }) =>
        openService(session, family, {
          onWaiting: (listener) => display.waiting(listener),
          onAnswered: () => display.clear(),
          mask,
          caFile: caFileOf(input, env),
          state,
        }),
      );
      services.set(family, opening);
      return opening;
    },
    async recorder() {
      const { openRecorder, NO_RECORD } = await import('../history/record.ts');
      if (!common.history) return NO_RECORD;
      const { stateDir } = places;
      if (stateDir !== undefined) return openRecorder({ stateDir, clock, pid: context.pid, user: context.user });
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
      if (preferences.output.source !== 'flag') session.useFormat(formatOf(run.output) ?? format);
    },
    useFormat(next) {
      output = { ...output, format: next };
      state.format = next;
    },
    print: async (result) => {
      display.clear();
      await renderResult(result, output, stdout);
    },
    openRows: (rowColumns, expectedRows) => openRowWriter(rowColumns, output, stdout, expectedRows),
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
