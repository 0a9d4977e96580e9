// The position of a run in its tree: the root, or below other runs. The root holds the definition and lists the questions. Pure.

import type { WorkflowInfo } from '@temporalio/workflow';
import { defined, isJsonObject } from '../../base';
import { keyHashes } from '../../core/key-hashes';
import { rootOrigin, type ExecutionIds } from '../../core/origin';
import { runnerIdOf } from '../../core/runner-refs';
import { withApplication } from '../../core/stored-key';
import {
  type CallModelInput,
  type DefinitionRef,
  limits,
  type Lineage,
  memoKey,
  type RunInput,
} from '../../protocol';
import { inputIdSuffix } from '../../core/people/input-ids';
import type { LoadedDefinition } from './load';

/** Parts of `workflowInfo()`. */
type ExecutionInfo = ExecutionIds &
  Pick<WorkflowInfo, 'parent' | 'continuedFromExecutionRunId' | 'taskQueue' | 'memo'>;

/** A refused start has only the runner. */
type Start = Omit<RunInput, 'input'>;

export class RunPosition {
  readonly workflowId: string;
  readonly isRoot: boolean;
  readonly lineage: Lineage;
  readonly origin: string;
  /** The application with the code of this run. Absent if the task queue has its name. */
  readonly application: Pick<RunInput, 'application'>;
  /** The workflow that also lists this run's questions: the root run, or its thread. Undefined at the top. */
  readonly reportsTo: string | undefined;
  /** Where this run's definition is. */
  readonly #definition: Omit<DefinitionRef, 'hash'>;
  /** Makes this run's input ids unique among all that `reportsTo` lists. */
  readonly #idSuffix: string;

  constructor(input: Start, info: ExecutionInfo) {
    const { lineage } = input;
    const { workflowId } = info;
    const { application } = input;
    this.application = defined({ application });
    this.workflowId = workflowId;
    this.isRoot = lineage === undefined;
    this.lineage = lineage ?? rootLineage(input, info);
    this.origin = originOf(input, info);
    this.reportsTo = lineage?.root ?? input.thread?.workflowId;
    const { root, holder, thread } = input.definition ?? {};
    this.#definition = defined({
      root: root === workflowId ? undefined : root,
      holder,
      thread: input.thread?.workflowId ?? thread,
      application,
    });
    this.#idSuffix = this.reportsTo === undefined ? '' : inputIdSuffix(workflowId);
  }

  get path(): string {
    return this.lineage.path;
  }

  definitionRef(hash: string): DefinitionRef {
    return { hash: hash.slice(0, limits.hashLength), ...this.#definition };
  }

  /** Names the run that makes a call. At the root, the definition is the run's own and the path is the agent's id, so neither travels. */
  address({
    hash,
    config,
  }: LoadedDefinition): Pick<CallModelInput, 'definition' | 'agentId' | 'path'> {
    const definition = this.definitionRef(hash);
    return { definition, agentId: config.id, ...(this.path !== config.id && { path: this.path }) };
  }

  inputId(machineId: string): string {
    return machineId + this.#idSuffix;
  }

  machineId(inputId: string): string {
    return inputId.slice(0, inputId.length - this.#idSuffix.length);
  }
}

/** Takes an origin only from the workflow that started the run, or from the execution before. It ignores anybody else's. */
function originOf({ origin }: Start, info: ExecutionInfo): string {
  const isOfWorkflow = info.parent !== undefined || info.continuedFromExecutionRunId !== undefined;
  return isOfWorkflow && typeof origin === 'string' ? origin : rootOrigin(info);
}

function rootLineage(input: Start, info: ExecutionInfo): Lineage {
  const key = shownKey(input, info);
  return {
    root: info.workflowId,
    path: rootPath(input),
    ancestors: [],
    depth: 0,
    ...(key.length > 0 && { key }),
    ...(input.by && { requester: input.by.id }),
  };
}

/**
 * The hashes of the run's key. If the key has no application, it comes from the memo at the start. Only without a memo it comes from the
 * task queue, because a replay on another worker has another task queue. The memos of 0.2.0 had no application.
 */
function shownKey(
  { key, application }: Start,
  { taskQueue, memo }: ExecutionInfo,
): readonly string[] {
  const named = keyHashes(key);
  if (key === undefined || key.appName !== undefined) return named;
  const atStart = memo?.[memoKey];
  if (!isJsonObject(atStart)) return keyHashes(withApplication(key, application ?? taskQueue));
  const [first] = Array.isArray(atStart['key']) ? (atStart['key'] as readonly unknown[]) : [];
  const isApplication = typeof first === 'string' && /^app-[0-9a-f]{32}$/.test(first);
  return isApplication ? [first, ...named] : named;
}

/** The path of a thread's turn ends with the turn's number. */
function rootPath(input: Start): string {
  const id = runnerIdOf(input.runner);
  return input.thread ? `${id}/turn-${input.thread.turn}` : id;
}
