// The tools with which a model reads contents of a result store. A worker with a store gives them to every agent that has other tools.

import { canonicalJson, deepFreeze } from '../base';
import {
  type AgentSpec,
  type Definition,
  limits,
  resultToolNames,
  type RunnerSpec,
  type ToolSpec,
} from '../protocol';

const ref = {
  type: 'string',
  description: 'The ref from the note of the result.',
};

const from = { type: 'integer', minimum: 1, description: 'The first line to look at. Default 1.' };

const pattern = {
  type: 'string',
  minLength: 1,
  maxLength: 1_000,
  description:
    'A regular expression without look-around and back-references. (?i) at its start ignores case.',
};

const shared = { effect: 'read', timeoutMs: 60_000 } as const;

/** The tools by name. */
export const resultTools: { readonly [name: string]: ToolSpec } = deepFreeze({
  [resultToolNames.read]: {
    ...shared,
    name: resultToolNames.read,
    description:
      'Reads lines of a stored result, of which you saw only the beginning. A note in that result names its ref. ' +
      `Returns at most ${limits.resultPage / 1024} KiB, and says where to read on. Lines are numbered from 1; very long ones are folded.`,
    inputSchema: {
      type: 'object',
      properties: {
        ref,
        from,
        lines: {
          type: 'integer',
          minimum: 1,
          description: 'How many lines to return. Default: as many as fit.',
        },
        match: {
          ...pattern,
          description: `Returns only the lines that match. ${pattern.description}`,
        },
      },
      required: ['ref'],
      additionalProperties: false,
    },
  },
  [resultToolNames.find]: {
    ...shared,
    name: resultToolNames.find,
    description:
      'Searches a stored result, of which you saw only the beginning. A note in that result names its ref. ' +
      'Returns the number of each line that matches, with the text around the match. Read more around it with read_result.',
    inputSchema: {
      type: 'object',
      properties: { ref, match: pattern, from },
      required: ['ref', 'match'],
      additionalProperties: false,
    },
  },
});

/** The definition as a run pins it on a worker with a result store. The tools of MCP servers are in it already. */
export function withResultTools(definition: Definition): Definition {
  const readers = Object.values(definition.runners).filter(isReader);
  if (readers.length === 0) return definition;
  const added = readers.map((spec) => [
    spec.id,
    { ...spec, tools: [...(spec.tools ?? []), ...Object.keys(resultTools)] },
  ]);
  return deepFreeze({
    ...definition,
    runners: { ...definition.runners, ...(Object.fromEntries(added) as Definition['runners']) },
    tools: { ...definition.tools, ...resultTools },
  });
}

/** The runners of a definition, whether or not the worker that made it has a result store. */
export function withoutResultTools({ runners }: Definition): string {
  const own = Object.values(runners).map((spec) =>
    spec.kind === 'agent' && spec.tools !== undefined ? withoutTools(spec) : spec,
  );
  return canonicalJson(own);
}

function withoutTools({ tools = [], ...spec }: AgentSpec): AgentSpec {
  const own = tools.filter((name) => !Object.hasOwn(resultTools, name));
  return own.length === 0 ? spec : { ...spec, tools: own };
}

/** An agent with a model that gets results. */
function isReader(spec: RunnerSpec): spec is AgentSpec {
  if (spec.kind !== 'agent' || spec.toolChoice === 'none') return false;
  return (spec.tools ?? []).length > 0 || (spec.subAgents ?? []).length > 0;
}
