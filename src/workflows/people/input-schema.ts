// The schema that an answer to an input must match, from what the run has pinned. Pure.

import { answerSchemaProblem } from '../../core/schema/schema-problem';
import type { JsonSchema } from '../../base';
import type { AgentConfig, Definition, PendingInput } from '../../protocol';

/**
 * Only the root run holds the schemas of arguments. In a child run, and for a schema that a workflow cannot check, the worker that runs the
 * call checks edited arguments, and the model gets the problems.
 */
export function inputSchema(
  { kind, call, schema }: Pick<PendingInput, 'kind' | 'call' | 'schema'>,
  config: AgentConfig,
  definition: Definition | undefined,
): { readonly schema?: JsonSchema } {
  if (schema !== undefined || call === undefined) return {};
  if (kind === 'tool') {
    const { resultSchema } = config.tools.find(({ name }) => name === call.name) ?? {};
    return resultSchema === undefined ? {} : { schema: resultSchema };
  }
  if (kind !== 'approval') return {};
  const tools = definition?.tools ?? {};
  const tool = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined;
  if (tool === undefined || answerSchemaProblem(tool.inputSchema)) return {};
  return { schema: tool.inputSchema };
}
