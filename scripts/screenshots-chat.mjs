// Takes the pictures of examples/web-chat. Run by hand, while the example runs on Temporal's dev server: it needs Chromium.
// Usage: npx node scripts/screenshots-chat.mjs <address of the page> [folder]. Without a folder it takes those of the docs.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumArgs, chromiumPath } from './chromium.mts';

const [url, folder] = process.argv.slice(2);
const IN_DOCS = ['web-chat', 'web-chat-inbox', 'web-chat-phone-light', 'web-chat-phone-dark'];
const LARGEST = 200_000;
const DESK = { width: 1000, height: 700 };
const PHONE = { width: 375, height: 740 };

const browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumArgs });

async function open(user, { viewport = DESK, colorScheme = 'light', place = '' } = {}) {
  const page = await browser.newPage({ viewport, colorScheme, deviceScaleFactor: 1.5 });
  page.setDefaultTimeout(60_000);
  await page.goto(`${url}/?user=${user}${place}`);
  return page;
}

async function say(page, text) {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** Without the cursor, and when all that was asked for has come. */
async function picture(page, name) {
  if (folder === undefined && !IN_DOCS.includes(name)) return;
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined);
  const path = join(resolve(folder ?? 'docs/images'), `${name}.png`);
  await page.screenshot({ path, caret: 'hide' });
  const { size } = statSync(path);
  console.log(`${path}: ${Math.round(size / 1000)} kB`);
  if (size > LARGEST) throw new Error(`${path} is larger than ${LARGEST / 1000} kB`);
}

/** Up to the approval: its form has a choice and a number. */
async function bookTrain(page, city) {
  await say(page, `I must go to ${city} on Monday.`);
  await page.getByRole('button', { name: `8:30 to ${city}, direct` }).click();
  await page.getByRole('button', { name: 'Approve' }).waitFor();
}

async function onADesk() {
  const page = await open('ada');
  await bookTrain(page, 'Rome');
  await picture(page, 'web-chat');
  await page.close();
}

async function onAPhone() {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open('ben', { viewport: PHONE, colorScheme });
    await bookTrain(page, 'Bern');
    await picture(page, `web-chat-phone-${colorScheme}`);
    await page.getByLabel('Seat').selectOption('aisle');
    await page.getByLabel('Euros').fill('-5');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('alert').waitFor();
    await picture(page, `web-chat-form-${colorScheme}`);
    await page.getByRole('button', { name: 'Menu' }).click();
    await picture(page, `web-chat-menu-${colorScheme}`);
    await page.close();
  }
}

async function stopped() {
  const page = await open('ben', { viewport: PHONE, colorScheme: 'dark' });
  await say(page, 'Tell me about Oslo.');
  await page.getByText('The first day in Oslo').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped.').waitFor();
  await page.reload();
  await page.getByText('Stopped.').waitFor();
  await picture(page, 'web-chat-stopped');
  await page.close();
}

async function withAManager() {
  const ada = await open('ada', { viewport: PHONE });
  await say(ada, 'Book a hotel in Bern for 4 nights.');
  await ada.getByText('Only a manager may decide').waitFor();
  await picture(ada, 'web-chat-who-decides');
  const mia = await open('mia', { place: '#inbox' });
  const card = mia.getByRole('form', { name: 'Book hotel' }).last();
  await card.waitFor();
  await picture(mia, 'web-chat-inbox');
  await card.getByLabel('Nights').fill('2');
  await card.getByRole('button', { name: 'Approve' }).click();
  await ada.getByText('booked for 2 nights').waitFor();
  await ada.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  await picture(ada, 'web-chat-edited');
  await Promise.all([ada.close(), mia.close()]);
}

async function emptyInbox() {
  const page = await open('ben', { viewport: PHONE, place: '#inbox' });
  await page.getByText('Nothing waits').waitFor();
  await picture(page, 'web-chat-inbox-empty');
  await page.close();
}

try {
  await emptyInbox();
  await onADesk();
  await stopped();
  await withAManager();
  await onAPhone();
} finally {
  await browser.close();
}
