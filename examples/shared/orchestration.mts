import type { Longhaul } from 'longhaul/client';
import { tellEnd } from './closing.mts';
import { answerTo, untilComplete } from './pauses.mts';
import type { Screen } from './screen.mts';
import { openStage, type StageHands, type StagePlan } from './stage.mts';
import { Story } from './story.mts';
import { flatten, readTree, type RunTree } from './tree.mts';

/** What one example brings. */
export type Orchestration = StagePlan & {
  /** Its folder. */
  readonly example: string;
  /** The id of what runs, and what it gets unless something else was typed. */
  readonly runner: string;
  readonly input: string;
};

/** One run of an orchestration from its start to its end: what is asked below is listed and answered at the top. */
export async function runOrchestration(plan: Orchestration, hands: StageHands): Promise<void> {
  const { screen } = hands;
  const stage = await openStage(plan, hands);
  const { longhaul } = stage;
  await stage.startWorker();
  const input = process.argv.slice(2).join(' ') || plan.input;
  const run = await longhaul.start(plan.runner, input);
  const page = stage.pageOf(run.workflowId);
  screen.line('run', `${run.workflowId}, in Temporal's Web UI:\n${page}`);
  screen.line('user', input, 'green');
  screen.gap();

  const outcome = await untilComplete(run, new Story(run, screen), async (asked) => {
    screen.line('from', `${asked.path} (${asked.agentId}) has a question`, 'yellow');
    await run.resume(await answerTo(asked, screen), { inputId: asked.inputId });
  });
  const runs = [...flatten(await readTree(longhaul, run.workflowId))];
  await tellRuns(longhaul, runs, screen);
  const { finalResponse, combinedText } = outcome.result;
  screen.gap();
  screen.line('answer', finalResponse.text, 'magenta');
  if (combinedText !== undefined) screen.line('combined', combinedText, 'magenta');
  await longhaul.close();
  const modelCalls = runs.reduce((sum, { turns }) => sum + turns, 0);
  const counts = `${modelCalls} model calls in ${runs.length} runs`;
  await tellEnd(screen, { outcome, story: { counts }, page, example: plan.example });
}

/** What each agent below came to. */
async function tellRuns(
  longhaul: Longhaul,
  runs: readonly RunTree[],
  screen: Screen,
): Promise<void> {
  for (const { workflowId, path, children, status } of runs) {
    if (children.length > 0 || status !== 'completed') continue;
    const { finalResponse } = await longhaul.run(workflowId).result();
    screen.line('result', `${path}: ${finalResponse.text}`, 'blue');
  }
}
