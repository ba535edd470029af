import * as z from 'zod/mini';
import { nullable, TEXT } from '../json/shape.ts';
import { flag, limitedText, strictObject, webUrl } from './field.ts';
import { described, listedMembers, resource } from './resource.ts';

/** Spec, Calendar: no response field is marked required. */
export const Calendar = resource({
  ...listedMembers('calendar'),
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
