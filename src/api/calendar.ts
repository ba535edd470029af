import * as z from 'zod/mini';
import { flag, limitedText, looseObject, noted, strictObject, webUrl } from './field.ts';

/** Spec, Calendar: no response field is marked required. */
export const Calendar = looseObject(() => ({
  id: noted(z.optional(z.string()), { description: 'unique identifier', maxLength: 5000 }),
  object: noted(z.optional(z.string()), { description: 'always calendar', examples: ['calendar'] }),
  active: noted(z.optional(z.boolean()), { description: 'whether the calendar is available for use' }),
  created: noted(z.optional(z.string()), { description: 'creation time, ISO 8601' }),
  updated: noted(z.optional(z.string()), { description: 'last update time, ISO 8601' }),
  name: noted(z.optional(z.string()), { description: 'displayable name', maxLength: 5000 }),
  description: noted(z.nullish(z.string()), { description: 'displayable long-form text', maxLength: 5000 }),
  image: noted(z.optional(z.string()), { description: 'URL of a displayable image', maxLength: 5000 }),
  url: noted(z.nullish(z.string()), { description: 'URL of a publicly accessible page', maxLength: 2048 }),
}));

/** Body of the calendar update. Behaviour for omitted fields: not shown. `image` has no request limit. */
export const CalendarUpdate = strictObject(() => ({
  name: z.optional(limitedText(5000, 'displayable name')),
  description: z.optional(limitedText(40_000, 'displayable long-form text')),
  image: z.optional(webUrl('URL of a displayable image')),
  url: z.optional(webUrl('URL of a publicly accessible page', 2048)),
  active: z.optional(flag('whether the calendar is available for use')),
}));
