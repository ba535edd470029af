import { describe, expect, it } from 'vitest';
import { resolvePreferences } from '../../../src/settings/resolve-preferences.ts';
import { NO_SETTINGS } from '../../../src/settings/settings.ts';

const given = (flags: Readonly<Record<string, string>>) => (long: string) => flags[long];
const nothing = { flag: given({}), env: {}, profile: undefined, settings: NO_SETTINGS };
const config = {
  ...NO_SETTINGS,
  preferences: { output: 'csv', timeout: '1m', retries: 5, concurrency: 20 },
} as const;

describe('resolvePreferences', () => {
  it('has built-in values', () => {
    expect(resolvePreferences(nothing)).toEqual({
      output: { value: 'table', source: 'built-in' },
      timeoutMs: { value: 30_000, source: 'built-in' },
      retries: { value: 2, source: 'built-in' },
      retryMaxTimeMs: { value: 60_000, source: 'built-in' },
      concurrency: { value: 8, source: 'built-in' },
    });
  });

  it('takes the config before them', () => {
    expect(resolvePreferences({ ...nothing, settings: config })).toEqual({
      output: { value: 'csv', source: 'config' },
      timeoutMs: { value: 60_000, source: 'config' },
      retries: { value: 5, source: 'config' },
      retryMaxTimeMs: { value: 60_000, source: 'built-in' },
      concurrency: { value: 20, source: 'config' },
    });
  });

  it('takes flags before all else', () => {
    const flag = given({ output: 'json', timeout: '1s', retries: '0', 'retry-max-time': '5s', concurrency: '1' });
    const env = { FRONTDESK_OUTPUT: 'ndjson', FRONTDESK_TIMEOUT: '2s' };
    expect(resolvePreferences({ flag, env, profile: { output: 'csv' }, settings: config })).toEqual({
      output: { value: 'json', source: 'flag' },
      timeoutMs: { value: 1000, source: 'flag' },
      retries: { value: 0, source: 'flag' },
      retryMaxTimeMs: { value: 5000, source: 'flag' },
      concurrency: { value: 1, source: 'flag' },
    });
  });

  it('takes the environment before the profile, and the profile before the config', () => {
    const profile = { output: 'ndjson' } as const;
    const env = { FRONTDESK_OUTPUT: 'json', FRONTDESK_TIMEOUT: '2s' };
    const both = resolvePreferences({ ...nothing, env, profile, settings: config });
    expect([both.output, both.timeoutMs]).toEqual([
      { value: 'json', source: 'environment' },
      { value: 2000, source: 'environment' },
    ]);
    const empty = resolvePreferences({ ...nothing, env: { FRONTDESK_OUTPUT: '' }, profile, settings: config });
    expect(empty.output).toEqual({ value: 'ndjson', source: 'profile' });
  });

  it('names every bad value in one failure and falls back to none of the lower places', () => {
    const act = () =>
      resolvePreferences({
        ...nothing,
        settings: config,
        flag: given({ timeout: '', retries: '1.5', concurrency: '0' }),
        env: { FRONTDESK_OUTPUT: 'tabel' },
      });
    expect(act).toThrow(expect.objectContaining({ code: 'USAGE' }));
    for (const part of [
      'FRONTDESK_OUTPUT: "tabel" is not one of table, json, ndjson, csv; did you mean table?',
      '--timeout: "" is not a duration',
      '--retries: "1.5" is not',
      '--concurrency: "0" is not',
    ]) {
      expect(act).toThrow(part);
    }
    expect(() => resolvePreferences({ ...nothing, env: { FRONTDESK_TIMEOUT: '30' } })).toThrow(
      'FRONTDESK_TIMEOUT: "30"',
    );
  });
});
