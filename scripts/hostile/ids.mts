// Ids as somebody can compute them who has read the code of Longhaul, which is public.

/** `hashOf` of src/base/digest.ts. */
function suffixOf(workflowId: string): string {
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

type Place = { readonly id: string; readonly kind: 'run' | 'turn' | 'thread' };

/** A run names its own inputs without a suffix. Those of a turn are named by its thread. */
const suffixIn = ({ id, kind }: Place): string => (kind === 'run' ? '' : suffixOf(id));

/** The input that a budget will ask with. */
export const budgetInput = (place: Place, turn: number, limit: number): string =>
  `budget-${turn}-${limit}${suffixIn(place)}`;

/** The input of a call that waits: for a verdict, an answer or a result. */
export const callInput = (place: Place, kind: 'a' | 'q' | 't', turn: number): string =>
  `${kind}${turn}.0${suffixIn(place)}`;

/** Whether this is how the id of an input of this run looks. Else the guesses of the campaign are none. */
export function isComputed(place: Place, inputId: string): boolean {
  const [own = ''] = inputId.split('@');
  const isOwn = /^(?:[aqt]\d+\.\d+(?:-\d+)?|budget-\d+-\d+(?:-\d+)?)$/.test(own);
  return isOwn && (inputId === own || inputId === own + suffixOf(place.id));
}
