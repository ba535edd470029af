import { FAMILIES, familyWords } from '../../api/operation.ts';
import { localCommand } from '../../command/command.ts';
import { describeCredential, STATUS_OUTPUT } from '../../credentials/status.ts';
import { credentialRequest } from '../../engine/session/credential-request.ts';
import { Failure, note } from '../../failure.ts';
import { fromPlain } from '../../json/value.ts';
import { plainColumns } from '../../output/column.ts';
import { resolveTarget, urlKey } from '../../settings/resolve.ts';

const STATUS_COLUMNS = plainColumns({
  ...{ family: 'FAMILY', origin: 'ORIGIN', source: 'SOURCE' },
  ...{ lastFour: 'LAST FOUR', expiresAt: 'EXPIRES', problem: 'PROBLEM' },
});

export const command = localCommand({
  columns: STATUS_COLUMNS,
  usesProfile: true,
  description:
    'Shows the source, host, last four characters and expiry date of each credential of the profile. Exits with 4 if there is a URL without a usable credential. Sends nothing. Runs the token command, if there is one.',
  examples: { 'Check the current profile': 'auth status', 'In a script': 'auth status -p live --json' },
  output: () => STATUS_OUTPUT,
  async run(session) {
    const { profile } = session;
    const reports: Awaited<ReturnType<typeof describeCredential>>[] = [];
    for (const family of FAMILIES) {
      // The sandbox has no URL.
      if (profile[urlKey(family)] === undefined) continue;
      const { base } = resolveTarget(profile, family);
      reports.push(await describeCredential(credentialRequest(session, family, base.origin)));
    }
    const rows = reports.map(({ status }) => fromPlain(status));
    const none = profile.isSandbox
      ? 'The sandbox needs no credential.'
      : `Profile ${profile.name} has no URL yet. Log in:\n  frontdesk auth login -p ${profile.name}`;
    await session.print({ kind: 'list', rows, columns: STATUS_COLUMNS, whenEmpty: none });
    if (profile.isSandbox) await session.notify(note('SANDBOX', 'the sandbox needs no credential'));
    const missing = reports.filter(({ status }) => status.problem !== null);
    if (missing.length === 0) return 0;
    // One file may affect both families: its hint is given once.
    const hints = [...new Set(missing.flatMap((report) => report.hints.slice(0, 1)))];
    const message = missing.map(({ status }) => `${familyWords(status.family)}: ${status.problem ?? ''}`).join('; ');
    throw new Failure('AUTH', message, { hints });
  },
});
