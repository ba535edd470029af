import { expect, it } from 'vitest';
import { parseBaseUrl } from '../../../../src/service/wire/base-url.ts';

it.each<[text: string, origin: string, prefix: string, isLoopback: boolean]>([
  ['https://api.example.com', 'https://api.example.com', '', false],
  ['HTTPS://API.Example.com:443/', 'https://api.example.com', '', false],
  ['https://api.example.com:8443/gateway/cards/', 'https://api.example.com:8443', '/gateway/cards', false],
  ['https://xn--bcher-kva.example', 'https://xn--bcher-kva.example', '', false],
  ['https://10.0.0.1/a%20b', 'https://10.0.0.1', '/a%20b', false],
  ['http://localhost:8080', 'http://localhost:8080', '', true],
  ['http://127.0.0.1:80', 'http://127.0.0.1', '', true],
  ['http://127.9.9.9:1', 'http://127.9.9.9:1', '', true],
  ['http://[::1]:9/x', 'http://[::1]:9', '/x', true],
  ['http://[0:0:0:0:0:0:0:1]:9', 'http://[::1]:9', '', true],
  ['https://[2001:DB8::1]', 'https://[2001:db8::1]', '', false],
])('base URLs that are taken: %s', (text, origin, pathPrefix, isLoopback) => {
  expect(parseBaseUrl(text)).toMatchObject({ kind: 'ok', baseUrl: { origin, pathPrefix, isLoopback } });
});

it('a base URL names host and port for messages, the port always', () => {
  const named = { hostPort: 'h.example:443', host: 'h.example', port: 443 };
  expect(parseBaseUrl('https://h.example')).toMatchObject({ baseUrl: named });
  expect(parseBaseUrl('http://[::1]:9')).toMatchObject({ baseUrl: { hostPort: '[::1]:9', host: '::1', port: 9 } });
});

it.each<[problem: RegExp, ...texts: string[]]>([
  [/must begin with/, '', 'h.example', 'h.example:443', '//h.example'],
  [/not ftp/, 'ftp://h.example'],
  [/no host/, 'https://', 'https:///x'],
  [/user name or password/, 'https://user:pa55@h.example', 'https://user@h.example'],
  [/query/, 'https://h.example?x=1'],
  [/fragment/, 'https://h.example/#x'],
  [/backslash/, 'https://h.example\\@evil.example'],
  [
    /must be https/,
    'http://h.example',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://10.0.0.1',
    'http://[::2]',
  ],
  [/ends with a dot/, 'https://h.example.'],
  [/outside ASCII/, 'https://аpi.example.com', 'https://api。example.com'],
  [/control/, 'https://h.example\n', 'https://h.ex\tample'],
  [/space/, ' https://h.example'],
  [/host name/, 'https://h..example', 'https://-h.example', 'https://h_%41.example'],
  [/IPv4/, 'https://0x7f.1', 'https://1.2.3.4.5'],
  [/IPv4|https/, 'http://2130706433', 'http://127.1'],
  [/host/, 'https://[::1'],
  [/IPv6/, 'https://[1.2.3.4]'],
  [/port/, 'https://h.example:0', 'https://h.example:65536', 'https://h.example:'],
  [/host and port/, 'https://h.example:12x'],
  [/dot segment/, 'https://h.example/a/../b', 'https://h.example/a/%2E%2e'],
  [/empty path segment/, 'https://h.example/a//b'],
  [/percent-encoded/, 'https://h.example/é', 'https://h.example/%zz'],
  [/zone/, 'https://[fe80::1%25eth0]'],
  [/^has an IPv6 address with a zone \(%\), which no URL can have$/, 'https://[fe80::1%eth0]/x'],
  [/^must not end in \/v1: every path begins with it already$/, 'https://h.example/v1'],
  [/must not end in \/v1/, 'https://h.example/x/V1/', 'https://h.example/%761'],
])('I19 a base URL is refused: %s', (problem, ...texts) => {
  for (const text of texts) {
    const result = parseBaseUrl(text);
    expect([text, result.kind === 'bad' && result.problem]).toEqual([text, expect.stringMatching(problem)]);
    expect(JSON.stringify(result)).not.toContain('pa55');
  }
});
