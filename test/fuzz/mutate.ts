import type { SeededRandom } from '../support/seeded-random.ts';

/** An answer as bytes on the wire, and how they are written. */
export interface WireAnswer {
  readonly bytes: Buffer;
  /** Where the bytes are split into separate writes. */
  readonly pieces: number;
  /** What happens after the last byte: nothing, an orderly end, or a reset. */
  readonly after: 'open' | 'end' | 'reset';
}

/** JSON that is about to be damaged: names may stand there twice and values may be any text. */
type Node =
  | { readonly kind: 'object'; members: [string, Node][] }
  | { readonly kind: 'array'; items: Node[] }
  | { readonly kind: 'text'; text: string };

const ODD_NAMES = [
  ...['__proto__', 'constructor', 'then', 'toString', '', '10', 'a.b', '\\u0000', '\\ud800', '\u202e', 'x\\u001b[31m'],
];
const ODD_VALUES = [
  'null',
  'true',
  '[]',
  '{}',
  '0',
  '-0',
  '1e400',
  '-1E-400',
  '12345678901234567890.10',
  '0.1e+1',
  '01',
  '1.',
  '.5',
  'NaN',
  'Infinity',
  "'x'",
  '"\\u0000\\u0007\\u001b[2J\\u009b31m"',
  '"\\ud83d"',
  '"\\udc00\\ud83d"',
  '"\u202eabc\u2066"',
  '"\u009b31m\u0085"',
  '"\u200b\u2028\u2029\ufeff"',
  '"=cmd|\' /C calc\'!A0"',
  '"\u0000"',
  '"\n"',
  '"\\x41"',
  '"',
  '"<img src=x onerror=alert(1)>"',
  '"Bearer "',
  '"2026-02-30T99:99:99Z"',
  '"\u{1f468}\u200d\u{1f469}\u200d\u{1f467}"',
  `"${'e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301'}"`,
  `"${'x'.repeat(9000)}"`,
  `${'['.repeat(300)}${']'.repeat(300)}`,
  `${'['.repeat(40)}1${']'.repeat(40)}`,
  `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`,
];

function toNode(value: unknown): Node {
  if (Array.isArray(value)) return { kind: 'array', items: value.map(toNode) };
  if (typeof value === 'object' && value !== null) {
    return { kind: 'object', members: Object.entries(value).map(([name, member]) => [name, toNode(member)]) };
  }
  return { kind: 'text', text: JSON.stringify(value) };
}

function print(node: Node): string {
  if (node.kind === 'text') return node.text;
  if (node.kind === 'array') return `[${node.items.map(print).join(',')}]`;
  return `{${node.members.map(([name, member]) => `"${name}":${print(member)}`).join(',')}}`;
}

function allNodes(node: Node): Node[] {
  const inside =
    node.kind === 'array' ? node.items : node.kind === 'object' ? node.members.map(([, part]) => part) : [];
  return [node, ...inside.flatMap(allNodes)];
}

/** A JSON text with one to three of its parts changed, taken out, doubled or added. */
export function mutateJson(value: unknown, seeded: SeededRandom): string {
  const root = toNode(value);
  for (let left = 1 + seeded.below(3); left > 0; left -= 1) {
    const node = seeded.pick(allNodes(root));
    const odd: Node = { kind: 'text', text: seeded.pick(ODD_VALUES) };
    if (node.kind === 'object') changeObject(node, odd, seeded);
    else if (node.kind === 'array') changeArray(node, odd, seeded);
    else node.text = odd.kind === 'text' ? odd.text : node.text;
  }
  return print(root);
}

function changeObject(node: Extract<Node, { kind: 'object' }>, odd: Node, seeded: SeededRandom): void {
  const index = seeded.below(Math.max(1, node.members.length));
  const member = node.members[index];
  switch (seeded.below(5)) {
    case 0:
      node.members.splice(index, 1);
      break;
    case 1:
      if (member !== undefined) node.members.push(member);
      break;
    case 2:
      node.members.splice(index, 0, [seeded.pick(ODD_NAMES), odd]);
      break;
    case 3:
      if (member !== undefined) node.members[index] = [seeded.pick(ODD_NAMES), member[1]];
      break;
    default:
      if (member !== undefined) node.members[index] = [member[0], odd];
  }
}

function changeArray(node: Extract<Node, { kind: 'array' }>, odd: Node, seeded: SeededRandom): void {
  if (seeded.chance(0.5)) node.items.splice(seeded.below(node.items.length + 1), 0, odd);
  else node.items.splice(seeded.below(Math.max(1, node.items.length)), 1);
}

