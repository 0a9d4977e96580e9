// The chat page that docs/http.md links to in a real browser, on a real handler.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumArgs, chromiumPath } from '../../scripts/chromium.mts';
import { defineAgent, defineTool } from '../../src';
import type { JsonObject } from '../../src/base/json';
import { agentHandler, toNode } from '../../src/http';
import { scriptedModel } from '../../src/testing/scripted-model';
import { root } from '../unit/docs/markdown';
import { askUser, aTool, callOf } from '../workflow/builders';
import { type Harness, openHarness } from '../workflow/harness';
import { describeInBrowser } from './in-browser';

/** For a machine that does much else. */
const patienceMs = 90_000;

function bundle(): string {
  const program = join(root, 'test/e2e/build-docs-page.mts');
  const options = { encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  return execFileSync(process.execPath, [program], options);
}

describeInBrowser('the chat page that docs/http.md links to', () => {
  let harness: Harness;
  let browser: Browser;
  const server = createServer();
  const refunds: JsonObject[] = [];
  let url: string;

  beforeAll(async () => {
    const script = bundle();
    harness = await openHarness();
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: chromiumArgs });
    const handler = agentHandler(harness.longhaul, {
      agents: ['support'],
      authenticate: () => ({ user: 'ada' }),
      basePath: '/agents',
    });
    const agents = toNode(handler);
    server.on('request', (request, response) => {
      if (request.url?.startsWith('/agents/')) return agents(request, response);
      const isScript = request.url === '/main.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? script : '<body><script type="module" src="/main.js"></script>');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    await browser?.close();
    server.closeAllConnections();
    server.close();
    await harness?.close();
  });

  async function deploy(): Promise<void> {
    const refund = aTool(
      'refund',
      (args) => {
        refunds.push(args);
        return 'paid';
      },
      { needsApproval: true },
    );
    const pickSeat = defineTool({
      name: 'pick_seat',
      description: 'The user picks a seat on the page',
      inputSchema: { type: 'object', properties: {} },
      result: 'client',
    });
    const tools = [refund, pickSeat];
    const agent = defineAgent({ id: 'support', model: 'desk/one', tools, askUser: 'tool' });
    const steps = [
      askUser('Which one?', ['red', 'blue']),
      callOf('refund', { amount: 5 }),
      callOf('refund', { amount: 6 }),
      callOf('refund', { amount: 7 }),
      callOf('pick_seat'),
      'All is done.',
      'Again.',
    ];
    const providers = { desk: scriptedModel(steps, { name: 'desk' }) };
    await harness.deploy({ runners: [agent], providers });
  }

  const click = (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();

  it('answers a question, changes, rejects and approves calls, and gives a result of its own', async () => {
    await deploy();
    const page = await browser.newPage();
    page.setDefaultTimeout(patienceMs);
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    const typed = ['{"amount":4}', 'Too much.'];
    page.on('dialog', (dialog) => void dialog.accept(typed.shift()));
    await page.goto(url);
    await page.getByLabel('Message').fill('Help me.');
    await page.keyboard.press('Enter');

    await click(page, 'blue');
    await page.getByText('refund {"amount":5}').waitFor();
    await click(page, 'Change and approve');
    await page.getByText('refund {"amount":6}').waitFor();
    await click(page, 'Reject');
    await page.getByText('refund {"amount":7}').waitFor();
    // What waits is there after a reload.
    await page.reload();
    await click(page, 'Approve');
    await click(page, 'Pick 12A');
    await page.getByText('All is done.').waitFor();
    expect(refunds).toEqual([{ amount: 4 }, { amount: 7 }]);
    const shown = await page.locator('body').innerText();
    expect(shown).toContain('ask_user: "blue"');
    expect(shown).toMatch(/pick_seat: .*12A/);

    await page.getByLabel('Message').fill('And now?');
    await page.keyboard.press('Enter');
    await page.getByText('Again.').waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });
});
