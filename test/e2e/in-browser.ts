// Tests in a real browser, of the example web-chat.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumArgs, chromiumPath, isChromiumRequired } from '../../scripts/chromium.mts';
import { expectNothingLeft, type Running, startExample } from './example-process';

/** For a machine that does much else. */
const patienceMs = 90_000;

/** Tests that need a browser. Without one they are skipped, and fail where one is required. */
export function describeInBrowser(name: string, tests: () => void): void {
  const isMissing = chromiumPath === undefined;
  if (isMissing && !isChromiumRequired)
    return void describe.skip(`${name} (no Chromium here: see CONTRIBUTING.md)`, tests);
  describe(name, () => {
    if (isMissing) throw new Error('these tests need Chromium: install it, or set CHROMIUM');
    tests();
  });
}

export type Look = Pick<BrowserContextOptions, 'viewport' | 'colorScheme'>;

export class WebChat {
  readonly #pageErrors: string[] = [];
  #folder = '';
  #example: Running | undefined;
  #browser: Browser | undefined;
  #url = '';

  async start(): Promise<void> {
    this.#folder = mkdtempSync(join(tmpdir(), 'longhaul-web-chat-'));
    this.#example = startExample('run.mts', { folder: this.#folder, args: ['web-chat'] });
    this.#browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: chromiumArgs,
    });
    this.#url = await this.#example.said(/ page +(http:\S+)/);
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    if (this.#example === undefined) return;
    this.#example.stop();
    const { status, output, group } = await this.#example.ended;
    await expectNothingLeft(group);
    rmSync(this.#folder, { recursive: true });
    expect({ status, pageErrors: this.#pageErrors }).toEqual({ status: 143, pageErrors: [] });
    // What the handler could not explain to a browser is a warning of the process.
    expect(output).not.toMatch(/ s {2}failed|\(node:\d+\)/);
  }

  get url(): string {
    return this.#url;
  }

  /** A page without an address. */
  async newPage(look: Look = {}): Promise<Page> {
    if (this.#browser === undefined) throw new Error('not started');
    const page = await this.#browser.newPage(look);
    page.setDefaultTimeout(patienceMs);
    page.on('pageerror', ({ message }) => this.#pageErrors.push(message));
    return page;
  }

  async open(user: string, { place = '', ...look }: Look & { place?: string } = {}): Promise<Page> {
    const page = await this.newPage(look);
    await page.goto(`${this.#url}/?user=${user}${place}`);
    return page;
  }
}

type Found = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };
type Axe = { run(): Promise<{ readonly violations: readonly Found[] }> };

/** What a page does wrong for those who cannot see it, or not well: rules of axe-core, each with where. */
export async function barriers(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ path: require.resolve('axe-core/axe.min.js') });
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { readonly axe: Axe }).axe.run(),
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
