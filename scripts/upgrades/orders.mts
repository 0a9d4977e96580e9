// In which order versions follow each other, and which cases then have to wait.
import type { Case } from './cases.mts';
import type { VersionOrder } from './order.mts';

/** The next version does something more after an answer: an older one cannot replay that. */
const wasAnswered = (of: Case): string | undefined =>
  'answered' in of && of.answered ? 'nondeterminism' : undefined;

/** The next format is in what a run carries through continue-as-new, and in the start of a run below another. */
const hasNextFormat = (of: Case): string | undefined =>
  of.continues || of.hasChildren ? 'newer-version' : wasAnswered(of);

/** With the next format, workers keep workflows: half of all tasks would fail, and the server waits longer and longer after each. */
export const orders: readonly VersionOrder[] = [
  { title: 'this alone', first: 'this', second: 'this' },
  { title: 'previous → this', first: 'previous', second: 'this' },
  { title: 'this → previous', first: 'this', second: 'previous' },
  { title: 'previous with this', first: 'previous', second: 'this', together: 'forgetful' },
  { title: 'this → next', first: 'this', second: 'next' },
  { title: 'next → this', first: 'next', second: 'this', waits: wasAnswered },
  { title: 'this with next', first: 'this', second: 'next', together: 'forgetful' },
  { title: 'this → next format', first: 'this', second: 'next-format' },
  { title: 'next format → this', first: 'next-format', second: 'this', waits: hasNextFormat },
  { title: 'this with next format', first: 'this', second: 'next-format', together: 'keeping' },
];
