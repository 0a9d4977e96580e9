// The steady load of a soak: the same run and the same conversation, over and over.

import type { Size } from './payload.mts';
import {
  plainTree,
  type Act,
  type MessagePlan,
  type RoundPlan,
  type ToolName,
  type TreePlan,
} from './plan.mts';

const KiB = 1024;
const noText: Size = { bytes: 0, deflates: true };

const act = (kind: ToolName, place: string, bytes: number, deflates = false): Act => ({
  kind,
  place,
  size: { bytes, deflates },
  padding: noText,
});

/** A small text cut from a page of 2 MB, a large one that does not deflate, an effect, a change of the session. */
const turnAt = (agent: string, turn: number): readonly Act[] => [
  act('look', `${agent}.${turn}.0`, 4 * KiB),
  act('look', `${agent}.${turn}.1`, turn % 4 === 0 ? 120 * KiB : 500),
  act('charge', `${agent}.${turn}.2`, 200),
  act('note', `${agent}.${turn}.3`, 10),
];

const tree: TreePlan = {
  id: 't1',
  root: {
    kind: 'agent',
    id: 't1.n1',
    turns: [
      ...Array.from({ length: 8 }, (_, turn) => turnAt('t1.n1', turn)),
      [
        {
          kind: 'call',
          place: 't1.n1.8.0',
          callee: {
            kind: 'agent',
            id: 't1.n2',
            turns: [turnAt('t1.n2', 0)],
            answer: { bytes: 2 * KiB, deflates: true },
            isRefused: false,
            hasHooks: false,
          },
        },
      ],
    ],
    answer: { bytes: 16 * KiB, deflates: true },
    isRefused: false,
    hasHooks: false,
  },
  ...plainTree,
  input: { bytes: 2 * KiB, deflates: true },
};

const message = (number: number): MessagePlan => ({
  name: `c1.m${number}`,
  size: { bytes: 3 * KiB, deflates: false },
  picture: undefined,
  turns: [[act('look', `c1.m${number}.0.0`, 4 * KiB)]],
  answer: { bytes: 2 * KiB, deflates: false },
});

const messages = Array.from({ length: 15 }, (_, index) => message(index + 1));

export const soakPlan: RoundPlan = {
  seed: 0,
  settings: {
    suggestsAt: {},
    isSigned: false,
    logCacheBytes: undefined,
    maxCachedWorkflows: undefined,
    graceMs: 1_000,
    isInline: false,
    hasResults: false,
    store: 'sqlite',
  },
  trees: [tree],
  threads: [
    {
      id: 'c1',
      window: undefined,
      hasStore: true,
      operations: messages.map((one) => ({ kind: 'send', burst: [one] })),
    },
  ],
  faults: [],
  boundaries: [],
};
