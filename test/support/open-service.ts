import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cardId, openPlain, playService, refusal } from './plain-service.ts';
import { untilFileEnds } from './recording-server.ts';
import type { Home } from './run-frontdesk.ts';
import { cardText } from './sample-card.ts';

export type Entry = Readonly<Record<string, unknown>>;

const done = playService();

/**
 * A service whose writes are answered by 500, so that their outcomes are unknown, until it is mended or refuses them. Its
 * cards read ACTIVE until told otherwise, and answers of writes wait for `held`.
 */
export async function openService() {
  const service = { isBroken: true, isRefusing: false, status: 'ACTIVE', held: Promise.resolve() };
  const place = await openPlain(async (request, count) => {
    if (request.method !== 'POST') return { body: cardText(service.status, request.url.split('/')[3] ?? '') };
    await service.held;
    if (service.isRefusing) return refusal(409, 'CARD_LOCKED');
    return service.isBroken ? { status: 500, body: 'no' } : done(request, count);
  }, untilFileEnds);
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => place.run(args, '', env);
  const list = async (...args: string[]): Promise<Entry[]> => place.json('history', ...args);
  return { ...place, service, run, list };
}

export const REISSUE = ['card', 'reissue', cardId(1), '--yes', '-q'];

export function ledgerIn(home: Home): string {
  const [name = ''] = readdirSync(join(home.stateDir, 'writes'));
  return join(home.stateDir, 'writes', name);
}

/** Makes of the only open change one that has only begun, by a process of another machine or container. */
export function beginElsewhere({ stateDir }: Pick<Home, 'stateDir'>, agoMs: number): void {
  const [name = ''] = readdirSync(join(stateDir, 'open'));
  const path = join(stateDir, 'open', name);
  const [begun = ''] = readFileSync(path, 'utf8').split('\n');
  const time = new Date(Date.now() - agoMs).toISOString();
  writeFileSync(path, `${JSON.stringify({ ...(JSON.parse(begun) as object), time, maker: '00000000-1-1' })}\n`);
}
