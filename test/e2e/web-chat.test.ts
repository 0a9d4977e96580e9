// The page of examples/web-chat in a real browser: the worker, the HTTP handler and the client of the AI SDK are real, the model is a script.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { chromiumArgs, chromiumPath } from '../../scripts/chromium.mts';
import { eventually } from '../workflow/eventually';
import { expectNothingLeft, type Running, startExample } from './example-process';

/** For a machine that does much else. */
const patienceMs = 90_000;

(chromiumPath === undefined ? describe.skip : describe)('the web chat in a browser', () => {
  let folder: string;
  let example: Running;
  let browser: Browser;
  let url: string;
  const pageErrors: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'longhaul-web-chat-'));
    example = startExample('run.mts', { folder, args: ['web-chat'] });
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: chromiumArgs });
    url = await example.said(/ page +(http:\S+)/);
  });
  afterAll(async () => {
    await browser?.close();
    example.stop();
    const { status, output, group } = await example.ended;
    await expectNothingLeft(group);
    rmSync(folder, { recursive: true });
    expect({ status, pageErrors }).toEqual({ status: 143, pageErrors: [] });
    // What the handler could not explain to a browser is a warning of the process.
    expect(output).not.toMatch(/ s {2}failed|\(node:\d+\)/);
  });

  const open = async (user: string, hash = ''): Promise<Page> => {
    const page = await browser.newPage();
    page.setDefaultTimeout(patienceMs);
    page.on('pageerror', ({ message }) => pageErrors.push(message));
    await page.goto(`${url}/?user=${user}${hash}`);
    return page;
  };
  const say = async (page: Page, text: string): Promise<void> => {
    await page.getByPlaceholder('Where to?').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };
  const isReady = (page: Page): Promise<void> =>
    page.locator('[data-status=ready]').getByRole('button', { name: 'Send' }).waitFor();
  const tool = (page: Page, name: string, state: string): Locator =>
    page.locator(`[data-tool=${name}][data-state=${state}]`);
  const answer = (page: Page): Locator => page.locator('article.assistant').last();

  it('streams text, and goes on with it after a reload in the middle', async () => {
    const page = await open('ada');
    await say(page, 'Tell me about Lisbon.');
    await page.getByText('The first day in Lisbon').waitFor();
    const early = await answer(page).innerText();
    await page.getByText('The second day in Lisbon').waitFor();
    const later = await answer(page).innerText();
    expect(later.startsWith(early)).toBe(true);
    expect(later).not.toContain('seventh');

    await page.reload();
    await page.getByText('The second day in Lisbon').waitFor();
    expect(await page.locator('[data-status=streaming]').count()).toBe(1);
    await page.getByText('On the seventh day you rest.').waitFor();
    await isReady(page);
    const whole = await answer(page).innerText();
    expect(whole.startsWith(later)).toBe(true);

    await page.reload();
    // A turn that has just ended is streamed again, in the place of the message that the page has.
    await eventually('the whole answer', async () => (await answer(page).innerText()) === whole);
    expect(await page.locator('article').count()).toBe(2);
    await page.close();
  });

  it('shows a call while it runs, asks, and books what a person changed', async () => {
    const page = await open('ada');
    await say(page, 'I must go to Rome on Monday.');
    await tool(page, 'find_trains', 'input-available').waitFor();
    const option = page.getByRole('button', { name: '8:30 to Rome, direct' });
    await option.waitFor();
    expect(await tool(page, 'find_trains', 'output-available').count()).toBe(1);
    await option.click();
    const approval = tool(page, 'book_train', 'approval-requested');
    await approval.locator('[name=seat]').fill('roof');
    await approval.getByRole('button', { name: 'Approve' }).click();
    // The schema of the tool refuses it, and the call still waits.
    await approval.locator('.error').waitFor();

    await page.reload();
    await approval.locator('[name=seat]').fill('aisle');
    await approval.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Your seat at the aisle is booked: 8:30 to Rome, direct.').waitFor();
    expect(await tool(page, 'book_train', 'output-available').innerText()).toContain('"aisle"');
    await isReady(page);
    await page.close();
  });

  it('stops a run, and takes the next message', async () => {
    const page = await open('ben');
    await say(page, 'Tell me about Oslo.');
    await page.getByText('The first day in Oslo').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await isReady(page);
    expect(await answer(page).innerText()).not.toContain('seventh');
    await say(page, 'Book a hotel in Oslo for 2 nights.');
    await tool(page, 'book_hotel', 'approval-requested').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await isReady(page);
    await page.close();
  });

  it('shows a manager what waits, and the chat goes on with her verdict', async () => {
    const ada = await open('ada');
    await say(ada, 'Book a hotel in Bern for 4 nights.');
    await tool(ada, 'book_hotel', 'approval-requested')
      .getByRole('button', { name: 'Approve' })
      .click();
    await ada.getByText('You may not decide this').waitFor();

    const mia = await open('mia', '#inbox');
    const item = mia.locator('.tool', { hasText: 'A room in Bern, 4 nights, 560 euros.' });
    await item.locator('[name=nights]').fill('3');
    await item.getByRole('button', { name: 'Approve' }).click();
    await item.waitFor({ state: 'detached' });
    await ada.getByText('Your room in Bern is booked for 3 nights.').waitFor();
    expect(await ada.locator('nav a.here').count()).toBe(1);
    await Promise.all([ada.close(), mia.close()]);
  });
});
