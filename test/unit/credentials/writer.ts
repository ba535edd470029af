import { removeCredentials, storeCredential } from '../../../src/credentials/store-change.ts';
import { changeProfile, setPreference } from '../../../src/settings/settings.ts';
import { changeSettings } from '../../../src/settings/write.ts';

/**
 * Child process of the writer tests: `<folder> <name> <rounds>` stores that many credentials and profiles of
 * its own, one after the other; without an end when `rounds` is `forever`. Prints a dot after each round.
 */
const [configDir = '', name = '', rounds = ''] = process.argv.slice(2);
/** What is asked here is whether anything is lost: on a busy machine a writer may wait for its turn as long as it takes. */
const clock = {
  now: () => Date.now(),
  monotonic: () => 0,
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};
const place = { configDir, platform: process.platform, pid: process.pid, clock };
const origin = 'https://a.example';

for (let round = 0; rounds === 'forever' || round < Number(rounds); round += 1) {
  const profile = `${name}-${rounds === 'forever' ? round % 5 : round}`;
  await storeCredential(place, { profile, family: 'cards', origin, kind: 'token', value: `token-of-${profile}` });
  await changeSettings(place, (settings) =>
    setPreference(changeProfile(settings, profile, { cardsUrl: origin }), 'retries', String(round % 100)),
  );
  if (rounds === 'forever' && round % 5 === 4) await removeCredentials(place, { profile });
  process.stdout.write('.');
}
