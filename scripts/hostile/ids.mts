// Ids as somebody can compute them who has read the code of Longhaul, which is public.

/** `hashOf` of src/base/digest.ts. The campaign fails if an input that it meets has another one. */
export function suffixOf(workflowId: string): string {
  let high = 0xcbf29ce4 | 0;
  let low = 0x84222325 | 0;
  for (let at = 0; at < workflowId.length; at += 1) {
    const unit = workflowId.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01000193) + (low >>> 15);
    low = Math.imul(low ^ unit, 0x9e3779b1) + (high >>> 17);
  }
  const length = workflowId.length + 1;
  high = mix(high ^ Math.imul(length, 0x27d4eb2f)) + low;
  low = mix(low ^ Math.imul(length, 0x165667b1)) + high;
  return `@${hex(high)}${hex(low)}`;
}

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');

function mix(word: number): number {
  let mixed = word;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** The input that a budget will ask with. */
export const budgetInput = (workflowId: string, turn: number, limit: number): string =>
  `budget-${turn}-${limit}${suffixOf(workflowId)}`;

/** The input of a call that waits for its result. */
export const toolInput = (workflowId: string, turn: number): string =>
  `t${turn}.0${suffixOf(workflowId)}`;

export const approvalInput = (workflowId: string, turn: number): string =>
  `a${turn}.0${suffixOf(workflowId)}`;

export const questionInput = (workflowId: string, turn: number): string =>
  `q${turn}.0${suffixOf(workflowId)}`;
