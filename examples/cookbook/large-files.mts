// Large files: a result store keeps them. History, log and memory have a reference, and the model still reads all of it.
import { defineAgent, defineTool } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import { FileResults } from 'longhaul/stores';
import { scriptedModel } from 'longhaul/testing';
import type { CreateWorkerOptions } from 'longhaul/worker';
import { z } from 'zod';

// Workers and clients share it: a folder, PostgreSQL or S3. The client: connect({ results }).
const results = new FileResults({ folder: process.env['RESULTS_FOLDER'] ?? '.longhaul/results' });

const lines = Array.from({ length: 20_000 }, (_, at) => `${at} ${at === 12_345 ? 'ERROR' : 'ok'}`);
const readLog = defineTool({
  name: 'read_log',
  description: 'Reads the log of the machine',
  inputSchema: z.object({}),
  effect: 'read',
  execute: () => lines.join('\n'), // over maxResultBytes, 64 KiB: it goes to the store
});

const mechanic = defineAgent({ id: 'mechanic', model: 'openai/gpt-6.1-terra', tools: [readLog] });

// The model gets the first 4 KiB, a `ref`, and the tools `read_result` and `find_in_result`.
const model = scriptedModel([
  { toolCalls: [{ name: 'read_log' }] },
  ({ messages }) => {
    const [ref = ''] = /\b[0-9a-f]{64}\b/.exec(JSON.stringify(messages)) ?? [];
    return { toolCalls: [{ name: 'find_in_result', args: { ref, match: 'ERROR' } }] };
  },
  ({ messages }) => /12345 ERROR/.exec(JSON.stringify(messages.at(-1)))?.[0] ?? 'No error.',
]);

export default {
  runners: [mechanic],
  providers: { openai: model },
  results,
} satisfies CreateWorkerOptions;

export async function main(longhaul: Longhaul) {
  const photo = Buffer.alloc(500_000, 'pixels'); // over 16 KiB: the client stores it
  const run = await longhaul.start(mechanic, [
    { type: 'text', text: 'What is wrong with this machine?' },
    {
      type: 'media',
      mediaType: 'image/png',
      source: { kind: 'base64', data: photo.toString('base64') },
    },
  ]);
  const { finalResponse } = await run.result();

  const [asked] = await run.transcript();
  const picture = asked?.parts.find((part) => part.type === 'media')?.source;
  if (picture?.kind !== 'stored') throw new Error('The picture is not in the store.');
  const bytes = await longhaul.content(run.workflowId, picture);
  return { run: run.workflowId, answer: finalResponse.text, same: photo.equals(bytes) };
}
