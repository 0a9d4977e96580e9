// @temporalio/ai-sdk, to be measured.
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import type { LanguageModelV4, LanguageModelV4Content, ProviderV4 } from '@ai-sdk/provider';
import { AiSdkPlugin } from '@temporalio/ai-sdk';
import { Client, Connection } from '@temporalio/client';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker';
import { answerCommands, pageText, until } from '../answer-commands.mts';

const [, , address = '', taskQueue = '', codePath = ''] = process.argv;
const workflowsPath = new URL('ai-sdk-workflow.ts', import.meta.url).pathname;

/** The prompt is how many turns to take. */
const model = (modelId: string): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: 'double',
  modelId,
  supportedUrls: {},
  doGenerate: ({ prompt }) => {
    const turn = prompt.filter(({ role }) => role === 'assistant').length + 1;
    const user = prompt.find((message) => message.role === 'user')?.content[0];
    const isLast = user?.type === 'text' && turn >= Number(user.text);
    const content: LanguageModelV4Content = isLast
      ? { type: 'text', text: 'Done.' }
      : {
          type: 'tool-call',
          toolCallId: `call-${turn}`,
          toolName: 'read_page',
          input: `{"page":${turn}}`,
        };
    return Promise.resolve({
      content: [content],
      finishReason: { unified: isLast ? 'stop' : 'tool-calls', raw: undefined },
      usage: {
        inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 5, text: 5, reasoning: 0 },
      },
      warnings: [],
    });
  },
  doStream: () => Promise.reject(new Error('not streamed')),
});
const none = (): never => {
  throw new Error('there is no such model');
};
const modelProvider: ProviderV4 = {
  specificationVersion: 'v4',
  languageModel: model,
  embeddingModel: none,
  imageModel: none,
};
const plugins = [new AiSdkPlugin({ modelProvider })];

const logger = new DefaultLogger('ERROR');
Runtime.install({
  logger,
  telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
});
if (!existsSync(codePath)) {
  writeFileSync(codePath, (await bundleWorkflowCode({ workflowsPath, plugins, logger })).code);
}
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle: { codePath },
  plugins,
  activities: { readPage: () => Promise.resolve(pageText) },
  maxCachedWorkflows: 2_000,
});
void worker.run();
const { workflow } = new Client({ connection: await Connection.connect({ address }) });

answerCommands({
  turns: async (turns) => {
    const workflowId = `ai-sdk-${randomUUID()}`;
    await workflow.execute('reader', { workflowId, taskQueue, args: [turns] });
    return workflowId;
  },
  wait: async () => {
    const handle = await workflow.start('asker', { workflowId: randomUUID(), taskQueue });
    await until(async () => (await handle.describe()).historyLength >= 10);
  },
  replays: (copies) => Worker.runReplayHistories({ workflowBundle: { codePath }, plugins }, copies),
});
