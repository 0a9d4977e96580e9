// What is said and done at each place of a plan: models, tools and people all follow it, and so does the expectation.

import type { RunInput } from 'longhaul';
import { limits } from './limits.mts';
import { payload, picture, pictureType, shownPicture, type Size } from './payload.mts';
import type { Act, AgentPlan, Aside, Call, MessagePlan, TreePlan } from './plan.mts';
import { hashOf } from './random.mts';

export type ToolArguments = {
  readonly place: string;
  readonly bytes: number;
  readonly deflates: boolean;
  readonly padding?: string;
  /** Set by the person who approved the call. */
  readonly edited?: boolean;
};

type Input = RunInput['input'];

export const inputOf = ({ id, input, picture: drawn }: TreePlan): Input =>
  withPicture(id, payload(`input of ${id}`, input), drawn);

export const messageOf = ({ name, size, picture: drawn }: MessagePlan): Input =>
  withPicture(name, payload(`say ${name};`, size), drawn);

function withPicture(name: string, text: string, size: Size | undefined): Input {
  if (size === undefined) return text;
  const source = { kind: 'base64' as const, data: picture(`with ${name}`, size) };
  return [
    { type: 'text', text },
    { type: 'media', mediaType: pictureType, source },
  ];
}

/** Its parts, as those tell of them who check them. */
export function spokenParts(input: Input): readonly string[] {
  if (typeof input === 'string') return [input];
  return input.map((part) => {
    if (part.type === 'text') return part.text;
    return part.source.kind === 'base64' ? shownPicture(part.source.data) : part.source.kind;
  });
}

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

/** What the model is shown of it: the text is ASCII. */
export function shownResult(text: string): string {
  if (text.length <= limits.result) return text;
  const note = (shown: number): string =>
    `\n[cut: the first ${shown} of ${text.length} bytes are shown]`;
  const head = text.slice(0, limits.result - note(text.length).length);
  return head + note(head.length);
}

/** What the model is surely shown of a result that is in a result store; undefined of one that is shown whole. */
export const headInStore = (text: string): string | undefined =>
  text.length > limits.resultInStore ? text.slice(0, limits.shownOfStored) : undefined;

/** What a call is told whose arguments are too long; undefined where they are not. */
export function refusedArguments(act: Act): string | undefined {
  const { length } = JSON.stringify(argumentsOf(act));
  if (length <= limits.toolArguments) return undefined;
  return `The arguments have ${length} bytes; at most ${limits.toolArguments} are taken.`;
}

export const captionOf = (place: string): string => `drawn at ${place}`;

/** The room for a picture's base64 beside its caption. */
export const roomOfPicture = (place: string): number => limits.pictures - captionOf(place).length;

export const drawnAt = ({ place, bytes, deflates }: ToolArguments): string =>
  picture(`drawn at ${place}`, { bytes, deflates });

/** What is given as the result of a call that gets it by its token. */
export const laterResultOf = ({ place, size }: Pick<Act, 'place' | 'size'>): string =>
  payload(`later result of ${place}`, { ...size, bytes: Math.min(size.bytes, 8 * 1024) });

export const rolledAt = (place: string, number: string): string => `rolled at ${place}: ${number}`;

export const isRoll = (text: string): boolean => text.startsWith('rolled at ');

/** Under answers, where workers check that. */
export const signature = 'signed';

export const textOfAside = ({ name }: Aside): string => `aside ${name}`;

export const isAside = (text: string): boolean => text.startsWith('aside ');

export type Decision = 'approve' | 'edit' | 'reject';

/** What a person decides on a call that waits. */
export function decisionOn(place: string): Decision {
  return (['approve', 'approve', 'edit', 'reject'] as const)[hashOf(place) % 4] ?? 'approve';
}

/** As `decisionOn`, for people who vote: nobody of them changes the arguments. */
export const voteOn = (place: string): 'approve' | 'reject' =>
  decisionOn(place) === 'reject' ? 'reject' : 'approve';

export const rejection = 'rather not';

/** What a person answers to a question, which is the place it was asked at. */
export function answerTo({ place, size }: Pick<Act, 'place' | 'size'>): string {
  const bytes = Math.min(size.bytes, limits.answer);
  return payload(`answer to ${place}`, { ...size, bytes });
}

/** The agent, or the message of a conversation, that a place belongs to. */
export const agentAt = (place: string): string => place.split('.').slice(0, -2).join('.');

/** A session key of each agent's own. */
export const keyOf = (agent: string): string => `of_${agent.replaceAll('.', '_')}`;

/** The key of the state of a tree that has some. */
export const stateKeyOf = ({ id }: TreePlan): Required<Key> => ({
  appName: `app of ${id}`,
  userId: `user of ${id}`,
  sessionId: id,
});

type Key = { readonly appName?: string; readonly userId?: string; readonly sessionId?: string };

/** What the stores hold of it before it starts: each of them something of its own, and something that all have. */
export const storedOf = ({ id }: TreePlan) => ({
  app: { of_app: id, last: 'app' },
  user: { of_user: id, last: 'user' },
  session: { of_session: id, last: 'session' },
});

/** What its caller gives it. */
export const givenOf = ({ id, given }: TreePlan): { readonly given?: string } =>
  given === undefined ? {} : { given: payload(`given to ${id}`, given) };

export const contextOf = ({ id, context }: TreePlan): { readonly given?: string } =>
  context === undefined ? {} : { given: payload(`context of ${id}`, context) };

/** The session a tree starts with: the caller's values win over the session's, those over the user's, those over the application's. */
export function stateOf(tree: TreePlan): { readonly [key: string]: string } {
  const { app, user, session } = storedOf(tree);
  return { ...(tree.hasState && { ...app, ...user, ...session }), ...givenOf(tree) };
}
