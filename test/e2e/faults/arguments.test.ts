import { expect, test } from 'vitest';
import { onStage } from './stage.ts';

// What an argument may be is a table of test/unit (input/fields, service/http/request). Here is how it gets there.

test.concurrent('I10 explains -- for an ID that begins with a dash, and takes what follows it', () =>
  onStage(async (stage) => {
    const list = ['calendar', 'subscribers', 'list'];
    const { code, stdout, stderr } = await stage.run([...list, '-abc']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('goes after "--": frontdesk calendar subscribers list -- -abc\n');
    expect((await stage.run([...list, '--', '-abc'])).code).toBe(0);
    expect(stage.lines).toEqual(['GET /v1/calendars/-abc/subscribers']);
  }));

test.concurrent('I3 I11 sends an odd ID as one segment, and warns of its invisible characters', () =>
  onStage(async (stage) => {
    const { code, stderr } = await stage.run(['calendar', 'subscribers', 'list', 'a/b\u202e?1']);
    expect(code).toBe(0);
    expect(stderr).toContain('warning: the id "a/b<U+202E>?1" has invisible characters, and is sent as given\n');
    expect(stage.lines).toEqual(['GET /v1/calendars/a%2Fb%E2%80%AE%3F1/subscribers']);
  }));
