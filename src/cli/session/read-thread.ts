import type { Longhaul, RunState, RunStatus, RunTree } from '../../client';
import { threadType, type TurnStatus, type TurnView } from '../../protocol';
import { loadClient } from './load-parts';
import { describeRun, liveWorkers } from './read-run';

const shownTurns = 10;

/** A turn. If no worker answers, what was said is unknown. */
export type ShownTurn = Pick<TurnView, 'workflowId'> &
  Partial<Pick<TurnView, 'turn' | 'user' | 'assistant' | 'failure'>> & {
    readonly status: TurnStatus | RunStatus;
  };

export type ShownThread = {
  readonly workflowId: string;
  readonly state: RunState;
  /** The newest, the oldest first. */
  readonly turns: readonly ShownTurn[];
  /** No worker answered: the turns come from the server's list. */
  readonly fromHistory: boolean;
};

/** Reads a conversation from its worker, or from the server if no worker polls. Undefined if this is no conversation. */
export async function readThread(
  longhaul: Longhaul,
  workflowId: string,
): Promise<ShownThread | undefined> {
  const { type, taskQueue } = await describeRun(longhaul, workflowId);
  if (type !== threadType) return undefined;
  const { client } = longhaul;
  const fromHistory = (await liveWorkers(client, taskQueue)).length === 0;
  const thread = longhaul.run(workflowId, { withoutWorker: fromHistory });
  const { ThreadView } = loadClient();
  const turns = fromHistory
    ? (await thread.tree()).children.slice(-shownTurns).map(listedTurn)
    : await new ThreadView(client, workflowId, taskQueue).turns({ last: shownTurns });
  return { workflowId, state: await thread.state(), turns, fromHistory };
}

function listedTurn({ workflowId, status }: RunTree): ShownTurn {
  return { workflowId, status };
}
