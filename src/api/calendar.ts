import * as z from 'zod/mini';
import { BOOLEAN, nullable, TEXT } from '../json/shape.ts';
import { flag, limitedText, strictObject, webUrl } from './field.ts';
import { described, resource } from './resource.ts';

/** Spec, Calendar: no response field is marked required. */
export const Calendar = resource({
  id: described(TEXT, { description: 'unique identifier', maxLength: 5000 }),
  object: described(TEXT, { description: 'always calendar', examples: ['calendar'] }),
  active: described(BOOLEAN, { description: 'whether the calendar is available for use' }),
  created: described(TEXT, { description: 'creation time, ISO 8601' }),
  updated: described(TEXT, { description: 'last update time, ISO 8601' }),
  name: described(TEXT, { description: 'displayable name', maxLength: 5000 }),
  description: described(nullable(TEXT), { description: 'displayable long-form text', maxLength: 5000 }),
  image: described(TEXT, { description: 'URL of a displayable image', maxLength: 5000 }),
  url: described(nullable(TEXT), { description: 'URL of a publicly accessible page', maxLength: 2048 }),
});

/** Body of the calendar update. Behaviour for omitted fields: not shown. `image` has no request limit. */
export const CalendarUpdate = strictObject(() => ({
  name: z.optional(limitedText(5000, 'displayable name')),
  description: z.optional(limitedText(40_000, 'displayable long-form text')),
  image: z.optional(webUrl('URL of a displayable image')),
  url: z.optional(webUrl('URL of a publicly accessible page', 2048)),
  active: z.optional(flag('whether the calendar is available for use')),
}));
