// LangGraph.js as its documentation has it: createAgent with humanInTheLoopMiddleware, a PostgreSQL checkpointer, Command({ resume }).
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { Command } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import { code, description, input, prompt } from './code.mjs';
import { modelUrl, refund, step, store, task, tell } from './step.mjs';

const checkpointer = PostgresSaver.fromConnString(store);
await checkpointer.setup();
const agent = createAgent({
  model: new ChatOpenAI({ model: 'double', apiKey: 'none', configuration: { baseURL: modelUrl } }),
  systemPrompt: prompt,
  tools: [tool((args) => refund(code, args), { name: 'refund', description, schema: input })],
  middleware: [humanInTheLoopMiddleware({ interruptOn: { refund: true } })],
  checkpointer,
});
const config = { configurable: { thread_id: process.env.RUN } };

if (step === 'park') {
  const { __interrupt__: interrupts } = await agent.invoke(
    { messages: [{ role: 'user', content: task }] },
    config,
  );
  tell({ parked: interrupts?.[0]?.value.actionRequests });
} else {
  const resume = { decisions: [{ type: 'approve' }] };
  const { messages } = await agent.invoke(new Command({ resume }), config);
  tell({ ended: messages.at(-1).text });
  process.exit();
}
