// What is said and done at each place of a plan: models, tools and people all follow it, and so does the expectation.

import { payload } from './payload.mts';
import type { Act, AgentPlan, Call, MessagePlan, TreePlan } from './plan.mts';
import { hashOf } from './random.mts';

export type ToolArguments = {
  readonly place: string;
  readonly bytes: number;
  readonly deflates: boolean;
  readonly padding?: string;
  /** Set by the person who approved the call. */
  readonly edited?: boolean;
};

/** Answers to questions have their own limit. */
const longestAnswer = 60 * 1024;

export const inputOf = ({ id, input }: TreePlan): string => payload(`input of ${id}`, input);

export const messageOf = ({ name, size }: MessagePlan): string => payload(`say ${name};`, size);

/** Of the message whose text it is. */
export const nameOfMessage = (text: string): string => /^say ([^;]+);/.exec(text)?.[1] ?? '';

export const answerOf = ({ id, answer }: Pick<AgentPlan, 'id' | 'answer'>): string =>
  payload(`answer of ${id}`, answer);

export const toolNameOf = ({ callee }: Call): string => `call_${callee.id.replaceAll('.', '_')}`;

export const inputOfCall = ({ place }: Call): string => `called from ${place}`;

/** The arguments as the model writes them. */
export function argumentsOf(act: Act | Call): { readonly [key: string]: unknown } {
  if (act.kind === 'call') return { input: inputOfCall(act) };
  if (act.kind === 'ask_user') return { question: act.place };
  const { place, size, padding } = act;
  return {
    place,
    ...size,
    ...(padding.bytes > 0 && { padding: payload(`padding of ${place}`, padding) }),
  };
}

/** What the tool's code returns. */
export function resultOf({ place, bytes, deflates }: ToolArguments): string {
  return payload(`result of ${place}`, { bytes, deflates });
}

export type Decision = 'approve' | 'edit' | 'reject';

/** What a person decides on a call that waits. */
export function decisionOn(place: string): Decision {
  return (['approve', 'approve', 'edit', 'reject'] as const)[hashOf(place) % 4] ?? 'approve';
}

export const rejection = 'rather not';

/** What a person answers to a question, which is the place it was asked at. */
export function answerTo({ place, size }: Pick<Act, 'place' | 'size'>): string {
  const bytes = Math.min(size.bytes, longestAnswer);
  return payload(`answer to ${place}`, { ...size, bytes });
}

/** The agent, or the message of a conversation, that a place belongs to. */
export const agentAt = (place: string): string => place.split('.').slice(0, -2).join('.');

/** A session key of each agent's own. */
export const keyOf = (agent: string): string => `of_${agent.replaceAll('.', '_')}`;
