import { type Context, isSwitchedOn, SWITCH_PROBLEM, SWITCHES, signalWords } from '../base/context.ts';
import { CANCELLED_EXIT_CODES, FAILURES, Failure, usageFailure } from '../base/failure.ts';
import { CallState, loopMayGoOn } from '../command/call-state.ts';
import type { Command } from '../command/command.ts';
import type { Registry } from '../command/command-tree.ts';
import { COMMON_OPTIONS, FLAG_LETTERS } from '../input/options/common.ts';
import { takerOf } from '../input/options/option.ts';
import { asFormat, type Format, isJson } from '../screen/options.ts';

const SHORT_OUTPUT = new RegExp(`^-[${FLAG_LETTERS}]*o$`);

/** The wanted format as far as it is known: a script gets errors as JSON even if it misspelt the command. */
function formatWanted(argv: readonly string[], env: Context['env']): Format {
  let wanted: Format | undefined;
  for (const [index, token] of argv.entries()) {
    if (token === '--') break;
    if (token === '--json') wanted = 'json';
    else if (token === '--output' || SHORT_OUTPUT.test(token)) wanted = asFormat(argv[index + 1]) ?? wanted;
    else if (token.startsWith('--output=')) wanted = asFormat(token.slice('--output='.length)) ?? wanted;
    else if (/^-o./.test(token)) wanted = asFormat(token.slice(2)) ?? wanted;
  }
  return wanted ?? asFormat(env['FRONTDESK_OUTPUT']) ?? 'table';
}

const hints = () => import('./failure-hints.ts');

async function report(context: Context, state: CallState, failure: Failure): Promise<void> {
  // `frontdesk … | head -1` closed the pipe. Nothing went wrong.
  if (failure.exitCode === CANCELLED_EXIT_CODES.EPIPE) return;
  const { maskOf, withFolderHint, withProfile } = await hints();
  const helped = withProfile(withFolderHint(failure, context), state.profile);
  const operation = state.operation;
  // A signal before the command is known: it may be a change, and nothing of it has begun.
  const saysState = operation === undefined ? failure.code === 'CANCELLED' : state.maySend;
  const stated = saysState ? helped : helped.ofRead();
  const reporting = stated.afterSteps(state.done);
  const known = operation === undefined ? reporting : reporting.with({ operation });
  const { renderFailure, renderNotice } = await import('../screen/failure-text.ts');
  const masks = [state.mask, maskOf(failure, context)];
  const mask = (text: string) => masks.reduce((masked, each) => each?.(masked) ?? masked, text);
  const loop = loopMayGoOn(failure.exitCode, context.signals.received);
  const above = loop === undefined ? '' : renderNotice(loop, state.format, context, mask);
  await context.stderr.write(`${above}${renderFailure(known, state.format, context, mask)}`);
}

/** `-h` may be joined with letters that take no value: `-yh` asks for help, and sends nothing. */
const HELP = new RegExp(`^(?:--help|-[${FLAG_LETTERS}]*h[${FLAG_LETTERS}]*)$`);

/** Does `--help` occur before `--`? The value of an option does not count: `--reason --help`. */
function asksForHelp(rest: readonly string[]): boolean {
  const end = rest.indexOf('--');
  return (end === -1 ? rest : rest.slice(0, end)).some((token) => HELP.test(token));
}

/** Help and the version continue after a bad value of a switch, and report it. */
async function sayBadSwitches({ env, stderr }: Context): Promise<void> {
  for (const name of SWITCHES) {
    if (isSwitchedOn(env, name) === undefined) await stderr.write(`frontdesk: warning: ${name}: ${SWITCH_PROBLEM}\n`);
  }
}

function versionText(version: string, format: Format): string {
  return isJson(format) ? JSON.stringify({ version }, null, format === 'json' ? 2 : 0) : version;
}

