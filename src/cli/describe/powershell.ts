import type { ValueSpec } from '../../input/options/option.ts';
import { type CompletionNode, LIVE_NAMES, namesOf, offeredFor, plainText, SCRIPT_HEADER } from './completion-model.ts';

/** A PowerShell string in single quotes, which include the typographic ones. */
function quote(text: string): string {
  return `'${text.replaceAll(/['‘’]/g, "''")}'`;
}

function entry(name: string, text: string): string {
  return `${quote(name)} = ${quote(text === '' ? name : text)}`;
}

/** What may stand there. `@profile`, `@run`, `@file` and `@at-file` are names that only this machine knows. */
function offer(value: ValueSpec): string {
  const { what, choices } = offeredFor(value);
  const offered = what === 'any' || what === 'words' ? choices : [`@${what}`];
  return `@(${offered.map(quote).join(', ')})`;
}

function nodeLines(node: CompletionNode): readonly string[] {
  const values = node.options.filter(({ value }) => value !== undefined);
  const [first] = node.arguments;
  // `-n` and `-N` would be one key in an ordinary hashtable.
  return [
    `    ${quote(node.words)} = @{`,
    `      Words = [ordered]@{ ${node.children.map(({ name, summary }) => entry(name, summary)).join('; ')} }`,
    `      First = ${first === undefined ? '@()' : offer(first)}`,
    `      Options = [ordered]@{ ${node.options
      .flatMap((option) =>
        namesOf(option)
          .toReversed()
          .map((name) => entry(name, plainText(option.text))),
      )
      .join('; ')} }`,
    `      Values = @{ ${values
      .flatMap((option) =>
        namesOf(option)
          .toReversed()
          .map((name) => `${quote(name)} = ${offer(option)}`),
      )
      .join('; ')} }`,
    '    }',
  ];
}

/** Offers commands or options, with their descriptions. */
const OFFER_NAMES = [
  "  $isOption = $wordToComplete.StartsWith('-')",
  '  $offered = if ($isOption) { $node.Options } else { $node.Words }',
  "  $kind = if ($isOption) { 'ParameterName' } else { 'ParameterValue' }",
  '  foreach ($name in $offered.Keys) {',
  '    if ($name.StartsWith($wordToComplete)) {',
  '      [System.Management.Automation.CompletionResult]::new($name, $name, $kind, $offered[$name])',
  '    }',
  '  }',
];

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
    '  $others = 0',
    '  foreach ($word in $before) {',
    "    if ($option -ne '') { $option = ''; continue }",
    "    if ($word -eq '--') { return }",
    "    if ($word.StartsWith('-')) {",
    '      if ($nodes[$path].Values.ContainsKey($word)) { $option = $word }',
    '      continue',
    '    }',
    '    $longer = "$path $word".Trim()',
    '    if ($nodes.ContainsKey($longer)) { $path = $longer } else { $others += 1 }',
    '  }',
    '  $node = $nodes[$path]',
    `  $typed = $wordToComplete.Trim('''"')`,
    "  $prefix = ''",
    "  if ($option -eq '' -and $typed -match '^(-[^=]*)=(.*)$') {",
    '    $option = $Matches[1]',
    "    $prefix = $option + '='",
    '    $typed = $Matches[2]',
    '  }',
    "  $isFirst = $option -eq '' -and $others -eq 0 -and -not $typed.StartsWith('-') -and $node.First.Count -gt 0",
    "  if ($option -ne '' -or $isFirst) {",
    '    $values = if ($isFirst) { $node.First } else { $node.Values[$option] }',
    "    if ($values -contains '@file') { return }",
    `    if ($values -contains '@profile') { $values = @(${LIVE_NAMES.profile} 2>$null) }`,
    `    if ($values -contains '@run') { $values = @(${LIVE_NAMES.run} 2>$null) }`,
    "    if ($values -contains '@at-file') {",
    "      if (-not $typed.StartsWith('@')) { return }",
    "      $folder = $typed.Substring(1) -replace '[^/\\\\]*$', ''",
    '      $values = Get-ChildItem -Name -Path "$($typed.Substring(1))*" | ForEach-Object { "@$folder$_" }',
    '    }',
    '    foreach ($value in $values) {',
    '      if (-not "$value".StartsWith($typed)) { continue }',
    '      # PowerShell reads a bare @ as its own.',
    '      $text = if ("$value".StartsWith(\'@\')) { "\'$prefix$value\'" } else { "$prefix$value" }',
    "      [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $value)",
    '    }',
    '    return',
    '  }',
    "  if ($others -gt 0 -and -not $typed.StartsWith('-')) { return }",
    ...OFFER_NAMES,
    '}',
    '',
  ].join('\n');
}
