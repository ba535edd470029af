import type { Fault } from '../base/failure.ts';
import { fromPlain } from '../base/json/value.ts';
import { isUpdate, type Operation } from '../service/api/operation.ts';
import { checkFields, type FieldValue, NOTHING_TO_CHANGE } from './fields.ts';

/** JavaScript says `undefined` for a field that is not given. */
function setValues(values: Readonly<Record<string, unknown>> = {}): Record<string, FieldValue> {
  // The schema finds what is no JSON value, and messages show only its kind.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<
    string,
    FieldValue
  >;
}

function texts(values: Readonly<Record<string, FieldValue>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

type Part = Readonly<Record<string, unknown>>;

/** Checks values of a program, by the API's names, like typed ones. Returns all faults, named by `nameOf`. */
export function checkValues(
  operation: Operation,
  values: { readonly params: Part; readonly query?: Part; readonly body?: Part },
  nameOf: (field: string) => string = (field) => field,
) {
  const [params, query, body] = [setValues(values.params), setValues(values.query), setValues(values.body)];
  const faults: Fault[] = [
    ...checkFields(operation.params, params, nameOf),
    ...(operation.query === null ? [] : checkFields(operation.query, query, nameOf)),
    ...(operation.body === null ? [] : checkFields(operation.body, body, nameOf)),
  ];
  if (isUpdate(operation) && Object.keys(body).length === 0) {
    faults.push({ where: operation.command.replaceAll('.', ' '), problem: NOTHING_TO_CHANGE });
  }
  if (faults.length > 0) return { params: {}, query: {}, body: undefined, faults };
  const sent = operation.body === null ? undefined : fromPlain(body);
  return { params: texts(params), query: texts(query), body: sent, faults };
}
