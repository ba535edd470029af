import { type Context, isOnElsewhere, isSwitchedOn } from '../base/context.ts';
import { collect, Failure, usageFailure } from '../base/failure.ts';
import { ifPossible } from '../base/files/io-failure.ts';
import { findPlaces, unexpandedProblem, unusablePaths } from '../base/files/paths.ts';
import type { CallState } from '../command/call-state.ts';
import { type Command, rowsOfCommand } from '../command/command.ts';
import type { CommandValues } from '../command/command-values.ts';
import { printingFaults } from '../command/printing.ts';
import { openSeenCards, type SeenCards, seenCard } from '../command/seen-cards.ts';
import { createSession, type Facts, type Session } from '../command/session.ts';
import { readSettings } from '../profile/read.ts';
import {
  environmentTokens,
  namedProfile,
  type PreferenceRequest,
  type ResolvedPreferences,
  type ResolvedProfile,
  resolvePreferences,
  resolveProfile,
  switchFaults,
} from '../profile/resolve.ts';
import { NO_SETTINGS, type Settings } from '../profile/settings.ts';
import type { KnownCardsPlace } from '../records/remember-cards.ts';
import { isUtf8, paintsErrors, wantsColour } from '../screen/failure-text.ts';
import type { OutputOptions } from '../screen/options.ts';
import { type Family, type Operation, sensitiveOf } from '../service/api/operation.ts';
import type { CallPolicy } from '../service/http/call.ts';
import { TokenMask } from '../service/http/mask.ts';
import { idleTimer } from '../writes/ask/idle-timer.ts';
import { terminalPrompt } from '../writes/ask/prompt.ts';
import { refuseBackground } from '../writes/ask/prompt-context.ts';
import { canRedraw, createWaitDisplay, isAccessible, type WaitDisplay } from '../writes/ask/wait-display.ts';
import type { OpenService, ServiceOptions } from './open-service.ts';

/** Commands that report what is wrong with settings and environment, and must work. */
function mustWork(command: Command): boolean {
  return command.kind === 'local' && !command.needsSettings;
}

