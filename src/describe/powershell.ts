import type { OptionSpec } from '../options/option.ts';
import {
  type CompletionNode,
  LIVE_NAMES,
  liveNamesOf,
  namesOf,
  offeredFor,
  SCRIPT_HEADER,
  shortText,
} from './completion-model.ts';

/** A PowerShell string in single quotes, which include the typographic ones. */
function quote(text: string): string {
  return `'${text.replaceAll(/['‘’]/g, "''")}'`;
}

function entry(name: string, text: string): string {
  return `${quote(name)} = ${quote(text === '' ? name : text)}`;
}

/** `@profile` and `@file` are names that only this machine knows. */
function valueEntry(option: OptionSpec): readonly string[] {
  const value = offeredFor(option);
  if (value === undefined) return [];
  const isLive = value.what === 'profile' || value.what === 'file';
  const choices = isLive ? [`@${value.what}`] : value.choices;
  return namesOf(option)
    .toReversed()
    .map((name) => `${quote(name)} = @(${choices.map(quote).join(', ')})`);
}

function nodeLines(node: CompletionNode): readonly string[] {
  const choices = node.arguments.flatMap((argument) => argument.choices ?? []);
  const words = [...node.children, ...[...new Set(choices)].map((name) => ({ name, summary: '' }))];
  // `-n` and `-N` would be one key in an ordinary hashtable.
  return [
    `    ${quote(node.words)} = @{`,
    `      Words = [ordered]@{ ${words.map((word) => entry(word.name, word.summary)).join('; ')} }`,
    `      Options = [ordered]@{ ${node.options
      .flatMap((option) =>
        namesOf(option)
          .toReversed()
          .map((name) => entry(name, shortText(option.text))),
      )
      .join('; ')} }`,
    `      Values = @{ ${node.options.flatMap(valueEntry).join('; ')} }`,
    `      Live = ${quote(liveNamesOf(node) ?? '')}`,
    '    }',
  ];
}

/** The script for PowerShell 5.1 and later. Only names of profiles and runs call frontdesk. */
export function powershellCompletion(nodes: readonly CompletionNode[]): string {
  return [
    ...SCRIPT_HEADER,
    '',
    'Register-ArgumentCompleter -Native -CommandName frontdesk -ScriptBlock {',
    '  param($wordToComplete, $commandAst, $cursorPosition)',
    '  $nodes = @{',
    ...nodes.flatMap(nodeLines),
    '  }',
    '  $before = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })',
    "  $path = ''",
    "  $option = ''",
    '  foreach ($word in $before) {',
    "    if ($option -ne '') { $option = ''; continue }",
    "    if ($word -eq '--') { return }",
    "    if ($word.StartsWith('-')) {",
    '      if ($nodes[$path].Values.ContainsKey($word)) { $option = $word }',
    '      continue',
    '    }',
    '    $longer = "$path $word".Trim()',
    '    if ($nodes.ContainsKey($longer)) { $path = $longer }',
    '  }',
    '  $node = $nodes[$path]',
    "  if ($option -ne '') {",
    '    $values = $node.Values[$option]',
    "    if ($values -contains '@file') { return }",
    `    if ($values -contains '@profile') { $values = @(${LIVE_NAMES.profile} 2>$null) }`,
    '    $values | Where-Object { "$_".StartsWith($wordToComplete) } | ForEach-Object {',
    "      [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)",
    '    }',
    '    return',
    '  }',
    "  if ($node.Live -ne '' -and -not $wordToComplete.StartsWith('-')) {",
    `    $names = if ($node.Live -eq 'run') { @(${LIVE_NAMES.run} 2>$null) } else { @(${LIVE_NAMES.profile} 2>$null) }`,
    '    $names | Where-Object { "$_".StartsWith($wordToComplete) } | ForEach-Object {',
    "      [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)",
    '    }',
    '    return',
    '  }',
    "  $isOption = $wordToComplete.StartsWith('-')",
    '  $offered = if ($isOption) { $node.Options } else { $node.Words }',
    "  $kind = if ($isOption) { 'ParameterName' } else { 'ParameterValue' }",
    '  foreach ($name in $offered.Keys) {',
    '    if ($name.StartsWith($wordToComplete)) {',
    '      [System.Management.Automation.CompletionResult]::new($name, $name, $kind, $offered[$name])',
    '    }',
    '  }',
    '}',
    '',
  ].join('\n');
}
