// The model behind the wire: an OpenAI-compatible server that says what the plan says, and checks what it is given.

import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  collectUntold,
  differenceOf,
  summaryOf,
  tokensOfCall,
  viewDifference,
  type Conversation,
  type Expectation,
  type Untold,
} from './expect.mts';
import { pictureType, shownPicture } from './payload.mts';
import { Rolls } from './rolls.mts';
import type { TurnPlan } from './plan.mts';
import { argumentsOf, isAside, nameOfMessage, toolNameOf } from './texts.mts';

export type ModelFault = {
  readonly kind: 'model down' | 'model slow' | 'model cut';
  readonly ms: number;
  /** Chooses among the ways to be down. */
  readonly draw: number;
};

type WireCall = {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
};
type WirePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };
type WireMessage = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly WirePart[] | null;
  readonly tool_calls?: readonly WireCall[];
};
type WireRequest = { readonly model: string; readonly messages: readonly WireMessage[] };

type Spoken = { readonly role: string; readonly text: string };
type Answer = TurnPlan | string | undefined;

export class ModelDouble {
  readonly #expectation: Expectation;
  readonly #report: (wrong: string) => void;
  readonly #faults: ModelFault[] = [];
  calls = 0;
  faultsMet = 0;
  summaries = 0;
  /** What the models of agents were given of rolls. */
  readonly rolls = new Rolls();
  readonly untold: Untold = { unknown: new Set(), notMade: new Set() };

  constructor(expectation: Expectation, report: (wrong: string) => void) {
    this.#expectation = expectation;
    this.#report = report;
  }

  /** The next calls meet it, one each. */
  disturb(fault: ModelFault, calls: number): void {
    for (let left = calls; left > 0; left -= 1) this.#faults.push(fault);
  }

  calm(): void {
    this.#faults.length = 0;
  }

  /** Resolves when the answer is out. */
  async answer(body: unknown, response: ServerResponse): Promise<void> {
    this.calls += 1;
    const { model, messages } = body as WireRequest;
    if (isSummary(messages)) return await this.#summarise(model, response);
    const all = withPictures(messages.filter(({ role }) => role !== 'system'));
    const said = all.filter(({ role, text }) => role !== 'user' || !isAside(text));
    const conversation = this.#conversationOf(model, said);
    if (conversation === undefined) {
      this.#report(`model ${model} was called, which is nobody's: ${JSON.stringify(said.at(-1))}`);
      return refuse(response, 400, 'nobody');
    }
    const step = stepOf(messages);
    this.rolls.see(conversation.agent, said);
    this.#check(conversation, step, said);
    const fault = this.#faults.shift();
    if (fault !== undefined) {
      this.faultsMet += 1;
      if (fault.kind === 'model down') return down(response, fault.draw);
      await sleep(fault.kind === 'model slow' ? fault.ms : 0);
    }
    const answer = conversation.turns[step] ?? conversation.answer;
    if (answer === undefined) return refuse(response, 400, 'the plan says so');
    const promptTokens = conversation.window === undefined ? undefined : tokensIn(messages);
    const frames = framesOf(model, { step, answer, promptTokens });
    if (fault?.kind === 'model cut') return cut(response, frames);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    await new Promise<void>((resolve) => response.once('close', resolve).end(frames.join('')));
  }

  async #summarise(model: string, response: ServerResponse): Promise<void> {
    this.summaries += 1;
    const answer = `${summaryOf} ${model}`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(framesOf(model, { step: 0, answer, promptTokens: undefined }).join(''));
    await Promise.resolve();
  }

  #conversationOf(model: string, said: readonly Spoken[]): Conversation | undefined {
    const { conversations } = this.#expectation;
    const message = said.findLast(({ role }) => role === 'user')?.text ?? '';
    return conversations.get(model) ?? conversations.get(nameOfMessage(message));
  }

  #check(
    { agent, messages, ends, answer, window }: Conversation,
    step: number,
    said: readonly Spoken[],
  ): void {
    const end = ends[step];
    if (end === undefined) return this.#report(`${agent} was called a ${step + 1}th time`);
    const expected = messages.slice(0, end);
    // What a person said after the answer is answered by the same words.
    const before = said.filter(({ role, text }) => role !== 'assistant' || text !== answer);
    if (window === undefined) collectUntold(before, expected, this.untold);
    const difference =
      window === undefined ? differenceOf(before, expected) : viewDifference(before, expected);
    if (difference !== undefined) this.#report(`${agent}, model call ${step + 1}: ${difference}`);
  }
}

