import { DurableAgent } from '@workflow/ai/agent';
import { openai } from '@workflow/ai/openai';
import { defineHook, getWritable } from 'workflow';
import { z } from 'zod';
import { code, description, input, prompt } from '../code.mjs';
import { refund } from '../step.mjs';

export const approval = defineHook({ schema: z.object({ approved: z.boolean() }) });

async function pay(args) {
  'use step';
  return refund(code, args);
}

/** The approval is part of the tool, which runs in the workflow; what it does is a step. */
export async function refunds(run: string, task: string) {
  'use workflow';
  const execute = async (args) => {
    const { approved } = await approval.create({ token: run });
    return approved ? await pay(args) : 'not approved';
  };
  const agent = new DurableAgent({
    model: openai('double'),
    instructions: prompt,
    tools: { refund: { description, inputSchema: input, execute } },
  });
  const messages = [{ role: 'user' as const, content: task }];
  const result = await agent.stream({ messages, writable: getWritable() });
  return JSON.stringify(result.messages.at(-1)?.content);
}
