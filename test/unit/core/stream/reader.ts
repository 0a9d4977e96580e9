// A reader of streams that knows only the rules of `src/core/stream/events.ts`.
import { interrupted, withEditNote } from '../../../../src/core/transcript/open-turn';
import { textMessage } from '../../../../src/core/transcript/transcript';
import type { JsonObject } from '../../../../src/base/json';
import type { AssistantMessage, Message, ToolResult } from '../../../../src/protocol/message';
import type { LogHappening, UnplacedEvent } from '../../../../src/core/stream/events';

type Of<Type extends LogHappening['type']> = Extract<LogHappening, { readonly type: Type }>;

type ReadStep = {
  readonly turn: number;
  end: Of<'step-end'> | undefined;
  /** The parts as they streamed, in short. */
  readonly parts: string[];
  readonly calls: Of<'call'>[];
  readonly results: Map<number, ToolResult>;
  readonly edits: Map<number, JsonObject>;
};

type Item = Of<'user' | 'feedback'> | ReadStep;

const isStep = (item: Item | undefined): item is ReadStep => item !== undefined && 'end' in item;

export class StreamReader {
  #items: Item[] = [];

  constructor(events: readonly UnplacedEvent[] = []) {
    this.take(events);
  }

  take(events: readonly UnplacedEvent[]): void {
    for (const event of events) this.#take(event);
  }

  /** What the step in progress shows, part by part. Undefined if no step is in progress. */
  get inProgress(): readonly string[] | undefined {
    const last = this.#items.at(-1);
    return isStep(last) && last.end === undefined ? last.parts : undefined;
  }

  /** The messages of the conversation. */
  get messages(): Message[] {
    return this.#items.flatMap((item): Message[] => {
      if (isStep(item)) return messagesOf(item);
      return [item.type === 'user' ? item.message : textMessage(item.text)];
    });
  }

  #take(event: UnplacedEvent): void {
    switch (event.type) {
      case 'user':
      case 'feedback':
        this.#items = this.#items.filter((item) => !isStep(item) || item.end !== undefined);
        this.#items.push(event);
        return;
      case 'step-begin':
        return this.#begin(event.turn);
      case 'verdict':
      case 'input':
      case 'input-end':
      case 'stalled':
      case 'paused':
      case 'end':
        return;
      default:
        return takeInto(this.#stepOf(event.turn), event);
    }
  }

  #begin(turn: number): void {
    const step = {
      turn,
      end: undefined,
      parts: [],
      calls: [],
      results: new Map(),
      edits: new Map(),
    };
    const place = this.#items.findIndex((item) => isStep(item) && item.turn === turn);
    if (place === -1) this.#items.push(step);
    else this.#items[place] = step;
  }

  #stepOf(turn: number): ReadStep {
    const found = this.#items.filter(isStep).find((step) => step.turn === turn);
    if (found === undefined) throw new Error(`nothing began step ${turn}`);
    return found;
  }
}

type StepContent = Exclude<LogHappening, { type: 'user' | 'feedback' | 'step-begin' | 'verdict' }>;

function takeInto(step: ReadStep, event: StepContent): void {
  switch (event.type) {
    case 'text':
    case 'reasoning':
      return extend(step, event.part, { begin: `${event.type}: `, delta: event.delta });
    case 'call-begin':
      return extend(step, event.part, { begin: `${event.name}: `, delta: '' });
    case 'call-delta':
      return extend(step, event.part, { begin: undefined, delta: event.delta });
    case 'call':
      if (step.calls.length !== event.index) throw new Error(`call ${event.index} out of order`);
      step.calls.push(event);
      return;
    case 'step-end':
      step.end = event;
      return;
    case 'call-edited':
      step.edits.set(event.index, event.args);
      return;
    case 'result':
      step.results.set(event.index, withEditNote(event.result, step.edits.get(event.index)));
  }
}

function extend(
  step: ReadStep,
  part: number,
  { begin, delta }: { readonly begin: string | undefined; readonly delta: string },
): void {
  const said = step.parts[part];
  if (step.end !== undefined) throw new Error(`a delta after the end of step ${step.turn}`);
  if (said === undefined && (begin === undefined || part !== step.parts.length))
    throw new Error(`part ${part} of step ${step.turn} did not begin in its order`);
  step.parts[part] = (said ?? begin ?? '') + delta;
}

function messagesOf({ end, calls, results }: ReadStep): Message[] {
  if (end === undefined || end.content.length === 0) return [];
  const message: AssistantMessage = {
    role: 'assistant',
    parts: end.content,
    ...(end.origin && { origin: end.origin }),
  };
  if (calls.length === 0) return [message];
  const parts = calls.map(({ call: { callId, name } }, index): ToolResult => {
    const text = { type: 'text' as const, text: interrupted };
    const none = { type: 'tool_result' as const, callId, name, isError: true, content: [text] };
    return results.get(index) ?? none;
  });
  return [message, { role: 'tool', parts }];
}
