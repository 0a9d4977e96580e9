import type { CriterionSpec } from '../../protocol/agent-run';
import type { Json } from '../../base/json';
import type { CriterionResult } from '../../protocol/log';

type CriteriaResult =
  | { readonly met: true; readonly reason: string; readonly structured?: Json }
  | { readonly met: false; readonly feedback: string };

/** Any criterion met completes the run. Keywords are checked here, the others were checked on the worker, in order. */
export function checkCriteria(
  criteria: readonly CriterionSpec[],
  text: string,
  checks: readonly CriterionResult[],
): CriteriaResult {
  let used = 0;
  const checked = criteria.map((criterion) => {
    if (criterion.kind === 'keyword')
      return { criterion, result: { met: text.includes(criterion.keyword) } };
    const result: CriterionResult = checks[used] ?? { met: false };
    used += 1;
    return { criterion, result };
  });
  const met = checked.find(({ result }) => result.met);
  if (!met) {
    const missing = checked.map(({ criterion, result }) => describeUnmet(criterion, result));
    return { met: false, feedback: criteriaFeedback(missing) };
  }
  const valued = checked.find(
    ({ criterion, result }) => criterion.kind === 'structured-output' && result.met,
  );
  const structured = (valued?.result as CriterionResult | undefined)?.value;
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

function describeUnmet(criterion: CriterionSpec, result: CriterionResult): string {
  const missing = result.missing ? `: ${result.missing}` : '';
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
