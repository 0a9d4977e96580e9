// Makes the definition a run pins: the closure of its runner as this worker's registry knows it.

import { runnerConfig } from '../../core/runner-config';
import { LonghaulError } from '../../protocol/errors';
import type {
  LoadDefinitionInput,
  LoadDefinitionResult,
  StateStoreName,
} from '../../protocol/activities';
import type { Definition, DefinitionRef } from '../../protocol/spec';
import { mcpServersOf } from '../../define/mcp-definition';
import { storeNames } from '../../stores/check-stores';
import type { ActivityDependencies } from '../dependencies';
import { describe } from '../failures';
import { withHeartbeat } from '../heartbeat';
import { inlineSpec } from './inline-spec';
import { listMcpTools } from '../mcp/list-mcp-tools';
import { McpUnavailable } from '../mcp/mcp-failure';
import { pinnedDefinition } from './pinned-definition';

/** What this worker's registry gives, at once. */
export async function loadDefinition(
  dependencies: ActivityDependencies,
  input: LoadDefinitionInput,
  signal?: AbortSignal,
): Promise<LoadDefinitionResult> {
  if (input.definition !== undefined)
    return await loadPinned(dependencies, input.definition, input);
  try {
    const definition = await makeDefinition(dependencies, input, signal);
    if (definition === undefined) return { kind: 'needs-listing' };
    return {
      kind: 'found',
      hash: dependencies.definitions.add(definition),
      definition,
      searchAttributes: await dependencies.hasSearchAttributes(),
      ...storesHere(dependencies),
    };
  } catch (error) {
    // What another attempt may cure says nothing about the definition.
    if (!LonghaulError.is(error)) throw withoutRetry(error);
    if (error.retryable) throw error;
    if (error instanceof McpUnavailable) throw error;
    if (error.code === 'AgentNotFound')
      return { kind: 'unknown-here', code: error.code, message: error.message };
    if (lacksCode(error))
      return { kind: 'unknown-here', code: 'NotRegisteredHere', message: error.message };
    // A circle of runners keeps its code: it is the failure of this call, and so the run's.
    if (error.code !== 'SpecError') throw error;
    return { kind: 'invalid', message: error.message };
  }
}

/** A bug, of ours or in code of a worker, makes the same error in each attempt: the run says so and ends. */
function withoutRetry(error: unknown): unknown {
  if (!(error instanceof TypeError || error instanceof RangeError)) return error;
  return new LonghaulError('InternalError', `the definition cannot be made: ${describe(error)}`, {
    cause: error,
  });
}

/** Undefined when MCP servers are to be asked and nobody may wait for them: without a signal. */
async function makeDefinition(
  dependencies: ActivityDependencies,
  { runner, inline }: LoadDefinitionInput,
  signal: AbortSignal | undefined,
): Promise<Definition | undefined> {
  const spec = inline === true ? await inlineSpec(dependencies.inlineSpecs) : runner;
  const definition = dependencies.registry.definition(spec);
  if (mcpServersOf(definition).length === 0) return definition;
  return signal && (await listMcpTools(dependencies, definition, signal));
}

/** A child's definition: what its root run pinned, if this process has it. */
async function loadPinned(
  dependencies: ActivityDependencies,
  ref: DefinitionRef,
  { runner }: LoadDefinitionInput,
): Promise<LoadDefinitionResult> {
  const definition = dependencies.definitions.peek(ref);
  if (definition === undefined) {
    const message = `this worker does not have definition ${ref.hash}`;
    return { kind: 'unknown-here', code: 'NotRegisteredHere', message };
  }
  return {
    kind: 'pinned',
    hash: ref.hash,
    config: runnerConfig(definition, runner),
    searchAttributes: await dependencies.hasSearchAttributes(),
  };
}

/** Left out where there are none: what stands here is history of every run. */
function storesHere({ stores = {} }: ActivityDependencies): { stores?: StateStoreName[] } {
  const names = storeNames.filter((name) => stores[name] !== undefined);
  return names.length === 0 ? {} : { stores: names };
}

/** The spec is right, but names code this worker does not have: another one of a rolling deploy may. */
function lacksCode({ details }: LonghaulError): boolean {
  return [
    'missingTool',
    'missingCriterion',
    'missingRunner',
    'missingCallbacks',
    'missingMcpServer',
  ].some((key) => details[key] !== undefined);
}

/** As `loadDefinition`, but may wait: lists the tools of MCP servers, asks the root run, or is retried over the workers of the queue until one knows the runner. */
export async function findDefinition(
  dependencies: ActivityDependencies,
  input: LoadDefinitionInput,
): Promise<LoadDefinitionResult> {
  return await withHeartbeat(async (signal) => {
    if (input.definition !== undefined) await pinnedDefinition(dependencies, input.definition);
    const result = await loadDefinition(dependencies, input, signal);
    if (result.kind === 'unknown-here')
      throw new LonghaulError(result.code, result.message, { retryable: true });
    return result;
  });
}
