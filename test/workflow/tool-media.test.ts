// Pictures and PDFs of a tool, over the wire of each API: a strict double refuses what the API refuses.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, defineTool, toolContent } from '../../src';
import type { ToolContent } from '../../src/protocol/message';
import { FileResults } from '../../src/stores/results/file-results';
import { type Dialect, dialects, models } from '../../bench/strict-rules.mts';
import { StrictProvider } from '../../bench/strict-provider.mts';
import { openHarness, type Harness } from './harness';
import { fetchHistory, type HistoryEvents } from './history';

/** Over the 16 KiB from which media go into a store. Each page has its own. */
const size = 17_000;
const pngOf = (page: number): Buffer =>
  Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(size - 8, page)]);
const pdfOf = (page: number): Buffer =>
  Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(size - 8, page)]);

const readPage = defineTool({
  name: 'read_page',
  description: 'Reads a page.',
  inputSchema: { type: 'object', properties: { page: { type: 'integer' } } },
  execute: ({ page = 0 }: { page?: number }) =>
    toolContent([
      `Page ${page}:`,
      { type: 'media', mediaType: 'image/png', data: pngOf(page) },
      { type: 'media', mediaType: 'application/pdf', data: pdfOf(page) },
    ]),
});

/** The third turn of the double calls twice. */
const pages = [30, 31] as const;
const callIds = ['call_3_0', 'call_3_1'] as const;
const labels = ['image/png, 17,000 bytes', 'application/pdf, 17,000 bytes'] as const;

const results = pages.map((page, index) => {
  const [png, pdf] = [pngOf(page).toString('base64'), pdfOf(page).toString('base64')];
  const urls = { png: `data:image/png;base64,${png}`, pdf: `data:application/pdf;base64,${pdf}` };
  return { number: index + 1, callId: callIds[index], text: `Page ${page}:`, png, pdf, urls };
});

/** How the results of that turn stand at the end of the next request. */
const ends: Record<Dialect, { readonly field: string; readonly items: readonly object[] }> = {
  'openai-responses': {
    field: 'input',
    items: results.map(({ callId, text, urls }) => ({
      type: 'function_call_output',
      call_id: callId,
      output: [
        { type: 'input_text', text },
        { type: 'input_image', image_url: urls.png },
        { type: 'input_file', file_data: urls.pdf },
      ],
    })),
  },
  'openai-chat': {
    field: 'messages',
    items: [
      ...results.map(({ callId, text }) => ({
        role: 'tool',
        tool_call_id: callId,
        content: [text, ...labels.map((label) => `[${label}] (see after the results)`)].join('\n'),
      })),
      {
        role: 'user',
        content: results.flatMap(({ number, urls }) => [
          { type: 'text', text: `[${labels[0]}] of result ${number}, from read_page:` },
          { type: 'image_url', image_url: { url: urls.png } },
          { type: 'text', text: `[${labels[1]}] of result ${number}, from read_page:` },
          { type: 'file', file: { file_data: urls.pdf } },
        ]),
      },
    ],
  },
  'anthropic-messages': {
    field: 'messages',
    items: [
      {
        role: 'user',
        content: results.map(({ callId, text, png, pdf }) => ({
          type: 'tool_result',
          tool_use_id: callId,
          content: [
            { type: 'text', text },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: pdf },
            },
          ],
        })),
      },
    ],
  },
  'google-generate-content': {
    field: 'contents',
    items: [
      {
        role: 'user',
        parts: results.map(({ text, png, pdf }) => ({
          functionResponse: {
            name: 'read_page',
            response: { output: text },
            parts: [
              { inlineData: { mimeType: 'image/png', data: png } },
              { inlineData: { mimeType: 'application/pdf', data: pdf } },
            ],
          },
        })),
      },
    ],
  },
};

/** Where the base64 of a picture or a PDF of the tool begins. */
const mediaIn = (text: string): readonly string[] => text.match(/iVBORw0KGgo|JVBERi0xLjc/g) ?? [];

/** What activities returned, as it is in history. */
const outputsIn = (events: HistoryEvents): string =>
  events
    .flatMap((event) => event.activityTaskCompletedEventAttributes?.result?.payloads ?? [])
    .map(({ data }) => Buffer.from(data ?? []).toString())
    .join('\n');

const kindOf = (part: ToolContent): string =>
  part.type === 'media' ? part.source.kind : part.type;

describe('pictures and PDFs of a tool', () => {
  let harness: Harness;
  let double: StrictProvider;
  let folder: string;
  beforeAll(async () => {
    harness = await openHarness();
    folder = mkdtempSync(join(tmpdir(), 'longhaul-tool-media-'));
  });
  beforeEach(async () => {
    double = await StrictProvider.start({ window: 1_000_000, rounds: 3 });
  });
  afterEach(() => double.stop());
  afterAll(async () => {
    await harness.close();
    rmSync(folder, { recursive: true });
  });

  const stores = [
    { kept: 'the log', store: () => undefined },
    { kept: 'a result store', store: () => new FileResults({ folder }) },
  ];
  const cases = dialects.flatMap((dialect) => stores.map((each) => ({ dialect, ...each })));

  it.each(cases)('go over $dialect in its form, from $kept', async ({ dialect, store }) => {
    const [model, inStore] = [`double/${models[dialect]}`, store()];
    await harness.deploy({
      runners: [defineAgent({ id: 'viewer', model, tools: [readPage] })],
      providers: { double: double.config(dialect) },
      ...(inStore && { results: inStore }),
    });
    const run = await harness.longhaul.start('viewer', 'Read every page.');
    expect((await run.result()).finalResponse.text).toBe('All read.');
    expect(double.requests.map(({ refusal }) => refusal)).toEqual(Array(4).fill(undefined));
    const { field, items } = ends[dialect];
    const sent = double.requests[3]?.body[field] as readonly object[];
    expect(sent.slice(-items.length)).toMatchObject(items);
    for (const [turn, { body }] of double.requests.entries())
      expect(mediaIn(JSON.stringify(body))).toHaveLength([0, 2, 4, 8][turn] ?? -1);

    const told = outputsIn(await fetchHistory(harness.longhaul, run.workflowId));
    expect(mediaIn(told)).toHaveLength(inStore === undefined ? 8 : 0);
    const kinds = (await run.transcript()).flatMap((message) =>
      message.role === 'tool' ? message.parts.flatMap(({ content }) => content.map(kindOf)) : [],
    );
    const kind = inStore === undefined ? 'base64' : 'stored';
    expect(kinds).toEqual(Array(4).fill(['text', kind, kind]).flat());
  });
});
