// Any worker may lose a run after any task. The next one builds it again from its history, and it must be the same run: the same commands, and
// the same answers to queries.
//
// 1. Only what history had when the task was over counts: what came later is for the next task.
// 2. Core compares commands with events by their kinds and ids. Here all that a command says is compared.

import { queryNames } from '../../../src/protocol/names';
import { CoreRun } from '../core/core-run';
import { isCommandEvent, type SimEvent } from '../core/events';
import type { ServerCommand } from '../core/operations';
import type { Execution } from '../server/execution';
import { drive, type Driven } from './drive';
import type { Place } from './sandbox';

/** What a run is after a task, as texts. */
type Shown = Readonly<Record<string, string>>;

export type Seen = {
  readonly events: readonly SimEvent[];
  readonly startedId: number;
  readonly shown: Shown;
};

/** How much of a difference is printed, from a little before it begins. */
const printed = { before: 200, in: 1_000 };

/** `commands`: of the task that is just over; undefined if the server did not take them. */
export async function look(
  { history: { events }, previousStartedId }: Execution,
  driven: Driven,
  commands: readonly ServerCommand[] | undefined,
): Promise<Seen> {
  const completed = events.findLastIndex(({ name }) => name === 'workflowTaskCompleted');
  const next = events.findIndex((event, at) => at > completed && !isCommandEvent(event));
  return {
    events: next === -1 ? [...events] : events.slice(0, next),
    startedId: previousStartedId,
    shown: {
      ...(commands && { commands: await commandsOf(driven, commands) }),
      ...(await answersOf(driven)),
    },
  };
}

/** The run again, from its history. Throws if it is another one. */
export async function rebuild(
  { workflowId, runId, started }: Execution,
  { events, startedId, shown }: Seen,
  place: Place,
): Promise<Driven> {
  const name = `run ${workflowId} ${runId} of ${started.workflowType?.name ?? ''}, rebuilt after event ${startedId}`;
  const driven: Driven = { run: new CoreRun(runId), instance: undefined };
  driven.run.begin({ events, previousStartedId: startedId, messages: [] });
  try {
    await drive(driven, place);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
  const { last } = driven;
  const commands = last?.startedId === startedId ? last.commands : [];
  const again: Shown = {
    commands: await commandsOf(driven, commands),
    ...(await answersOf(driven)),
  };
  for (const [what, before] of Object.entries(shown))
    if (again[what] !== before)
      throw new Error(`${name}, has other ${what}:\n${difference(before, again[what] ?? '')}`);
  return driven;
}

async function commandsOf(
  { instance }: Driven,
  commands: readonly ServerCommand[],
): Promise<string> {
  return textOf((await instance?.readable(commands)) ?? commands);
}

async function answersOf({ run, instance }: Driven): Promise<Shown> {
  if (instance === undefined) return {};
  const names = Object.values(queryNames);
  const { successful, failed } = await instance.activate(
    run.queryActivation(names.map((name) => ({ queryId: name, queryType: name, arguments: [] }))),
  );
  if (failed) return { answers: textOf(failed.failure?.message) };
  const commands = await instance.readable(successful?.commands ?? []);
  const answers = commands.map(({ respondToQuery }) => respondToQuery);
  return Object.fromEntries(
    answers.map((answer) => [
      `answer to the query ${answer?.queryId ?? ''}`,
      textOf(answer?.failed?.message ?? answer?.succeeded?.response?.data),
    ]),
  );
}

/** Bytes are shown as the text that they mostly are. */
function textOf(value: unknown): string {
  if (ArrayBuffer.isView(value)) return Buffer.from(value as Uint8Array).toString();
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, shown: unknown) {
    const member = this[key];
    return ArrayBuffer.isView(member) ? Buffer.from(member as Uint8Array).toString() : shown;
  });
  return text ?? '';
}

function difference(before: string, again: string): string {
  let at = 0;
  while (at < before.length && before[at] === again[at]) at += 1;
  const part = (text: string): string =>
    text.slice(Math.max(0, at - printed.before), at + printed.in);
  return `kept:    ${part(before)}\nrebuilt: ${part(again)}`;
}
