import { expect, it } from 'vitest';
import { chooseProxy, parseBaseUrl } from '../../../../src/service/wire/base-url.ts';
import { baseUrl } from '../http/fakes.ts';

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

type Env = Record<string, string>;
const PROXY = 'http://p.example:3128';

const no = (hosts: string): Env => ({ HTTPS_PROXY: PROXY, NO_PROXY: hosts });

it.each<[title: string, url: string, env: Env, expected: string | undefined]>([
  ['none set', 'https://h.example', {}, undefined],
  ['HTTPS_PROXY', 'https://h.example', { HTTPS_PROXY: PROXY }, 'p.example:3128'],
  ['lower case wins', 'https://h.example', { HTTPS_PROXY: 'http://a:1', https_proxy: 'http://b:2' }, 'b:2'],
  ['empty is not set', 'https://h.example', { https_proxy: '', HTTPS_PROXY: PROXY }, 'p.example:3128'],
  ['HTTP_PROXY has no say', 'https://h.example', { HTTP_PROXY: PROXY, http_proxy: PROXY }, undefined],
  ['N26 http to loopback never', 'http://127.0.0.1:1', { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY }, undefined],
  ['https to loopback never', 'https://localhost:1', { HTTPS_PROXY: PROXY }, undefined],
  ['::1 never', 'https://[::1]:1', { HTTPS_PROXY: PROXY }, undefined],
  ['without a scheme', 'https://h.example', { HTTPS_PROXY: 'p.example:8080' }, 'p.example:8080'],
  ['default port', 'https://h.example', { HTTPS_PROXY: 'http://p.example' }, 'p.example:80'],
  ['NO_PROXY exact', 'https://h.example', no('x, h.example'), undefined],
  ['NO_PROXY subdomain', 'https://a.h.example', no('h.example'), undefined],
  ['NO_PROXY with dot', 'https://a.h.example', { HTTPS_PROXY: PROXY, no_proxy: '.H.example' }, undefined],
  ['NO_PROXY is no suffix of a word', 'https://evilh.example', no('h.example'), 'p.example:3128'],
  ['NO_PROXY *', 'https://h.example', no('*'), undefined],
  ['NO_PROXY with the port', 'https://h.example:8443', no('h.example:8443'), undefined],
  ['NO_PROXY with another port', 'https://h.example', no('h.example:8443'), 'p.example:3128'],
  ['NO_PROXY range', 'https://10.1.2.3', no('10.0.0.0/8'), undefined],
  ['NO_PROXY other range', 'https://11.1.2.3', no('10.0.0.0/8'), 'p.example:3128'],
  ['NO_PROXY address', 'https://[2001:db8::1]', no('[2001:db8::1]'), undefined],
])('which proxy is used: %s', (_, url, env, expected) => {
  expect(chooseProxy(baseUrl(url), env)?.hostPort).toBe(expected);
});

it('a proxy keeps user name and password out of the name', () => {
  const proxy = chooseProxy(baseUrl(), { HTTPS_PROXY: 'http://us%40er:p%3Ass@p.example:1' });
  expect(proxy).toMatchObject({ hostPort: 'p.example:1', authorization: 'Basic dXNAZXI6cDpzcw==' });
});

it.each([
  ['http://alice:xy#zzy@p:1', '#', '%23'],
  ['http://al?ice:xyzzy@p:1', '?', '%3F'],
  ['http://alice:xy/zzy@p:1', '/', '%2F'],
  ['alice:xy\\zzy@p:1', '\\', '%5C'],
  ['http://alice:xy#z@zy@p:1', '#', '%23'],
])('a proxy with %s in its password is refused with the encoding, and nothing of it is repeated', (text, odd, code) => {
  const read = () => chooseProxy(baseUrl(), { HTTPS_PROXY: text });
  expect(read).toThrow(`HTTPS_PROXY: has ${odd} in its user name or password: write it percent-encoded (${code})`);
  expect(read).not.toThrow(/al\??ice|xy|zy/);
});

it.each(['socks5://p:1', 'http://', 'http://u:%zz@p:1'])('a proxy is refused: %s without repeating it', (text) => {
  const read = () => chooseProxy(baseUrl(), { HTTPS_PROXY: text });
  const message = expect.stringMatching(/^(?!.*%zz).*HTTPS_PROXY/);
  expect(read).toThrow(expect.objectContaining({ name: 'Failure', code: 'USAGE', message }));
});
