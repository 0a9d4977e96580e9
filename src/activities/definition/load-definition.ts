// Makes the definition that a run pins: its runner, and everything the runner uses.

import { runnerConfig } from '../../core/runner-config';
import {
  type Definition,
  type DefinitionRef,
  type LoadDefinitionInput,
  type LoadDefinitionResult,
  LonghaulError,
  type StateStoreName,
} from '../../protocol';
import { mcpServersOf, withClientTools, withResultTools } from '../../define';
import { unknownProviders } from '../../providers';
import { storeNames } from '../../stores/index';
import type { ActivityDependencies } from '../dependencies';
import { describeError } from '../failures';
import { withHeartbeat } from '../heartbeat';
import { inlineSpec } from './inline-spec';
import { refusedHere } from './refusals';
import { listMcpTools } from '../mcp/mcp-tools';
import { hooksHere } from '../people/hooks';
import { McpUnavailable } from '../mcp/mcp-failure';
import { askClientTools } from '../log/read-log';
import { ownWorkflowId, pinnedDefinition } from './pinned-definition';

/** The definition from this worker's registry, without waiting. */
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
      ...hooksHere(dependencies),
    };
  } catch (error) {
    // A retry may cure these errors. They do not mean that the definition is wrong.
    if (!LonghaulError.is(error)) throw withoutRetry(error);
    if (error.retryable || error instanceof McpUnavailable) throw error;
    if (error.code === 'AgentNotFound' || error.code === 'NotRegisteredHere')
      return { kind: 'unknown-here', code: error.code, message: error.message };
    if (lacksCode(error))
      return { kind: 'unknown-here', code: 'NotRegisteredHere', message: error.message };
    // A circle of runners keeps its own error code.
    if (error.code !== 'SpecError') throw error;
    return { kind: 'invalid', message: error.message };
  }
}

/** A bug fails in every attempt, so it ends the run at once. */
function withoutRetry(error: unknown): unknown {
  if (!(error instanceof TypeError || error instanceof RangeError)) return error;
  return new LonghaulError(
    'InternalError',
    `the definition cannot be made: ${describeError(error)}`,
    {
      cause: error,
    },
  );
}

/** Undefined if it must ask MCP servers but gets no `signal`: then the call may not wait. */
async function makeDefinition(
  dependencies: ActivityDependencies,
  { runner, inline, clientTools }: LoadDefinitionInput,
  signal: AbortSignal | undefined,
): Promise<Definition | undefined> {
  const spec = inline === true ? await inlineSpec(dependencies.inlineSpecs) : runner;
  const definition = dependencies.registry.definition(spec);
  if (inline === true) requireProviders(dependencies, definition);
  const needsListing = mcpServersOf(definition).length > 0;
  if (needsListing && signal === undefined) return undefined;
  const listed =
    needsListing && signal ? await listMcpTools(dependencies, definition, signal) : definition;
  const whole =
    clientTools === true ? withClientTools(listed, await askClientTools(ownWorkflowId())) : listed;
  return dependencies.results === undefined ? whole : withResultTools(whole);
}

/** Needed only for a spec that came with the start. `createWorker` has already checked the agents of the worker. */
function requireProviders({ providers }: ActivityDependencies, { runners }: Definition): void {
  const agents = Object.values(runners).filter((runner) => runner.kind === 'agent');
  const [problem] = unknownProviders(agents, providers.keys());
  if (problem !== undefined)
    throw new LonghaulError('NotRegisteredHere', `${problem.path} ${problem.message}`);
}

/** A child's definition: the one its root run pinned, if this process has it. */
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
    ...hooksHere(dependencies),
  };
}

/** The names of the stores. The member is left out if there are no stores, because it is in the history of every run. */
function storesHere({ stores = {} }: ActivityDependencies): { stores?: StateStoreName[] } {
  const names = storeNames.filter((name) => stores[name] !== undefined);
  return names.length === 0 ? {} : { stores: names };
}

/** The spec is right but names code that this worker does not have. In a rolling deploy another worker may have it. */
function lacksCode({ details }: LonghaulError): boolean {
  return [
    'missingTool',
    'missingCriterion',
    'missingRunner',
    'missingCallbacks',
    'missingMcpServer',
  ].some((key) => details[key] !== undefined);
}

/** Like `loadDefinition`, but may wait for MCP servers and the root run. The server retries it until a worker knows the runner. */
export async function findDefinition(
  dependencies: ActivityDependencies,
  input: LoadDefinitionInput,
): Promise<LoadDefinitionResult> {
  return await withHeartbeat(dependencies, async (signal, beats) => {
    if (input.definition !== undefined) await pinnedDefinition(dependencies, input.definition);
    const result = await loadDefinition(dependencies, input, signal);
    if (result.kind !== 'unknown-here') return result;
    const { code, message } = result;
    throw await refusedHere(dependencies.pollers, new LonghaulError(code, message), beats);
  });
}
