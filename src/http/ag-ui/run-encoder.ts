// Stream events as events of AG-UI 1.0. One encoder writes one AG-UI run: a segment of a turn, until it waits for people or ends.
//
// 1. The messages depend on the log alone: who watched live, who came late and who came again end with equal messages.
// 2. Events only add. What a lost attempt said goes with a `MESSAGES_SNAPSHOT`, and so does a call whose arguments change.
// 3. A run below is a sub-agent. It is suspended while people decide, and starts again in the segment that follows.
// 4. Nothing comes after `RUN_FINISHED` or `RUN_ERROR`.
//
// Source: `version-*.d.ts` of the package `@ag-ui/core` 1.0, and `verify/verify.ts` of `@ag-ui/client` 1.0.

import { canonicalJson, defined, hashOf, type Json, type JsonObject } from '../../base';
import type { PendingInput } from '../../protocol';
import type { StreamEvent, StreamPlace } from '../../core/stream/events';
import {
  type AgUiEvent,
  type AgUiMessage,
  argumentsOf,
  Conversation,
  isSameContent,
} from './conversation';
import { interruptOf } from './interrupts';
import { askerOf, callName, runName, startingCall, stepName, waitingCall } from './names';
import { StepWriter } from './step-writer';
import { resultContent } from './tool-content';
import { SegmentUsage } from './segment-usage';

const protocolVersion = '1.0';

type Of<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>;

/** A run of the turn's tree. */
type Run = StreamPlace & {
  readonly name: string;
  readonly digest: string;
  /** The run that called it. Undefined for the root. */
  readonly caller: Run | undefined;
  /** The member that attributes an event to it. */
  readonly owner: JsonObject;
  step?: StepWriter;
  /** Of its sub-agent in this segment. The root is none. */
  state: 'unseen' | 'open' | 'ended';
};

export type AgUiRun = {
  readonly threadId: string;
  readonly runId: string;
  /** The workflow id of the turn. */
  readonly turn: string;
  /** Those of the client. */
  readonly messages: readonly AgUiMessage[];
};

export class RunEncoder {
  readonly #ids: Pick<AgUiRun, 'threadId' | 'runId'>;
  readonly #turn: string;
  readonly #conversation: Conversation;
  /** By workflow id. */
  readonly #runs = new Map<string, Run>();
  #usage = new SegmentUsage();
  #written: AgUiEvent[] = [];
  #isOver = false;

  constructor({ threadId, runId, turn, messages }: AgUiRun) {
    this.#ids = { threadId, runId };
    this.#turn = turn;
    this.#conversation = new Conversation(messages, turn);
  }

  /** Takes what earlier segments told. */
  skip(event: StreamEvent): void {
    this.push(event);
    this.#isOver = false;
  }

  /** What comes before all others. What the client has of this turn becomes what earlier segments told. */
  start(): readonly AgUiEvent[] {
    this.#usage = new SegmentUsage();
    for (const run of this.#runs.values()) if (run.state === 'open') run.state = 'unseen';
    const started = { type: 'RUN_STARTED', ...this.#ids, protocolVersion };
    return [started, ...this.#conversation.goLive()];
  }

  push(event: StreamEvent): readonly AgUiEvent[] {
    if (this.#isOver) return [];
    this.#written = [];
    const run = this.#runOf(event);
    this.#startBelow(run);
    this.#take(event, run);
    return this.#written;
  }

  /** Ends a segment whose turn cannot be told. */
  fail(code: string, message: string): readonly AgUiEvent[] {
    this.#written = [];
    this.#finishFailed({ code, message });
    return this.#written;
  }

  #take(event: StreamEvent, run: Run): void {
    switch (event.type) {
      case 'step-begin':
        return this.#beginStep(event, run);
      case 'text':
      case 'reasoning':
        return this.#emit(...this.#stepOf(event.turn, run).say(event));
      case 'call-begin':
        return this.#emit(...this.#stepOf(event.turn, run).beginCall(event.index, event.name));
      case 'call-delta':
        return this.#emit(...this.#stepOf(event.turn, run).addArguments(event.index, event.delta));
      case 'call':
        return this.#call(event, run);
      case 'step-end':
        return this.#endStep(event, run);
      case 'call-edited':
        return this.#correct(callName(stepName(run.name, event.turn), event.index), event);
      case 'result':
        return this.#answer(event, run);
      default:
        return this.#turnAround(event, run);
    }
  }

  #turnAround(event: StreamEvent, run: Run): void {
    switch (event.type) {
      case 'user':
        return this.#steer(event, run);
      case 'stalled':
        return this.#tell('stalled', { reason: event.reason }, run);
      case 'paused':
        return this.#pause(event.pending);
      case 'end':
        return run.caller === undefined ? this.#end(event) : this.#endBelow(run, event);
      default:
        return;
    }
  }

  /** Something for which the protocol has no event. */
  #tell(name: string, value: object, { owner }: Run): void {
    this.#emit({ type: 'CUSTOM', name: `longhaul.${name}`, value, ...owner });
  }

  /**
   * A message while the turn works. The one that the turn answers has no id. A client that sent it may have it elsewhere. It goes in one
   * event: after a cut in its middle, the client would send the half of it as its own.
   */
  #steer({ message, messageId }: Of<'user'>, run: Run): void {
    if (messageId === undefined || run.caller !== undefined) return;
    if (this.#conversation.isSteeredLast(messageId)) return;
    if (this.#conversation.drop(messageId)) this.#emit(this.#conversation.snapshot());
    const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    this.#emit({ type: 'TEXT_MESSAGE_CHUNK', messageId, role: 'user', delta: texts.join('\n') });
  }

  #beginStep({ turn }: Of<'step-begin'>, run: Run): void {
    if (run.step !== undefined && (run.step.turn === turn || !run.step.isEnded)) this.#void(run);
    run.step = new StepWriter(stepName(run.name, turn), turn, run.owner);
  }

  #stepOf(turn: number, run: Run): StepWriter {
    if (run.step?.turn !== turn)
      run.step = new StepWriter(stepName(run.name, turn), turn, run.owner);
    return run.step;
  }

