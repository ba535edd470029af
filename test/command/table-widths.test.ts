import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { drawnWidth, JOINED } from '../support/drawn-width.ts';
import { openTerminal } from '../support/pty.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome } from '../support/run-frontdesk.ts';

/** Arabic, Japanese, emoji that are joined, of two letters and with a tone, marks that take no column, and mixtures. */
const NAMES = [
  ...['Ann', 'مرحبا', '日本語テスト', '👩‍👩‍👧', '🇳🇴👍🏽', 'e\u0301o\u0308', 'ｱﾊﾟｰﾄ', '한국어 é 日', '☎️ ☎'],
  ...['क्षि தமிழ்', '\u1100\u1161\u11a8', '❤️‍🔥🧑🏻‍🤝‍🧑🏿'],
];

/** The lines of a list of subscribers in a terminal so wide. */
async function listed(data: readonly object[], columns: number, colour: Readonly<Record<string, string>>) {
  const server = await startRecordingServer([{ body: { object: 'list', data } }]);
  const args = ['calendar', 'subscribers', 'list', 'c1', '--columns', 'id,first_name,last_name', '-q'];
  const env = { ...server.env, LANG: 'C.UTF-8', ...colour };
  return (await openTerminal(args, { home: createHome(), env, columns }).end).text.split('\n');
}

it('a table in a terminal has its columns below each other in every script', async () => {
  const data = NAMES.map((first_name, index) => ({ id: `s${index}`, first_name, last_name: `END${index}` }));
  const lines = await listed(data, 100, { FORCE_COLOR: '1' });
  const starts = NAMES.map((name, index) => {
    const line = lines.find((each) => each.includes(`END${index}`)) ?? '';
    expect(line).toContain(name);
    return drawnWidth(stripVTControlCharacters(line.slice(0, line.indexOf(`END${index}`))));
  });
  expect(new Set(starts).size).toBe(1);
});

it('no line of a table is drawn wider than the terminal, and so broken by it, whatever the script', async () => {
  const data = JOINED.map(([, letters], at) => ({ id: `s${at}`, first_name: letters.repeat(60), last_name: 'END' }));
  const lines = (await listed(data, 60, { NO_COLOR: '1' })).filter((line) => line.includes('END'));
  expect(lines).toHaveLength(JOINED.length);
  expect(lines.map((line) => drawnWidth(line.replace('\r', ''))).filter((width) => width > 60)).toEqual([]);
});
