import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Context } from '../../base/context.ts';
import { Failure, type Hint, type Notice, note } from '../../base/failure.ts';
import { isUnsafeTool } from '../../base/files/safety.ts';
import { quoted } from '../../base/json/outside-text.ts';
import { safeText, shortenText } from '../../screen/text.ts';
import { familyAdjective } from '../../service/api/operation.ts';
import { TokenMask } from '../../service/http/mask.ts';
import { type ProgramEnd, runProgram } from './run-program.ts';
import type { CredentialEntry } from './store.ts';
import { checkTokenText } from './token.ts';

/** Whose token, and how long the system's store may take. */
export interface KeychainRequest
  extends Pick<CredentialEntry, 'profile' | 'family' | 'origin'>,
    Pick<Context, 'env' | 'platform'> {
  /** Somebody at the terminal can unlock it. */
  readonly isInteractive: boolean;
  readonly onNotice: (notice: Notice) => void;
  /** 3 s, or 60 s where somebody can unlock it, unless a test says otherwise. */
  readonly timeoutMs?: number;
  readonly abort?: AbortSignal | undefined;
}

/** A longer wait is said on stderr. */
const SILENT_MS = 1000;
/** `security -i` cuts a longer line. */
const SECURITY_LINE_MAX = 4000;
/** The exit status of `security` for what is not there. */
const SECURITY_MISSING = 44;

const DOING = { store: 'put %s into', lookup: 'read %s from', clear: 'delete %s from' } as const;
type Verb = keyof typeof DOING;

/** The call of a tool: no argument ever holds the token. */
interface ToolCall {
  readonly tool: string;
  readonly args: readonly string[];
  readonly stdin: string;
}

function secretTool(verb: Verb | 'search', { profile, family, origin }: KeychainRequest, token: string): ToolCall {
  const place = ['application', 'frontdesk', 'profile', profile, 'family', family, 'origin', origin];
  const label = verb === 'store' ? [`--label=frontdesk ${profile} ${family} ${origin}`] : [];
  return { tool: 'secret-tool', args: [verb, ...label, ...place], stdin: token };
}

function security(verb: Verb, { profile, family, origin }: KeychainRequest, token: string): ToolCall {
  const place = ['-s', `frontdesk ${profile}`, '-a', `${family} ${origin}`];
  const tool = 'security';
  if (verb === 'lookup') return { tool, args: ['find-generic-password', ...place, '-w'], stdin: '' };
  if (verb === 'clear') return { tool, args: ['delete-generic-password', ...place], stdin: '' };
  const [service, account] = [`"frontdesk ${profile}"`, `"${family} ${origin}"`];
  const stdin = `add-generic-password -U -s ${service} -a ${account} -X ${Buffer.from(token).toString('hex')}\n`;
  return { tool, args: ['-i'], stdin };
}

/** The tool in the first folder of PATH where nobody else could have put it. */
async function findTool(name: string, path: string | undefined): Promise<string | undefined> {
  for (const folder of (path ?? '').split(':').filter(isAbsolute)) {
    const tool = join(folder, name);
    const facts = await Promise.all([stat(folder), stat(tool)]).catch(() => undefined);
    if (facts?.[1].isFile() && !facts.some(isUnsafeTool)) return tool;
  }
  return undefined;
}

const UNLOCK = 'unlock the keychain, then run the command again';

type Code = 'AUTH' | 'USAGE';

