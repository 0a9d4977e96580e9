// Takes the pictures of Temporal's Web UI that the docs show, of the demo's agent. Run by hand after a build: it needs Chromium.
// Usage: npx node scripts/screenshots.mjs [path of chromium]
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { openGuideStage } from '../examples/repo-guide/demo/stage.mts';
import { chromiumArgs, chromiumPath } from './chromium.mts';

const PROJECT = resolve(import.meta.dirname, '..');
const IMAGES = join(PROJECT, 'docs/images');
const QUESTION = 'I am new here. What is this, and where do I start?';
const TIMELINE_HEIGHT = 615;
const LARGEST = 200_000;
const PERSON_THINKS_MS = 4_000;
/** After the last request: the timeline draws itself in steps. */
const SETTLES_MS = 3_000;

const OPTIONS = { executablePath: process.argv[2] ?? chromiumPath, args: chromiumArgs };
/** Of the page without its navigation. */
const FRAME = { left: 256, top: 64, width: 1200 };

async function runs({ longhaul }) {
  const waiting = await longhaul.start('repo-guide', QUESTION);
  const { question } = await waiting.outcome();
  const done = await longhaul.start('repo-guide', QUESTION);
  const { options } = await done.outcome();
  await sleep(PERSON_THINKS_MS);
  await done.resume(options[0]);
  await done.outcome();
  return { done: done.workflowId, waiting: waiting.workflowId, question };
}

/** The timeline, oldest first, without the boxes above it. */
async function timeline(page, url) {
  await page.goto(url);
  await page.getByText('callModel • #6').first().waitFor();
  await page.getByRole('button', { name: 'Descending' }).click();
  await sleep(SETTLES_MS);
  const { y } = await page.getByRole('button', { name: 'Ascending' }).boundingBox();
  await picture(page, { name: 'web-ui-timeline', top: y - 12, height: TIMELINE_HEIGHT });
}

/** Markdown is shown in frames of its own; the current details, which the worker is asked for, come last. */
async function metadata(page, { url, text }) {
  await page.goto(url);
  await page.waitForURL(/\/timeline/);
  await page.goto(page.url().replace(/timeline.*/, 'user-metadata'));
  await page.frameLocator('iframe').last().getByText(text).first().waitFor();
  await sleep(SETTLES_MS);
  const { y, height } = await page.locator('iframe').last().boundingBox();
  const top = FRAME.top;
  await picture(page, { name: 'web-ui-run', top, height: Math.min(y + height, 1400) - top });
}

async function picture(page, { name, top, height }) {
  const path = join(IMAGES, `${name}.png`);
  await page.screenshot({ path, clip: { x: FRAME.left, y: top, width: FRAME.width, height } });
  const { size } = statSync(path);
  console.log(`${path}: ${Math.round(size / 1000)} kB`);
  if (size > LARGEST) throw new Error(`${path} is larger than ${LARGEST / 1000} kB`);
}

async function pictures(stage) {
  const { done, waiting, question } = await runs(stage);
  const browser = await chromium.launch(OPTIONS);
  try {
    const viewport = { width: FRAME.left + FRAME.width, height: 1600 };
    const page = await browser.newPage({ viewport });
    await timeline(page, stage.pageOf(done));
    await metadata(page, { url: stage.pageOf(waiting), text: question });
  } finally {
    await browser.close();
  }
}

const scratch = mkdtempSync(join(tmpdir(), 'longhaul-screenshots-'));
const cleanups = [async () => rmSync(scratch, { recursive: true })];
mkdirSync(IMAGES, { recursive: true });
process.chdir(scratch);
try {
  const screen = { line: (label, text) => console.log(`${label}: ${text}`) };
  const stage = await openGuideStage(PROJECT, { screen, cleanups });
  await stage.startWorker();
  await pictures(stage);
  await stage.longhaul.close();
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}
process.exit();
