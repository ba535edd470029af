import { expect, it } from 'vitest';
import { joinFailures } from '../../src/command/faults.ts';
import { Failure, usageFailure } from '../../src/failure.ts';
import { renderFailure } from '../../src/output/failure-text.ts';

const PIPE = { argv: [], env: {}, stderr: { isTerminal: false, columns: undefined } };

it('a failure says after the problem the state of the request', () => {
  const failure = Failure.unsent('AUTH', 'the token has expired', { hints: ['log in'] });
  expect(failure.problem).toBe('the token has expired');
  expect(renderFailure(failure, 'table', PIPE)).toBe(
    'frontdesk: the token has expired. Nothing was sent.\nhint: log in\n',
  );
  expect(failure.with({ operation: 'card.get' }).message).toBe('the token has expired. Nothing was sent.');
});

it('a failure says once the state of the request, and after a question apart from it', () => {
  expect(Failure.unsent('USAGE', '2 faults, nothing was sent: x').message).toBe('2 faults, nothing was sent: x');
  expect(Failure.unsent('USAGE', 'did you mean x?').message).toBe('did you mean x? Nothing was sent.');
  expect(new Failure('USAGE', 'no id').asUnsent()).toMatchObject({
    message: 'no id. Nothing was sent.',
    details: { outcome: 'not_sent' },
  });
  expect(Failure.unchanged('LOCAL_IO', 'no folder').asUnsent().message).toBe('no folder. Nothing was sent.');
  expect(new Failure('NOT_FOUND', 'no card', { details: { outcome: 'rejected' } }).asUnsent()).toMatchObject({
    message: 'no card',
    details: { outcome: 'rejected' },
  });
});

it('a failure says nothing of a request where the problem does', () => {
  expect(new Failure('BUSY', 'the service asked to wait').message).toBe('the service asked to wait');
  expect(Failure.unchanged('CANCELLED', 'not confirmed').message).toBe('not confirmed. Nothing was changed.');
});

it('a failure says of several faults once that nothing was sent', () => {
  const joined = joinFailures([
    Failure.unsent('USAGE', '--ca-file: a.pem holds no certificate'),
    usageFailure([{ where: '--limit', problem: 'must be a whole number' }]),
  ]);
  expect(joined.message).toBe(
    '--ca-file: a.pem holds no certificate; --limit: must be a whole number. Nothing was sent.',
  );
  expect(renderFailure(joined, 'table', PIPE)).toBe(
    'frontdesk: 2 faults, nothing was sent:\n  --ca-file: a.pem holds no certificate\n  --limit: must be a whole number\n',
  );
});
