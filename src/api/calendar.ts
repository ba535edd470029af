import * as z from 'zod';
import { flag, limitedText, webUrl } from './field.ts';

/** Spec, Calendar (family B): no response field is marked required. */
export const Calendar = z.looseObject({
  id: z.string().optional().meta({ description: 'unique identifier', maxLength: 5000 }),
  object: z
    .string()
    .optional()
    .meta({ description: 'always calendar', examples: ['calendar'] }),
  active: z.boolean().optional().meta({ description: 'whether the calendar is available for use' }),
  created: z.string().optional().meta({ description: 'creation time, ISO 8601' }),
  updated: z.string().optional().meta({ description: 'last update time, ISO 8601' }),
  name: z.string().optional().meta({ description: 'displayable name', maxLength: 5000 }),
  description: z.string().nullish().meta({ description: 'displayable long-form text', maxLength: 5000 }),
  image: z.string().optional().meta({ description: 'URL of a displayable image', maxLength: 5000 }),
  url: z.string().nullish().meta({ description: 'URL of a publicly accessible page', maxLength: 2048 }),
});

/** Body of the calendar update. Behaviour for omitted fields: not shown. `image` has no request limit. */
export const CalendarUpdate = z.strictObject({
  name: limitedText(5000, 'displayable name').optional(),
  description: limitedText(40_000, 'displayable long-form text').optional(),
  image: webUrl('URL of a displayable image').optional(),
  url: webUrl('URL of a publicly accessible page', 2048).optional(),
  active: flag('whether the calendar is available for use').optional(),
});
