// The page of examples/web-chat in a real browser: the worker, the HTTP handler and the client of the AI SDK are real, the model is a script.
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../workflow/eventually';
import { barriers, describeInBrowser, WebChat } from './in-browser';

const phone = { viewport: { width: 360, height: 640 } };

describeInBrowser('the web chat in a browser', () => {
  const web = new WebChat();
  beforeAll(() => web.start());
  afterAll(() => web.stop());

  const say = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };
  /** Nothing works or waits any more. */
  const isReady = async (page: Page): Promise<void> => {
    await page.locator('[data-status=ready]').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  };
  const card = (page: Page, name: string): Locator => page.getByRole('form', { name });
  const tool = (page: Page, name: string, state: string): Locator =>
    page.locator(`[data-tool=${name}][data-state=${state}]`);
  const answer = (page: Page): Locator => page.locator('article.assistant').last();
  const widthOf = (page: Page): Promise<number> =>
    page.evaluate('document.documentElement.scrollWidth');
  const focused = (page: Page): Promise<string> =>
    page.evaluate('document.activeElement.innerText');

  /** Up to the approval, whose form has a choice and a number. */
  const bookTrain = async (page: Page, city: string): Promise<Locator> => {
    await say(page, `I must go to ${city} on Monday.`);
    await page.getByRole('button', { name: `8:30 to ${city}, direct` }).click();
    const approval = card(page, 'Book train needs approval');
    await approval.waitFor();
    return approval;
  };

  it('streams text, and goes on with it after a reload in the middle', async () => {
    const page = await web.open('ada');
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
    // The end stays in view, and the composer below it.
    await expectInView(page, page.getByText('On the seventh day you rest.'));
    await expectInView(page, page.getByLabel('Message'));
    const whole = await answer(page).innerText();
    expect(whole.startsWith(later)).toBe(true);

    await page.reload();
    // A turn that has just ended is streamed again, in the place of the message that the page has.
    await eventually('the whole answer', async () => (await answer(page).innerText()) === whole);
    expect(await page.locator('article').count()).toBe(2);
    await page.getByRole('link', { name: 'Tell me about Lisbon.' }).waitFor();
    await page.close();
  });

  it('shows a call while it runs, asks, and books what a person changed', async () => {
    const page = await web.open('ada');
    await say(page, 'I must go to Rome on Monday.');
    await tool(page, 'find_trains', 'input-available').waitFor();
    const option = page.getByRole('button', { name: '8:30 to Rome, direct' });
    await option.waitFor();
    expect(await tool(page, 'find_trains', 'output-available').count()).toBe(1);
    await option.click();
    const approval = card(page, 'Book train needs approval');
    const seat = approval.getByLabel('Seat');
    await seat.waitFor();
    expect(await seat.getByRole('option').allInnerTexts()).toEqual(['window', 'aisle']);
    const euros = approval.getByRole('spinbutton', { name: 'Euros' });
    expect(await euros.inputValue()).toBe('129');
    await euros.fill('-1');
    await approval.getByRole('button', { name: 'Approve' }).click();
    // The schema of the tool refuses it, and the call still waits.
    await approval.getByRole('alert').waitFor();

    // A problem document that names the field marks it.
    const errors = [{ pointer: '/args/euros', detail: 'must be over 0' }];
    await page.route('**/approve', (route) => route.fulfill({ status: 422, json: { errors } }));
    await approval.getByRole('button', { name: 'Approve' }).click();
    await approval.getByText('Please look at the marked fields.').waitFor();
    expect(await euros.getAttribute('aria-invalid')).toBe('true');
    await expect(euros.and(page.locator(':focus')).count()).resolves.toBe(1);
    expect(await approval.getByText('must be over 0').count()).toBe(1);
    await page.unroute('**/approve');

    await page.reload();
    await seat.selectOption('aisle');
    await approval.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Your seat at the aisle is booked: 8:30 to Rome, direct.').waitFor();
    const booked = await tool(page, 'book_train', 'output-available').innerText();
    expect(booked).toMatch(/Seat\s+aisle\s+Euros\s+129/);
    await isReady(page);
    await page.close();
  });

  it('stops a run, says so after a reload, and takes the next message', async () => {
    const page = await web.open('ben');
    await say(page, 'Tell me about Oslo.');
    await page.getByText('The first day in Oslo').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await isReady(page);
    await answer(page).getByText('Stopped.').waitFor();
    expect(await answer(page).innerText()).not.toContain('seventh');
    await page.reload();
    await answer(page).getByText('Stopped.').waitFor();

    await say(page, 'Book a hotel in Oslo for 2 nights.');
    await card(page, 'Book hotel needs approval').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await isReady(page);
    await page.close();
  });

  it('says who decides, takes a message meanwhile, and goes on with the verdict of the manager', async () => {
    const ada = await web.open('ada');
    await say(ada, 'Book a hotel in Bern for 4 nights.');
    await card(ada, 'Book hotel').getByText('Only a manager may decide this.').waitFor();
    expect(await ada.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await say(ada, 'The hotel with breakfast, please.');
    await ada.getByText('The agent reads it when it goes on.').waitFor();

    const mia = await web.open('mia', { place: '#inbox' });
    const item = mia.locator('.card', { hasText: 'A room in Bern, 4 nights, 560 euros.' });
    await item.getByRole('spinbutton', { name: 'Nights' }).fill('3');
    await item.getByRole('button', { name: 'Approve' }).click();
    await item.waitFor({ state: 'detached' });
    const booked = tool(ada, 'book_hotel', 'output-available');
    await booked.waitFor();
    // What the manager changed, beside what the agent wanted.
    expect(await booked.locator('del').allInnerTexts()).toEqual(['4']);
    await isReady(ada);
    // The text was read, and stands once, as soon as the page has what was read.
    const text = ada.getByText('The hotel with breakfast, please.');
    await text.nth(1).waitFor({ state: 'detached' });
    expect(await text.count()).toBe(1);
    await ada.locator('nav [aria-current]').waitFor();
    await Promise.all([ada.close(), mia.close()]);
  });

  it('fits on a phone, where one reaches what asks', async () => {
    const page = await web.open('ben', phone);
    const approval = await bookTrain(page, 'Turin');
    expect(await widthOf(page)).toBeLessThanOrEqual(phone.viewport.width);
    const approve = approval.getByRole('button', { name: 'Approve' });
    await expectInView(page, approve);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Inbox' }).waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(phone.viewport.width);
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(phone.viewport.width);
    await page.close();
  });

  it('asks and is answered by the keyboard alone', async () => {
    const page = await web.open('ada');
    await page.getByLabel('Message').waitFor();
    await page.keyboard.type('I must go to Paris on Monday.');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '7:04 to Paris, one change' }).waitFor();
    // The focus is on what asks. Its first button is the next stop.
    await eventually('the focus', async () => (await focused(page)).startsWith('A question'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await card(page, 'Book train needs approval').waitFor();
    await eventually('the focus', async () => (await focused(page)).startsWith('Book train'));
    for (const label of ['Train', 'Seat', 'Euros', 'Reason']) {
      await page.keyboard.press('Tab');
      const place = page.getByLabel(label, { exact: true });
      expect(await place.and(page.locator(':focus')).count()).toBe(1);
    }
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Approve');
    await page.keyboard.press('Enter');
    await page.getByText('Your seat at the window is booked: 7:04 to Paris').waitFor();
    await isReady(page);
    await page.keyboard.type('Tell');
    expect(await page.getByLabel('Message').inputValue()).toBe('Tell');
    await page.close();
  });

  it.each(['light', 'dark'] as const)('has no barriers in the %s', async (colorScheme) => {
    const page = await web.open('ben', { ...phone, colorScheme });
    const background = await page.evaluate('getComputedStyle(document.documentElement).background');
    expect(background).toContain(colorScheme === 'dark' ? 'rgb(22, 24, 29)' : 'rgb(255, 255, 255)');
    expect(await barriers(page)).toEqual([]);
    const approval = await bookTrain(page, 'Milan');
    await approval.getByLabel('Euros').fill('-1');
    await approval.getByRole('button', { name: 'Approve' }).click();
    await approval.getByRole('alert').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.close();
  });
});

async function expectInView(page: Page, locator: Locator): Promise<void> {
  const box = await locator.boundingBox();
  const { height, width } = page.viewportSize() ?? { height: 0, width: 0 };
  expect(box).not.toBeNull();
  const { x, y, width: wide, height: high } = box ?? { x: -1, y: -1, width: 0, height: 0 };
  expect({
    left: x >= 0,
    right: x + wide <= width,
    top: y >= 0,
    bottom: y + high <= height,
  }).toEqual({ left: true, right: true, top: true, bottom: true });
}
