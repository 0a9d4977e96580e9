// Makes the memo of a run: JSON for clients and lists, within 2 KiB. `runMemo` makes it from the state. The run writes it again when
// `memoDigest` changes. Pure.

import { defined, isJsonObject, oneLine, utf8Length } from '../../base';
import { type Cancelling, limits, memoKey, type RunMemo, type RunState } from '../../protocol';

/** What the memo shows in addition to the state. */
export type Marks = {
  /** The hashes of its key. */
  readonly key: readonly string[];
  readonly cancelling: Cancelling | undefined;
};

/** A memo never has room for more. */
const mostInputs = 20;

/** The memo that the client or the execution before has already set. The run need not show it again. */
export function memoAtStart(memo: Record<string, unknown> | undefined): MemoDigest {
  const shown = memo?.[memoKey];
  if (!isJsonObject(shown)) return { text: '', nonces: '' };
  const { status = 'running', pending, key } = shown;
  const inputs = listOf(pending).map((input) => (isJsonObject(input) ? input : {}));
  return memoDigest({ status, pending: inputs, key: listOf(key) });
}

/** Checks the value, because anybody may start a run with any memo. */
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The run shows its memo again when a text changes. An execution of 0.2.0 does not for new nonces. */
export type MemoDigest = { readonly text: string; readonly nonces: string };

export function memoDigest({
  status,
  pending,
  key,
}: {
  readonly status: unknown;
  readonly pending: readonly { readonly inputId?: unknown; readonly nonce?: unknown }[];
  readonly key: readonly unknown[];
}): MemoDigest {
  return {
    text: JSON.stringify([status, key, pending.map(({ inputId }) => inputId)]),
    nonces: JSON.stringify(pending.slice(0, mostInputs).map(({ nonce }) => nonce)),
  };
}

/** Clips the questions, then leaves out the last ones. */
export function runMemo(state: RunState, { key, cancelling }: Marks): RunMemo {
  let pending = state.pending
    .slice(0, mostInputs)
    .map(({ inputId, kind, question, agentId, path, since, nonce, byToken }) => ({
      inputId,
      kind,
      question: oneLine(question, limits.shownQuestion),
      agentId,
      path: oneLine(path, 100),
      since,
      ...defined({ nonce, byToken }),
    }));
  const memo = (): RunMemo => ({
    ...(state.status !== 'running' && { status: state.status }),
    agent: state.runner,
    ...(state.path !== state.runner && { path: oneLine(state.path, 200) }),
    ...(key.length > 0 && { key }),
    pauseSeq: state.pauseSeq,
    ...(pending.length > 0 && { pending }),
    ...(pending.length < state.pending.length && {
      morePending: state.pending.length - pending.length,
    }),
    ...(cancelling && {
      reason: oneLine(cancelling.reason, 300),
      ...(cancelling.by && { by: oneLine(cancelling.by.id, 300) }),
    }),
  });
  while (pending.length > 0 && utf8Length(JSON.stringify(memo())) > limits.memo) {
    pending = pending.slice(0, -1);
  }
  return memo();
}
