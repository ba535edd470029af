import { cardId, playService } from './plain-service.ts';
import { type Reply, startRecordingServer, untilFileEnds } from './recording-server.ts';
import { createHome, runFrontdesk } from './run-frontdesk.ts';
import { cardText } from './sample-card.ts';

export type Entry = Readonly<Record<string, unknown>>;

/**
 * A service whose writes are answered by 500, so that their outcomes are unknown, until it is mended. Its cards
 * read ACTIVE until told otherwise.
 */
export async function openService() {
  const home = createHome();
  const service = { isBroken: true, status: 'ACTIVE' };
  const server = await startRecordingServer(
    playService((request): Reply | undefined => {
      if (request.method === 'POST') return service.isBroken ? { status: 500, body: 'no' } : undefined;
      return { body: cardText(service.status, request.url.split('/')[3] ?? '') };
    }),
    untilFileEnds,
  );
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runFrontdesk(args, { env: { ...server.env, ...env }, home });
  const posts = () => server.requests.filter(({ method }) => method === 'POST').length;
  const list = async (...args: string[]): Promise<Entry[]> =>
    JSON.parse((await run(['history', ...args, '--json'])).stdout) as Entry[];
  return { home, service, server, run, posts, list };
}

/** A reissue card 1 that nobody is asked about. */
export const REISSUE = ['card', 'reissue', cardId(1), '--yes', '-q'];
