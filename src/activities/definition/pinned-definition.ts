import { Context } from '@temporalio/activity';
import { hashDefinition } from '../../define';
import {
  type Definition,
  type DefinitionRef,
  limits,
  LonghaulError,
  queryNames,
} from '../../protocol';
import { JsonCache } from '../log/json-cache';
import { askRun } from '../log/read-log';

/** The definition a call belongs to: from this process, or from the root run that pinned it. */
export async function pinnedDefinition(
  { definitions }: { readonly definitions: DefinitionCache },
  ref: DefinitionRef,
): Promise<Definition> {
  return await definitions.get(ref, async () => {
    const workflowId = ref.holder ?? ref.root ?? ownWorkflowId();
    const answer = await askRun<{ readonly definition?: Definition } | null | undefined>(
      { workflowId },
      queryNames.definition,
    );
    return answer?.definition;
  });
}

/** The workflow id of the run that scheduled the current activity. */
export function ownWorkflowId(): string {
  const { workflowExecution } = Context.current().info;
  if (workflowExecution === undefined)
    throw new TypeError('Only workflows may call the activities of Longhaul');
  return workflowExecution.workflowId;
}

/**
 * Pinned definitions by hash. A worker that does not have a definition asks the root run, once per hash. This process computes each hash
 * itself, so a wrong answer of the run is refused.
 */
export class DefinitionCache {
  readonly #definitions = new JsonCache<Definition>(64 * limits.definition);

  /** Keeps a definition, and returns its hash. */
  add(definition: Definition): string {
    const hash = hashDefinition(definition);
    this.#definitions.add(hash.slice(0, limits.hashLength), definition);
    return hash;
  }

  /** The definition if this process has it. */
  peek(ref: DefinitionRef): Definition | undefined {
    return this.#definitions.peek(ref.hash);
  }

  async get(
    ref: DefinitionRef,
    request: () => Promise<Definition | undefined>,
  ): Promise<Definition> {
    return await this.#definitions.get(ref.hash, async () => {
      const definition = await request();
      if (definition === undefined) {
        const message = `the run that pinned definition ${ref.hash} does not return it`;
        throw new LonghaulError('InternalError', message, { retryable: true });
      }
      const hash = hashDefinition(definition).slice(0, limits.hashLength);
      if (hash === ref.hash) return definition;
      throw new LonghaulError(
        'StateError',
        `the run that pinned definition ${ref.hash} answers with another one, ${hash}`,
      );
    });
  }
}
