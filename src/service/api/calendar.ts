import * as z from 'zod/mini';
import { BOOLEAN, list, nullable, TEXT } from '../../base/json/shape.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../base/json/value.ts';
import { checked, flag, limitedText, noted, resourceId, strictObject, text, webUrl } from './field.ts';
import { dateProblem, eventOrderProblem } from './iso-date.ts';
import { described, resource } from './resource.ts';

/** The members that every object of the calendar API begins with. */
function listedMembers(noun: string, available = 'available for use') {
  return {
    id: described(TEXT, 'unique identifier', { maxLength: 5000 }),
    object: described(TEXT, `always ${noun}`, { examples: [noun] }),
    active: described(BOOLEAN, `whether the ${noun} is ${available}`),
    created: described(TEXT, 'creation time, ISO 8601'),
    updated: described(TEXT, 'last update time, ISO 8601'),
  };
}

/** Spec, Calendar: no response field is marked required. */
export const Calendar = resource({
  ...listedMembers('calendar'),
  name: described(TEXT, 'name that is shown', { maxLength: 5000 }),
  description: described(nullable(TEXT), 'displayable long-form text', { maxLength: 5000 }),
  image: described(TEXT, 'URL of a displayable image', { maxLength: 5000 }),
  url: described(nullable(TEXT), 'URL of a publicly accessible page', { maxLength: 2048 }),
});

/** Body of the calendar update. What happens to omitted fields is not documented. `image` has no request limit. */
export const CalendarUpdate = strictObject(() => ({
  name: z.optional(limitedText(5000, 'name that is shown')),
  description: z.optional(limitedText(40_000, 'displayable long-form text')),
  image: z.optional(webUrl('URL of a displayable image')),
  url: z.optional(webUrl('URL of a publicly accessible page', 2048)),
  active: z.optional(flag('whether the calendar is available for use')),
}));

/** Spec, Event. `calendar` is declared without a type. */
export const Event = resource({
  ...listedMembers('event'),
  name: described(TEXT, 'name that is shown', { maxLength: 5000 }),
  description: described(nullable(TEXT), 'displayable long-form text', { maxLength: 40_000 }),
  start: described(TEXT, 'start, ISO 8601; time zones are not documented'),
  end: described(TEXT, 'end, ISO 8601; time zones are not documented'),
  location: described(TEXT, 'physical or virtual place', { maxLength: 5000 }),
  calendar: described({}, 'identifier of the calendar the event belongs to'),
  url: described(nullable(TEXT), 'URL of a publicly accessible page', { maxLength: 2048 }),
});

/** An ISO 8601 date or date-time, sent exactly as typed. */
export function isoDate(description: string) {
  return noted(checked(z.string(), dateProblem), { description, 'x-kind': 'date' });
}

/** Body of the event creation. The spec lets only `url` be null. The calendar is sent as a string. */
export const EventCreate = strictObject(() => ({
  calendar: resourceId('calendar the event belongs to'),
  name: limitedText(5000, 'name that is shown'),
  start: isoDate('when it starts: an ISO 8601 date or time'),
  end: z.optional(isoDate('when it ends: an ISO 8601 date or time')),
  location: z.optional(limitedText(5000, 'physical or virtual place')),
  description: z.optional(limitedText(40_000, 'displayable long-form text')),
  url: z.optional(z.nullable(webUrl('URL of a publicly accessible page', 2048))),
  active: z.optional(flag('whether the event is available for use; the service defaults to true')),
})).check(
  z.refine((body) => eventOrderProblem(body) === undefined, {
    path: ['end'],
    // Reports it together with the other faults of the call.
    when: () => true,
    error: (issue) => eventOrderProblem(issue.input),
    params: { kind: 'order' },
  }),
);

/** Spec, Subscriber: no response field is marked required. */
export const Subscriber = resource({
  ...listedMembers('subscriber', 'available'),
  email: described(TEXT, 'email address', { maxLength: 5000 }),
  first_name: { ...TEXT, maxLength: 5000 },
  last_name: { ...TEXT, maxLength: 5000 },
});

/** Body of the subscriber update. The spec limits these strings only in responses: any length is sent. */
export const SubscriberUpdate = strictObject(() => ({
  email: z.optional(text('email address')),
  first_name: z.optional(text('first name')),
  last_name: z.optional(text('last name')),
  active: z.optional(flag('whether the subscriber is available')),
}));

/** Spec, List, whose data holds subscribers. */
export const SubscriberList = resource(
  {
    object: described(TEXT, 'always list', { examples: ['list'] }),
    data: described(list(Subscriber), 'one entry per returned object'),
    url: described(TEXT, 'path of the listed resource'),
  },
  ['object', 'data'],
);

/** The service's page size without a limit. */
export const DEFAULT_LIST_LIMIT = 10;

/** Parameters for further pages are not documented. */
export const SubscriberListQuery = strictObject(() => ({
  active: noted(z.optional(z.boolean()), { description: 'true: active ones; false: inactive ones; default true' }),
  limit: noted(z.optional(z.int().check(z.minimum(1), z.maximum(100))), {
    description: 'number of objects returned',
    default: DEFAULT_LIST_LIMIT,
  }),
}));

export function entriesOf(document: JsonValue): readonly JsonValue[] {
  const data = isJsonObject(document) ? document.get('data') : undefined;
  return isJsonArray(data) ? data : [];
}

/** Both halves as one List: the members of the first, and the data of both. */
export function mergeLists(halves: readonly JsonValue[]): JsonValue {
  const [first = null] = halves;
  if (halves.length < 2 || !isJsonObject(first)) return first;
  return new Map([...first, ['data', halves.flatMap(entriesOf)] as const]);
}
