import type { LocalCommand } from '../commands/command.ts';
import { Failure } from '../failure.ts';
import type { RawInput } from '../options/raw-input.ts';
import type { Session } from '../session.ts';
import { joinFailures } from './faults.ts';
import type { OpenSession } from './open-session.ts';

/** A refused command would begin to act: it has judged its own words by then. */
class Acts extends Error {}

function act(): never {
  throw new Acts();
}

/** What a command may look at while it judges its words; all else of a session acts. */
const LOOKED_AT: ReadonlySet<PropertyKey> = new Set(['common', 'output', 'policy', 'preferences', 'profile']);

/** A session in which words can be judged, and nothing can be read, asked, sent or printed. */
function inertSession(session: OpenSession): Session {
  const prompt = {
    ...session.prompt,
    available: session.canAsk,
    text: act,
    secret: act,
    confirm: act,
    decide: act,
    choose: act,
  };
  return new Proxy<Session>(session, {
    get: (target, key) => (key === 'prompt' ? prompt : LOOKED_AT.has(key) ? Reflect.get(target, key) : act()),
  });
}

/** Refuses a local command for what is wrong with its common options, and with its own words as far as it can be told. */
export async function refuseLocal(session: OpenSession, command: LocalCommand, input: RawInput): Promise<never> {
  const failures = [...session.faults];
  try {
    await command.run(inertSession(session), {}, input);
  } catch (error) {
    if (error instanceof Failure && error.code === 'USAGE') failures.push(error);
    else if (!(error instanceof Acts) && !(error instanceof Failure)) throw error;
  }
  throw joinFailures(failures);
}
