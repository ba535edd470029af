import * as z from 'zod';
import { flag, text } from './field.ts';

/** Spec, Subscriber (family B): no response field is marked required. */
export const Subscriber = z.looseObject({
  id: z.string().optional().meta({ description: 'unique identifier', maxLength: 5000 }),
  object: z
    .string()
    .optional()
    .meta({ description: 'always subscriber', examples: ['subscriber'] }),
  active: z.boolean().optional().meta({ description: 'whether the subscriber is available' }),
  created: z.string().optional().meta({ description: 'creation time, ISO 8601' }),
  updated: z.string().optional().meta({ description: 'last update time, ISO 8601' }),
  email: z.string().optional().meta({ description: 'email address', maxLength: 5000 }),
  first_name: z.string().optional().meta({ maxLength: 5000 }),
  last_name: z.string().optional().meta({ maxLength: 5000 }),
});

/** Body of the subscriber update. The spec limits these texts only in responses: any length is sent. */
export const SubscriberUpdate = z.strictObject({
  email: text('email address').optional(),
  first_name: text('first name').optional(),
  last_name: text('last name').optional(),
  active: flag('whether the subscriber is available').optional(),
});