  /** What the step said does not count. Its calls end when nobody sees them any more: a client may act on the end of a call. */
  #void(run: Run): void {
    const { step } = run;
    if (step === undefined) return;
    delete run.step;
    this.#emit(...step.hush());
    if (this.#conversation.drop(step.id)) this.#emit(this.#conversation.snapshot());
    this.#emit(...step.endCalls());
  }

  #call({ turn, index, call }: Of<'call'>, run: Run): void {
    const step = this.#stepOf(turn, run);
    const { name, args, rawArgs = '' } = call;
    const text = args === null ? rawArgs : JSON.stringify(args);
    this.#emit(...step.beginCall(index, name));
    if (!step.hasArguments(index)) this.#emit(...step.addArguments(index, text));
    this.#correct(callName(step.id, index), { name, args: args ?? rawArgs });
    this.#emit(...step.endCall(index));
  }

  /** A name or arguments that are not what streamed. */
  #correct(toolCallId: string, { name, args }: { name?: string; args: Json }): void {
    const known = this.#conversation.callOf(toolCallId);
    if (known === undefined) return;
    const isSame = canonicalJson(argumentsOf(known.arguments)) === canonicalJson(args);
    if (isSame && (name ?? known.name) === known.name) return;
    if (!isSame) known.arguments = typeof args === 'string' ? args : JSON.stringify(args);
    known.name = name ?? known.name;
    this.#emit(this.#conversation.snapshot());
  }

  #endStep(event: Of<'step-end'>, run: Run): void {
    const step = this.#stepOf(event.turn, run);
    step.isEnded = true;
    this.#emit(...step.hush(), ...step.endCalls());
    this.#usage.add(event);
    for (const part of event.content) if (part.type === 'media') this.#tell('media', part, run);
  }

  /** A client adds every result that comes. So a second one of a call changes the first, and so does one that is not what the client gave. */
  #answer({ turn, index, result }: Of<'result'>, run: Run): void {
    const step = stepName(run.name, turn);
    const messageId = `${step}/result-${index}`;
    const toolCallId = callName(step, index);
    const content = resultContent(result);
    const known = this.#conversation.resultOf(toolCallId);
    if (known === undefined) {
      const failed = result.isError && { metadata: { isError: true } };
      const answer = { type: 'TOOL_CALL_RESULT', role: 'tool', messageId, toolCallId, content };
      return this.#emit({ ...answer, ...failed, ...run.owner });
    }
    if (isSameContent(known.content, content)) return;
    known.content = content;
    this.#emit(this.#conversation.snapshot());
  }

  #pause(pending: readonly PendingInput[]): void {
    const asked = pending.map((input) => {
      const run = [...this.#runs.values()].find(({ digest }) => digest === askerOf(input));
      if (run !== undefined) this.#startBelow(run);
      return { input, run, toolCallId: waitingCall(this.#turn, input) };
    });
    for (const run of this.#runs.values())
      if (run.state === 'open') {
        const own = asked.filter((each) => each.run === run);
        const interruptIds = own.map(({ input }) => input.inputId);
        this.#finishBelow(run, { type: 'suspended', interruptIds });
      }
    if (asked.every(({ input, run }) => input.kind === 'tool' && run?.caller === undefined)) {
      const pendingToolCallIds = asked.flatMap(({ toolCallId }) => toolCallId ?? []);
      return this.#finish({ outcome: { type: 'success', pendingToolCallIds } });
    }
    const interrupts = asked.map(({ input, run, toolCallId }) =>
      interruptOf(input, { ...defined({ toolCallId }), ...run?.owner }),
    );
    this.#finish({ outcome: { type: 'interrupt', interrupts } });
  }

  #end({ status, result, error }: Of<'end'>): void {
    for (const run of this.#runs.values()) {
      if (run.step?.isEnded === false) this.#void(run);
      if (run.state !== 'open') continue;
      if (status === 'completed') this.#finishBelow(run);
      else this.#breakBelow(run, { code: 'RunCancelled', message: 'its caller ended' });
    }
    if (status === 'cancelled') return this.#finish({ outcome: { type: 'cancelled' } });
    if (status === 'failed')
      return this.#finishFailed(error ?? { code: 'InternalError', message: 'the run failed' });
    const { text = '', structured } = result ?? {};
    this.#finish({ outcome: { type: 'success' }, result: { text, ...defined({ structured }) } });
  }

  #endBelow(run: Run, { status, result, error }: Of<'end'>): void {
    if (run.step?.isEnded === false) this.#void(run);
    if (status === 'completed') return this.#finishBelow(run, undefined, result?.text);
    this.#breakBelow(run, error ?? { code: 'RunCancelled', message: `it was ${status}` });
  }

  #startBelow(run: Run): void {
    if (run.caller === undefined || run.state !== 'unseen') return;
    this.#startBelow(run.caller);
    run.state = 'open';
    const { agent, name, caller, workflowId } = run;
    const by = startingCall(workflowId, caller);
    this.#emit({
      type: 'SUBAGENT_STARTED',
      subagentRunId: name,
      name: agent,
      ...(caller.caller !== undefined && { parentSubagentRunId: caller.name }),
      ...(by !== undefined && { parentToolCallId: by.call, parentMessageId: by.step }),
    });
  }

  #finishBelow(run: Run, outcome?: JsonObject, result?: string): void {
    run.state = outcome === undefined ? 'ended' : 'unseen';
    const { name: subagentRunId } = run;
    this.#emit({ type: 'SUBAGENT_FINISHED', subagentRunId, ...defined({ outcome, result }) });
  }

  #breakBelow(run: Run, { code, message }: { code: string; message: string }): void {
    run.state = 'ended';
    this.#emit({ type: 'SUBAGENT_ERROR', subagentRunId: run.name, code, message });
  }

  #finish(ending: { readonly outcome: Json; readonly result?: Json }): void {
    this.#emit({ type: 'RUN_FINISHED', ...this.#ids, ...ending, ...this.#usage.member() });
    this.#isOver = true;
  }

  #finishFailed({ code, message }: { code: string; message: string }): void {
    this.#emit({ type: 'RUN_ERROR', code, message, ...this.#usage.member() });
    this.#isOver = true;
  }

  #rootRun(): Run {
    const path = this.#turn;
    return this.#runOf({ root: this.#turn, workflowId: this.#turn, path, agent: path });
  }

  #runOf({ root, workflowId, path, agent }: StreamPlace): Run {
    const known = this.#runs.get(workflowId);
    if (known !== undefined) return known;
    const name = runName(this.#turn, workflowId);
    const caller = workflowId === this.#turn ? undefined : this.#callerOf(path);
    const run: Run = {
      ...{ root, workflowId, path, agent, name, caller },
      digest: hashOf(workflowId),
      owner: caller === undefined ? {} : { subagentRunId: name },
      state: 'unseen',
    };
    this.#runs.set(workflowId, run);
    return run;
  }

  /** The newest run on the way to the root. */
  #callerOf(path: string): Run {
    const runs = [...this.#runs.values()].reverse();
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const caller = runs.find((run) => run.path === path.slice(0, end));
      if (caller !== undefined) return caller;
    }
    return this.#rootRun();
  }

  #emit(...events: readonly AgUiEvent[]): void {
    for (const event of events) {
      this.#conversation.apply(event);
      this.#written.push(event);
      if (event.type === 'REASONING_END' && this.#conversation.endReasoning())
        this.#written.push(this.#conversation.snapshot());
    }
  }
}
