import { describe, expect, it } from 'vitest';
import { toolHint, toolMessage } from '../../../src/mcp/words.ts';

const ID = '7c0e1111-2222-3333-4444-555566667777';

describe('a hint', () => {
  it.each([
    ['repeat the command: a read changes nothing', 'hint: repeat the call: a read changes nothing'],
    ['repeat the command in 12 s, at 19:48:05', 'hint: repeat the call in 12 s, at 19:48:05'],
    [`check with: frontdesk card get ${ID} -p live`, `hint: check with: card_get with cardId ${ID}`],
    [`check with: frontdesk card get ${ID}`, `hint: check with: card_get with cardId ${ID}`],
    ['list the runs with `frontdesk runs list`', 'hint: list the runs with runs_list'],
    ['do not repeat it; see `frontdesk history`', 'hint: do not repeat it; see history_list'],
    ['see `frontdesk history --outcome unknown`', 'hint: see history_list'],
    ['frontdesk runs results friday --outcome unknown', 'hint: run_results with run friday'],
    ['give it with --reason', 'hint: give it with reason'],
    ['wait longer with --timeout', 'hint: wait longer with timeoutSeconds'],
    ["check this machine's clock", "hint: check this machine's clock"],
  ])('%j is given in terms of tools', (hint, expected) => {
    expect(toolHint(hint)).toBe(expected);
  });

  it.each([
    ['log in again: frontdesk auth login -p live --family cards'],
    ['name the certificate authority with --ca-file <pem>; verification cannot be switched off'],
    ['add --no-history to keep no record of this write'],
    ['settle it with `frontdesk history reconcile -p live`'],
  ])('%j names what only a person can do, and says so', (hint) => {
    expect(toolHint(hint)).toBe(`for a person: ${hint}`);
  });
});

describe('a message', () => {
  it('names the argument that was typed as an option, and no limit of the command', () => {
    expect(toolMessage('--reason: T-[0-9]+ is not found in it')).toBe('reason: T-[0-9]+ is not found in it');
    expect(toolMessage('card: the service answered 429; the wait would pass --retry-max-time')).toBe(
      'card: the service answered 429; the wait would pass the time limit of this server',
    );
  });

  it('leaves what the service said as it came', () => {
    const said = 'block of card c: the service answered 409 (frontdesk history says: repeat the command --reason x)';
    expect(toolMessage(said)).toBe(said);
  });
});
