import { expect, it } from 'vitest';
import { openPlain } from '../support/plain-service.ts';

const UPDATE = ['calendar', 'subscribers', 'update', '--from', 'new.csv', '--changed-from', 'old.csv', '--yes', '-q'];

async function begin() {
  const place = await openPlain(({ url }) =>
    url.endsWith('/s2') ? { status: 422, body: '{}' } : { body: '{"email":"x"}' },
  );
  place.file('old.csv', 'id,email,first_name,active\ns1,a@x,Ann,true\ns2,b@x,Bob,true\n');
  return place;
}

it('the rows to correct after --changed-from hold only what was sent, so that nothing else is restored', async () => {
  const { server, file, read, run } = await begin();
  file('new.csv', 'id,email,first_name,active\ns1,a@y,Ann,true\ns2,bad,Bob,true\n');
  expect((await run([...UPDATE, '--failed', 'rest.csv', '--run', 'r'])).code).toBe(15);
  expect(read('rest.csv').split('\n')[1]).toMatch(/^s2,bad,,,2,rejected,/);
  const again = await run(['runs', 'results', 'r', '--outcome', 'rejected', '--as-input', '-o', 'csv', '-q']);
  expect(again.stdout.split(/\r?\n/)[1]).toBe('s2,bad,,,rejected');
  const json = await run(['runs', 'results', 'r', '--outcome', 'rejected', '--as-input', '-o', 'ndjson', '-q']);
  expect(JSON.parse(json.stdout)).toEqual({ id: 's2', email: 'bad', _outcome: 'rejected' });
  const before = server.requests.length;
  expect((await run(['calendar', 'subscribers', 'update', '--from', 'rest.csv', '--yes', '-q'])).code).toBe(15);
  expect(server.requests.slice(before).map(({ body }) => body)).toEqual(['{"email":"bad"}']);
});

it('rows to correct with --empty-cells clear need NDJSON, which tells an empty text from a cell that was not sent', async () => {
  const { server, file, read, run } = await begin();
  file('new.csv', 'id,email,first_name,active\ns1,a@y,Ann,true\ns2,b@x,,false\n');
  const clear = [...UPDATE, '--empty-cells', 'clear', '--run', 'r'];
  const refused = await run([...clear, '--failed', 'rest.csv']);
  expect([refused.code, server.requests]).toEqual([2, []]);
  expect(refused.stderr).toContain('give it a name that ends in .ndjson');
  expect((await run([...clear, '--failed', 'rest.ndjson'])).code).toBe(15);
  const left = { id: 's2', first_name: '', active: false, _outcome: 'rejected' };
  expect(JSON.parse(read('rest.ndjson'))).toMatchObject(left);
  expect(read('rest.ndjson')).not.toContain('email');
  expect((await run(['runs', 'results', 'r', '--as-input', '-o', 'csv'])).code).toBe(2);
  expect((await run(['runs', 'results', 'r', '--as-input', '-o', 'ndjson', '-q'])).code).toBe(0);
  file('mine.csv', 'id,email,_row,_outcome,_error\ns2,,2,rejected,x\n');
  const own = await run(['calendar', 'subscribers', 'update', '--from', 'mine.csv', '--empty-cells', 'clear', '--yes']);
  expect(own.code).toBe(2);
  expect(own.stderr).toContain('this is a file of --failed, in which an empty cell means unchanged');
});
