import type { Block } from './text-block.ts';

/** The help topic `plans`, which fits on one screen. */
export const PLANS: readonly Block[] = [
  {
    kind: 'text',
    text: 'A plan is a file of what will be sent: somebody looks at it, and exactly that is applied, once. --plan is an ending of card activate, block and reissue, calendar update, subscribers update and event create, of one id, several, or --from. It checks the input as a run does, reads each card once, and sends no write.',
  },
  {
    kind: 'rows',
    title: 'From the input to the results',
    rows: [
      { name: '... --plan file', text: 'write the plan: a new file; --plan-expires 7d lets it live longer than 24h' },
      {
        name: 'plan show file',
        text: 'what it would send, and what became of it: new, expired, running, stopped, finished',
      },
      { name: 'plan approve file', text: 'sign it with an SSH key: --key ~/.ssh/id_ed25519 --as ann' },
      { name: 'plan apply file', text: 'send its rows as run plan-<id>; again: go on, or show the results' },
      { name: 'runs revert run --plan file', text: 'plan to put back the old cells of a run with --changed-from' },
    ],
  },
  {
    kind: 'text',
    text: 'Each card is read again right before its write. One whose status or updatedAt changed, or that cannot be read, is not_sent (PRECONDITION), and the other rows go on. A change between that read and the write cannot be seen. The calendar interface shows no way to read, so its rows are sent as they are, and the summary counts them.',
  },
  {
    kind: 'text',
    text: 'A plan that was changed in any byte, or cut, is refused (2); so is one for another address (2), and one that expired (17) unless it was begun before. The hash finds damage; who made the plan it does not prove.',
  },
  {
    kind: 'text',
    text: 'profile set live --approvers <file> --approvals 2 demands that two different people, with two different keys, approved: their signatures stand beside the plan as <file>.<name>.sig, and the approvers file (OpenSSH allowed signers) says whose key is whose. Then every write of more than one row, and api POST, is refused (5) unless a plan is applied. It stops mistakes, and not somebody who holds the token and curl.',
  },
  {
    kind: 'examples',
    title: 'Examples',
    examples: [
      { text: 'Plan it', line: 'frontdesk card block --from stolen.csv --expect clientReference --plan stolen.plan' },
      { text: 'Look at it', line: 'frontdesk plan show stolen.plan' },
      { text: 'Approve it', line: 'frontdesk plan approve stolen.plan --key ~/.ssh/id_ed25519 --as ann' },
      { text: 'Apply it', line: 'frontdesk plan apply stolen.plan' },
    ],
  },
];
