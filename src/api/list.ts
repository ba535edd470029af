import * as z from 'zod';
import { Subscriber } from './subscriber.ts';

/** Spec, List (family B), whose data holds subscribers. */
export const SubscriberList = z.looseObject({
  object: z.string().meta({ description: 'always list', examples: ['list'] }),
  data: z.array(Subscriber).meta({ description: 'one entry per returned object' }),
  url: z.string().optional().meta({ description: 'path of the listed resource' }),
});

/** The service's page size when no limit is sent. */
export const DEFAULT_LIST_LIMIT = 10;

/** Parameters for reaching results beyond the first page: not shown. */
export const SubscriberListQuery = z.strictObject({
  active: z.boolean().optional().meta({ description: 'true: active ones; false: inactive ones; default true' }),
  limit: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'number of objects returned', default: DEFAULT_LIST_LIMIT }),
});
