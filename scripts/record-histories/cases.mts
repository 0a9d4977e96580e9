// What is recorded: one run or conversation for each thing that a runner can do. To add a case, put it into the list of its subject.
import { agents } from './cases/agents.mts';
import { people } from './cases/people.mts';
import { threads } from './cases/threads.mts';
import { trees } from './cases/trees.mts';
import { versions } from './cases/versions.mts';
import { workers } from './cases/workers.mts';
import type { Cases } from './case.mts';

export const cases: Cases = { ...agents, ...people, ...trees, ...threads, ...workers, ...versions };
