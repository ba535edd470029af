import * as z from 'zod/mini';
import { flag, looseObject, noted, strictObject, text } from './field.ts';

/** Spec, Subscriber: no response field is marked required. */
export const Subscriber = looseObject(() => ({
  id: noted(z.optional(z.string()), { description: 'unique identifier', maxLength: 5000 }),
  object: noted(z.optional(z.string()), { description: 'always subscriber', examples: ['subscriber'] }),
  active: noted(z.optional(z.boolean()), { description: 'whether the subscriber is available' }),
  created: noted(z.optional(z.string()), { description: 'creation time, ISO 8601' }),
  updated: noted(z.optional(z.string()), { description: 'last update time, ISO 8601' }),
  email: noted(z.optional(z.string()), { description: 'email address', maxLength: 5000 }),
  first_name: noted(z.optional(z.string()), { maxLength: 5000 }),
  last_name: noted(z.optional(z.string()), { maxLength: 5000 }),
}));

/** Body of the subscriber update. The spec limits these texts only in responses: any length is sent. */
export const SubscriberUpdate = strictObject(() => ({
  email: z.optional(text('email address')),
  first_name: z.optional(text('first name')),
  last_name: z.optional(text('last name')),
  active: z.optional(flag('whether the subscriber is available')),
}));

/** Spec, List, whose data holds subscribers. */
export const SubscriberList = looseObject(() => ({
  object: noted(z.string(), { description: 'always list', examples: ['list'] }),
  data: noted(z.array(Subscriber), { description: 'one entry per returned object' }),
  url: noted(z.optional(z.string()), { description: 'path of the listed resource' }),
}));

/** The service's page size when no limit is sent. */
export const DEFAULT_LIST_LIMIT = 10;

/** Parameters for reaching results beyond the first page: not shown. */
export const SubscriberListQuery = strictObject(() => ({
  active: noted(z.optional(z.boolean()), { description: 'true: active ones; false: inactive ones; default true' }),
  limit: noted(z.optional(z.int().check(z.minimum(1), z.maximum(100))), {
    description: 'number of objects returned',
    default: DEFAULT_LIST_LIMIT,
  }),
}));
