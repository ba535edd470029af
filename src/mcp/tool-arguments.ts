import { idNameOf, idParamOf, isWrite, type Operation } from '../api/operation.ts';
import type { SingleCall } from '../call/read-call.ts';
import { type Failure, usageFailure } from '../failure.ts';
import { checkValues } from '../input/check-values.ts';
import { idWarnings, readCardId, warningsOf } from '../input/values.ts';
import { unknownNames } from '../options/read-json.ts';
import type { GivenValues } from '../options/read-value.ts';

/** Hints for refused card ids that hold one: the argument that was meant; of several ids all, unless it writes. */
export function meantArguments(args: GivenValues, { faults }: Failure, writes: boolean): readonly string[] {
  return Object.entries(args).flatMap(([name, given]) => {
    if (typeof given !== 'string' || !faults.some(({ refusedId }) => refusedId === given)) return [];
    const read = readCardId(given);
    if (read.kind === 'holds') return [`check the id, then call it again with ${name} ${read.id}`];
    if (read.kind !== 'several' || writes) return [];
    return [`call it once for each: ${read.ids.map((id) => `${name} ${id}`).join(', ')}`];
  });
}

/** Returns the call that the arguments of a tool make; raises USAGE with all faults. */
export function readCall(operation: Operation, args: GivenValues): SingleCall {
  const paramName = idParamOf(operation) ?? '';
  const argument = paramName === '' ? '' : idNameOf(operation);
  // What belongs nowhere is a fault of the body, or of the query where there is no body.
  const { [argument]: given, ...rest } = args;
  const checked = checkValues(
    operation,
    {
      params: paramName === '' ? {} : { [paramName]: given },
      query: operation.query === null ? {} : rest,
      body: operation.body === null ? {} : rest,
    },
    (name) => (name === paramName ? argument : name),
  );
  const known =
    operation.query === null && operation.body === null ? [argument] : Object.keys(args).filter((name) => name !== '');
  const faults = [...checked.faults, ...unknownNames(args, known)];
  if (faults.length > 0) throw usageFailure(faults);
  const reason = args['reason'];
  return {
    call: { operation, params: checked.params, query: checked.query, body: checked.body },
    id: typeof given === 'string' ? given : undefined,
    reason: isWrite(operation) && typeof reason === 'string' ? reason : undefined,
    expectations: [],
    warnings: warningsOf(typeof given === 'string' && operation.family === 'calendar' ? idWarnings(given) : [], []),
  };
}
