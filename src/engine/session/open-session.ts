import { type Family, type Operation, sensitiveOf } from '../../api/operation.ts';
import { idleTimer } from '../../ask/idle-timer.ts';
import { terminalPrompt } from '../../ask/prompt.ts';
import { canRedraw, createWaitDisplay, isAccessible, type WaitDisplay } from '../../ask/wait-display.ts';
import type { CallState } from '../../call-state.ts';
import { type Command, rowsOfCommand } from '../../command/command.ts';
import { printingFaults } from '../../command/printing.ts';
import type { Given } from '../../command/read-given.ts';
import { type Context, isSwitchedOn } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { findPlaces } from '../../files/paths.ts';
import type { CallPolicy } from '../../http/call.ts';
import { TokenMask } from '../../http/mask.ts';
import { collect } from '../../output/collect.ts';
import { paintsErrors, wantsColour } from '../../output/failure-text.ts';
import type { OutputOptions } from '../../output/options.ts';
import { createSession, type Facts, openShared, type Session } from '../../session.ts';
import { readSettings } from '../../settings/read.ts';
import {
  type PreferenceRequest,
  type ResolvedPreferences,
  type ResolvedProfile,
  resolvePreferences,
  resolveProfile,
} from '../../settings/resolve.ts';
import { NO_SETTINGS, type Settings } from '../../settings/settings.ts';
import type { OpenService, ServiceOptions } from './open-service.ts';

/** Commands that report what is wrong with settings and environment, and must work. */
function mustWork(command: Command): boolean {
  return command.kind === 'local' && !command.needsSettings;
}

/** The desk and the server of assistants, which serve call after call. */
function isLasting(command: Command): boolean {
  return command.kind === 'local' && command.isLasting === true;
}

/** The preferences for a command. One that must work ignores bad variables. */
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

/** Can borders and marks beyond ASCII be shown? */
function isUtf8({ env, platform }: Context): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '');
  return platform === 'win32' || platform === 'darwin' || /utf-?8/i.test(locale ?? '');
}

function outputOptions(
  context: Context,
  command: Command,
  given: Given,
  { profile, ...known }: Pick<OutputOptions, 'format' | 'mask'> & { readonly profile: ResolvedProfile | undefined },
): OutputOptions {
  const { out, showSensitive } = given.own;
  const { columns, sortBy, query, raw, noHeader, csvRaw } = given.common;
  return {
    ...known,
    ...{ columns, sortBy, query, raw, header: noHeader !== true, csvRaw: csvRaw === true },
    out: known.format === 'xlsx' && typeof out === 'string' ? out : undefined,
    colour: wantsColour(context, context.stdout),
    unicode: isUtf8(context),
    isAccessible: isAccessible(context),
    hideSensitive: command.kind === 'local' || showSensitive ? [] : rowsOfCommand(command).flatMap(sensitiveOf),
    now: context.clock.now(),
    command: isLasting(command) ? undefined : `frontdesk${profile?.namedBy === undefined ? '' : ` -p ${profile.name}`}`,
  };
}

function policyOf({ timeoutMs, retries, retryMaxTimeMs: { value, source } }: ResolvedPreferences): CallPolicy {
  // One attempt may always take its own limit: the default budget does not cut a longer --timeout.
  const retryMaxTimeMs = source === 'flag' ? value : Math.max(value, timeoutMs.value);
  return { timeoutMs: timeoutMs.value, retries: retries.value, retryMaxTimeMs };
}

/** USAGE if Node would accept any certificate: a token would go to one that has expired (measured). */
export function refuseDisabledTls(env: Context['env']): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw Failure.unsent('USAGE', 'NODE_TLS_REJECT_UNAUTHORIZED=0 switches the verification of certificates off', {
    hints: ['unset NODE_TLS_REJECT_UNAUTHORIZED. To trust your own certificate, use --ca-file <pem>'],
  });
}

/** The file of additional certificates. An empty variable counts as unset. */
export function caFileOf({ common, context }: Pick<Session, 'common' | 'context'>): string | undefined {
  return common.caFile ?? (context.env['FRONTDESK_CA_FILE'] || undefined);
}

function trustOf(session: Pick<Session, 'common' | 'context'>): () => Promise<readonly string[]> {
  const path = caFileOf(session);
  const where = session.common.caFile === undefined ? 'FRONTDESK_CA_FILE' : '--ca-file';
  let trust: Promise<readonly string[]> | undefined;
  const read = async () =>
    path === undefined ? [] : (await import('./ca-file.ts')).readCaFile(path, session.context.env, where);
  return () => {
    trust ??= read();
    return trust;
  };
}

