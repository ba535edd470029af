import { expect, it } from 'vitest';
import { refuseDisabledTls } from '../../../src/cli/open-session.ts';

it('a session refuses NODE_TLS_REJECT_UNAUTHORIZED=0 with USAGE (N21)', () => {
  expect(() => refuseDisabledTls({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toThrow(
    expect.objectContaining({ code: 'USAGE', hints: [expect.stringContaining('unset NODE_TLS_REJECT_UNAUTHORIZED')] }),
  );
});

it.each([{}, { NODE_TLS_REJECT_UNAUTHORIZED: '1' }, { NODE_TLS_REJECT_UNAUTHORIZED: '' }])(
  'a session accepts NODE_TLS_REJECT_UNAUTHORIZED=%j',
  (env) => expect(() => refuseDisabledTls(env)).not.toThrow(),
);
