import type { Longhaul, RunHandle } from '../../src/client';
import type { Message, ToolResult } from '../../src/protocol/message';

/** All that a run came to, without what differs from run to run: ids and times. */
export type RunRecord = {
  readonly transcript: readonly Message[];
  /** Sorted: results of one turn stand in the order they arrived in. */
  readonly log: readonly string[];
  readonly result: object;
};

export async function recordOf(run: RunHandle): Promise<RunRecord> {
  const result = await run.result();
  const log = (await run.log()).map(({ id: _id, ...event }) => timeless(event)).sort();
  return { transcript: await run.transcript(), log, result };
}

/** An event as text, without the time of a verdict. */
const timeless = (event: object): string =>
  JSON.stringify(event, (key, value: unknown) => (key === 'at' ? undefined : value));

type StartOptions = {
  readonly context?: { readonly [key: string]: string };
  readonly agent?: string;
};

/** Starts a run whose first message, and so whose script, is `name`; its tools are told the name, too. */
export async function startRun(
  longhaul: Longhaul,
  name: string,
  { context, agent = 'helper' }: StartOptions = {},
): Promise<RunHandle> {
  return await longhaul.start(agent, name, { context: { run: name, ...context } });
}

/** As `recordOf`, answering the question of the script on the way. */
export async function answerAndRecord(run: RunHandle): Promise<RunRecord> {
  const outcome = await run.outcome();
  if (outcome.kind === 'needs-input') await run.resume('oak');
  return await recordOf(run);
}

export function resultsOf({ transcript }: RunRecord): readonly ToolResult[] {
  return transcript.flatMap((message) => (message.role === 'tool' ? message.parts : []));
}

export function textOfResults(record: RunRecord, tool: string): string {
  return JSON.stringify(resultsOf(record).find(({ name }) => name === tool)?.content);
}
