// The tools of the recorded agents.
import { defineTool } from 'longhaul';

export const anything = { type: 'object', properties: {} } as const;

export const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks a word up',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  execute: async ({ word }) => {
    if (word === 'slow') await new Promise((resolve) => setTimeout(resolve, 200));
    return { word, pages: [1, 2, 3] };
  },
});

export const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order',
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  needsApproval: true,
  execute: ({ amount }) => ({ refunded: amount }),
});

export const unreliable = defineTool({
  name: 'unreliable',
  description: 'Fails',
  inputSchema: anything,
  retry: { maximumAttempts: 2, initialInterval: '100ms' },
  execute: () => {
    throw new Error('no connection');
  },
});

export const peek = defineTool({
  name: 'peek',
  description: 'Looks at a page',
  inputSchema: { type: 'object', properties: { page: { type: 'number' } } },
  effect: 'read',
  session: ['seen'],
  execute: ({ page }, { session }) => {
    session['seen'] = page as number;
    return { page };
  },
});

export const reserve = defineTool({
  name: 'reserve',
  description: 'Reserves a seat',
  inputSchema: { type: 'object', properties: { seat: { type: 'string' } } },
  inline: true,
  execute: async ({ seat }) => {
    await new Promise((resolve) => setTimeout(resolve, 800));
    return { reserved: seat };
  },
});

export const unready = defineTool({
  name: 'unready',
  description: 'Fails inline, too',
  inputSchema: anything,
  inline: true,
  retry: { maximumAttempts: 2, initialInterval: '100ms' },
  execute: () => {
    throw new Error('not yet');
  },
});

export const remember = defineTool({
  name: 'remember',
  description: 'Keeps a note in the session',
  inputSchema: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
  session: ['notes'],
  execute: ({ note }, { session }) => {
    session['notes'] = [(note as string).length];
    return 'kept';
  },
});

export const readPage = defineTool({
  name: 'read_page',
  description: 'Reads a page',
  inputSchema: anything,
  execute: () => 'All trees have leaves. '.repeat(60),
});

export const pay = defineTool<{ euros: number }>({
  name: 'pay',
  description: 'Pays an invoice',
  inputSchema: { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] },
  effect: 'once',
  needsApproval: {
    by: ({ euros }) => ({ approvals: euros > 100 ? 2 : 1 }),
    show: ({ euros }) => `${euros} euros`,
  },
  execute: ({ euros }) => `paid ${euros}`,
});

export const pickSeat = defineTool({
  name: 'pick_seat',
  description: 'Lets the user pick a seat',
  inputSchema: anything,
  result: 'client',
  resultSchema: { type: 'object', required: ['seat'] },
});
