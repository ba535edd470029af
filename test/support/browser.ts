import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A Chromium on this machine, or undefined. */
export const BROWSER: string | undefined = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

export interface Look {
  readonly width: number;
  readonly scheme?: 'light' | 'dark';
}

/** One page of a headless browser, driven over its own protocol through a pipe: no driver, no port. */
export class Page {
  /** What the page wrote to the console, and errors that nothing caught. */
  readonly complaints: string[] = [];
  /** Addresses of all requests, that of the page itself included. */
  readonly requests: string[] = [];
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #input: Writable;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #events = new Map<string, () => void>();
  #session: string | undefined;
  #id = 0;
  #text = '';

  private constructor(program: string) {
    this.#folder = mkdtempSync(join(tmpdir(), 'frontdesk-browser-'));
    const args = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--remote-debugging-pipe'];
    this.#child = spawn(program, [...args, `--user-data-dir=${this.#folder}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      // A group of its own, so that close() reaches the processes that the browser starts.
      detached: true,
    });
    // The third and fourth stream were asked for as pipes just above.
    this.#input = this.#child.stdio[3] as Writable;
    (this.#child.stdio[4] as Readable).setEncoding('utf8').on('data', (part: string) => this.#take(part));
  }

  static async open(program: string): Promise<Page> {
    const page = new Page(program);
    const { targetInfos } = await page.#send('Target.getTargets');
    // The shape of the protocol: one tab was opened with the browser.
    const target = (targetInfos as { targetId: string; type: string }[]).find(({ type }) => type === 'page');
    const attached = await page.#send('Target.attachToTarget', { targetId: target?.targetId, flatten: true });
    page.#session = String(attached['sessionId']);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.#send(`${domain}.enable`);
    return page;
  }

  /** Loads a file and waits until it is complete. */
  async load(address: string, { width, scheme = 'light' }: Look): Promise<void> {
    await this.#send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    const metrics = { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 };
    await this.#send('Emulation.setDeviceMetricsOverride', metrics);
    const loaded = new Promise<void>((resolve) => this.#events.set('Page.loadEventFired', resolve));
    await this.#send('Page.navigate', { url: address });
    await loaded;
  }

  /** The value of an expression in the page, promises awaited. */
  async evaluate(expression: string): Promise<unknown> {
    const answer = await this.#send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (answer['exceptionDetails'] !== undefined) throw new Error(JSON.stringify(answer['exceptionDetails']));
    // The shape of the protocol's answer.
    return (answer['result'] as { value: unknown }).value;
  }

  async pdf(): Promise<Buffer> {
    const { data } = await this.#send('Page.printToPDF', { preferCSSPageSize: true });
    return Buffer.from(String(data), 'base64');
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('close', resolve));
    process.kill(-(this.#child.pid ?? 0), 'SIGKILL');
    await gone;
    try {
      rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20 });
    } catch {
      // A helper of the browser in a session of its own may still write there. The folder stays with
      // the system's other temporary files; nothing that is judged depends on it.
    }
  }

  #send(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    this.#id += 1;
    const id = this.#id;
    const session = this.#session === undefined ? {} : { sessionId: this.#session };
    this.#input.write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        if (error === undefined) resolve(result ?? {});
        else reject(new Error(`${method}: ${error.message}`));
      });
    });
  }

  #take(part: string): void {
    const messages = `${this.#text}${part}`.split('\0');
    this.#text = messages.pop() ?? '';
    for (const text of messages) {
      // Written by the browser, whose protocol has this shape.
      const message = JSON.parse(text) as Message;
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
      else this.#hear(message);
    }
  }

  #hear({ method = '', params = {} }: Message): void {
    if (method === 'Runtime.consoleAPICalled' || method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded') {
      this.complaints.push(JSON.stringify(params));
    }
    if (method === 'Network.requestWillBeSent') {
      // The shape of the protocol.
      this.requests.push((params['request'] as { url: string }).url);
    }
    this.#events.get(method)?.();
  }
}
