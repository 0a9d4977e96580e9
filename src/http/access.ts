// Decides which runs and threads a principal may reach. For a principal, an id that it may not see does not exist.
//
// 1. The memo of a run decides who it belongs to: it has hashes of the members of the key that the root run was started with.
// 2. A run does not exist here if its root agent is not one of the handler's agents.

import { defined } from '../base';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import {
  describeIfThere,
  memoOf,
  readable,
  type RunHandle,
  type ThreadHandle,
} from '../client/index';
import { keyHashes } from '../core/key-hashes';
import { allWorkflowTypes, memoKey, type RunKey, type RunMemo, threadType } from '../protocol';
import { ownKey, visibleKey } from './principal';
import { HttpProblem } from './problems';
import type { App, BackendOptions, Principal } from './route';

const longestWorkflowId = 1_000;

/** Chats that would share a path with other routes. */
const reservedChats: readonly string[] = ['runs', 'agui'];

/** The run or thread, if the principal may see it. */
export async function visibleRun(
  app: App,
  principal: Principal,
  { workflowId, kind }: { readonly workflowId: string; readonly kind: 'run' | undefined },
): Promise<RunHandle> {
  const found = await describe(app, workflowId);
  const isWrongKind = kind === 'run' && found?.type === threadType;
  if (
    found === undefined ||
    isWrongKind ||
    !isVisible(app, found, visibleKey(app.appName, principal))
  )
    throw new HttpProblem('RunNotFound');
  return app.longhaul.run(workflowId);
}

/** The principal's own thread. A thread that is open with another agent does not exist for this one. */
export async function ownThread(
  app: App,
  principal: Principal,
  { agent, chat, session }: { agent: string; chat: string } & Pick<BackendOptions, 'session'>,
): Promise<ThreadHandle> {
  if (reservedChats.includes(chat)) throw new HttpProblem('RunNotFound');
  const key = ownKey(app.appName, principal);
  const thread = app.longhaul.thread({
    agent,
    ...key,
    sessionId: chat,
    ...defined({ session }),
  });
  const found = await describe(app, thread.threadId);
  if (found === undefined) return thread;
  const isOpen = found.status.name === 'RUNNING';
  const isOther = isOpen && memoOf(found).agent !== agent;
  if (isOther || found.type !== threadType || !isOwn(found, key))
    throw new HttpProblem('RunNotFound');
  return thread;
}

/** The agent of the root run, from the memo of any run below it. Anybody may write a memo. */
function rootAgent({ agent, path }: Pick<RunMemo, 'agent' | 'path'>): string {
  return typeof path === 'string' ? path.replace(/\/.*/s, '') : agent;
}

async function describe(
  { longhaul }: App,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  if (workflowId === '' || workflowId.length > longestWorkflowId) return undefined;
  const found = await describeIfThere(longhaul.client, { workflowId });
  readable(found?.memo?.[memoKey]);
  return found !== undefined && allWorkflowTypes.includes(found.type) ? found : undefined;
}

function isVisible(app: App, found: WorkflowExecutionDescription, key: RunKey): boolean {
  return app.agents.includes(rootAgent(memoOf(found))) && hasKey(found, key);
}

/** A user without a tenant is not the user with the same id in a tenant. */
function isOwn(found: WorkflowExecutionDescription, key: RunKey): boolean {
  const isOfTenant = keyOf(found).some((entry) => String(entry).startsWith('tenant-'));
  return hasKey(found, key) && isOfTenant === (key.tenant !== undefined);
}

function hasKey(found: WorkflowExecutionDescription, key: RunKey): boolean {
  const entries = keyOf(found);
  return keyHashes(key).every((entry) => entries.includes(entry));
}

function keyOf(found: WorkflowExecutionDescription): readonly unknown[] {
  const entries: unknown = memoOf(found).key;
  return Array.isArray(entries) ? entries : [];
}
