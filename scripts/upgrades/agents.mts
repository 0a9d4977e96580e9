// What the workers of all versions run: agents that wait in every way, and tools that tell the hub of each effect.
import {
  defineAgent,
  defineTool,
  parallel,
  sequential,
  subAgent,
  type Runner,
  type ToolContext,
} from 'longhaul';
import { steps } from './cases.mts';

type What = { readonly what: string };

const inputSchema = {
  type: 'object',
  properties: { what: { type: 'string' } },
  required: ['what'],
} as const;

/** A call is told to the hub by name. `/gate` answers when somebody opens it. */
async function tell(hub: string, path: string, body: object): Promise<void> {
  const response = await fetch(`${hub}${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`the hub answered ${response.status}`);
}

function toolsOf(hub: string) {
  const write = async ({ what }: What, { idempotencyKey: key }: ToolContext): Promise<string> => {
    await tell(hub, '/effect', { what, key });
    return `did ${what}`;
  };
  const hold = async (args: What, context: ToolContext): Promise<string> => {
    await tell(hub, '/gate', args);
    return await write(args, context);
  };
  const tool = (name: string) => ({ name, description: `Does ${name}`, inputSchema });
  const inline = { inline: true, effect: 'idempotent' } as const;
  return {
    write: defineTool<What>({ ...tool('write'), execute: write }),
    pay: defineTool<What>({
      ...tool('pay'),
      needsApproval: true,
      effect: 'once',
      execute: write,
    }),
    hold: defineTool<What>({ ...tool('hold'), execute: hold }),
    note: defineTool<What>({ ...tool('note'), ...inline, execute: write }),
    wait: defineTool<What>({ ...tool('wait'), ...inline, execute: hold }),
    order: defineTool<What>({
      ...tool('order'),
      result: 'later',
      execute: async ({ what }, { resultToken, idempotencyKey: key }) => {
        await tell(hub, '/token', { what, token: resultToken });
        await tell(hub, '/effect', { what, key });
      },
    }),
  };
}

export function runnersOf(hub: string): readonly Runner[] {
  const { write, pay, hold, note, wait, order } = toolsOf(hub);
  const agent = (id: string, tools: Parameters<typeof defineAgent>[0]['tools'] = [write]) =>
    defineAgent({ id, model: `double/${id}`, tools, askUser: 'tool', maxIterations: 40 });
  const leaf = agent('leaf');
  const middle = agent('middle', [subAgent(leaf, { name: 'leaf', description: 'Is called' })]);
  return [
    ...['asker', 'twice', 'spender', 'slow', 'long'].map((id) => agent(id)),
    agent('buyer', [pay]),
    agent('shopper', [pay]),
    agent('orderer', [order]),
    agent('holder', [hold]),
    defineAgent({
      id: 'inliner',
      model: 'double/inliner',
      tools: [note, wait],
      inlineTimeout: '60s',
    }),
    agent('boss', [subAgent(middle, { name: 'middle', description: 'Is called' })]),
    parallel({
      id: 'panel',
      branches: [agent('quick'), agent('asking'), agent('paying', [pay]), agent('last')],
      concurrency: 3,
    }),
    sequential({ id: 'pipeline', steps: [...steps, 'closing'].map((id) => agent(id)) }),
    defineAgent({
      id: 'chat',
      model: 'double/chat',
      tools: [write],
      askUser: 'tool',
      memory: { kind: 'full', store: 'default' },
    }),
  ];
}
