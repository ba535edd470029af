import * as z from 'zod/mini';
import { countFrom } from '../../base/json/shorten.ts';

/** An object of a request, made at its first use. Members that the spec does not know are refused. */
export function strictObject<T extends z.core.$ZodLooseShape>(members: () => T) {
  let made: T | undefined;
  const schema = new z.ZodMiniObject({
    type: 'object',
    get shape() {
      made ??= members();
      return made;
    },
    catchall: z.never(),
  });
  // What z.strictObject makes.
  return schema as ReturnType<typeof z.strictObject<T>>;
}

/** The schema with what help, `schema` and OpenAPI say of it. */
export function noted<T extends z.ZodMiniType>(schema: T, note: z.core.GlobalMeta): T {
  z.globalRegistry.add(schema, note);
  return schema;
}

/**
 * A string schema with a further rule: `problemOf` says what is wrong with a value. Keeps its note. `kind`: the rule, if
 * its words differ from value to value.
 */
export function checked(
  schema: z.ZodMiniString<string>,
  problemOf: (value: string) => string | undefined,
  kind?: string,
): z.ZodMiniString<string> {
  return schema.check((context) => {
    const message = problemOf(context.value);
    const params = kind === undefined ? {} : { params: { kind } };
    if (message !== undefined) context.issues.push({ code: 'custom', input: context.value, message, ...params });
  });
}

/** Text of at most `maxLength` code points. Help, `schema` and OpenAPI show the limit. */
export function limitedText(maxLength: number, description: string) {
  const problemOf = (value: string) => {
    // The spec's limits count characters, which are code points for people.
    const length = countFrom(value, 0);
    return length > maxLength ? `has ${length} characters, but the limit is ${maxLength}` : undefined;
  };
  const schema = checked(z.string(), problemOf, 'length');
  return noted(schema, { maxLength, description });
}

export function text(description: string) {
  return noted(z.string(), { description });
}

/** True or false. */
export function flag(description: string) {
  return noted(z.boolean(), { description });
}

/** C0 and DEL, C1: never part of an ID or a URL, and deleted silently by URL parsers (docs/faults.md I4). */
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

const HTTP_URL = /^https?:\/\/[^/?#\\]/i;

function urlProblem(value: string): string | undefined {
  if (value === '') return undefined;
  if (!HTTP_URL.test(value)) return 'must begin with http:// or https:// (or be empty)';
  if (CONTROL.test(value)) return 'has a control character';
  if (/\s/.test(value)) return 'must not contain a blank: write it as %20';
  if (!URL.canParse(value)) return 'is not a URL';
  const { username, password } = new URL(value);
  return username === '' && password === '' ? undefined : 'must not contain a user name or password';
}

/** URL of a page or image: empty, http or https, and at most `maxLength` code points. */
export function webUrl(description: string, maxLength?: number) {
  const base = maxLength === undefined ? text(description) : limitedText(maxLength, description);
  return noted(checked(base, urlProblem), { 'x-kind': 'url' });
}

function segmentProblem(value: string): string | undefined {
  if (value === '') return 'is empty';
  if (value === '.' || value === '..') return 'would name another resource in a URL';
  if (CONTROL.test(value)) return 'has a control character';
  if (!value.isWellFormed()) return 'has half of a surrogate pair, which a URL cannot contain';
  return undefined;
}

/** ID of a calendar, event or subscriber. */
export function resourceId(description: string) {
  return checked(limitedText(5000, description), segmentProblem);
}

export const CARD_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Any UUID variant. `z.uuid()` refuses those that RFC 9562 does not define, which the service may use. */
export const cardIdField = noted(z.string().check(z.regex(CARD_ID, { error: 'is not a card ID' })), {
  description: 'unique identifier of the card',
  format: 'uuid',
});
