import { meantBy } from '../output/nearest.ts';
import { asFormat, FORMATS, type Format } from '../output/options.ts';

/** A text read as a value, or what is wrong with it (to be put after the name of its source). */
export type Reading<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

export function readOutput(text: string): Reading<Format> {
  const value = asFormat(text);
  if (value !== undefined) return { ok: true, value };
  return { ok: false, problem: `"${text}" is not one of ${FORMATS.join(', ')}${meantBy(text, FORMATS)}` };
}

/** A whole number within limits. */
export function readCount(text: string, min: number, max: number): Reading<number> {
  const value = /^(?:0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return { ok: true, value };
  return { ok: false, problem: `"${text}" is not a whole number from ${min} to ${max}` };
}
