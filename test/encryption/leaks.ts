import { inflateSync } from 'fflate';
import type { Client } from '@temporalio/client';
import { historyEvents } from '../../src/client/timeline/events';

/** Of the queries of runs and threads, and the two that every workflow of the SDK answers. */
const queries = [
  ...['state', 'log', 'pending', 'usage', 'definition', 'context', 'session', 'runner'],
  ...['children', 'turns', '__stack_trace', '__temporal_workflow_metadata', 'no_such_query'],
];

/** Each query of a run that has ended replays it: of long ones, and of others that ended alike, the histories are enough. */
const mostReplayed = 300_000;

/**
 * Every place where a text can be read by who sees what the server stores, or what it passes on, of the workflows of a task queue, or
 * of one tree of them: histories of all executions, what it lists, what it describes, what workers answer to queries. `looked` counts
 * what was looked at.
 */
export async function findLeaks(client: Client, { text, ...where }: Where) {
  const { namespace } = client.options;
  const leaks = new Set<string>();
  const looked = { executions: 0, events: 0, answers: 0 };
  const isAsked = sample();
  const look = (value: unknown, place: string): void => {
    for (const path of placesOf(value, text)) leaks.add(`${place}: ${path}`);
  };
  for (const info of await executionsOf(client, where)) {
    const { workflowId = '', runId = '' } = info.execution ?? {};
    const execution = { workflowId: workflowId ?? '', runId: runId ?? '' };
    looked.executions += 1;
    look(info, 'list');
    for await (const event of historyEvents(client, execution)) {
      looked.events += 1;
      look(event, `event of ${info.type?.name ?? ''}`);
    }
    look(
      await client.workflowService.describeWorkflowExecution({ namespace, execution }),
      'describe',
    );
    if (!isAsked(info)) continue;
    for (const queryType of queries) {
      const request = { namespace, execution, query: { queryType } };
      const answer = client.workflowService.queryWorkflow(request);
      look(await answer.catch((error: Error) => ({ message: error.message })), queryType);
      looked.answers += 1;
    }
  }
  return { leaks: [...leaks], looked };
}

type Info = Awaited<ReturnType<typeof executionsOf>>[number];

function sample(): (info: Info) => boolean {
  const asked = new Set<string>();
  return ({ type, status, parentExecution, historySizeBytes }) => {
    const kind = `${type?.name} ${status} ${parentExecution ? 'called' : 'root'}`;
    if (Number(historySizeBytes) > mostReplayed || asked.has(kind)) return false;
    asked.add(kind);
    return true;
  };
}

type Where = { readonly text: string; readonly taskQueue: string; readonly rootId?: string };

async function executionsOf(client: Client, { taskQueue, rootId }: Omit<Where, 'text'>) {
  const { namespace } = client.options;
  const query = rootId ? `RootWorkflowId = '${rootId}'` : `TaskQueue = '${taskQueue}'`;
  const { executions } = await client.workflowService.listWorkflowExecutions({
    namespace,
    query,
    pageSize: 500,
  });
  return executions;
}

function placesOf(value: unknown, text: string, path = ''): string[] {
  if (typeof value === 'string') return value.includes(text) ? [path] : [];
  if (ArrayBuffer.isView(value)) return holds(value as Uint8Array, text) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ...(key.includes(text) ? [path] : []),
    ...placesOf(item, text, /^\d+$/.test(key) ? path : `${path}.${key}`),
  ]);
}

/** As it is, in base64 whatever it stands behind, and deflated. */
export function holds(bytes: Uint8Array, text: string): boolean {
  const buffer = Buffer.from(bytes);
  if (buffer.includes(text) || inBase64(text).some((part) => buffer.includes(part))) return true;
  try {
    return Buffer.from(inflateSync(bytes)).includes(text);
  } catch {
    return false;
  }
}

function inBase64(text: string): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.from(' '.repeat(before) + text).toString('base64');
    return encoded.slice(4, -4);
  });
}
