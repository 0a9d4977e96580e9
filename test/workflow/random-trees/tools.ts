import { defineTool, type Tool } from '../../../src';
import type { ToolContext } from '../../../src/define/tool';
import { hashOf } from '../../../scripts/torture/random.mts';

export const keys = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

type Change = { readonly key: string; readonly value: string };

const inputSchema = {
  type: 'object',
  properties: { key: { type: 'string' }, value: { type: 'string' } },
};
const fails = { onError: 'fail', retry: { maximumAttempts: 1 } } as const;

/** What was there before stays in sight, so that a session that was merged wrongly shows. */
const write = ({ key, value }: Change, { session }: ToolContext): string => {
  const before = session[key];
  session[key] = `${typeof before === 'string' ? before : ''}${value}`;
  return 'ok';
};

const seen = new Set<string>();

export const tools: readonly Tool<Change>[] = [
  defineTool<Change>({
    name: 'write',
    description: 'Writes',
    inputSchema,
    session: [...keys],
    execute: write,
  }),
  defineTool<Change>({
    name: 'guard',
    description: 'Writes, if a person approves',
    inputSchema,
    session: [...keys],
    needsApproval: true,
    execute: write,
  }),
  defineTool<Change>({
    name: 'erase',
    description: 'Erases',
    inputSchema,
    session: [...keys],
    execute: ({ key }, { session }) => {
      delete session[key];
      return 'ok';
    },
  }),
  defineTool<Change>({
    name: 'stumble',
    description: 'Fails, and the model sees it',
    inputSchema,
    retry: { maximumAttempts: 1 },
    execute: broken,
  }),
  defineTool<Change>({
    name: 'break',
    description: 'Fails',
    inputSchema,
    ...fails,
    execute: broken,
  }),
  defineTool<Change>({
    name: 'flaky',
    description: 'Fails the first time',
    inputSchema,
    ...fails,
    execute: (_, { path }) => {
      if (seen.has(path)) return 'ok';
      seen.add(path);
      return broken();
    },
  }),
];

function broken(): never {
  throw new Error('it broke');
}

/** What a person says to a question, and of a call that waits for approval: told by what is asked alone. */
export const answerTo = (question: string): string => `A${hashOf(question) % 1_000}`;

export function decisionOn(value: string): 'approve' | 'edit' | 'reject' {
  return (['approve', 'edit', 'reject'] as const)[hashOf(value) % 3] ?? 'approve';
}

export const edited = (value: string): string => `${value}!`;
