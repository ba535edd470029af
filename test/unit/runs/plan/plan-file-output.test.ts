import { expect, it } from 'vitest';
import { ANY_OBJECT, INTEGER, list, nullable, object, oneOf, TEXT } from '../../../../src/base/json/shape.ts';
import { PLAN_HEADER_OUTPUT, PLAN_OUTPUT } from '../../../../src/runs/plan/plan-file.ts';

const LINE_1 = {
  frontdeskPlan: INTEGER,
  plan: TEXT,
  operation: TEXT,
  url: TEXT,
  profile: TEXT,
  createdBy: TEXT,
  createdAt: { ...TEXT, format: 'date-time' },
  expiresAt: { ...TEXT, format: 'date-time' },
  rows: INTEGER,
  unchanged: INTEGER,
  skipped: INTEGER,
  sha256: TEXT,
};

const SHAPE = object({ leftOut: INTEGER }, { map: list(TEXT), where: list(TEXT), rows: TEXT });
const ORIGIN = { source: TEXT, expect: list(TEXT), shape: SHAPE, missing: INTEGER, emptied: INTEGER, nonce: TEXT };

it('the header of a plan is printed as line 1 of its file', () => {
  expect(PLAN_HEADER_OUTPUT).toEqual(object(LINE_1, ORIGIN));
});

it('a whole plan is printed with its state and its rows', () => {
  expect(PLAN_OUTPUT).toEqual(
    object({
      plan: object(
        { ...LINE_1, state: oneOf(['new', 'expired', 'running', 'unsettled', 'stopped', 'finished']) },
        ORIGIN,
      ),
      rows: list(
        object(
          { row: INTEGER, id: nullable(TEXT), drift: oneOf(['checked', 'unchecked']) },
          { body: ANY_OBJECT, before: ANY_OBJECT, expect: ANY_OBJECT, about: ANY_OBJECT },
        ),
      ),
    }),
  );
});
