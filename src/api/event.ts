import * as z from 'zod/mini';
import { nullable, TEXT } from '../json/shape.ts';
import { checked, flag, limitedText, noted, resourceId, strictObject, webUrl } from './field.ts';
import { dateProblem, eventOrderProblem } from './iso-date.ts';
import { described, listedMembers, resource } from './resource.ts';

/** Spec, Event. `calendar` is declared without a type. */
export const Event = resource({
  ...listedMembers('event'),
  name: described(TEXT, { description: 'displayable name', maxLength: 5000 }),
  description: described(nullable(TEXT), { description: 'displayable long-form text', maxLength: 40_000 }),
  start: described(TEXT, { description: 'start, ISO 8601; time zones not shown' }),
  end: described(TEXT, { description: 'end, ISO 8601; time zones not shown' }),
  location: described(TEXT, { description: 'physical or virtual place', maxLength: 5000 }),
  calendar: described({}, { description: 'identifier of the calendar the event belongs to' }),
  url: described(nullable(TEXT), { description: 'URL of a publicly accessible page', maxLength: 2048 }),
});

/** An ISO 8601 date or date-time; it is sent exactly as typed. */
export function isoDate(description: string) {
  return noted(checked(z.string(), dateProblem), { description, 'x-kind': 'date' });
}

/** Body of the event creation. In a request the spec lets only `url` be null; the calendar is sent as a string. */
export const EventCreate = strictObject(() => ({
  calendar: resourceId('calendar the event belongs to'),
  name: limitedText(5000, 'displayable name'),
  start: isoDate('start, ISO 8601, sent as typed'),
  end: z.optional(isoDate('end, ISO 8601, sent as typed')),
  location: z.optional(limitedText(5000, 'physical or virtual place')),
  description: z.optional(limitedText(40_000, 'displayable long-form text')),
  url: z.optional(z.nullable(webUrl('URL of a publicly accessible page', 2048))),
  active: z.optional(flag('whether the event is available for use; the service defaults to true')),
})).check(
  z.refine((body) => eventOrderProblem(body) === undefined, {
    path: ['end'],
    // Reported together with the other faults of the call.
    when: () => true,
    error: (issue) => eventOrderProblem(issue.input),
  }),
);
