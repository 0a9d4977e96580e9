// Longhaul, to be measured: an agent that reads pages, and one that asks a person.
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { defineAgent, defineTool } from 'longhaul';
import { connect } from 'longhaul/client';
import { createWorker, type ModelProvider } from 'longhaul/worker';
import { answerCommands, pageText, until } from './answer-commands.mts';
import { countQueries } from './count-queries.mts';
import './quiet-runtime.mts';
import type { StartedTelemetry } from './telemetry-sdk.mts';

const [, , address = '', taskQueue = '', , name = ''] = process.argv;

/** Only reads may begin while the model still writes. Others wait until the server has the model's response. */
const isIdempotent = name === 'longhaul-inline-idempotent';
const readPage = defineTool({
  name: 'read_page',
  description: 'Reads a page.',
  ...(isIdempotent ? { effect: 'idempotent', inline: true } : { effect: 'read' }),
  inputSchema: { type: 'object', properties: { page: { type: 'number' } }, required: ['page'] },
  execute: () => pageText,
});
const instructions = 'You read every page, one at a time.';
const reader = defineAgent({
  id: 'reader',
  model: 'double/reader',
  instructions,
  tools: [readPage],
  inlineReads: name === 'longhaul-inline',
  maxIterations: 10_000,
});
const asker = defineAgent({ id: 'asker', model: 'double/asker', instructions, askUser: 'tool' });

/** The input is how many turns to take. Its calls are streamed, as those of a real provider are. */
const double: ModelProvider = {
  name: 'double',
  call: async ({ model, messages }, { onDelta }) => {
    const turn = messages.filter(({ role }) => role === 'assistant').length + 1;
    const [part] = messages[0]?.parts ?? [];
    const isLast = part?.type === 'text' && turn >= Number(part.text);
    const call = { type: 'tool_call', callId: `call-${turn}` } as const;
    const asks = { ...call, name: 'ask_user', args: { question: 'Which one?' } };
    const reads = { ...call, name: 'read_page', args: { page: turn } };
    const made = isLast ? undefined : model === 'asker' ? asks : reads;
    if (made !== undefined) {
      const { callId, name, args } = made;
      const streamed = { kind: 'tool-call', index: 0, complete: true } as const;
      onDelta({ ...streamed, callId, name, args: JSON.stringify(args) });
    }
    // The end of a stream comes after its last call.
    await sleep(1);
    return {
      content: [made ?? { type: 'text', text: 'Done.' }],
      usage: {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 15,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
      },
      finishReason: isLast ? 'stop' : 'tool_calls',
      origin: { provider: 'double', api: 'double', model },
    };
  },
};

const observed = await telemetryOf(name);
const connection = await NativeConnection.connect({ address });
const logReads = countQueries(connection, 'log');
const worker = await createWorker({
  connection,
  taskQueue,
  runners: [reader, asker],
  providers: { double },
  ...(name === 'longhaul-uncached' && { logCacheBytes: 1 }),
  ...(observed && { telemetry: observed.telemetry }),
  workerOptions: { maxCachedWorkflows: 2_000 },
});
void worker.run();
const longhaul = await connect({
  address,
  taskQueue,
  ...(observed && { telemetry: observed.telemetry }),
});
const codePath = fileURLToPath(
  new URL('../workflow-bundle.js', import.meta.resolve('longhaul/workflows')),
);

answerCommands({
  turns: async (turns) => {
    const run = await longhaul.start(reader.id, String(turns));
    await run.result();
    return run.workflowId;
  },
  wait: async () => {
    const { workflowId } = await longhaul.start(asker.id, '2');
    const handle = longhaul.client.workflow.getHandle(workflowId);
    await until(async () => {
      const shown = (await handle.describe()).memo?.['longhaul'] as { status?: string } | undefined;
      return shown?.status === 'needs-input';
    });
  },
  replays: (copies) => Worker.runReplayHistories({ workflowBundle: { codePath } }, copies),
  logReads,
  telemetryBytes: () => observed?.sentBytes() ?? 0,
});

/** Others do not load the SDK of OpenTelemetry. */
async function telemetryOf(contestant: string): Promise<StartedTelemetry | undefined> {
  if (!contestant.startsWith('longhaul-telemetry')) return undefined;
  const { startTelemetry } = await import('./telemetry-sdk.mts');
  return await startTelemetry({
    content: contestant.endsWith('-content') ? 'full' : 'off',
    hangs: contestant.endsWith('-hangs'),
  });
}
