// Makes the id and the options with which a run starts as a child workflow, and cancels it with its scope.

import {
  CancellationScope,
  ChildWorkflowCancellationType,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  patched,
  type ChildWorkflowHandle,
  type ChildWorkflowOptions,
  type Workflow,
} from '@temporalio/workflow';
import { startMemo, typedAttributes } from '../../core/run-start';
import { plainLine } from '../../core/transcript/markdown';
import { limits, type RunInput } from '../../protocol';
import { hashOf } from '../../base';

const longest = 200;
const shortTag = 8;

export type ChildPlace = {
  readonly workflowId: string;
  /** Distinguishes the child from one that an earlier execution of the caller started at the same place. */
  readonly tag: string;
  /** The step or tool, the turn and the index of the call. */
  readonly place: string;
};

export function childId({ workflowId, tag, place }: ChildPlace): string {
  const id = `${workflowId}.${place}~${tag.slice(0, shortTag)}`;
  if (id.length <= longest) return id;
  const hash = hashOf(id);
  return `${id.slice(0, longest - hash.length - 1)}~${hash}`;
}

export type ChildOptions = ChildWorkflowOptions & {
  readonly workflowId: string;
  readonly args: [RunInput];
};

/** A child ends with its parent, and a cancelled parent waits for it. The Web UI shows `title` before the input. */
export function childOptions(
  workflowId: string,
  runInput: RunInput,
  {
    memo,
    indexed = false,
    title,
    input = runInput.input,
  }: {
    readonly memo: Parameters<typeof startMemo>[0];
    /** True if the search attributes are registered. */
    readonly indexed?: boolean;
    readonly title: string;
    /** For a child that gets only the beginning of its input. */
    readonly input?: RunInput['input'];
  },
): ChildOptions {
  return {
    workflowId,
    args: [runInput],
    parentClosePolicy: ParentClosePolicy.TERMINATE,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    memo: startMemo(memo),
    ...(indexed && { typedSearchAttributes: typedAttributes(memo) }),
    staticSummary: plainLine(`${title}: ${inputText(input)}`, limits.summary),
  };
}

/** The input as one line. */
export function inputText(input: RunInput['input']): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

/**
 * Cancelling the scope of a start cancels the child, also if it has continued as new: SDK Core cancels only the execution that it has started
 * (`child_workflow_state_machine.rs` of 1.24), and the server counts that as done.
 */
export function cancelWithScope(child: ChildWorkflowHandle<Workflow>): void {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  child.result().then(over, over);
  CancellationScope.current().cancelRequested.catch(() => {
    if (!isOver && patched('longhaul:cancels-continued-children')) cancelRun(child.workflowId);
  });
}

/** Its newest execution. Nobody waits for it, and a run that is gone needs none. */
export function cancelRun(workflowId: string): void {
  CancellationScope.nonCancellable(() => getExternalWorkflowHandle(workflowId).cancel()).catch(
    () => undefined,
  );
}
