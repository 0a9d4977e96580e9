// The table: everything in which a simulated server could differ from a real one, where runs can tell.

import type { Script } from '../kit';
import { builds } from './builds';
import { calls } from './calls';
import { ends } from './ends';
import { inputs } from './inputs';
import { resets } from './resets';
import { threads } from './threads';
import { trees } from './trees';
import { turns } from './turns';

export const table: readonly Script[] = [
  ...turns,
  ...calls,
  ...inputs,
  ...ends,
  ...trees,
  ...resets,
  ...threads,
  ...builds,
];
