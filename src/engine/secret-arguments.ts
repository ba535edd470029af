/** Options whose value is a secret, also misspelt and wherever they stand; after --token-stdin people type the token. */
const SECRET_NAME =
  /token(?!-(?:file|command)$)|(?:^|-)(?:jwt|bearer|api-?key|key|secret|password|passwd|pwd|auth(?:orization)?|credentials?)$/i;

/** A JSON web token, or what follows `Bearer`. */
const SECRET_TEXT = [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, /\bbearer\s+(\S{6,})/gi];

/** Words that no message repeats: values of options that look like a token's, and words that look like a token. */
function secretArguments(argv: readonly string[]): readonly string[] {
  const secrets = new Set<string>();
  for (const [index, word] of argv.entries()) {
    for (const pattern of SECRET_TEXT) {
      for (const [whole, inner] of word.matchAll(pattern)) secrets.add(inner ?? whole);
    }
    if (!word.startsWith('-')) continue;
    const [name = '', ...rest] = word.split('=');
    // `plan approve --key` names a file, which a message about it has to name.
    const isFile = name === '--key' && argv.includes('approve');
    if (isFile || !SECRET_NAME.test(name.replace(/^-+/, ''))) continue;
    const value = rest.length > 0 ? rest.join('=') : argv[index + 1];
    if (value !== undefined && value !== '' && !value.startsWith('--')) secrets.add(value);
  }
  return [...secrets];
}

/** Masks the secrets of a command line in a string. Long ones first: one may be a part of another. */
export function maskArguments(argv: readonly string[]): ((text: string) => string) | undefined {
  const secrets = [...secretArguments(argv)].sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return undefined;
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}
