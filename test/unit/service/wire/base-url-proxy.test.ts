import { expect, it } from 'vitest';
import { chooseProxy } from '../../../../src/service/wire/base-url.ts';
import { baseUrl } from '../http/fakes.ts';

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