function saysSwitches({ path }: Command): boolean {
  return path[0] === 'help' || path[0] === 'doctor';
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

function outputOptions(
  context: Context,
  command: Command,
  values: CommandValues,
  {
    profile,
    maskData,
    ...known
  }: Pick<OutputOptions, 'format' | 'mask' | 'maskData'> & { readonly profile: ResolvedProfile | undefined },
): OutputOptions {
  const { out, showSensitive } = values.own;
  const { columns, sortBy, query, raw, noHeader, csvRaw } = values.common;
  const rows = command.kind === 'local' ? [] : rowsOfCommand(command);
  const sensitive = rows.flatMap(sensitiveOf);
  return {
    ...known,
    maskData: sensitive.length === 0 ? maskData : undefined,
    ...{ columns, sortBy, query, raw, header: noHeader !== true, csvRaw: csvRaw === true },
    out: known.format === 'xlsx' && typeof out === 'string' ? out : undefined,
    colour: wantsColour(context, context.stdout),
    unicode: isUtf8(context),
    isAccessible: isAccessible(context),
    hideSensitive: showSensitive ? [] : sensitive,
    now: context.clock.now(),
    suggestions: isLasting(command)
      ? undefined
      : { profile: namedProfile(profile), done: rows.map((row) => row.command) },
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
  // A path that no shell has replaced is a fault of its own.
  const isNone = path === undefined || unexpandedProblem(path) !== undefined;
  const read = async () => (isNone ? [] : (await import('./ca-file.ts')).readCaFile(path, session.context.env, where));
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
  const mode = context.env['TERM'] === 'dumb' ? 'dumb' : canRedraw(context) ? 'drawn' : 'lines';
  const style = { colour: paintsErrors(context), unicode, mode } as const;
  const open = () => {
    clear();
    refuseBackground(context);
    return context.terminal();
  };
  return ({ idleMs, ...heard } = {}) => {
    const idle = idleMs === undefined ? undefined : idleTimer(context.clock, idleMs);
    return terminalPrompt(open, context.signals, style, isAvailable, { idle, ...heard });
  };
}

/** The services of a call, each opened at its first use. `keepsHistory`: the cards in responses are remembered. */
function lazyServices(options: Omit<ServiceOptions, 'isPermitted' | 'isFirst' | 'saw'>, keepsHistory: boolean) {
  let seen: SeenCards | undefined;
  const sawFor = (session: Session) => {
    if (!keepsHistory) return undefined;
    seen ??= openSeenCards(options.isLasting, session.notify);
    return rememberingCards(session, seen);
  };
  const permitted = new Set<string>();
  const isPermitted = ({ name }: Operation) => permitted.has(name);
  const opened = new Map<Family, Promise<OpenService>>();
  const open = async (family: Family, session: Session, isFirst: boolean) => {
    const { openService } = await import('./open-service.ts');
    return openService(session, family, { ...options, isPermitted, isFirst, saw: sawFor(session) });
  };
  return {
    open(family: Family, session: Session) {
      const known = opened.get(family);
      if (known !== undefined) return known;
      const service = open(family, session, opened.size === 0);
      opened.set(family, service);
      // The cause may be repaired while a program that lasts continues.
      service.catch(() => opened.delete(family));
      return service;
    },
    permit: ({ name }: Operation) => void permitted.add(name),
    async close() {
      await seen?.close();
      const services = await Promise.allSettled(opened.values());
      for (const service of services) if (service.status === 'fulfilled') await service.value.close();
    },
  };
}

/** Remembers the cards in responses for `card find`, at the base URL of the session's profile. */
function rememberingCards(session: Session, seen: SeenCards): ServiceOptions['saw'] {
  const { stateDir } = session.places;
  if (stateDir === undefined) return undefined;
  const { clock, pid } = session.context;
  let place: KnownCardsPlace | undefined;
  // A run reads many cards in a second, and a whole time takes longer to write than the rest of a card's line.
  let [second, upToSecond] = [Number.NaN, ''];
  return (operation, resource) => {
    if (operation.family !== 'cards' || sensitiveOf(operation).length > 0) return;
    const nowMs = clock.now();
    const ms = nowMs % 1000;
    if (nowMs - ms !== second) {
      [second, upToSecond] = [nowMs - ms, new Date(nowMs).toISOString().slice(0, -'000Z'.length)];
    }
    const seenAt = `${upToSecond}${String(ms).padStart(3, '0')}Z`;
    const card = seenCard(resource, seenAt, session.output.mask);
    if (card === undefined) return;
    // Once: of a hundred thousand rows each would read the base URL anew.
    place ??= { stateDir, url: session.placeOf('cards'), pid, clock };
    seen.saw(place, card);
  };
}

/** What cannot be read is not known: a refusal says the rest. */
async function cardsOfReferences(session: Session, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { cardsByReference } = await import('../records/known-cards.ts');
  const place = () => ({ stateDir: session.stateDir(), url: session.placeOf('cards') });
  return ifPossible(() => cardsByReference(place(), texts)) ?? new Map();
}

/** A command that repairs things works without damaged settings. */
async function settingsFor(command: Command, { configDir }: Facts['places']): Promise<Settings> {
  return readSettings(configDir).catch((error: unknown) => {
    if (mustWork(command) && error instanceof Failure) return NO_SETTINGS;
    throw error;
  });
}

/** Is a change of that profile recorded, which may be removed since? */
async function isRecorded(stateDir: string | undefined, profile: string): Promise<boolean> {
  if (stateDir === undefined) return false;
  const { readHistory } = await import('../records/read.ts');
  const { entries } = await readHistory(stateDir, { isWanted: (entry) => entry.profile === profile, limit: 1 });
  return entries.length > 0;
}

/** Where no profile is used, a misspelt one is refused too. */
async function refuseUnknown(context: Context, command: Command, { common }: CommandValues, choose: () => unknown) {
  const name = common.profile ?? (context.env['FRONTDESK_PROFILE'] || undefined);
  if (name === undefined || mustWork(command)) return;
  const isRecord = command.path[0] === 'history' || command.path[0] === 'runs';
  if (!isRecord || !(await isRecorded(findPlaces(context).stateDir, name))) choose();
}

async function environmentFaults(command: Command, env: Context['env']): Promise<readonly Failure[]> {
  // A bad value of this one is refused by changes. Reads continue.
  const switches = switchFaults(env).filter(({ where }) => where !== 'FRONTDESK_READ_ONLY');
  const faults = switches.length === 0 || saysSwitches(command) ? [] : [usageFailure(switches)];
  if (mustWork(command)) return faults;
  faults.push(...unusablePaths(env));
  await collect(faults, () => refuseDisabledTls(env));
  return faults;
}

/** Can somebody be asked? A job may have a terminal that nobody sits at. */
function mayAsk({ env, stdin, stderr }: Context, noInput: boolean | undefined): boolean {
  return stdin.isTerminal && stderr.isTerminal && noInput !== true && !isOnElsewhere(env, 'CI');
}

/** The settings, and the profile that the command line and the environment choose from them. */
async function chosenFor(
  context: Context,
  command: Command,
  values: CommandValues,
  places: Facts['places'],
  faults: Failure[],
) {
  const { env } = context;
  const mayBeNew = command.path.join(' ') === 'auth login';
  const settings = await settingsFor(command, places);
  const choose = (known: Settings) =>
    resolveProfile({ flagProfile: values.common.profile, env, settings: known }, { mayBeNew });
  const callsService = command.kind === 'call' || command.usesProfile;
  const profile = callsService ? await collect(faults, () => choose(settings)) : undefined;
  const isUnused = !callsService && !mayBeNew;
  if (isUnused) await collect(faults, () => refuseUnknown(context, command, values, () => choose(settings)));
  return { settings, profile, choose, callsService };
}

/** Opens the session of one call. `faults`: what is wrong with the command line so far. */
export async function openSession(
  context: Context,
  command: Command,
  values: CommandValues,
  state: CallState,
  faults: Failure[],
): Promise<Session> {
  const { env } = context;
  const { common } = values;
  const places = findPlaces(context);
  const { callsService, ...chosen } = await chosenFor(context, command, values, places, faults);
  const preferences = loadPreferences(command, { flags: common, env, ...chosen }, faults);
  if (preferences.timeZone.value !== '') context.timeZone?.use(preferences.timeZone.value);
  const format = preferences.output.value;
  if (faults.length === 0) state.format = format;
  const tokens = new TokenMask(environmentTokens(env));
  const mask = (text: string) => tokens.text(text);
  state.mask = mask;
  const maskData = (text: string) => tokens.whole(text);
  const output = outputOptions(context, command, values, { format, mask, maskData, profile: chosen.profile });
  faults.push(...(await printingFaults(command, values, output, context.stdout)));
  faults.push(...(await environmentFaults(command, env)));
  if (env['FRONTDESK_AUDIT_LOG'])
    faults.push(...(await (await import('./audit-place.ts')).auditFaults(command, values, context, places)));
  const trustPems = trustOf({ common, context });
  if (callsService) await collect(faults, trustPems);
  const policy = policyOf(preferences);
  const style = { colour: paintsErrors(context), unicode: output.unicode };
  const display = createWaitDisplay(context, { ...common, ...style, format, timeoutMs: policy.timeoutMs });
  state.clearDisplay = display.clear;
  const canAsk = mayAsk(context, common.noInput);
  // A call that will be refused asks nothing.
  const promptUntil = promptsOf(context, display, output, canAsk && faults.length === 0);
  const keepsHistory = common.noHistory !== true && isSwitchedOn(env, 'FRONTDESK_NO_HISTORY') !== true;
  const serving = { display, mask: tokens, trustPems, state, isLasting: isLasting(command) };
  const services = lazyServices(serving, keepsHistory);
  if (keepsHistory) state.cardsOfReferences = (texts) => cardsOfReferences(session, texts);
  const facts: Facts = {
    operation: command.path.join('.'),
    ...{ common, preferences, places, faults, canAsk, keepsHistory, promptUntil },
    done: state.done,
    permitWrites: services.permit,
    async close() {
      display.clear();
      for (const drop of state.temporary) await drop().catch(() => undefined);
      await services.close();
    },
  };
  const session: Session = createSession(
    context,
    state,
    facts,
    { ...chosen, output },
    {
      policy,
      prompt: promptUntil(),
      listener: display.listener,
      caller: 'command',
      service: (family) => services.open(family, session),
    },
  );
  return session;
}
