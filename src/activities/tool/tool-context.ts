// What a tool's code is given besides its arguments, and what it may have changed of it.

import { createHash } from 'node:crypto';
import { log } from '@temporalio/activity';
import { checkExactJson, sessionDelta, violationText } from '../../core/session';
import type { CallToolInput } from '../../protocol/activities';
import { ToolError } from '../../protocol/error-classes';
import type { JsonObject } from '../../base/json';
import type { SessionDelta } from '../../protocol/session';
import type { ToolSpec } from '../../protocol/spec';
import { canonicalJson } from '../../base/canonical-json';
import type { ToolContext } from '../../spec/tool';
import { ownWorkflowId } from '../definition/pinned-definition';
import { askContext } from '../log/read-log';

export async function toolContext(
  input: CallToolInput,
  args: JsonObject,
  { signal, heartbeat }: Pick<ToolContext, 'signal' | 'heartbeat'>,
): Promise<ToolContext> {
  const runId = ownWorkflowId();
  const { agentId, path = agentId, callId, session = {}, context = {} } = input;
  return {
    runId,
    agentId,
    path,
    callId,
    idempotencyKey: idempotencyKey(input, args),
    session: structuredClone(session),
    context: input.contextByReference === true ? await askContext(runId) : context,
    signal,
    heartbeat,
    log,
  };
}

/** The same over attempts, workers, continue-as-new and resets, at any depth: nothing in it depends on the execution. */
export function idempotencyKey(
  { origin, turn, index, tool }: Pick<CallToolInput, 'origin' | 'turn' | 'index' | 'tool'>,
  args: JsonObject,
): string {
  const parts = [origin, turn, index, tool, canonicalJson(args)];
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

/** What the code changed of the keys it declared; anything else is a bug worth an error, not a silent loss. */
export function sessionChanges(
  spec: ToolSpec,
  before: JsonObject,
  after: JsonObject,
): SessionDelta | undefined {
  const violation = checkExactJson(after);
  if (violation !== undefined) {
    const where = violationText(violation);
    throw new ToolError(`tool '${spec.name}' left a session that is not JSON${where}`);
  }
  const delta = sessionDelta(before, after);
  const declared = new Set(spec.session);
  const changed = [...Object.keys(delta.set), ...delta.removed];
  const foreign = changed.filter((key) => !declared.has(key));
  if (foreign.length > 0) {
    throw new ToolError(
      `tool '${spec.name}' changed session keys it does not declare: ${foreign.join(', ')}`,
    );
  }
  return changed.length === 0 ? undefined : delta;
}
