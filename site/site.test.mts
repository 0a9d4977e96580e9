// The built site in a real browser: `npm run site` makes it. Every link leads somewhere, and nothing is asked of the network.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, posix } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumArgs, chromiumPath, isChromiumRequired } from '../scripts/chromium.mts';

const made = join(import.meta.dirname, 'dist');
const isFile = (path: string): boolean => extname(path) !== '' && existsSync(join(made, path));
const htmlPages = globSync('**/*.html', { cwd: made }).filter((path) => path !== '404.html');
const textOf = (path: string): string => readFileSync(join(made, path), 'utf8');
const allOf = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** The file of an address, and what it names in it. */
function targetOf(href: string, page: string): readonly [path: string, anchor: string] {
  const [file = '', anchor = ''] = decodeURIComponent(href).split('#');
  if (file === '') return [page, anchor];
  const path = file.startsWith('/') ? file.slice(1) : posix.join(posix.dirname(page), file);
  return [path === '' || path.endsWith('/') ? `${path}index.html` : path, anchor];
}

describe('the files of the site', () => {
  const ids = new Map(
    htmlPages.map((page) => [page, new Set(allOf(textOf(page), /\sid="([^"]+)"/g))]),
  );

  it('have no link, image or anchor that leads nowhere', () => {
    const dead = htmlPages.flatMap((page) => {
      const links = new Set(allOf(textOf(page), /\s(?:href|src)="([^"]+)"/g));
      return [...links]
        .filter((href) => !/^(?:[a-z]+:|\/\/)/i.test(href))
        .filter((href) => {
          const [path, anchor] = targetOf(href, page);
          const isKnown = anchor === '' || (ids.get(path)?.has(anchor) ?? false);
          return !isFile(path) || !isKnown;
        })
        .map((href) => `${page}: ${href}`);
    });
    assert.deepEqual(dead, []);
    assert.ok(htmlPages.length > 80);
  });

  it('have each page as Markdown, whose links lead to Markdown, and list it in llms.txt', () => {
    const listed = allOf(textOf('llms.txt'), /^- \[.+?\]\(\/(\S+)\): \S/gm);
    const unlisted = new Set(['index.md', 'api/index.md']);
    const pages = htmlPages.map((page) => page.replace(/html$/, 'md'));
    assert.deepEqual(pages.filter((page) => !unlisted.has(page)).sort(), [...listed].sort());
    const dead = pages.flatMap((page) => {
      const text = textOf(page).replaceAll(/^ *```[\s\S]*?^ *```$|`[^`\n]+`/gm, '');
      return allOf(text, /\]\(([^)\s#]+)[^)\s]*\)/g)
        .filter((href) => !/^[a-z]+:/.test(href) && !isFile(targetOf(href, page)[0]))
        .map((href) => `${page}: ${href}`);
    });
    assert.deepEqual(dead, []);
  });
});

/** Of each page, its address and the id of its title. */
const titles = htmlPages.map((path) => [
  `/${path.replace(/index\.html$/, '')}`,
  allOf(textOf(path), /<h1 id="([^"]+)/g)[0],
]);

/** For the browser: clicks on a link to each page, and waits for its title. Gives the pages whose title does not come. */
const followAll = `(async () => {
  const missing = [];
  for (const [path, title] of ${JSON.stringify(titles)}) {
    const link = Object.assign(document.createElement('a'), { href: path });
    document.body.append(link);
    link.click();
    link.remove();
    const isShown = () => location.pathname === path && document.querySelector('h1')?.id === title;
    for (let left = 600; left > 0 && !isShown(); left--)
      await new Promise((resolve) => setTimeout(resolve, 25));
    if (!isShown()) missing.push(path);
  }
  return missing;
})()`;

const skip = chromiumPath === undefined && !isChromiumRequired && 'no Chromium here';

describe('the site in a browser', { skip }, () => {
  const server = createServer((request, response) => {
    const [path] = targetOf((request.url ?? '/').replace(/\?.*/, ''), '');
    response.statusCode = isFile(path) ? 200 : 404;
    response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream');
    response.end(isFile(path) ? readFileSync(join(made, path)) : '');
  });
  const wrong: string[] = [];
  let browser: Browser;
  let origin: string;

  before(async () => {
    assert.ok(chromiumPath, 'these tests need Chromium: install it, or set CHROMIUM');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumArgs });
  });
  after(async () => {
    await browser?.close();
    server.closeAllConnections();
    server.close();
  });

  /** A page that tells what goes wrong in it, and what it asks of anybody else. */
  async function newPage(width: number, colorScheme: 'dark' | 'light'): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
    const tell = (what: string): unknown => wrong.push(`${page.url()} at ${width}: ${what}`);
    page.on('console', (line) => line.type() === 'error' && tell(line.text()));
    page.on('pageerror', ({ message }) => tell(message));
    page.on('request', (request) => {
      if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(`${origin}/`))
        tell(`asks for ${request.url()}`);
    });
    return page;
  }

  const looks = [
    { width: 1280, scheme: 'light' },
    { width: 360, scheme: 'dark' },
  ] as const;
  const shown = ['', 'tools.html', 'architecture.html', 'errors.html', 'api/longhaul/client.html'];

  for (const { width, scheme } of looks)
    it(`fits a window of ${width} pixels, ${scheme}`, async () => {
      const page = await newPage(width, scheme);
      for (const address of shown) {
        await page.goto(`${origin}/${address}`, { waitUntil: 'networkidle' });
        assert.ok(await page.getByRole('heading', { level: 1 }).isVisible(), address);
        const widest = await page.evaluate('document.documentElement.scrollWidth');
        assert.equal(widest, width, `${address} is wider than its window`);
        const isDark = await page.evaluate('document.documentElement.classList.contains("dark")');
        assert.equal(isDark, scheme === 'dark');
      }
      await page.goto(`${origin}/architecture.html`);
      await page.locator('.diagram svg').waitFor();
      await page.close();
      assert.deepEqual(wrong, []);
    });

  it('finds pages and names of the API without a server', async () => {
    const page = await newPage(1280, 'light');
    // The page hears keys when its scripts have run.
    await page.goto(origin, { waitUntil: 'networkidle' });
    await page.keyboard.press('/');
    for (const [words, found] of [
      ['idempotencyKey', '/tools.html#'],
      ['agentHandler', '/http.html#'],
      ['scriptedModel', '/api/longhaul/testing.html#'],
    ] as const) {
      await page.getByRole('searchbox').fill(words);
      await page.locator(`.VPLocalSearchBox .result[href*="${found}"]`).first().waitFor();
    }
    await page.close();
    assert.deepEqual(wrong, []);
  });

  it('follows the links to every page without an error', async () => {
    const page = await newPage(1280, 'light');
    await page.goto(origin);
    assert.deepEqual(await page.evaluate(followAll), []);
    await page.close();
    assert.deepEqual(wrong, []);
  });
});