/** What comes after the last turn with calls, whose ids say which one it was. Earlier turns of a conversation are texts only. */
function stepOf(messages: readonly WireMessage[]): number {
  const last = messages.findLast(({ tool_calls: calls = [] }) => calls.length > 0);
  const [, turn] = /_(\d+)_\d+$/.exec(last?.tool_calls?.[0]?.id ?? '') ?? [];
  return turn === undefined ? 0 : Number(turn) + 1;
}

const isSummary = (messages: readonly WireMessage[]): boolean =>
  JSON.stringify(messages.at(-1)?.content).includes('Summarise the conversation above');

/** As providers count, about. */
const tokensIn = (messages: readonly WireMessage[]): number =>
  Math.ceil(JSON.stringify(messages).length / 4);

const noteOfPicture = /\[image\/png, [\d,]+ bytes\] \(see after the results\)/;
const labelOfPicture = /^\[image\/png, [\d,]+ bytes\] of result \d+, from \w+:$/;

/** The chat API takes no pictures in results. They come in one user message after the results, in their order: back into their places. */
function withPictures(messages: readonly WireMessage[]): readonly Spoken[] {
  const said: { role: string; text: string }[] = [];
  for (const message of messages) {
    const pictures = picturesOfResults(message);
    if (pictures === undefined) said.push(spoken(message));
    const results = said.slice(said.findLastIndex(({ role }) => role === 'assistant') + 1);
    for (const picture of pictures ?? []) {
      const result = results.find(({ text }) => noteOfPicture.test(text));
      if (result !== undefined) result.text = result.text.replace(noteOfPicture, picture);
    }
  }
  return said;
}

/** Undefined if a person sent the message. */
function picturesOfResults({ role, content }: WireMessage): readonly string[] | undefined {
  if (role !== 'user' || content === null || typeof content === 'string') return undefined;
  const [label] = content;
  if (label?.type !== 'text' || !labelOfPicture.test(label.text)) return undefined;
  return content.filter(({ type }) => type === 'image_url').map(partText);
}

function spoken({ role, content, tool_calls: calls = [] }: WireMessage): Spoken {
  const called = calls.map(
    ({ function: { name, arguments: args } }) => `${name}(${JSON.stringify(JSON.parse(args))})`,
  );
  const parts = typeof content === 'string' ? [content] : (content ?? []).map(partText);
  return { role, text: [...parts.filter((part) => part !== ''), ...called].join('\n') };
}

function partText(part: WirePart): string {
  if (part.type === 'text') return part.text;
  return shownPicture(part.image_url.url.replace(`data:${pictureType};base64,`, ''));
}

type Reply = {
  readonly step: number;
  readonly answer: NonNullable<Answer>;
  readonly promptTokens: number | undefined;
};

function framesOf(model: string, { step, answer, promptTokens }: Reply): readonly string[] {
  const deltas =
    typeof answer === 'string'
      ? (answer.match(/[^]{1,20000}/g) ?? []).map((content) => ({ content }))
      : [
          {
            tool_calls: answer.map((act, index) =>
              wireCall(act, `${model}_${step}_${index}`, index),
            ),
          },
        ];
  const reason = typeof answer === 'string' ? 'stop' : 'tool_calls';
  const { input, output } = tokensOfCall;
  const prompt = promptTokens ?? input;
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
  };
  const chunk = (fields: object): string =>
    `data: ${JSON.stringify({ id: `${model}_${step}`, object: 'chat.completion.chunk', ...fields })}\n\n`;
  return [
    ...deltas.map((delta) => chunk({ choices: [{ index: 0, delta }] })),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason }] }),
    chunk({ choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

function wireCall(act: TurnPlan[number], id: string, index: number): object {
  const name = act.kind === 'call' ? toolNameOf(act) : act.kind;
  const args = JSON.stringify(argumentsOf(act));
  return { index, id, type: 'function', function: { name, arguments: args } };
}

/** Refused, overloaded, or told to wait. */
function down(response: ServerResponse, draw: number): void {
  if (draw % 3 === 0) response.destroy();
  else if (draw % 3 === 1) refuse(response, 503, 'overloaded');
  else refuse(response, 429, 'too many', { 'retry-after-ms': '700' });
}

function refuse(response: ServerResponse, status: number, message: string, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { message } }));
}

/** The first half of the answer, and then nothing any more. */
async function cut(response: ServerResponse, frames: readonly string[]): Promise<void> {
  const all = frames.join('');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await new Promise((resolve) => response.write(all.slice(0, all.length / 2), resolve));
  response.destroy();
}
