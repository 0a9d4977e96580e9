import type { CriterionSpec } from '../../protocol/agent-run';
import type { Json } from '../../base/json';
import type { CriterionVerdict } from '../../protocol/log';

type CriteriaVerdict =
  | { readonly met: true; readonly reason: string; readonly structured?: Json }
  | { readonly met: false; readonly feedback: string };

/** Any criterion met completes the run. Keywords are judged here, the others were judged on the worker, in order. */
export function judgeCriteria(
  criteria: readonly CriterionSpec[],
  text: string,
  verdicts: readonly CriterionVerdict[],
): CriteriaVerdict {
  let used = 0;
  const judged = criteria.map((criterion) => {
    if (criterion.kind === 'keyword')
      return { criterion, verdict: { met: text.includes(criterion.keyword) } };
    const verdict: CriterionVerdict = verdicts[used] ?? { met: false };
    used += 1;
    return { criterion, verdict };
  });
  const met = judged.find(({ verdict }) => verdict.met);
  if (!met) {
    const missing = judged.map(({ criterion, verdict }) => describeUnmet(criterion, verdict));
    return { met: false, feedback: criteriaFeedback(missing) };
  }
  const valued = judged.find(
    ({ criterion, verdict }) => criterion.kind === 'structured-output' && verdict.met,
  );
  const structured = (valued?.verdict as CriterionVerdict | undefined)?.value;
  const reason = describeMet(met.criterion);
  return structured === undefined ? { met: true, reason } : { met: true, reason, structured };
}

function describeMet(criterion: CriterionSpec): string {
  switch (criterion.kind) {
    case 'keyword':
      return `keyword '${criterion.keyword}' found`;
    case 'structured-output':
      return 'structured output received';
    case 'custom':
      return `custom criterion '${criterion.name}' met`;
  }
}

function describeUnmet(criterion: CriterionSpec, verdict: CriterionVerdict): string {
  const missing = verdict.missing ? `: ${verdict.missing}` : '';
  switch (criterion.kind) {
    case 'keyword':
      return `the text does not contain the keyword '${criterion.keyword}'`;
    case 'structured-output':
      return `the text is not the structured output that was asked for${missing}`;
    case 'custom':
      return `the criterion '${criterion.name}' is not met${missing}`;
  }
}

function criteriaFeedback(missing: readonly string[]): string {
  const [only] = missing;
  if (missing.length === 1) return `The task is not complete yet: ${only}. Continue.`;
  const list = missing.map((line) => `- ${line}`).join('\n');
  return `The task is not complete yet. One of these must change:\n${list}\nContinue.`;
}
