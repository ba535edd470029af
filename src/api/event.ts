import * as z from 'zod';
import { flag, limitedText, resourceId, webUrl } from './field.ts';
import { eventOrderProblem, isoDate } from './iso-date.ts';

/** Spec, Event (family B). `calendar` is declared without a type. */
export const Event = z.looseObject({
  id: z.string().optional().meta({ description: 'unique identifier', maxLength: 5000 }),
  object: z
    .string()
    .optional()
    .meta({ description: 'always event', examples: ['event'] }),
  active: z.boolean().optional().meta({ description: 'whether the event is available for use' }),
  created: z.string().optional().meta({ description: 'creation time, ISO 8601' }),
  updated: z.string().optional().meta({ description: 'last update time, ISO 8601' }),
  name: z.string().optional().meta({ description: 'displayable name', maxLength: 5000 }),
  description: z.string().nullish().meta({ description: 'displayable long-form text', maxLength: 40_000 }),
  start: z.string().optional().meta({ description: 'start, ISO 8601; time zones not shown' }),
  end: z.string().optional().meta({ description: 'end, ISO 8601; time zones not shown' }),
  location: z.string().optional().meta({ description: 'physical or virtual place', maxLength: 5000 }),
  calendar: z.unknown().optional().meta({ description: 'identifier of the calendar the event belongs to' }),
  url: z.string().nullish().meta({ description: 'URL of a publicly accessible page', maxLength: 2048 }),
});

/**
 * Body of the event creation. `url` is the only field that the spec lets be null in a request.
 * The type of the calendar identifier is unconstrained there; it is sent as a string.
 */
export const EventCreate = z
  .strictObject({
    calendar: resourceId('calendar the event belongs to'),
    name: limitedText(5000, 'displayable name'),
    start: isoDate('start, ISO 8601, sent as typed'),
    end: isoDate('end, ISO 8601, sent as typed').optional(),
    location: limitedText(5000, 'physical or virtual place').optional(),
    description: limitedText(40_000, 'displayable long-form text').optional(),
    url: webUrl('URL of a publicly accessible page', 2048).nullable().optional(),
    active: flag('whether the event is available for use; the service defaults to true').optional(),
  })
  .refine((body) => eventOrderProblem(body) === undefined, {
    path: ['end'],
    // Told together with the other faults of the call.
    when: () => true,
    error: (issue) => eventOrderProblem(issue.input),
  });
