import { expect } from 'vitest';
import { type Handler, type Reply, startRecordingServer } from './recording-server.ts';
import { type RunOptions, runFrontdesk } from './run-frontdesk.ts';

/** One call at a service that answers so, with the server that saw its requests. */
export async function callAt(script: readonly Reply[] | Handler, args: readonly string[], options: RunOptions = {}) {
  const server = await startRecordingServer(script);
  const result = await runFrontdesk(args, { ...options, env: { ...server.env, ...options.env } });
  return { ...result, server };
}

/** What stands on stderr of a call that is refused: with 2 unless told otherwise, nothing printed and nothing sent. */
export async function refused(args: readonly string[], { code = 2, ...options }: RunOptions & { code?: number } = {}) {
  const { server, ...result } = await callAt([], args, options);
  expect({ code: result.code, stdout: result.stdout, lines: server.lines }).toEqual({ code, stdout: '', lines: [] });
  return result.stderr;
}
