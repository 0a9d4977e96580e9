import { resolve } from 'node:path';
import {
  criteria,
  defineCallbacks,
  defineTool,
  mcpTools,
  type McpServer,
  type Tool,
} from '../../src';
import type { Message, ToolContent } from '../../src/protocol/message';
import type { ModelProvider, ModelRequest } from '../../src/providers/provider';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import type { CreateWorkerOptions } from '../../src/worker';
import { workflowBundlePath } from '../servers';

// The `--tools` file of the example specs: all code that they name, and providers that answer from scripts.

const folder = resolve('examples/specs/prompts');
const filesProgram = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

const call = (name: string, args: Record<string, string>): ScriptedStep => ({
  toolCalls: [{ name, args }],
});

type Part = Message['parts'][number] | ToolContent;

function shown(part: Part): string {
  if ('text' in part) return part.text;
  return JSON.stringify('value' in part ? part.value : part);
}

/** What the last message says: a text, or results of tools. */
function lastText({ messages }: ModelRequest): string {
  const parts: readonly Part[] = messages.at(-1)?.parts ?? [];
  return parts
    .flatMap((part) => ('content' in part ? part.content.map(shown) : shown(part)))
    .join(' | ');
}

const echo =
  (name: string): ScriptedStep =>
  (request) =>
    `${name}(${lastText(request)})`;

/** By the beginning of the instructions, or else of the first message: what the model says, turn by turn. */
const scripts: Readonly<Record<string, readonly ScriptedStep[]>> = {
  'You are a helpful assistant': [call('ask_user', { question: 'Which bank?' }), echo('assistant')],
  'Describe the market': [{ text: 'A growing market.', usage: { totalTokens: 150_000 } }],
  'Name the rivals': [{ text: '{"names": ["Ada", "Bob"]}', usage: { totalTokens: 60_000 } }],
  'You decide on investments': [echo('partner')],
  'Improve the text': ['Better.', 'FINAL Best.'],
  'List the facts': [echo('facts')],
  'Name three angles': [echo('angles')],
  'Write a short article': [echo('article')],
  'Answer in one sentence': ['One sentence.'],
  'Find out which flight': [call('pick_seat', { flight: 'LH 454' }), echo('travel')],
  'Classify the ticket': ['{"queue": "billing", "urgent": true}'],
  'You teach one topic': [echo('tutor')],
  'Ask three questions': [
    '__ask_user__: One?',
    '__ask_user__: Two?',
    '__ask_user__: Three?',
    echo('graded'),
  ],
  'Answer letters of our company': [
    ({ model, settings }) => `${model} ${JSON.stringify(settings)}`,
  ],
  'Answer order questions': [
    '__ask_user__: Which order?',
    call('order_lookup', { order: '7' }),
    (request) => `RESOLVED ${lastText(request)}`,
  ],
  'List security risks': [echo('security')],
  'List cost risks': [echo('cost')],
  'Rewrite the risks': [echo('editor')],
  'Return JSON with key total': ['{"total": 12}'],
  'Return JSON with key vendor': ['{"vendor": "ACME"}'],
  'You grade invoices': [(request) => JSON.stringify({ grade: 4, reason: lastText(request) })],
  'Decide on refunds': [
    call('find_order', { order: '7' }),
    call('refund', { order: '7' }),
    (request) => `Order 7: ${lastText(request)}`,
  ],
  'Answer with sources': [
    {
      toolCalls: [
        { name: 'research', args: { input: 'moon' } },
        { name: 'check', args: { input: 'cheese' } },
      ],
    },
    echo('manager'),
  ],
  'Say whether the claim is true': [echo('checked')],
  'Search, read, summarise': [
    call('search_web', { query: 'moon' }),
    call('library__list_directory', { path: folder }),
    echo('researched'),
  ],
  'Answer questions about the repository': [
    call('files__list_directory', { path: folder }),
    echo('guide'),
  ],
};

function answer(request: ModelRequest): ScriptedStep {
  const [first] = request.messages;
  const told = request.instructions ?? (first?.parts ?? []).map(shown).join('');
  const name = Object.keys(scripts).find((each) => told.startsWith(each)) ?? '';
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  const script = scripts[name] ?? [`no script for: ${told}`];
  return script[Math.min(turn, script.length - 1)] ?? '';
}

const provider = (name: string): ModelProvider => ({
  name,
  call: (request, options) => scriptedModel([answer], { name }).call(request, options),
});

const tool = (name: string, result: string): Tool =>
  defineTool({
    name,
    description: name,
    inputSchema: { type: 'object', properties: {} },
    execute: () => result,
  });

const server = (name: string): McpServer =>
  mcpTools({ name, stdio: { command: process.execPath, args: [filesProgram, folder] } });

const code: CreateWorkerOptions = {
  tools: [
    tool('find_order', 'one lamp'),
    tool('order_lookup', 'shipped'),
    tool('refund', 'refunded'),
    tool('search_web', 'rock'),
  ],
  callbacks: ['audit', 'audit_trail'].map((name) =>
    defineCallbacks({ name, beforeModelCall: () => undefined }),
  ),
  criteria: [criteria.custom('names-the-order', ({ text }) => text.startsWith('Order 7'))],
  mcpServers: [server('files'), server('library')],
  providers: Object.fromEntries(
    ['openai', 'anthropic', 'google'].map((name) => [name, provider(name)]),
  ),
  workerOptions: { workflowBundle: { codePath: workflowBundlePath() } },
};

export default code;
