import { describe, expect, it } from 'vitest';
import type { PlannedRow } from '../../../src/plan/plan-lines.ts';
import { PlanSurvey, type PlanView, planView } from '../../../src/plan/plan-view.ts';

const NOW = Date.parse('2026-05-01T12:30:00Z');
const STYLE = { width: 80, colour: false, unicode: true, now: NOW };

function row(number: number, fields: Partial<PlannedRow>): PlannedRow {
  const record = { row: number, line: number + 1, names: [], values: [] };
  return {
    row: number,
    line: number + 1,
    id: `sub_${number}`,
    params: {},
    body: undefined,
    expects: [],
    record,
    drift: 'unchecked',
    ...fields,
  };
}

function view(rows: readonly PlannedRow[], more: Partial<PlanView> = {}): PlanView {
  const survey = new PlanSurvey();
  for (const one of rows) survey.add(one);
  const header = {
    plan: '0123456789ab',
    operation: 'calendar.subscribers.update',
    url: 'https://calendar.example.com',
    profile: 'live',
    createdBy: 'ann',
    createdAt: '2026-05-01T12:00:00.000123Z',
    expiresAt: '2026-05-02T12:00:00.000Z',
    rows: rows.length,
    unchanged: 0,
    sha256: '',
  };
  return {
    header,
    state: 'new',
    survey,
    approvals: [],
    uncounted: [],
    demanded: 0,
    allRows: 'frontdesk plan show p -o csv',
    ...more,
  };
}

const EMAILS = row(1, {
  body: new Map([['email', 'ann@new.example']]),
  before: new Map([['email', 'ann@old.example']]),
});

describe('a plan on a terminal', () => {
  it('says what, where, by whom, until when, and shows old and new with the part in which they differ', () => {
    const plain = row(2, {
      body: new Map<string, string | boolean>([
        ['email', 'x'],
        ['active', false],
      ]),
      before: new Map([['active', true]]),
    });
    expect(planView(view([EMAILS, plain]), STYLE)).toBe(
      [
        'Plan 0123456789ab: calendar subscribers update of 2 rows',
        'State       new',
        'At          https://calendar.example.com (profile live)',
        'Made        2026-05-01T12:00:00Z (30 minutes ago) by ann',
        'Expires     2026-05-02T12:00:00Z (in 23 hours)',
        'Approved    by nobody',
        'Fields      2 email, 1 active',
        'Compared    no: these cannot be read, so a change by others cannot be seen',
        '',
        'row 1 sub_1  email: ann@[old].example → ann@[new].example',
        'row 2 sub_2  email: (not known) → x; active: true → false',
        '',
      ].join('\n'),
    );
  });

  it('points only at what was put in, or taken out', () => {
    const cells = (old: string, next: string) =>
      row(1, { body: new Map([['email', next]]), before: new Map([['email', old]]) });
    expect(planView(view([cells('a@example.com', 'a@new.example.com')]), STYLE)).toContain(
      'row 1 sub_1  email: a@example.com → a@[new.]example.com\n',
    );
    expect(planView(view([cells('a@new.example.com', '')]), STYLE)).toContain('email: a@new.example.com → (empty)\n');
  });

  it('counts cards by what they are, and marks them in colour', () => {
    const card = (number: number, status: string) =>
      row(number, {
        id: `card-${number}`,
        drift: 'checked',
        body: new Map([['reason', 'INC-7']]),
        before: new Map([['status', status]]),
      });
    const cards = view([card(1, 'ACTIVE'), card(2, 'ACTIVE'), card(3, 'BLOCKED')]);
    const text = planView({ ...cards, header: { ...cards.header, operation: 'card.block' } }, STYLE);
    expect(text).toContain('Status now  2 ACTIVE, 1 BLOCKED\n');
    expect(text).toContain('row 3 card-3  BLOCKED → block; reason: INC-7\n');
    expect(planView(cards, { ...STYLE, colour: true })).toContain('\u001b[32mACTIVE\u001b[39m → ');
    expect(planView(view([EMAILS]), { ...STYLE, colour: true })).toContain('ann@\u001b[1m[old]\u001b[22m.example');
  });

  it('shows the first ten rows, each on one line of the terminal, and says how to see the others', () => {
    const rows = Array.from({ length: 1200 }, (_, index) =>
      row(index + 1, { body: new Map([['email', 'x'.repeat(200)]]) }),
    );
    const lines = planView(view(rows), { ...STYLE, width: 40, unicode: false }).split('\n');
    expect(lines.filter((line) => line.startsWith('row '))).toHaveLength(10);
    expect(Math.max(...lines.filter((line) => line.startsWith('row ')).map((line) => line.length))).toBeLessThanOrEqual(
      40,
    );
    expect(lines.at(-2)).toBe('and 1,190 more: frontdesk plan show p -o csv');
  });

  it('says who approved, what is missing, and what does not count', () => {
    const text = planView(
      view([EMAILS], {
        approvals: [{ as: 'ann', key: 'SHA256:abc' }],
        demanded: 2,
        uncounted: ['eve: it is no signature'],
      }),
      STYLE,
    );
    expect(text).toContain(
      'Approved    by ann (SHA256:abc)\n            1 of 2 missing\n            does not count: eve: it is no signature\n',
    );
  });

  it('lets nothing from outside act on the terminal', () => {
    const bad = row(1, { id: 'a\u001b[2J', body: new Map([['email', '\u202ex\u0007']]), before: new Map() });
    const text = planView({ ...view([bad]), uncounted: ['\u001b]0;x'] }, STYLE);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });
});
