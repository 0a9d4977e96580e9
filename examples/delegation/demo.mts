// `npm run example delegation`: an agent that calls two others, one of which asks a person.
// Usage: npm run example delegation -- [what to announce]
import { tellEnd } from '../shared/closing.mts';
import { answerTo, untilComplete } from '../shared/pauses.mts';
import { runDemo } from '../shared/run-demo.mts';
import { openStage, type StageHands } from '../shared/stage.mts';
import { Story } from '../shared/story.mts';
import { flatten, readTree } from '../shared/tree.mts';
import { nextTurn } from './offline-script.mts';

const task = 'Announce Harbour 2.0 to our customers: when it comes, what is new, what it costs.';

async function demo(hands: StageHands): Promise<void> {
  const { screen } = hands;
  const worker = new URL('worker.mts', import.meta.url);
  const stage = await openStage({ script: nextTurn, worker }, hands);
  const { longhaul } = stage;
  await stage.startWorker();
  const run = await longhaul.start('manager', process.argv.slice(2).join(' ') || task);
  screen.line('run', `${run.workflowId}, in Temporal's Web UI:\n${stage.pageOf(run.workflowId)}`);
  screen.gap();

  const story = new Story(run, screen);
  const outcome = await untilComplete(run, story, async (input) => {
    // Asked by the researcher, listed and answered at the run that was started.
    screen.line('from', `${input.path} (${input.agentId}) has a question`, 'yellow');
    await run.resume(await answerTo(input, screen), { inputId: input.inputId });
  });
  await story.ended;
  screen.gap();
  for (const { agentId, path, status, workflowId, depth } of flatten(
    await readTree(longhaul, run.workflowId),
  )) {
    const indent = '  '.repeat(depth);
    screen.line(
      depth === 0 ? 'tree' : '',
      `${indent}${agentId} (${path}): ${status}\n${indent}${stage.pageOf(workflowId)}`,
    );
  }
  await longhaul.close();
  await tellEnd(screen, {
    outcome,
    story,
    page: stage.pageOf(run.workflowId),
    example: 'delegation',
  });
}

await runDemo('Longhaul example: agents that call agents', demo);
