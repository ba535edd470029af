import * as z from 'zod';

/** Spec, error body of family A. Family B's is not shown. */
export const ErrorBody = z.looseObject({
  errorCode: z.string().meta({ description: 'machine-readable code; the set of values is not shown' }),
  message: z.string().meta({ description: 'human-readable message' }),
  details: z.record(z.string(), z.unknown()).optional().meta({ description: 'additional details' }),
});