/** Runs the tool. The failure has `code`. */
async function ask(call: ToolCall, verb: Verb, request: KeychainRequest, code: Code): Promise<ProgramEnd> {
  const { platform, env, isInteractive, onNotice, abort } = request;
  const tool = await findTool(call.tool, env['PATH']);
  if (tool === undefined) {
    const problem = `${call.tool} is in no folder of PATH that only root or this user can write to`;
    const install = platform === 'linux' ? ['install libsecret, whose program it is (libsecret-tools)'] : [];
    throw fault(verb, request, code, problem, [...install, 'or log in without --keychain']);
  }
  const timeoutMs = request.timeoutMs ?? (isInteractive ? 60_000 : 3000);
  const waits = `waiting up to ${timeoutMs / 1000} s for the keychain. It may ask to be unlocked`;
  const timer = setTimeout(() => isInteractive && onNotice(note('KEYCHAIN_WAITS', waits)), SILENT_MS);
  const limits = { env, timeoutMs, abort };
  const ended = await runProgram({ ...call, tool }, limits).finally(() => clearTimeout(timer));
  if (ended.why === 'stopped') throw Failure.unsent('CANCELLED', `${call.tool} was stopped together with the call`);
  if (ended.why === 'late')
    throw fault(verb, request, code, `it did not answer within ${timeoutMs / 1000} s`, [UNLOCK]);
  if (ended.why === 'failed') throw fault(verb, request, code, `${call.tool} ${ended.problem}`, [UNLOCK]);
  return ended;
}

/** What the tool printed; empty if the token is not there. The failure has `code`, and says what the tool said. */
async function run(verb: Verb, request: KeychainRequest, code: Code, token = ''): Promise<string> {
  const isMac = request.platform === 'darwin';
  const call = (isMac ? security : secretTool)(verb, request, token);
  if (isMac && call.stdin.length > SECURITY_LINE_MAX) {
    throw fault(verb, request, code, `${call.tool} takes no token of ${token.length} characters`, []);
  }
  const { status, problem, stdout, stderr } = await ask(call, verb, request, code);
  if (problem === undefined) return stdout.toString('latin1');
  const said = new TokenMask([token]).text(stderr.toString('utf8')).trim().split('\n', 1);
  // The tool may repeat the token that it keeps.
  const reported = (said[0] ?? '').replace(/\S{12,}/g, (word) => (/\d/.test(word) ? '***' : word));
  const isMissing = isMac ? status === SECURITY_MISSING : status !== undefined && reported === '';
  if (!isMissing || verb === 'store') {
    const why = reported === '' ? `${call.tool} ${problem}` : quoted(safeText(shortenText(reported, 200)));
    throw fault(verb, request, code, why, [UNLOCK]);
  }
  if (isMac) return '';
  // secret-tool says nothing of a locked store either, but lists what is in it.
  const listed = await ask(secretTool('search', request, ''), verb, request, code);
  if (`${listed.stdout}${listed.stderr}`.trim() !== '') throw fault(verb, request, code, 'it is locked', [UNLOCK]);
  return '';
}

function fault(
  verb: Verb,
  { family, profile }: KeychainRequest,
  code: Code,
  problem: string,
  hints: readonly Hint[],
): Failure {
  const what = DOING[verb].replace('%s', `the ${familyAdjective(family)} token of profile ${profile}`);
  const still = verb === 'clear' ? '. It is still there' : '';
  const message = `could not ${what} the keychain: ${problem}${still}`;
  return code === 'AUTH' && verb === 'lookup'
    ? Failure.unsent(code, message, { hints })
    : new Failure(code, message, { hints });
}

/** The token in the system's store. AUTH, with what to do, if it is not there or cannot be read. */
export async function readKeychain(request: KeychainRequest, code: Code = 'AUTH'): Promise<string> {
  const token = await run('lookup', request, code);
  if (token.trim() !== '') return checkTokenText(token, 'the keychain');
  const { profile, family } = request;
  const login = { do: 'log in with the keychain', words: 'log in again', profile, family } as const;
  throw fault('lookup', request, code, 'it is not there', [login]);
}

/** Puts the token into the system's store, in place of one that is there. USAGE if it is not there afterwards. */
export async function keepInKeychain(request: KeychainRequest, token: string): Promise<void> {
  await run('store', request, 'USAGE', token);
  // What a command of `security -i` came to is not in its exit status.
  if (request.platform !== 'darwin' || (await readKeychain(request, 'USAGE')) === token) return;
  throw fault('store', request, 'USAGE', 'it holds another text than was put there', []);
}

/** Deletes the token, which may be gone already. AUTH if it may still be there. */
export async function deleteFromKeychain(request: KeychainRequest): Promise<void> {
  await run('clear', request, 'AUTH');
}
