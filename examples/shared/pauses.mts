import type { AgentRunOutcome, PendingInput, RunHandle } from 'longhaul/client';
import type { Screen } from './screen.mts';
import type { Story } from './story.mts';

/** Waits for a run to end, and lets `decide` settle what it asks meanwhile. */
export async function untilComplete(
  run: RunHandle,
  story: Story,
  decide: (input: PendingInput) => Promise<void>,
): Promise<AgentRunOutcome & { kind: 'complete' }> {
  for (;;) {
    const outcome = await run.outcome();
    if (outcome.kind === 'complete') return outcome;
    await story.catchUp();
    for (const input of outcome.pending) await decide(input);
  }
}

/** An option by its number or in other words; without a terminal the first one. */
export async function answerTo(
  { question, options = [] }: PendingInput,
  screen: Screen,
): Promise<string> {
  const list = options.map((option, index) => `  ${index + 1}  ${option}`);
  screen.line('asks', [question, ...list].join('\n'), 'yellow');
  const first = options[0] ?? 'Go on without an answer.';
  if (!screen.isInteractive) {
    screen.line('', `No terminal to answer in: "${first}" is taken.`);
    return first;
  }
  const typed = await screen.ask(`Your answer, or a number (Enter: ${first}): `);
  return options[Number(typed) - 1] ?? (typed || first);
}
