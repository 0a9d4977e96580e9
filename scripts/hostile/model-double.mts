// The model: what it says depends on its agent and on the texts that it is given, so it says the same whatever happens around it.

import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashOf } from '../torture/random.mts';
import { tokensOfCall, type AgentId } from './agents.mts';

type WireMessage = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly { readonly type: string; readonly text?: string }[] | null;
};
type WireRequest = { readonly model: string; readonly messages: readonly WireMessage[] };

type Said = { readonly role: string; readonly text: string };
type Call = { readonly name: string; readonly args: object };
type Answer = string | Call;

const works = 6;
const pieces = 8;
const pieceMs = 15;
const helpers = ['ask_asker', 'ask_payer', 'ask_bank', 'ask_spender'] as const;

export class ModelDouble {
  readonly #judgeResult: (result: string) => void;
  calls = 0;

  /** `judgeResult` gets each result that the bank's model reads. */
  constructor(judgeResult: (result: string) => void) {
    this.#judgeResult = judgeResult;
  }

  async answer(body: unknown, response: ServerResponse): Promise<void> {
    this.calls += 1;
    const { model, messages } = body as WireRequest;
    const said = messages.map(({ role, content }) => ({ role, text: textOf(content) }));
    const user = said.findLastIndex(({ role }) => role === 'user');
    const since = said.slice(user + 1);
    const results = since.filter(({ role }) => role === 'tool');
    if (model === 'bank') for (const { text } of results) this.#judgeResult(text);
    const step = since.filter(({ role }) => role === 'assistant').length;
    const answer = answerOf(model as AgentId, said[user]?.text ?? '', { step, results });
    await write(response, { id: `${model}_${step}`, answer });
  }
}

const shortest = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 120);

function answerOf(
  agent: AgentId,
  text: string,
  { step, results }: { readonly step: number; readonly results: readonly Said[] },
): Answer {
  const what = shortest(text);
  const told = `${agent} heard ${what}; ${results.map((each) => shortest(each.text)).join('; ')}`;
  if (agent === 'spender' || agent === 'thrifty')
    return step < works ? { name: 'work', args: { what: `${step} ${what}` } } : told;
  if (step > 0) return told;
  switch (agent) {
    case 'asker':
      return { name: 'ask_user', args: { question: `Which? ${what}` } };
    case 'payer':
      return { name: 'pay', args: { what } };
    case 'bank':
      return { name: 'collect', args: { what } };
    case 'picker':
      return { name: 'pick', args: { what } };
    case 'manager':
      return { name: helpers[hashOf(text) % helpers.length] ?? 'ask_asker', args: { input: what } };
    default:
      if (text.endsWith(' page_tool')) return { name: 'page_tool', args: { what } };
      return `${told} ${'and so on, '.repeat(20)}`;
  }
}

function textOf(content: WireMessage['content']): string {
  if (typeof content === 'string' || content === null) return content ?? '';
  return content.map(({ text = '' }) => text).join('\n');
}

async function write(
  response: ServerResponse,
  { id, answer }: { readonly id: string; readonly answer: Answer },
): Promise<void> {
  const half = tokensOfCall / 2;
  const usage = { prompt_tokens: half, completion_tokens: half, total_tokens: tokensOfCall };
  const send = (fields: object): boolean =>
    response.write(
      `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', ...fields })}\n\n`,
    );
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const delta of deltasOf(id, answer)) {
    send({ choices: [{ index: 0, delta }] });
    await sleep(pieceMs);
  }
  const reason = typeof answer === 'string' ? 'stop' : 'tool_calls';
  send({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
  send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

function deltasOf(id: string, answer: Answer): readonly object[] {
  if (typeof answer === 'string') {
    const length = Math.ceil(answer.length / pieces);
    return Array.from({ length: pieces }, (_, index) => ({
      content: answer.slice(index * length, (index + 1) * length),
    }));
  }
  const called = { name: answer.name, arguments: JSON.stringify(answer.args) };
  return [{ tool_calls: [{ index: 0, id: `${id}_0`, type: 'function', function: called }] }];
}
