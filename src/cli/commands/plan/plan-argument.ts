export const FILE = {
  kind: 'path',
  notStdin: 'a file: a plan is read more than once',
  required: true,
  text: 'the plan',
  question: 'File of the plan, such as block.plan',
} as const;
