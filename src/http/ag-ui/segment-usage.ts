import type { Usage } from '../../protocol';
import { addUsage } from '../../core/budget/usage';
import type { StreamEvent } from '../../core/stream/events';

/** The tokens of a segment, for each model. */
export class SegmentUsage {
  readonly #models = new Map<string, { readonly labels: Labels; readonly usage: Usage }>();

  add({ usage, origin }: Extract<StreamEvent, { type: 'step-end' }>): void {
    const { provider = '', model = '' } = origin ?? {};
    const key = JSON.stringify([provider, model]);
    const before = this.#models.get(key);
    this.#models.set(key, {
      labels: origin === undefined ? {} : { provider, model },
      usage: before === undefined ? usage : addUsage(before.usage, usage),
    });
  }

  /** The member of the last event. Absent if no model was called. */
  member(): { readonly usage?: readonly object[] } {
    if (this.#models.size === 0) return {};
    return { usage: [...this.#models.values()].map(({ labels, usage }) => entry(labels, usage)) };
  }
}

type Labels = { readonly provider?: string; readonly model?: string };

function entry(labels: Labels, usage: Usage): object {
  const counts = {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    totalTokens: usage.totalTokens,
    reasoningTokens: usage.reasoningTokens,
    cachedInputTokens: usage.cacheReadTokens,
    cacheWriteInputTokens: usage.cacheWriteTokens,
  };
  const known = Object.entries(counts).filter(([, count]) => count !== null);
  return { ...labels, ...Object.fromEntries(known) };
}
