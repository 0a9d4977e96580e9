// The bundle of the packages' ES modules does not load, so this is CommonJS, which TypeScript compiles to in the samples.
// The approval as the package's README has it: needsApproval, a signal, continue-as-new with the RunState.
const { Agent, RunState, tool } = require('@openai/agents-core');
const { TemporalOpenAIRunner } = require('@temporalio/openai-agents/workflow');
const {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  proxyActivities,
  setHandler,
} = require('@temporalio/workflow');
const { description, input, prompt } = require('./code.mjs');

const activities = proxyActivities({ startToCloseTimeout: '1 minute' });

exports.refunds = async function refunds({ task, resumeFromRunState }) {
  const refund = tool({
    name: 'refund',
    description,
    parameters: input,
    needsApproval: true,
    execute: (args) => activities.refund(args),
  });
  const agent = new Agent({
    name: 'refunds',
    instructions: prompt,
    model: 'double',
    tools: [refund],
  });
  const runner = new TemporalOpenAIRunner();
  if (resumeFromRunState !== undefined) {
    const state = await RunState.fromString(agent, resumeFromRunState);
    for (const interruption of state.getInterruptions()) state.approve(interruption);
    return (await runner.run(agent, state)).finalOutput ?? '';
  }

  let isApproved = false;
  let isWaiting = false;
  setHandler(defineSignal('approve'), () => void (isApproved = true));
  setHandler(defineQuery('isWaiting'), () => isWaiting);
  const result = await runner.run(agent, task);
  isWaiting = result.interruptions.length > 0;
  await condition(() => isApproved);
  await continueAsNew({ task, resumeFromRunState: result.state.toString() });
};
