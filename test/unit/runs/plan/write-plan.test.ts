import { createHash } from 'node:crypto';
import fs, { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import fsp from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { printJson } from '../../../../src/base/json/print.ts';
import { type PlanDraft, type PlanRow, rowObject } from '../../../../src/runs/plan/plan-file.ts';
import { checkPlanPlace, openPlanWriter } from '../../../../src/runs/plan/write-plan.ts';
import { temporaryFolder } from '../../base/files/place.ts';
import { verify } from './plan-input.ts';

const ORIGIN = { operation: 'card.block', url: 'https://cards.example.com', profile: 'live', createdBy: 'ann' };
const TIMES = { createdAt: '2026-05-01T12:00:00.000Z', expiresAt: '2026-05-02T12:00:00.000Z' };
const FACTS: PlanDraft = { ...ORIGIN, ...TIMES, rows: 1, unchanged: 0, skipped: 0 };

function cardRow(row: number, reason = 'stolen'): PlanRow {
  const known = { before: new Map([['status', 'ACTIVE']]), about: new Map(), drift: 'checked' } as const;
  const id = `0b7a6c1e-3f52-4d8a-9c41-${String(row).padStart(12, '0')}`;
  return { row, id, body: new Map([['reason', reason]]), ...known };
}

function newPlan(rows = 1) {
  const folder = temporaryFolder();
  const path = join(folder, 'p.plan');
  return { folder, path, open: () => openPlanWriter(path, { ...FACTS, rows }, process.pid) };
}

/** A plan of one row, all of which is written, but not in its place. */
async function written() {
  const plan = newPlan();
  const writer = await plan.open();
  await writer.add(cardRow(1));
  return { ...plan, writer };
}

/** Functions of node:fs/promises for this test; `real` are those of the system. */
function withFiles(change: (real: typeof fsp) => Partial<typeof fsp>): void {
  const real = { ...fsp };
  Object.assign(fsp, change(real));
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fsp, real);
    syncBuiltinESMExports();
  });
}

const fails = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

it('the place of a plan is one where nothing is', async () => {
  const { folder, path } = newPlan();
  await expect(checkPlanPlace(path)).resolves.toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

it.each([
  ['a file', (path: string) => writeFileSync(path, 'mine')],
  ['a folder', (path: string) => mkdirSync(path)],
  ['a link that leads nowhere', (path: string) => symlinkSync('/nowhere/x', path)],
])('the place of a plan is not where %s is', async (_what, put) => {
  const { folder, path, open } = newPlan();
  put(path);
  const message = `--plan: ${path} exists, and a plan never replaces a file. Nothing was sent.`;
  const refusal = { code: 'USAGE', message, hints: ['name a new file'] };
  await expect(checkPlanPlace(path)).rejects.toMatchObject(refusal);
  await expect(open()).rejects.toMatchObject(refusal);
  expect(readdirSync(folder)).toEqual(['p.plan']);
});

it.each([
  ['a folder that is not there', 'none/p.plan', 'no such file'],
  ['a name that is too long', 'p'.repeat(300), 'ENAMETOOLONG'],
])('the place of a plan is not in %s', async (_what, name, reason) => {
  const path = join(temporaryFolder(), name);
  await expect(checkPlanPlace(path)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(`--plan: could not write ${path}: `),
    hints: [`check that the folder ${join(path, '..')} exists and can be written`],
    cause: expect.anything(),
  });
  await expect(checkPlanPlace(path)).rejects.toThrow(new RegExp(`${reason}.*. Nothing was sent.$`, 'i'));
});

it('the place of a plan is not in a folder that cannot be written', async () => {
  withFiles((real) => ({
    access: (path, mode) => (mode === fs.constants.W_OK ? fails('EACCES')() : real.access(path)),
  }));
  await expect(newPlan().open()).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('EACCES') });
});

it('the place of a plan is not one where no file can be made', async () => {
  const { folder, open } = newPlan();
  withFiles(() => ({ open: fails('EROFS') as unknown as typeof fsp.open }));
  const message = expect.stringMatching(/EROFS.*Nothing was sent/);
  await expect(open()).rejects.toMatchObject({ code: 'USAGE', message });
  expect(readdirSync(folder)).toEqual([]);
});

it('a plan that is written stands beside its place, for this user alone, until it is complete', async () => {
  const { folder, path, open } = newPlan(2);
  const writer = await open();
  const [name = ''] = readdirSync(folder);
  expect(name).toMatch(/^\.frontdesk-.*\.tmp$/);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  await writer.add(cardRow(1));
  await writer.add(cardRow(2));
  expect(fs.existsSync(path)).toBe(false);
  const header = await writer.keep();
  expect([readdirSync(folder), statSync(path).mode & 0o777, statSync(path).nlink]).toEqual([['p.plan'], 0o600, 1]);
  const text = readFileSync(path, 'utf8');
  expect(text.trimEnd().split('\n')).toHaveLength(3);
  expect(header).toEqual({ ...FACTS, rows: 2, plan: header.sha256.slice(0, 12), sha256: header.sha256 });
  expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ plan: header.plan, sha256: header.sha256 });
  expect(await verify([Buffer.from(text)])).toMatchObject({ header: { rows: 2, plan: header.plan } });
});

