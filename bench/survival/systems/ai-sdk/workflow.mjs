// The AI SDK in a workflow: toolApproval, a signal, and generateText again with the approval among the messages.
import { temporalProvider } from '@temporalio/ai-sdk/workflow';
import {
  condition,
  defineQuery,
  defineSignal,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import { generateText, isStepCount, tool } from 'ai';
import { description, input, prompt } from './code.mjs';

const { refund } = proxyActivities({ startToCloseTimeout: '1 minute' });

export async function refunds(task) {
  let isApproved = false;
  let isWaiting = false;
  setHandler(defineSignal('approve'), () => void (isApproved = true));
  setHandler(defineQuery('isWaiting'), () => isWaiting);
  const settings = {
    model: temporalProvider.languageModel('double'),
    system: prompt,
    tools: { refund: tool({ description, inputSchema: input, execute: (args) => refund(args) }) },
    toolApproval: { refund: 'user-approval' },
    stopWhen: isStepCount(5),
  };
  const messages = [{ role: 'user', content: task }];
  const first = await generateText({ ...settings, messages });
  const requests = first.content.filter(({ type }) => type === 'tool-approval-request');
  isWaiting = requests.length > 0;
  await condition(() => isApproved);
  const approvals = requests.map(({ approvalId }) => {
    return { type: 'tool-approval-response', approvalId, approved: true };
  });
  messages.push(...first.responseMessages, { role: 'tool', content: approvals });
  return (await generateText({ ...settings, messages })).text;
}
