import { expect, it } from 'vitest';
import { note } from '../../../src/base/failure.ts';
import { openBench } from '../../support/session-bench.ts';

it('a session of other ports uses them alone, and leaves those of the first as they are', async () => {
  const bench = openBench();
  const told: string[] = [];
  const notify = async ({ message }: { readonly message: string }) => void told.push(message);
  const own = { ...bench.session, caller: 'desk', notify };
  await own.notify(note('A', 'said to the second'));
  await bench.session.notify(note('B', 'said to the first'));
  expect([told, bench.stderr()]).toEqual([['said to the second'], 'frontdesk: note: said to the first\n']);
  expect([own.caller, bench.session.caller]).toEqual(['desk', 'command']);
});

it('sessions of one process share profile and format, whichever of them changes it', () => {
  const { session } = openBench({ profile: { name: 'demo' } });
  const own = { ...session };
  own.useFormat('json');
  expect([session.output.format, own.output.format]).toEqual(['json', 'json']);
  session.adoptProfile('sandbox');
  const names = [session.selectedProfile().name, own.selectedProfile().name, own.placeOf('cards')];
  expect(names).toEqual(['sandbox', 'sandbox', 'sandbox']);
});

it('a session of a session shares what the first two share', () => {
  const { session } = openBench();
  const desk = { ...session, caller: 'desk' };
  const writing = { ...desk, policy: { ...desk.policy, retries: 7 } };
  session.nameNoCommands();
  expect([writing.caller, writing.policy.retries, writing.output.suggestions]).toEqual(['desk', 7, undefined]);
  expect([desk.policy.retries, session.policy.retries]).toEqual([0, 0]);
});

it('an assistant is recorded beside the user', async () => {
  const bench = openBench();
  const recorder = await bench.session.recorder('ada via mcp');
  const intent = { operation: 'card.block', id: 'x', profile: 'demo', host: 'h', url: 'u', call: 'card.block' };
  await recorder.begin({ ...intent, reason: undefined, fields: undefined, digest: undefined }, undefined);
  const [name = ''] = bench.names('state', 'open');
  expect(bench.read('state', 'open', name)).toContain('"user":"ada via mcp"');
});
