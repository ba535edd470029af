import { Failure } from '../../failure.ts';
import type { CheckedInput } from '../../input/records/check-input.ts';
import { safeText } from '../../output/safe-text.ts';
import type { Service, Session } from '../../session.ts';
import type { ManyPlan } from './run-plan.ts';

/** `Block cards`, of `card.block`; `Update subscribers`, of `calendar.subscribers.update`. */
function wordsOf(operation: string): string {
  const [verb = '', noun = ''] = operation.split('.').reverse();
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${noun.replace(/s$/, '')}s`;
}

/** Asks before many rows are written, or refuses where nobody can be asked. */
export async function confirmMany(
  session: Session,
  plan: ManyPlan,
  checked: CheckedInput,
  service: Service,
): Promise<void> {
  const { effect } = plan.operation;
  const mustAsk = effect.kind === 'write' && (checked.selected > 1 || effect.confirm) && !session.common.yes;
  if (!mustAsk) return;
  const rows = checked.selected === 1 ? '1 row' : `${checked.selected} rows`;
  if (!session.prompt.available) {
    throw new Failure('USAGE', `${session.operation} of ${rows}: nobody can be asked here, and --yes is missing`, {
      hints: ['add --yes to do it without a question; nothing was sent'],
    });
  }
  const shown = checked.first.map((row) => {
    const cells = row.record.names.map((name, index) => `${name}=${String(row.record.values[index] ?? '')}`);
    return `  row ${row.row}: ${safeText(cells.join(', ')).slice(0, 200)}\n`;
  });
  const rest = checked.selected - checked.first.length;
  const empty = [...checked.emptyCells].map(([column, count]) => `${safeText(column)} ${count}`);
  await session.context.stderr.write(
    [
      ...shown,
      rest > 0 ? `  and ${rest} more\n` : '',
      empty.length > 0 ? `  empty cells leave these as they are: ${empty.join(', ')}\n` : '',
    ].join(''),
  );
  const where = session.profile.isSandbox ? '' : ` on ${session.profile.name} (${service.host})`;
  if (await session.prompt.confirm(`${wordsOf(session.operation)}: ${rows}${where}?`)) return;
  throw new Failure('CANCELLED', `${session.operation} of ${rows}: not confirmed; nothing was sent`, {
    details: { outcome: 'not_sent' },
  });
}

/** A token that ends before the work does is told before it starts: a run stopped half-way by 401 can be avoided. */
export async function compareTokenLife(
  session: Session,
  service: Service,
  rows: number,
  rate: number | undefined,
): Promise<void> {
  const remainingMs = await service.remainingMs();
  if (remainingMs === undefined) return;
  const perSecond = rate ?? session.preferences.concurrency.value / 0.25;
  const neededMs = (rows / perSecond) * 1000;
  if (remainingMs >= neededMs) return;
  const { formatDuration } = await import('../../input/duration.ts');
  const message = `the token ends in ${formatDuration(Math.max(0, remainingMs))}, and ${rows} rows take about ${formatDuration(neededMs)}; the run can be resumed after a new login`;
  await session.notify({ code: 'TOKEN_TOO_SHORT', level: 'warning', message });
}
