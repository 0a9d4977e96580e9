// What happens to a run, and the events of its stream in short.
import type { JsonObject } from '../../../../src/base/json';
import type { Decision, LogEntry, LogEvent, ModelTurnEvent } from '../../../../src/protocol/log';
import type { LiveEvent, ModelDelta } from '../../../../src/protocol/live';
import type { AssistantPart, ToolCallPart, ToolResult } from '../../../../src/protocol/message';
import type { UnplacedEvent } from '../../../../src/core/stream/events';
import { RunProjection } from '../../../../src/core/stream/run-projection';
import { call, noUsage, user } from '../builders';

export const place = { root: 'r', workflowId: 'r/a', path: 'top/agent', agent: 'agent' };

export type Happens =
  { readonly read: readonly LogEvent[] } | { readonly live: readonly LiveEvent[] };

export const read = (...entries: readonly LogEvent[]): Happens => ({ read: entries });
export const live = (...events: readonly LiveEvent[]): Happens => ({ live: events });

export const said = (value: string): LogEvent => ({ kind: 'user', message: user(value) as never });
export const turn = (...content: readonly AssistantPart[]): ModelTurnEvent => ({
  kind: 'model-turn',
  content,
  usage: noUsage,
});
export const decided = (decision: Decision): LogEvent => ({ kind: 'decision', decision });
export const answered = (value: ToolResult): LogEvent => ({ kind: 'tool-result', result: value });
export const reasoning = (value: string): AssistantPart => ({ type: 'reasoning', text: value });

/** An attempt at a model call: its live events, with their `seq`. */
export function attempt(
  at: { readonly turn: number; readonly attempt?: number; readonly calledAt?: number },
  deltas: readonly ModelDelta[] = [],
): LiveEvent[] {
  const call = { ...place, attempt: 1, calledAt: 100, ...at };
  return [
    { ...call, kind: 'begin' },
    ...deltas.map((delta, seq): LiveEvent => ({ ...call, kind: 'delta', seq, delta })),
  ];
}

export const says = (...texts: readonly string[]): ModelDelta[] =>
  texts.map((value) => ({ kind: 'text', text: value }));
export const thinks = (...texts: readonly string[]): ModelDelta[] =>
  texts.map((value) => ({ kind: 'reasoning', text: value }));
export const calls = (
  index: number,
  named: { readonly name?: string; readonly callId?: string },
  ...pieces: readonly string[]
): ModelDelta[] => [
  { kind: 'tool-call', index, ...named },
  ...pieces.map((args): ModelDelta => ({ kind: 'tool-call', index, args })),
];

export function play(happens: readonly Happens[]): UnplacedEvent[] {
  const projection = new RunProjection(place);
  let length = 0;
  return happens.flatMap((each) => {
    if ('live' in each) return each.live.flatMap((event) => projection.live(event));
    const entries = each.read.map((event, index): LogEntry => ({
      ...event,
      id: `${length + index}`,
    }));
    const events = projection.log(length, entries);
    length += entries.length;
    return events;
  });
}

/** One event in short. */
export function short(event: UnplacedEvent): string {
  switch (event.type) {
    case 'user':
      return `user ${textOf(event.message.parts)}`;
    case 'feedback':
      return `feedback on ${event.turn}: ${event.text}`;
    case 'call-edited':
      return `edited ${event.turn}.${event.index} ${JSON.stringify(event.args)}`;
    case 'result':
      return `result ${event.turn}.${event.index} ${event.name}: ${textOf(event.result.content)}`;
    case 'verdict':
      return `verdict ${event.verdict.verdict} ${event.verdict.inputId}`;
    default:
      return shortOfStep(event);
  }
}

function shortOfStep(event: UnplacedEvent): string {
  switch (event.type) {
    case 'step-begin':
      return `step ${event.turn}, attempt ${event.attempt}`;
    case 'text':
    case 'reasoning':
      return `${event.part} ${event.type}: ${event.delta}`;
    case 'call-begin':
      return `${event.part} begin ${event.index} ${event.name} ${event.callId}`;
    case 'call-delta':
      return `${event.part} args ${event.index}: ${event.delta}`;
    case 'call':
      return `${event.part} call ${event.index} ${event.call.name} ${JSON.stringify(event.call.args)}`;
    case 'step-end':
      return `end ${event.turn}: ${event.content.map(({ type }) => type).join(', ')}`;
    default:
      throw new Error(`not of the log: ${event.type}`);
  }
}

function textOf(parts: readonly { readonly type: string }[]): string {
  return parts.map((part) => ('text' in part ? part.text : part.type)).join('+');
}

export type Case = readonly [name: string, happens: readonly Happens[], events: readonly string[]];

export const look = (callId: string, args: JsonObject = { x: 1 }): ToolCallPart =>
  call(callId, 'look', args);
