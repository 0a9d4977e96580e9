// Shows a run to the stock Web UI, `describe` and `list`: memo, search attributes and current details. `Execution` calls `show` after every
// change. This file decides which of the three must be written again.
//
// 1. The memo changes only on pause and resume, when a call fails again and again, and at the end of a run that stays open, because every
//    change is an event. A run that closes at once leaves its end to the server's own status.
// 2. A run sets search attributes only if its definition marks them as registered. An unknown attribute fails the task for ever.
// 3. Current details cost no event.

import {
  patched,
  setCurrentDetails,
  upsertMemo,
  upsertSearchAttributes,
  type WorkflowInfo,
  workflowInfo,
} from '@temporalio/workflow';
import { isJsonObject } from '../../base';
import { typedAttributes } from '../../core/run-start';
import { Compactions } from '../../core/transcript/compactions';
import {
  type LogEntry,
  memoKey,
  type RetriedCall,
  retryingMemoKey,
  type RunState,
  searchAttributes,
} from '../../protocol';
import { asDeployed } from '../people/deployed-tools';
import { type Conversation, detailsOf } from './details';
import { type Marks, memoAtStart, type MemoDigest, memoDigest, runMemo } from './memo';

type Shown = Marks &
  Conversation & {
    /** True if the search attributes are registered. */
    readonly indexed: boolean;
    /** True if the execution ends and closes with this workflow task. */
    readonly closes: boolean;
  };

export class RunDisplay {
  #memo: MemoDigest;
  #attributes: string;
  /**
   * False for an execution of an older version, where memos also have a status that the server's own status has. Its history has one more
   * event.
   */
  readonly #leavesEnd: boolean;
  #compactions = new Compactions();
  #entries: readonly LogEntry[] = [];

  constructor({
    memo,
    typedSearchAttributes,
  }: Pick<WorkflowInfo, 'memo' | 'typedSearchAttributes'>) {
    const shown = memo?.[memoKey];
    this.#memo = memoAtStart(memo);
    this.#leavesEnd = isJsonObject(shown) && shown['status'] === undefined;
    this.#attributes = this.#leavesEnd ? attributesAtStart(typedSearchAttributes) : '';
  }

  show(state: RunState, shown: Shown): void {
    if (state.status !== 'loading') {
      this.#showMemo(state, shown);
      this.#showAttributes(state, shown);
    }
    this.showDetails(state, shown);
  }

  #showMemo(state: RunState, { closes, key, cancelling }: Shown): void {
    const status = closes && this.#leavesEnd ? 'running' : state.status;
    const memo = memoDigest({ ...state, status, key });
    if (memo.text === this.#memo.text && !this.#hasNewNonces(memo)) return;
    upsertMemo({ [memoKey]: runMemo(state, { key, cancelling }) });
    this.#memo = memo;
  }

  /** An update id derives from the nonce that the memo shows: with an old one, an answer would be taken for an earlier one. */
  #hasNewNonces({ nonces }: MemoDigest): boolean {
    return nonces !== this.#memo.nonces && patched('longhaul:shows-nonces');
  }

  #showAttributes({ runner, status }: RunState, { indexed, key }: Shown): void {
    if (!indexed && this.#attributes === '') return;
    const wanted = typedAttributes({ agent: runner, status, key });
    const attributes = JSON.stringify(wanted);
    if (attributes === this.#attributes) return;
    upsertSearchAttributes(wanted);
    this.#attributes = attributes;
  }

  /**
   * Each change is an event, but only runs in trouble have any. It is under another key of the memo, so that it takes no room from the open
   * inputs.
   */
  showRetrying(retrying: RetriedCall | undefined): void {
    const shown = workflowInfo().memo?.[retryingMemoKey];
    if (retrying === undefined && shown === undefined) return;
    upsertMemo({ [retryingMemoKey]: retrying ?? null });
  }

  /** Shows only what costs no event. */
  showDetails(state: RunState, conversation: Conversation): void {
    const { entries } = conversation.log;
    if (entries !== this.#entries) this.#compactions = new Compactions();
    this.#entries = entries;
    const shown = { ...state, pending: state.pending.map(asDeployed) };
    setCurrentDetails(detailsOf(shown, conversation, this.#compactions));
  }
}

/** The search attributes that the caller or the execution before has already set. Empty without them. */
function attributesAtStart(attributes: WorkflowInfo['typedSearchAttributes']): string {
  const agent = attributes.get({ name: searchAttributes.agent, type: 'KEYWORD' });
  const status = attributes.get({ name: searchAttributes.status, type: 'KEYWORD' });
  const key = attributes.get({ name: searchAttributes.key, type: 'KEYWORD_LIST' }) ?? [];
  if (agent === undefined || status === undefined) return '';
  return JSON.stringify(typedAttributes({ agent, status, key }));
}