async function dispatch(context: Context, registry: Registry, state: CallState): Promise<number> {
  const located = locateCommand(context.argv, registry);
  const { path, rest, unknown } = located;
  if (unknown !== undefined) throw (await hints()).unknownCommand({ ...located, unknown }, registry);
  if (asksForHelp(rest) || context.argv.length === 0) {
    await sayBadSwitches(context);
    const { helpOutput } = await import('./describe/help.ts');
    await context.stdout.write(await helpOutput(path, registry, { context, format: state.format }));
    return 0;
  }
  const entry = registry.find(path) ?? registry.defaultOf(path);
  if (entry === undefined) {
    if (path.length === 0 && rest.some((token) => token === '--version' || token === '-V')) {
      await sayBadSwitches(context);
      // As an option alone: health checks read the bare number in every environment.
      await context.stdout.write(`${versionText(context.version, formatWanted(context.argv, {}))}\n`);
      return 0;
    }
    const { parseInput } = await import('./argv.ts');
    const faults: Failure[] = [];
    // `--version` is an option of the program alone.
    const options = path.length === 0 ? [{ long: 'version', text: '' }] : [];
    parseInput(rest, { path, arguments: [], options, writes: false }, faults);
    const missing = `\`${['frontdesk', ...path].join(' ')}\` needs a command after it`;
    throw faults[0] ?? new Failure('USAGE', missing, { hints: [(await hints()).choiceHint(path, registry)] });
  }
  const command: Command = await entry.load();
  state.operation = command.path.join('.');
  state.writes = command.writes;
  state.maySend = command.writes || (command.kind === 'local' && command.maySend === true);
  if (state.operation === 'help') await sayBadSwitches(context);
  try {
    return await runCommand(context, command, rest, state);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'USAGE') throw error;
    const { withCleanedCommand, withQuotesHint } = await hints();
    const texts = command.options.filter(({ value }) => value === 'text').map(({ long }) => `--${long}`);
    const known = await knownReferences(error, state);
    const cleaned = withQuotesHint(withCleanedCommand(error, context.argv, state.writes, known), context.argv, texts);
    // A usage error means that nothing was sent. Of a change it must say so.
    throw state.writes ? cleaned.ofUnsent() : cleaned;
  }
}

/** The cards that this machine knows by texts that were refused as card IDs. */
async function knownReferences({ faults }: Failure, { cardsOfReferences }: CallState) {
  const refused = faults.flatMap(({ refusedId = [] }) => refusedId);
  return refused.length === 0 ? undefined : await cardsOfReferences?.(refused);
}

/** Is `help` all that a command is given? That of others is the name of a command. */
function isHelpWord({ path: [first] }: Command, rest: readonly string[]): boolean {
  return rest.length === 1 && rest[0] === 'help' && first !== 'help' && first !== 'schema';
}

async function runCommand(
  context: Context,
  command: Command,
  rest: readonly string[],
  state: CallState,
): Promise<number> {
  if (isHelpWord(command, rest)) throw (await hints()).helpIsAnOption(command.path);
  const { parseInput } = await import('./argv.ts');
  const faults: Failure[] = [];
  const input = parseInput(rest, command, faults);
  const { readCommandValues } = await import('../command/command-values.ts');
  const values = readCommandValues(command, input);
  state.profile = values.common.profile;
  // A raw GET is a read.
  if (values.own['method'] === 'GET') {
    state.writes = false;
    state.maySend = false;
  }
  if (values.commonFaults.length > 0) faults.push(usageFailure(values.commonFaults));
  const { openSession } = await import('./open-session.ts');
  const session = await openSession(context, command, values, state, faults);
  try {
    if (command.kind === 'local') return await (await import('./local-call.ts')).runLocal(session, command, values);
    return await (await import('./call.ts')).runCall(session, command, values);
  } finally {
    await session.close();
  }
}

const early = () => import('./early-end.ts');

function isChangeUnknown({ isUnknown, writesUnderWay }: CallState): boolean {
  return isUnknown || writesUnderWay > 0;
}

/** The files of this version are gone, or another's: what words a failure cannot be loaded. */
async function sayReplaced({ stderr }: Context, missing: unknown): Promise<void> {
  const why = missing instanceof Error ? missing.message : String(missing);
  const step = 'Before you run it again, check what happened: frontdesk history';
  await stderr.write(`frontdesk: the rest of the program could not be loaded (${why}). ${step}\n`);
}

