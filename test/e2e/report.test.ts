import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BROWSER, Page } from '../support/browser.ts';
import { cardNumber, idLines, playService, refusal } from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';

const ends: (() => Promise<void>)[] = [];

/** A page of 60 cards of which some were rejected and one is unknown. */
async function writeReport(): Promise<string> {
  const home = createHome();
  const server = await startRecordingServer(
    playService((request) => {
      const n = cardNumber(request);
      if (n % 4 === 0) return refusal(412, 'CARD_EXPIRED');
      return n === 30 && request.method === 'POST' ? refusal(503, 'TRY_LATER') : undefined;
    }),
    (end) => ends.push(end),
  );
  const args = ['card', 'block', '--from', '-', '--yes', '--retries', '0', '--run', 'nightly'];
  await runFrontdesk(args, { env: server.env, home, stdin: idLines(60) });
  const { stdout } = await runFrontdesk(['runs', 'report', 'nightly', '--as', 'html'], { home });
  const path = join(home.path, 'report.html');
  writeFileSync(path, stdout);
  return pathToFileURL(path).href;
}

/** What axe finds wrong, each with the elements. */
async function violations(page: Page): Promise<unknown> {
  await page.evaluate(`${axe.source}; undefined`);
  return page.evaluate(
    'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))',
  );
}

const WHERE = BROWSER === undefined ? ' (there is no Chromium on this machine)' : '';

describe.skipIf(BROWSER === undefined)(`the html report in a browser${WHERE}`, () => {
  let page: Page;
  let address: string;

  beforeAll(async () => {
    page = await Page.open(BROWSER ?? '');
    address = await writeReport();
  }, 60_000);

  afterAll(async () => {
    await page.close();
    for (const end of ends) await end();
  });

  test.each([
    { width: 390, scheme: 'light' },
    { width: 390, scheme: 'dark' },
    { width: 1280, scheme: 'light' },
    { width: 1280, scheme: 'dark' },
  ] as const)('the html report is accessible and fits at $width pixels, $scheme', async (look) => {
    page.requests.length = 0;
    await page.load(address, look);
    expect(page.requests).toEqual([address]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await page.evaluate('document.querySelector("h1").textContent')).toBe('44 of 60 rows succeeded');
    const back = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(back).toBe(look.scheme === 'dark' ? 'rgb(13, 17, 23)' : 'rgb(255, 255, 255)');
    expect([await violations(page), page.complaints]).toEqual([[], []]);
  });

  test('the html report draws its pictures: bars have a size, and text has the intended size', async () => {
    await page.load(address, { width: 390 });
    const bars = await page.evaluate(
      '[...document.querySelectorAll("svg[role=img]")].map((svg) => [...svg.querySelectorAll("rect")].every((rect) => rect.getBoundingClientRect().width > 0.5))',
    );
    expect(bars).toEqual([true, true, true]);
    expect(await page.evaluate('getComputedStyle(document.querySelector("svg text")).fontSize')).toBe('13px');
  });

  test('the html report has its colors and sizes where a server drops its style', async () => {
    const bare = join(createHome().path, 'bare.html');
    writeFileSync(bare, readFileSync(fileURLToPath(address), 'utf8').replace(/<style>[\s\S]*<\/style>/, ''));
    await page.load(pathToFileURL(bare).href, { width: 1280 });
    const colors =
      '[...new Set([...document.querySelectorAll("svg rect, svg text")].map((each) => getComputedStyle(each).fill))]';
    expect(await page.evaluate(colors)).not.toContain('rgb(0, 0, 0)');
    const key = 'Object.values(document.querySelector("svg.key").getBoundingClientRect().toJSON()).slice(2, 4)';
    expect(await page.evaluate(key)).toEqual([12, 12]);
    await page.load(address, { width: 1280, scheme: 'dark' });
    const applied = 'getComputedStyle(document.querySelector("rect.applied")).fill';
    expect(await page.evaluate(applied)).toBe('rgb(63, 185, 80)');
  });

  test('the html report prints on paper', async () => {
    await page.load(address, { width: 1280, scheme: 'dark' });
    expect([(await page.pdf()).subarray(0, 5).toString('latin1'), page.complaints]).toEqual(['%PDF-', []]);
  });
});
