// Routes of AG-UI 1.0. An AG-UI thread is a thread, and an AG-UI run is a segment of a turn.

import { defined } from '../../base';
import type { ThreadHandle } from '../../client/index';
import type { StreamEvent } from '../../core/stream/events';
import { json, responses } from '../answers';
import { broughtTools, toolsTaken } from '../client-tools';
import { HttpProblem } from '../problems';
import type { Call, Route } from '../route';
import {
  answeredSegment,
  goneTurn,
  isInProgress,
  latestTurn,
  say,
  type Segment,
  segmentOf,
} from '../segment';
import { sseResponse } from '../sse';
import { repliesOf } from './replies';
import { RunEncoder } from './run-encoder';
import { readRunInput, type RunAgentInput } from './run-input';

export const agUiRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/:agent/agui',
    handle: run,
    operation: {
      summary: 'Sends a message or answers of AG-UI, and streams what the agent does with it',
      responses: responses(200, 'Events of AG-UI 1.0', 'text/event-stream'),
    },
  },
  {
    method: 'GET',
    path: '/:agent/agui',
    handle: capabilities,
    operation: {
      summary: 'What the agent supports of AG-UI',
      responses: responses(200, 'Capabilities'),
    },
  },
];

async function run(call: Call): Promise<Response> {
  const asked = readRunInput(await call.body());
  const { said, entries, outputs } = asked;
  await broughtTools(call, { clientTools: asked.tools });
  const thread = await call.thread(asked.threadId);
  if (said !== undefined && entries.length + outputs.length === 0)
    return await answer(call, thread, asked);
  const turn = await latestTurn(thread);
  if (turn === undefined) throw new HttpProblem('NotWaiting');
  const isOver = !isInProgress(turn);
  const isNew = said !== undefined && said.messageId !== turn.messageId;
  if (isNew && isOver) return await answer(call, thread, asked);
  const open = isOver ? [] : await thread.pending();
  const replies = repliesOf(turn.workflowId, open, asked);
  if (isNew) {
    const { messageId, text } = said;
    await say(call, thread, { input: text, messageId, whenBusy: 'steer' });
  }
  const encoder = encoderFor(asked, turn);
  if (replies.length === 0)
    return streamed(call, encoder, {
      open: (signal) => segmentOf(call, thread.turn(turn), signal),
    });
  const skip = (event: StreamEvent): void => encoder.skip(event);
  const options = { thread, open, replies, skip };
  return streamed(call, encoder, await answeredSegment(call, turn, options));
}

/** A message that the thread knows gets the turn that it has, from its beginning. */
async function answer(call: Call, thread: ThreadHandle, asked: RunAgentInput): Promise<Response> {
  const { messageId = '', text = '' } = asked.said ?? {};
  const tools = asked.tools.length > 0 ? { clientTools: asked.tools } : {};
  const turn = await say(call, thread, { input: text, messageId, ...tools });
  await toolsTaken(call, turn, tools);
  return streamed(call, encoderFor(asked, turn), {
    open: (signal) => segmentOf(call, turn, signal),
  });
}

function encoderFor(
  { threadId, runId, messages }: RunAgentInput,
  { workflowId: turn }: { readonly workflowId: string },
): RunEncoder {
  return new RunEncoder({ threadId, runId, turn, messages });
}

function streamed({ app, request }: Call, encoder: RunEncoder, { open, gone }: Segment): Response {
  const source = async function* (signal: AbortSignal): AsyncGenerator<string, void, void> {
    for (const event of encoder.start()) yield JSON.stringify(event);
    try {
      for await (const event of open(signal))
        for (const each of encoder.push(event)) yield JSON.stringify(each);
    } catch (error) {
      const { code, message } = goneTurn(error);
      for (const each of encoder.fail(code, message)) yield JSON.stringify(each);
    }
  };
  return sseResponse(source, {
    signal: request.signal,
    ...defined({ gone }),
    onError: (error) => app.report(error, request),
  });
}

async function capabilities(call: Call): Promise<Response> {
  return json({
    identity: { name: call.params['agent'] ?? '', type: 'longhaul' },
    transport: { streaming: true, websocket: false, httpBinary: false, resumable: false },
    tools: { supported: true, clientProvided: await call.mayBringTools() },
    state: { snapshots: false, deltas: false },
    multiAgent: { supported: true, delegation: true },
    reasoning: { supported: true, streaming: true },
    multimodal: { input: { image: false, audio: false, video: false, pdf: false, file: false } },
    humanInTheLoop: {
      supported: true,
      approvals: true,
      interrupts: true,
      approveWithEdits: true,
    },
  });
}