/** Runs argv, and returns the exit code. Never throws: failures are reported on stderr in the wanted format. */
export async function runProgram(context: Context, registry: Registry): Promise<number> {
  if (context.platform === 'win32') {
    const { quoteFor, shellOf } = await import('../base/files/shell-quote.ts');
    quoteFor(shellOf(context.env));
  }
  const state = new CallState(formatWanted(context.argv, context.env));
  /** How the program ends: by the first failure that is reported, whatever comes after it. */
  let end: { readonly exitCode: number; readonly reported: Promise<void> } | undefined;
  const endBy = (failure: Failure, tidy?: () => Promise<void>): void => {
    end = { exitCode: failure.exitCode, reported: report(context, state, failure).then(tidy) };
  };
  /** Ends the program without waiting for the call. */
  const endNow = (failure: Failure): void => {
    state.clearDisplay?.();
    context.dropStalledReaders();
    const exit = () => context.exitNow(failure.exitCode);
    endBy(failure, () =>
      early()
        .then(({ tidyUp }) => tidyUp(context, state))
        .then(exit, exit),
    );
  };
  context.onCrash((error) => {
    // Reporting the end crashed as well: only its code is left.
    if (end !== undefined) return context.exitNow(end.exitCode);
    state.isCrashing = true;
    context.dropStalledReaders();
    const reporting = early().then(async ({ waitForWrites, crashFailure }) => {
      await waitForWrites(context, state);
      endNow(crashFailure(error, state));
    });
    const { exitCode } = FAILURES[isChangeUnknown(state) ? 'OUTCOME_UNKNOWN' : 'INTERNAL'];
    end = { exitCode, reported: reporting.then(() => end?.reported) };
  });
  // Without a change in progress a signal ends the program at once. A change listens on top.
  context.signals.onSignal((signal) => {
    // Only printing is left, and a reader that stands still must not keep the process.
    if (end !== undefined) return context.dropStalledReaders();
    const exitCode = CANCELLED_EXIT_CODES[signal];
    const failure = Failure.unchanged('CANCELLED', `cancelled by ${signalWords(signal)}`, { exitCode });
    endNow(state.writes ? failure.ofUnsent() : failure);
  });
  let exitCode = 0;
  try {
    exitCode = await dispatch(context, registry, state);
    if (exitCode === 0 && state.isPartial) exitCode = FAILURES.PARTIAL.exitCode;
    end ??= { exitCode, reported: Promise.resolve() };
  } catch (error) {
    await early().then(
      ({ asSignalled, failureOf }) => {
        if (end === undefined) endBy(asSignalled(failureOf(error, state), context));
      },
      (missing: unknown) => {
        const { exitCode } = FAILURES[isChangeUnknown(state) ? 'OUTCOME_UNKNOWN' : 'LOCAL_IO'];
        end ??= { exitCode, reported: Promise.reject(missing) };
      },
    );
  }
  await end?.reported.catch((missing: unknown) => sayReplaced(context, missing));
  return end?.exitCode ?? exitCode;
}

function isCommon(token: string): boolean {
  const name = token.split('=', 1)[0];
  if (token.startsWith('--')) return COMMON_OPTIONS.some((option) => `--${option.long}` === name);
  return COMMON_OPTIONS.some((option) => option.short === token.charAt(1));
}

/**
 * The command or group that argv names, with common options between its words, and the rest, which the command parses.
 * `unknown`: the first word that names nothing. `unknownAfter`: the option right before it, whose value it may be.
 */
export function locateCommand(
  argv: readonly string[],
  { entries, defaultOf }: Pick<Registry, 'entries' | 'defaultOf'>,
) {
  const path: string[] = [];
  const rest: string[] = [];
  const below = (words: readonly string[]) =>
    entries.filter((command) => words.every((word, index) => command.path[index] === word));
  const isLeaf = () => below(path).some((command) => command.path.length === path.length);
  // An option of the group's default command: `history --outcome unknown`.
  const isOfDefault = (token: string) => token.startsWith('-') && defaultOf(path) !== undefined && !isCommon(token);
  for (let index = 0; index < argv.length; index += 1) {
    const token = argv[index] ?? '';
    const hasChildren = below(path).some((command) => command.path.length > path.length);
    if (token === '--' || !hasChildren || isOfDefault(token)) {
      rest.push(...argv.slice(index));
      break;
    }
    if (token.startsWith('-') && token !== '-') {
      rest.push(token);
      const next = argv[index + 1];
      if (takerOf(token, COMMON_OPTIONS) !== undefined && next !== undefined) {
        rest.push(next);
        index += 1;
      }
      continue;
    }
    if (below([...path, token]).length === 0) {
      if (isLeaf()) {
        rest.push(...argv.slice(index));
        break;
      }
      const before = argv[index - 1];
      const unknownAfter = before?.startsWith('-') === true ? before : undefined;
      return { path, rest: [...rest, ...argv.slice(index)], unknown: token, unknownAfter };
    }
    path.push(token);
  }
  return { path, rest, unknown: undefined, unknownAfter: undefined };
}
