import { Failure } from '../../../base/failure.ts';
import { fromPlain } from '../../../base/json/value.ts';
import { localCommand } from '../../../command/command.ts';
import type { Session } from '../../../command/session.ts';
import { environmentToken } from '../../../profile/credentials/resolve.ts';
import { describeCredential, STATUS_OUTPUT } from '../../../profile/credentials/status.ts';
import { resolveTarget, urlKey } from '../../../profile/resolve.ts';
import { plainColumns } from '../../../screen/column.ts';
import { FAMILIES, familyWords } from '../../../service/api/operation.ts';
import { credentialRequest, storedCredentials } from '../../credential-request.ts';

const STATUS_COLUMNS = plainColumns({
  ...{ family: 'FAMILY', origin: 'ORIGIN', source: 'SOURCE' },
  ...{ lastFour: 'LAST FOUR', expiresAt: 'EXPIRES', problem: 'PROBLEM' },
});

/** Is there a token of the environment, or a stored credential of the profile? */
async function hasToken(session: Session): Promise<boolean> {
  const { env } = session.context;
  if (FAMILIES.some((family) => environmentToken(env, family) !== undefined)) return true;
  return (await storedCredentials(session)).some(({ profile }) => profile === session.selectedProfile().name);
}

export const command = localCommand({
  columns: STATUS_COLUMNS,
  usesProfile: true,
  description:
    'Shows the source, host, last four characters and expiry date of each credential of the profile. Exits with 4 if there is a URL without a usable credential, or neither a URL nor a token. Sends nothing. Runs the token command, if there is one.',
  examples: { 'Check the current profile': 'auth status', 'In a script': 'auth status -p live --json' },
  output: () => STATUS_OUTPUT,
  async run(session) {
    const profile = session.selectedProfile();
    const reports: Awaited<ReturnType<typeof describeCredential>>[] = [];
    for (const family of FAMILIES) {
      // The sandbox has no URL.
      if (profile[urlKey(family)] === undefined) continue;
      const { base } = resolveTarget(profile, family);
      reports.push(await describeCredential(credentialRequest(session, family, base.origin)));
    }
    const rows = reports.map(({ status }) => fromPlain(status));
    const none = profile.isSandbox ? 'The sandbox needs no credential.' : `Profile ${profile.name} has no URL yet.`;
    await session.print({ kind: 'list', rows, columns: STATUS_COLUMNS, whenEmpty: none });
    if (reports.length === 0 && !profile.isSandbox && !(await hasToken(session))) {
      throw new Failure('AUTH', `there is no URL and no token (profile ${profile.name})`, {
        hints: [
          { do: 'log in', profile: profile.name },
          { do: 'try the sandbox', words: 'try the sandbox, which needs neither' },
        ],
      });
    }
    const missing = reports.filter(({ status }) => status.problem !== null);
    if (missing.length === 0) return 0;
    // One file may affect both families: its hint is given once.
    const hints = [...new Set(missing.flatMap((report) => report.hints.slice(0, 1)))];
    const message = missing.map(({ status }) => `${familyWords(status.family)}: ${status.problem ?? ''}`).join('; ');
    throw new Failure('AUTH', message, { hints });
  },
});
