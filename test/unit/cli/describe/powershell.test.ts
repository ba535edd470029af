import { expect, it } from 'vitest';
import { loadTree } from '../../../../src/cli/describe/command-tree.ts';
import { completionNodes } from '../../../../src/cli/describe/completion-model.ts';
import { powershellCompletion } from '../../../../src/cli/describe/powershell.ts';
import { REGISTRY } from '../../../../src/registry.ts';

const script = powershellCompletion(completionNodes(await loadTree(REGISTRY)));

it('the script for PowerShell is plain ASCII: PowerShell 5.1 reads a file without BOM in the code page of the machine', () => {
  expect(script.match(/[^\n -~]/g)).toBeNull();
});

it('the script for PowerShell has balanced quotes and braces on every line of its tables', () => {
  const lines = script.split('\n').filter((line) => /^ {6}(?:Words|Options|Values) = /.test(line));
  expect(lines.length).toBeGreaterThan(90);
  for (const line of lines) {
    const bare = line.replaceAll(/'(?:[^']|'')*'/g, '');
    expect(bare).not.toContain("'");
    expect(bare.split('{').length).toBe(bare.split('}').length);
  }
});
