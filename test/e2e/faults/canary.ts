/** Characters of a base64 text whose six bits come from the token alone, whatever stood before and after it. */
function base64Forms(token: string): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.from(`${'.'.repeat(offset)}${token}`)
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(offset === 0 ? 0 : 4, -3);
  });
}

/** Every form in which a token could be met: plain, in parts of 16 characters, percent-encoded, base64, hex. */
function formsOf(token: string): ReadonlyMap<string, string> {
  const forms = new Map<string, string>();
  for (let start = 0; start + 16 <= token.length; start += 8) forms.set(token.slice(start, start + 16), 'plain');
  forms.set(encodeURIComponent(token), 'percent-encoded');
  for (const text of base64Forms(token)) {
    forms.set(text.replaceAll('+', '-').replaceAll('/', '_'), 'base64');
    forms.set(text, 'base64');
  }
  forms.set(Buffer.from(token).toString('hex'), 'hex');
  return forms;
}

/** The forms in which one of these tokens stands in the bytes; none when none does. Never names the token itself. */
export function findCanary(bytes: Uint8Array, tokens: readonly string[]): string[] {
  const text = Buffer.from(bytes).toString('latin1');
  const found = tokens.flatMap((token, index) =>
    [...formsOf(token)].filter(([form]) => text.includes(form)).map(([, name]) => `token ${index + 1}, ${name}`),
  );
  return [...new Set(found)];
}
