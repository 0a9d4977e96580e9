// Routes of the AI SDK's `useChat`. A chat is a thread, and each assistant message is a turn of it.

import { defined } from '../../base';
import { describeIfThere, type ThreadHandle } from '../../client/index';
import type { PendingInput, TurnView } from '../../protocol';
import type { StreamEvent } from '../../core/stream/events';
import { done, json } from '../answers';
import { broughtTools, toolsTaken } from '../client-tools';
import { HttpProblem } from '../problems';
import type { Call, Route } from '../route';
import {
  answeredSegment,
  goneTurn,
  isInProgress,
  latestTurn,
  type Reply,
  replyWith,
  replyWithout,
  say,
  type Segment,
  segmentOf,
  turnInProgress,
} from '../segment';
import { sseResponse } from '../sse';
import { chatBody, type ChatRequest, readChatRequest } from './chat-request';
import { MessageEncoder } from './message-encoder';
import { showsCall } from './shown-calls';
import { uiMessages } from './ui-messages';

const lastTurns = 100;
const resumableMs = 60_000;

export const aiSdkRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/:agent',
    handle: chat,
    takes: chatBody,
    operation: { summary: 'Sends a message or answers of the AI SDK, and streams the turn' },
  },
  {
    method: 'GET',
    path: '/:agent/:chat/stream',
    handle: resume,
    operation: {
      summary:
        'Streams the turn in progress, or one that has just ended, from its beginning; 204 if there is none',
    },
  },
  {
    method: 'POST',
    path: '/:agent/:chat/stop',
    handle: stop,
    operation: { summary: 'Cancels the turn in progress' },
  },
  {
    method: 'GET',
    path: '/:agent/:chat/ui-messages',
    handle: history,
    operation: { summary: 'The earlier turns as messages of the AI SDK, with their texts' },
  },
];

async function chat(call: Call): Promise<Response> {
  const body = await call.body();
  const asked = readChatRequest(body);
  const tools = await broughtTools(call, body);
  const thread = await call.thread(asked.chat);
  if (asked.said === undefined) return await goOn(call, thread, asked);
  const { messageId, text } = asked.said;
  const turn = await say(call, thread, { input: text, messageId, ...tools });
  await toolsTaken(call, turn, tools);
  const encoder = new MessageEncoder(turn.workflowId);
  return streamed(call, encoder, { open: (signal) => segmentOf(call, turn, signal) });
}

/** Gives the client's answers, and streams what comes after what the client has. */
async function goOn(call: Call, thread: ThreadHandle, asked: ChatRequest): Promise<Response> {
  const open = await thread.pending();
  const turn = await turnInProgress(thread);
  if (turn === undefined) throw new HttpProblem('NotWaiting');
  const { workflowId } = turn;
  const had = new Set(asked.shown?.messageId === workflowId ? asked.shown.calls : []);
  const replies = repliesOf(open, asked, had);
  const encoder = new MessageEncoder(workflowId, had);
  const skip = (event: StreamEvent): void => void encoder.push(event);
  const options = { thread, open, replies, skip };
  return streamed(call, encoder, await answeredSegment(call, turn, options));
}

/** Results count only for calls that wait for the client. */
function repliesOf(
  open: readonly PendingInput[],
  { verdicts, outputs }: ChatRequest,
  had: ReadonlySet<string>,
): readonly Reply[] {
  const given = outputs.flatMap(({ toolCallId, output = null, errorText }) => {
    const input = open.find((each) => each.kind !== 'approval' && showsCall(each, toolCallId, had));
    if (input === undefined) return [];
    return [errorText === undefined ? replyWith(input, output) : replyWithout(input, errorText)];
  });
  return [...verdicts, ...given];
}

async function resume(call: Call): Promise<Response> {
  const thread = await call.thread(call.params['chat'] ?? '');
  const view = await latestTurn(thread);
  if (view === undefined || !(isInProgress(view) || (await hasJustEnded(call, view))))
    return done();
  const encoder = new MessageEncoder(view.workflowId);
  return streamed(call, encoder, {
    open: (signal) => segmentOf(call, thread.turn(view), signal),
  });
}

/** Whether the connection of the client may have broken before the end of the turn. The client has one message for each id. */
async function hasJustEnded({ app }: Call, turn: TurnView): Promise<boolean> {
  const { closeTime } = (await describeIfThere(app.longhaul.client, turn)) ?? {};
  return closeTime !== undefined && Date.now() - closeTime.getTime() < resumableMs;
}

function streamed(
  { app, request }: Call,
  encoder: MessageEncoder,
  { open, gone }: Segment,
): Response {
  const source = async function* (signal: AbortSignal): AsyncGenerator<string, void, void> {
    yield JSON.stringify(encoder.start());
    try {
      for await (const event of open(signal))
        for (const chunk of encoder.push(event)) yield JSON.stringify(chunk);
    } catch (error) {
      yield JSON.stringify(encoder.fail(goneTurn(error).message));
    }
    yield '[DONE]';
  };
  return sseResponse(source, {
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    signal: request.signal,
    ...defined({ gone }),
    onError: (error) => app.report(error, request),
  });
}

async function stop(call: Call): Promise<Response> {
  const thread = await call.thread(call.params['chat'] ?? '');
  const view = await turnInProgress(thread);
  if (view !== undefined) {
    await thread.turn(view).cancel('the user stopped it', { by: call.actor });
    call.app.streams.wake(view.workflowId);
  }
  return done();
}

async function history(call: Call): Promise<Response> {
  const thread = await call.thread(call.params['chat'] ?? '');
  return json({ messages: uiMessages(await thread.turns({ last: lastTurns })) });
}
