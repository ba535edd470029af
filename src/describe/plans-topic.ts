import { type Block, examples, text } from './text-block.ts';

/** The help topic `plans`, which fits on one screen. */
export const PLANS: readonly Block[] = [
  text(
    'A plan is a file of what will be sent: somebody looks at it, and exactly that is applied, once. --plan ends card activate, block and reissue, calendar update, subscribers update and event create: it checks the input as a run does, reads each card once, and sends no write.',
  ),
  examples('From the input to the results, and back', {
    'Plan; it lives 24 hours (--plan-expires 7d)': 'frontdesk card block --from stolen.csv --plan stolen.plan',
    'Look: what it would send, and what became of it': 'frontdesk plan show stolen.plan',
    'Approve: sign it with an SSH key, as stolen.plan.ann.sig':
      'frontdesk plan approve stolen.plan --key ~/.ssh/id_ed25519 --as ann',
    'Apply; again: go on, or show the results': 'frontdesk plan apply stolen.plan',
    'Plan the way back of a run with --changed-from': 'frontdesk runs revert --last --plan back.plan',
  }),
  text(
    'Each card is read again right before its write. One whose status or updatedAt changed, or that cannot be read, is not_sent (PRECONDITION); the others go on. A change between that read and the write cannot be seen. Calendars, events and subscribers cannot be read: their rows are sent as they are, and counted.',
  ),
  text(
    'Refused: a plan changed in any byte (2), for another address (2), expired unless begun (17). The hash finds damage; who made the plan it does not prove.',
  ),
  text(
    'profile set live --approvers <file> --approvals 2 demands signatures of two people with two keys, listed in an OpenSSH allowed-signers file. Then more than one row, and api POST, is refused (5) unless such a plan is applied. It stops mistakes, and not somebody who holds the token and curl.',
  ),
];
