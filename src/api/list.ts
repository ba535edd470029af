import * as z from 'zod/mini';
import { looseObject, noted, strictObject } from './field.ts';
import { Subscriber } from './subscriber.ts';

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
