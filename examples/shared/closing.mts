import type { AgentRunOutcome } from 'longhaul/client';
import type { Screen } from './screen.mts';

export type Closing = {
  readonly outcome: AgentRunOutcome & { kind: 'complete' };
  /** How much was called. */
  readonly story: { readonly counts: string };
  /** In the Web UI. */
  readonly page: string;
  /** The folder of the example. */
  readonly example: string;
};

/** What a run came to and where to look at it. In a terminal everything stays up until Enter is pressed. */
export async function tellEnd(
  screen: Screen,
  { outcome, story, page, example }: Closing,
): Promise<void> {
  const { usage } = outcome.result;
  screen.gap();
  screen.line(
    'done',
    `${story.counts}; ${usage.inputTokens} tokens in, ${usage.outputTokens} out`,
    'green',
  );
  screen.line('look', page, 'green');
  screen.line('later', `npx longhaul dev examples/${example}/agents.mts`, 'green');
  if (screen.isInteractive) await screen.ask('Press Enter to stop the server and the worker. ');
}