/** One to eight places of the bytes flipped, cut out, doubled, filled with noise, or everything after one dropped. */
export function mutateBytes(bytes: Buffer, seeded: SeededRandom): Buffer {
  let changed = Buffer.from(bytes);
  for (let left = 1 + seeded.below(8); left > 0 && changed.length > 0; left -= 1) {
    const at = seeded.below(changed.length);
    const size = 1 + seeded.below(12);
    const before = changed.subarray(0, at);
    const after = changed.subarray(at);
    const noise = Buffer.from(Array.from({ length: size }, () => seeded.below(256)));
    switch (seeded.below(5)) {
      case 0:
        changed[at] = (changed[at] ?? 0) ^ (1 << seeded.below(8));
        break;
      case 1:
        changed = Buffer.concat([before, after.subarray(size)]);
        break;
      case 2:
        changed = Buffer.concat([before, noise, after]);
        break;
      case 3:
        changed = Buffer.concat([before, after.subarray(0, size), after]);
        break;
      default:
        if (seeded.chance(0.2)) changed = Buffer.from(before);
        else changed = Buffer.concat([before, noise, after.subarray(size)]);
    }
  }
  return changed;
}

const STATUS_LINES = [
  ...['HTTP/1.1 200 OK', 'HTTP/1.1 201 Created', 'HTTP/1.1 202 Accepted', 'HTTP/1.1 204 No Content'],
  ...['HTTP/1.1 206 Partial Content', 'HTTP/1.1 226 ', 'HTTP/1.1 301 Moved', 'HTTP/1.1 304 Not Modified'],
  ...['HTTP/1.1 400 Bad Request', 'HTTP/1.1 401 Unauthorized', 'HTTP/1.1 403 Forbidden', 'HTTP/1.1 404 Not Found'],
  ...['HTTP/1.1 408 Timeout', 'HTTP/1.1 429 Busy', 'HTTP/1.1 500 Error', 'HTTP/1.1 503 Unavailable'],
  ...['HTTP/1.1 599 \u001b[31mred', 'HTTP/1.1 700 Odd', 'HTTP/1.1 101 Switching Protocols', 'HTTP/1.0 200 OK'],
  ...['HTTP/2 200', 'HTTP/1.1 20 OK', 'ICY 200 OK'],
];

const ODD_HEADERS = [
  'Content-Encoding: gzip',
  'Content-Encoding: identity',
  'Content-Type: text/html',
  'Content-Type: application/json; charset=utf-16',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip',
  'Connection: close',
  'Connection: upgrade',
  'Content-Length: 3',
  'Content-Length: 99999999999',
  'Content-Length: -1',
  'Retry-After: 1',
  'Retry-After: 99999999',
  'Retry-After: soon',
  'Date: Thu, 01 Jan 1970 00:00:00 GMT',
  'Location: https://elsewhere.example/\u001b]0;x',
  'Location: http://127.0.0.1:1/',
  'X-Request-Id: \u001b[31m\u009b',
  `X-Long: ${'y'.repeat(20_000)}`,
  'X-Folded: a\r\n b',
  'Broken header line',
  'Set-Cookie: a=b',
  'Trailer: X-End',
];

const BEFORE = ['', '', '', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n', '\r\n', ' '];

/** A whole answer around a body, with its status line, headers, framing and end more or less damaged. */
export function mutateHttp(body: Buffer, seeded: SeededRandom): WireAnswer {
  const headers = [`Content-Length: ${body.length}`, 'Content-Type: application/json'];
  let payload = body;
  if (seeded.chance(0.15)) {
    headers.shift();
    if (seeded.chance(0.7)) {
      headers.push('Transfer-Encoding: chunked');
      payload = chunked(body, seeded);
    }
  }
  for (let left = seeded.below(3); left > 0; left -= 1) headers.splice(seeded.below(3), 0, seeded.pick(ODD_HEADERS));
  const status = seeded.chance(0.3) ? 'HTTP/1.1 200 OK' : seeded.pick(STATUS_LINES);
  const lineEnd = seeded.chance(0.04) ? '\n' : '\r\n';
  const head = `${seeded.pick(BEFORE)}${[status, ...headers].join(lineEnd)}${lineEnd}${lineEnd}`;
  let bytes: Buffer = Buffer.concat([Buffer.from(head, 'latin1'), payload]);
  if (seeded.chance(0.15)) bytes = mutateBytes(bytes, seeded);
  if (seeded.chance(0.08)) bytes = bytes.subarray(0, seeded.below(bytes.length + 1));
  // An answer that stays open hangs to the deadline when it is damaged: few of them do.
  const after = seeded.chance(0.03) ? 'open' : seeded.chance(0.15) ? 'reset' : 'end';
  return { bytes, after, pieces: 1 + seeded.below(4) };
}

function chunked(body: Buffer, seeded: SeededRandom): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const size = 1 + seeded.below(body.length);
    const piece = body.subarray(at, at + size);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
    at += size;
  }
  if (seeded.chance(0.9)) parts.push(Buffer.from('0\r\n\r\n'));
  return Buffer.concat(parts);
}