it('a plan that is written has mode 0600 whatever the umask takes away', async () => {
  const { folder, open } = newPlan();
  let asked: unknown[] = [];
  withFiles((real) => ({
    open: async (...args: Parameters<typeof fsp.open>) => {
      asked = args.slice(1);
      const file = await real.open(...args);
      chmodSync(args[0] as string, 0o400);
      return file;
    },
  }));
  const writer = await open();
  expect(asked).toEqual(['wx', 0o600]);
  expect(statSync(join(folder, readdirSync(folder)[0] ?? '')).mode & 0o777).toBe(0o600);
  await writer.discard();
});

it('a plan that is written goes to the file in pieces of 64 KiB, and not row by row', async () => {
  const { folder, open } = newPlan(3);
  const writer = await open();
  const size = () => statSync(join(folder, readdirSync(folder)[0] ?? '')).size;
  await writer.add(cardRow(1, 'x'.repeat(64_000)));
  expect(size()).toBe(0);
  await writer.add(cardRow(2, 'x'.repeat(2000)));
  const first = size();
  expect(first).toBeGreaterThan(66_000);
  await writer.add(cardRow(3));
  expect(size()).toBe(first);
  await writer.keep();
  const text = readFileSync(join(folder, 'p.plan'), 'utf8');
  const lines = text.trimEnd().split('\n').slice(1);
  expect(lines.map((line) => JSON.parse(line).row)).toEqual([1, 2, 3]);
  expect(text.length).toBeGreaterThan(first);
});

it('a plan that is written has the number of rows that was named', async () => {
  const writer = await newPlan(2).open();
  await writer.add(cardRow(1));
  await expect(writer.keep()).rejects.toThrow('a plan of 2 rows got 1');
  await writer.discard();
});

it('a plan that is written counts rows that are left out, and its hash is of what it holds', async () => {
  const { open, path, folder } = newPlan(1000);
  const writer = await open();
  for (let row = 1; row <= 1000; row += 1) {
    if (row % 10 === 0) writer.skip();
    else await writer.add(cardRow(row));
  }
  const header = await writer.keep();
  expect([header.rows, header.skipped]).toEqual([900, 100]);
  const text = readFileSync(path, 'utf8');
  const [first = '', ...rows] = text.trimEnd().split('\n');
  expect(rows).toHaveLength(900);
  expect(rows[0]).toBe(printJson(rowObject(cardRow(1))));
  expect(first).toContain('"rows":900,"unchanged":0,"skipped":100,');
  const unnamed = text.replace(/("(?:plan|sha256)":)"[0-9a-f]+"/g, '$1""');
  expect(createHash('sha256').update(unnamed).digest('hex')).toBe(header.sha256);
  expect(readdirSync(folder)).toEqual(['p.plan']);
});

it('a plan that is written leaves nothing when it is discarded, also twice', async () => {
  const { folder, writer } = await written();
  await writer.discard();
  await writer.discard();
  expect(readdirSync(folder)).toEqual([]);
});

it.each([true, false])('a plan that is written leaves what came to its place, with links: %s', async (hasLinks) => {
  if (!hasLinks) withFiles(() => ({ link: fails('EPERM') }));
  const { folder, path, writer } = await written();
  writeFileSync(path, 'mine');
  await expect(writer.keep()).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('exists') });
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['mine', ['p.plan']]);
});

it('a plan that is written is put in its place by its name where there are no links', async () => {
  withFiles(() => ({ link: fails('EPERM') }));
  const { folder, path, writer } = await written();
  await writer.keep();
  expect(readdirSync(folder)).toEqual(['p.plan']);
  expect(readFileSync(path, 'utf8')).toContain('"row":1');
});

it.each(['write', 'sync', 'writeFile'] as const)('a plan that the disk refuses (%s) leaves nothing', async (step) => {
  withFiles((real) => ({
    open: async (...args: Parameters<typeof fsp.open>) => {
      const file = await real.open(...args);
      return args[1] === 'wx' ? Object.assign(file, { [step]: fails('ENOSPC') }) : file;
    },
  }));
  const { folder, path, writer } = await written();
  await expect(writer.keep()).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: `--plan: could not write ${path}: no space left on the device (ENOSPC). Nothing was sent.`,
  });
  expect(readdirSync(folder)).toEqual([]);
});

it('a plan that is written that the disk does not take on the way leaves nothing either', async () => {
  const { folder, open } = newPlan(2);
  withFiles((real) => ({
    open: async (...args: Parameters<typeof fsp.open>) =>
      Object.assign(await real.open(...args), { writeFile: fails('ENOSPC') }),
  }));
  await expect((await open()).add(cardRow(1, 'x'.repeat(70_000)))).rejects.toMatchObject({ code: 'LOCAL_IO' });
  expect(readdirSync(folder)).toEqual([]);
});

it('a plan that is written is on the disk before it stands in its place, and its name is there afterwards', async () => {
  const steps: string[] = [];
  const place = newPlan();
  withFiles((real) => ({
    open: async (...args: Parameters<typeof fsp.open>) => {
      const file = await real.open(...args);
      const sync = file.sync.bind(file);
      const noted = () => {
        steps.push(`sync of the ${args[0] === place.folder ? 'folder' : 'file'}`);
        return sync();
      };
      return Object.assign(file, { sync: noted });
    },
    link: (from, to) => {
      steps.push(`link to ${to === place.path ? 'its place' : String(to)}`);
      return real.link(from, to);
    },
  }));
  const writer = await place.open();
  await writer.add(cardRow(1));
  await writer.keep();
  expect(steps).toEqual(['sync of the file', 'link to its place', 'sync of the folder']);
});
