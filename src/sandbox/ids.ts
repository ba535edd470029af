/** Time and chance for a decision, so that the rules stay pure. */
export interface Sources {
  /** ISO 8601 time of the request. */
  readonly now: string;
  /** Uniform in [0, 1). */
  random(): number;
}

const HEX = '0123456789abcdef';

/** `digits` hexadecimal digits. */
export function randomHex(random: () => number, digits: number): string {
  let text = '';
  for (let index = 0; index < digits; index += 1) text += HEX.charAt(Math.floor(random() * 16));
  return text;
}

/** A version 4 UUID, for the replacement of a reissued card. */
export function randomUuid(random: () => number): string {
  const variant = HEX.charAt(8 + Math.floor(random() * 4));
  const first = `${randomHex(random, 8)}-${randomHex(random, 4)}-4${randomHex(random, 3)}`;
  return `${first}-${variant}${randomHex(random, 3)}-${randomHex(random, 12)}`;
}

/** The bearer tokens of a running sandbox, one per family. */
export type SandboxTokens = ReturnType<typeof makeTokens>;

/** New tokens. The one of the gift cards is a JWT, as the spec declares, without `exp`, so that it never expires. */
export function makeTokens(random: () => number) {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = part({ alg: 'none', typ: 'JWT' });
  const claims = part({ iss: 'frontdesk-sandbox', jti: randomHex(random, 24) });
  return { cards: `${header}.${claims}.`, calendar: `sandbox_key_${randomHex(random, 32)}` };
}
