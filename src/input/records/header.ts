import type { FieldValue } from '../check-fields.ts';
import type { ExpectationInput } from '../expect.ts';
import type { ColumnRoles } from './columns.ts';

/** Columns of a header that nobody knows, or that stand there twice. */
export function columnFaults(
  names: readonly string[],
  roles: ColumnRoles,
): readonly { readonly index: number; readonly problem: string }[] {
  return names.flatMap((name, index) => {
    if (roles.roleOf(name).kind === 'unknown') return [{ index, problem: roles.unknownProblem(name) }];
    if (names.indexOf(name) !== index) return [{ index, problem: `there are two columns ${name}` }];
    return [];
  });
}

/**
 * What a header lacks, by name: the id, fields that the operation requires and no flag gives, and columns that
 * `--expect` compares with. Said once for the header, not again for a million rows.
 */
export function missingColumns(
  names: readonly string[],
  roles: ColumnRoles,
  defaults: Readonly<Record<string, FieldValue>>,
  expectations: readonly ExpectationInput[],
): ReadonlyMap<string, string> {
  const missing = new Map<string, string>();
  const { idParam } = roles;
  if (idParam !== undefined && !names.some((name) => roles.roleOf(name).kind === 'id')) {
    missing.set(idParam, `the column ${idParam}${idParam === 'id' ? '' : ' (or id)'} is missing`);
  }
  for (const { name, flag, required } of roles.fields) {
    const isGiven = !required || names.includes(name) || name in defaults;
    if (!isGiven) missing.set(name, `the column ${name} is missing (--${flag} gives all rows one value)`);
  }
  for (const { field, value } of expectations) {
    if (value !== undefined || names.includes(field)) continue;
    missing.set(field, `the column ${field} is missing, which --expect ${field} compares with`);
  }
  return missing;
}
