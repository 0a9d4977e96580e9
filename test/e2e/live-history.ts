import type { Longhaul } from '../../src/client';
import { eventually } from '../workflow/eventually';
import { fetchHistory, type HistoryEvents } from '../workflow/history';
import type { LiveSetup } from './live-setup';

type Answer = { readonly [name: string]: unknown };

/** Where a client sends the first answer. */
export type Answered = 'run' | 'thread';

/** The conversation of the live tests, by requests alone. Returns the workflow id of its first turn. */
export async function chatWithoutStreams(
  { backends, longhaul }: LiveSetup,
  name: string,
  first: Answered,
): Promise<string> {
  const ask = async (method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${backends[0]}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-user': 'ann' },
      ...(body && { body: JSON.stringify(body) }),
    });
    // The run of a turn begins a moment after its message was taken.
    if (method === 'GET' && response.status === 404) return { pending: [] };
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text === '' ? {} : (JSON.parse(text) as Answer);
  };
  const messages = `/host/chat-${name}/messages`;
  const sent = await ask('POST', messages, { input: `Plan ${name}`, messageId: 'm'.repeat(16) });
  const workflowId = String(sent['workflowId']);
  const run = `/runs/${encodeURIComponent(workflowId)}`;
  const thread = `/runs/${encodeURIComponent(workflowId.replace(/\.turn-.*/, ''))}`;
  let last: string | undefined;
  for (const [path, answer] of [
    [`${first === 'run' ? run : thread}/inputs/:input/approve`, () => ({ args: { amount: 7 } })],
    [`${thread}/inputs/:input/answer`, () => ({ answer: 'blue' })],
    [`${thread}/inputs/:input/approve`, (seen: string) => ({ seen })],
  ] as const) {
    let open = { inputId: last, digest: '' };
    await eventually(`${name} to wait`, async () => {
      const { pending } = (await ask('GET', run)) as { pending: (typeof open)[] };
      open = pending[0] ?? open;
      return open.inputId !== last;
    });
    last = open.inputId ?? '';
    await ask('POST', path.replace(':input', encodeURIComponent(last)), answer(open.digest));
  }
  await longhaul.run(workflowId).result();
  return workflowId;
}

/**
 * The events of a turn and of the run below it, each with the bytes of its payloads. A worker that dies adds workflow tasks and attempts;
 * events of others come in any order.
 */
export async function historyOf(
  longhaul: Longhaul,
  workflowId: string,
): Promise<readonly (readonly string[])[]> {
  const events = await fetchHistory(longhaul, workflowId);
  const children = events.flatMap(
    ({ childWorkflowExecutionStartedEventAttributes: child }) =>
      child?.workflowExecution?.workflowId ?? [],
  );
  const below: HistoryEvents[] = [];
  for (const child of children) below.push(await fetchHistory(longhaul, child));
  return [events, ...below].map((all) =>
    all
      .flatMap((event) => {
        const [name = ''] = Object.keys(event).filter((key) => key.endsWith('EventAttributes'));
        if (/^(?:workflowTask|activityTaskStarted)/.test(name)) return [];
        return [`${name}: ${payloadBytes(event)}`];
      })
      .sort(),
  );
}

function payloadBytes(value: unknown): number {
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((bytes: number, each) => bytes + payloadBytes(each), 0);
}