/** Makes the questions of a call, which remove what is drawn on the terminal first. */
function promptsOf(
  context: Context,
  { clear }: Pick<WaitDisplay, 'clear'>,
  { unicode }: OutputOptions,
  isAvailable: boolean,
): Facts['promptUntil'] {
  const look = context.env['TERM'] === 'dumb' ? 'dumb' : canRedraw(context) ? 'drawn' : 'lines';
  const style = { colour: paintsErrors(context), unicode, look } as const;
  const open = () => {
    clear();
    return context.terminal();
  };
  return (idleMs, onLostPaste) => {
    const idle = idleMs === undefined ? undefined : idleTimer(context.clock, idleMs);
    return terminalPrompt(open, context.signals, style, isAvailable, { idle, onLostPaste });
  };
}

/** The services of a call, each opened at its first use. */
function lazyServices(options: Omit<ServiceOptions, 'isPermitted'>) {
  const permitted = new Set<string>();
  const isPermitted = ({ name }: Operation) => permitted.has(name);
  const opened = new Map<Family, Promise<OpenService>>();
  const open = async (family: Family, session: Session) =>
    (await import('./open-service.ts')).openService(session, family, { ...options, isPermitted });
  return {
    open(family: Family, session: Session) {
      const service = opened.get(family) ?? open(family, session);
      opened.set(family, service);
      // The cause may be repaired while a program that lasts continues.
      service.catch(() => opened.delete(family));
      return service;
    },
    permit: ({ name }: Operation) => void permitted.add(name),
    async close() {
      const services = await Promise.allSettled(opened.values());
      for (const service of services) if (service.status === 'fulfilled') await service.value.close();
    },
  };
}

/** Opens the session of one call. `faults`: what is wrong with the command line so far. */
export async function openSession(
  context: Context,
  command: Command,
  given: Given,
  state: CallState,
  faults: Failure[],
): Promise<Session> {
  const { env, stderr } = context;
  const places = findPlaces(context);
  const mayBeNew = command.path.join(' ') === 'auth login';
  // A command that repairs things works without damaged settings.
  const settings = await readSettings(places.configDir).catch((error: unknown) => {
    if (mustWork(command) && error instanceof Failure) return NO_SETTINGS;
    throw error;
  });
  const choose = (known: Settings) =>
    resolveProfile({ flagProfile: given.common.profile, env, settings: known }, { mayBeNew });
  const callsService = command.kind === 'call' || command.usesProfile;
  const profile = callsService ? await collect(faults, () => choose(settings)) : undefined;
  const request = { flags: given.common, env, profile, settings };
  const preferences = loadPreferences(command, request, faults);
  if (preferences.timeZone.value !== '') context.timeZone?.use(preferences.timeZone.value);
  const format = preferences.output.value;
  if (faults.length === 0) state.format = format;
  const tokens = new TokenMask();
  const mask = (text: string) => tokens.text(text);
  state.mask = mask;
  const output = outputOptions(context, command, given, { format, mask, profile });
  faults.push(...(await printingFaults(command, given, output, context.stdout)));
  if (!mustWork(command)) await collect(faults, () => refuseDisabledTls(env));
  const { common } = given;
  const trustPems = trustOf({ common, context });
  if (callsService) await collect(faults, trustPems);
  const policy = policyOf(preferences);
  const look = { colour: paintsErrors(context), unicode: output.unicode };
  const display = createWaitDisplay(context, { ...common, ...look, format, timeoutMs: policy.timeoutMs });
  state.clearDisplay = display.clear;
  const canAsk = context.stdin.isTerminal && stderr.isTerminal && common.noInput !== true;
  // A call that will be refused asks nothing.
  const promptUntil = promptsOf(context, display, output, canAsk && faults.length === 0);
  const services = lazyServices({ display, mask: tokens, trustPems, state, isLasting: isLasting(command) });
  const facts: Facts = {
    operation: command.path.join('.'),
    common,
    preferences,
    places,
    faults,
    canAsk,
    keepsHistory: common.noHistory !== true && isSwitchedOn(env, 'FRONTDESK_NO_HISTORY') !== true,
    done: state.done,
    promptUntil,
    permitWrites: services.permit,
    async close() {
      display.clear();
      for (const drop of state.temporary) await drop().catch(() => undefined);
      await services.close();
    },
  };
  const first = { settings, profile, output, choose };
  const { shared, ...ports } = openShared(context, state, facts, first);
  const session: Session = createSession(shared, {
    ...ports,
    context,
    policy,
    prompt: promptUntil(),
    listener: display.listener,
    caller: 'command',
    service: (family) => services.open(family, session),
  });
  return session;
}
