import * as z from 'zod/mini';
import { list, TEXT } from '../json/shape.ts';
import { flag, noted, strictObject, text } from './field.ts';
import { described, listedMembers, resource } from './resource.ts';

/** Spec, Subscriber: no response field is marked required. */
export const Subscriber = resource({
  ...listedMembers('subscriber', 'available'),
  email: described(TEXT, { description: 'email address', maxLength: 5000 }),
  first_name: described(TEXT, { maxLength: 5000 }),
  last_name: described(TEXT, { maxLength: 5000 }),
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
    object: described(TEXT, { description: 'always list', examples: ['list'] }),
    data: described(list(Subscriber), { description: 'one entry per returned object' }),
    url: described(TEXT, { description: 'path of the listed resource' }),
  },
  ['object', 'data'],
);

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
