// What a run that calls another one, or a thread, says in its start beside what anybody may say: where the called run hangs, and what
// is too long to travel. Pure.

import { shapeProblems } from '../base/check-shape';
import { keyHashPattern } from './key-hashes';
import { formatProblem } from '../base/problem';
import type { JsonSchema } from '../base/json';
import { limits } from '../protocol/limits';
import type { LogRef } from '../protocol/log';
import type { InputRef, Lineage, RunInput } from '../protocol/run';
import type { AgentToolPolicy, DefinitionRef } from '../protocol/spec';
import type { ThreadTurn } from '../protocol/thread';

/** The workflow that started a run as its child. */
export type Parent = { readonly workflowId: string };

type ParentMembers = Required<
  Pick<RunInput, 'lineage' | 'definition' | 'sessionFrom' | 'inputFrom' | 'thread' | 'origin'>
>;

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: { type: 'string' } };
const number = { type: 'integer', minimum: 1 };

function objectOf<Fields extends object>(
  properties: Readonly<Record<keyof Fields, JsonSchema>>,
  required: readonly (keyof Fields & string)[],
): JsonSchema {
  return { type: 'object', properties, required: [...required] };
}

/** Compiled against the types: a member that is added there must be added here, too. */
export const parentMembers: Readonly<Record<keyof ParentMembers, JsonSchema>> = {
  lineage: objectOf<Lineage>(
    {
      root: text,
      path: text,
      ancestors: { ...texts, minItems: 1, maxItems: limits.depth },
      depth: { ...number, maximum: limits.depth },
      branch: text,
      policy: objectOf<AgentToolPolicy>(
        { disallowSubAgentCalls: { type: 'boolean' }, disallowedAgentIds: texts },
        [],
      ),
      key: {
        type: 'array',
        items: { type: 'string', pattern: keyHashPattern.source },
        maxItems: 3,
      },
    },
    ['root', 'path', 'ancestors', 'depth'],
  ),
  definition: objectOf<DefinitionRef>(
    { hash: { type: 'string', pattern: '^[0-9a-f]+$' }, root: text, application: text },
    ['hash', 'root'],
  ),
  sessionFrom: text,
  origin: text,
  inputFrom: objectOf<InputRef>({ workflowId: text, executionRunId: text, number }, [
    'workflowId',
    'executionRunId',
    'number',
  ]),
  thread: objectOf<ThreadTurn>(
    {
      workflowId: text,
      turn: number,
      memory: objectOf<LogRef>(
        {
          workflowId: text,
          executionRunId: text,
          length: { type: 'integer', minimum: 0 },
          tail: texts,
          digest: text,
          entries: { type: 'array', items: { type: 'object' } },
        },
        ['workflowId', 'executionRunId', 'length', 'tail', 'digest'],
      ),
    },
    ['workflowId', 'turn', 'memory'],
  ),
};

/** The ids of the workflows that a member names as the parent: only its own session, input, log and tree may a parent give. */
const namedParents: {
  readonly [Name in keyof ParentMembers]: (member: ParentMembers[Name]) => readonly string[];
} = {
  lineage: ({ depth, root }) => (depth === 1 ? [root] : []),
  definition: () => [],
  sessionFrom: (workflowId) => [workflowId],
  origin: () => [],
  inputFrom: ({ workflowId }) => [workflowId],
  thread: ({ workflowId, memory }) => [workflowId, memory.workflowId],
};

/** What is wrong with a member that a parent gave; undefined when it is right. */
export function parentProblem<Name extends keyof ParentMembers>(
  parent: Parent,
  name: Name,
  member: unknown,
): string | undefined {
  const [problem] = shapeProblems(parentMembers[name], member, [name]);
  if (problem !== undefined) return formatProblem(problem);
  const stranger = namedParents[name](member as ParentMembers[Name]).find(
    (workflowId) => workflowId !== parent.workflowId,
  );
  if (stranger === undefined) return undefined;
  return `${name} names '${stranger}', but '${parent.workflowId}' started this run`;
}
