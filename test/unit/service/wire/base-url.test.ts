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

it.each<[text: string, problem: RegExp]>([
  ['', /must begin with/],
  ['h.example', /must begin with/],
  ['h.example:443', /must begin with/],
  ['//h.example', /must begin with/],
  ['ftp://h.example', /not ftp/],
  ['https://', /no host/],
  ['https:///x', /no host/],
  ['https://user:pa55@h.example', /user name or password/],
  ['https://user@h.example', /user name or password/],
  ['https://h.example?x=1', /query/],
  ['https://h.example/#x', /fragment/],
  ['https://h.example\\@evil.example', /backslash/],
  ['http://h.example', /must be https/],
  ['http://127.0.0.1.evil.example', /must be https/],
  ['http://localhost.evil.example', /must be https/],
  ['http://10.0.0.1', /must be https/],
  ['http://[::2]', /must be https/],
  ['https://h.example.', /ends with a dot/],
  ['https://аpi.example.com', /outside ASCII/],
  ['https://api。example.com', /outside ASCII/],
  ['https://h.example\n', /control/],
  ['https://h.ex\tample', /control/],
  [' https://h.example', /space/],
  ['https://h..example', /host name/],
  ['https://-h.example', /host name/],
  ['https://h_%41.example', /host name/],
  ['https://0x7f.1', /IPv4/],
  ['http://2130706433', /IPv4|https/],
  ['http://127.1', /IPv4|https/],
  ['https://1.2.3.4.5', /IPv4/],
  ['https://[::1', /host/],
  ['https://[1.2.3.4]', /IPv6/],
  ['https://h.example:0', /port/],
  ['https://h.example:65536', /port/],
  ['https://h.example:', /port/],
  ['https://h.example:12x', /host and port/],
  ['https://h.example/a/../b', /dot segment/],
  ['https://h.example/a/%2E%2e', /dot segment/],
  ['https://h.example/a//b', /empty path segment/],
  ['https://h.example/é', /percent-encoded/],
  ['https://h.example/%zz', /percent-encoded/],
  ['https://[fe80::1%25eth0]', /zone/],
  ['https://[fe80::1%eth0]/x', /^has an IPv6 address with a zone \(%\), which no URL can have$/],
  ['https://h.example/v1', /^must not end in \/v1: every path begins with it already$/],
  ['https://h.example/x/V1/', /must not end in \/v1/],
  ['https://h.example/%761', /must not end in \/v1/],
])('I19 a base URL is refused: %j', (text, problem) => {
  const result = parseBaseUrl(text);
  expect(result.kind === 'bad' && result.problem).toMatch(problem);
  expect(JSON.stringify(result)).not.toContain('pa55');
});
