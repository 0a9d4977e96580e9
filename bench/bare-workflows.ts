// What Temporal takes by itself: the measure of bench/sub-agent.mts, bench/turn.mts and bench/footprint.mts.
import {
  condition,
  defineSignal,
  executeChild,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';

const { answer } = proxyActivities<{ answer(input: string): Promise<string> }>({
  startToCloseTimeout: '1 minute',
});

export async function bareChild(input: string): Promise<string> {
  return await answer(input);
}

export async function bareParent(input: string): Promise<string> {
  return await executeChild(bareChild, { args: [input] });
}

/** As many activities as an agent of so many turns needs. */
export async function bareTurns(turns: number): Promise<void> {
  for (let index = 0; index < 2 * turns - 1; index += 1) await answer('');
}

const answerSignal = defineSignal('answer');

export async function bareWait(): Promise<void> {
  let isAnswered = false;
  setHandler(answerSignal, () => {
    isAnswered = true;
  });
  await condition(() => isAnswered);
}
