import * as z from 'zod/mini';
import { looseObject, noted } from './field.ts';

/** Spec, error body of the gift-card API. The calendar API's is not shown. */
export const ErrorBody = looseObject(() => ({
  errorCode: noted(z.string(), { description: 'machine-readable code; the set of values is not shown' }),
  message: noted(z.string(), { description: 'human-readable message' }),
  details: noted(z.optional(z.record(z.string(), z.unknown())), { description: 'additional details' }),
}));
