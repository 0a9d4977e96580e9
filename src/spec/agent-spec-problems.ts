import type { CriterionSpec } from '../protocol/agent-run';
import { utf8Length } from '../base/text';
import type { Json } from '../base/json';
import { limits } from '../protocol/limits';
import { askUserTool } from '../protocol/names';
import type { AgentSpec } from '../protocol/spec';
import { agentSpecSchema } from './agent-spec-schema';
import { budgetProblems } from './budget-problems';
import { shapeProblems } from '../base/check-shape';
import { tryCompileSchema } from '../define/arguments/compile';
import { memoryProblems } from './memory-problems';
import { sessionKeyProblems } from './names';
import { didYouMean } from '../base/nearest';
import { joinPath, quote, type Problem } from '../base/problem';

/** Everything that is wrong with an agent's data by itself; whether its tools exist is the registry's to say. */
export function agentSpecProblems(candidate: unknown): Problem[] {
  const problems = shapeProblems(agentSpecSchema, candidate);
  return problems.length > 0 ? problems : ruleProblems(candidate as AgentSpec);
}

function ruleProblems(spec: AgentSpec): Problem[] {
  return [
    ...repeatedNames(spec),
    ...askUserProblems(spec),
    ...toolChoiceProblems(spec),
    ...timeoutProblems(spec),
    ...budgetProblems(spec.budget),
    ...memoryProblems(spec.memory),
    ...schemaProblems(spec.output?.schema, 'output.schema'),
    ...(spec.criteria ?? []).flatMap((criterion, index) =>
      criterionProblems(criterion, `criteria[${index}]`),
    ),
    ...repeatedCriteria(spec.criteria ?? []),
  ];
}

/** Every name the model may call, in the order it is offered. */
function callableNames({ tools = [], subAgents = [] }: AgentSpec): string[] {
  return [...tools, ...subAgents.map(({ name }) => name)];
}

function repeatedNames(spec: AgentSpec): Problem[] {
  const names = callableNames(spec);
  const repeated = names.filter((name, index) => names.indexOf(name) < index);
  return repeated.map((name) => ({
    path: 'subAgents',
    message: `holds the name ${quote(name)}, which another tool of the agent has`,
  }));
}

function askUserProblems(spec: AgentSpec): Problem[] {
  const { askUser } = spec;
  const index = callableNames(spec).indexOf(askUserTool.name);
  if (askUser !== 'tool' || index < 0) return [];
  const message = `must not be ${quote(askUserTool.name)}: that name is taken while askUser is 'tool'; rename the tool`;
  return [{ path: `tools[${index}]`, message }];
}

function toolChoiceProblems(spec: AgentSpec): Problem[] {
  const { toolChoice, askUser } = spec;
  // The tools of its MCP servers are known when a run starts: what is chosen is looked at again then.
  if (spec.mcpServers !== undefined) return [];
  const names = [...callableNames(spec), ...(askUser === 'tool' ? [askUserTool.name] : [])];
  if (toolChoice === 'required' && names.length === 0) {
    return [{ path: 'toolChoice', message: `must not be 'required' for an agent without tools` }];
  }
  if (typeof toolChoice !== 'object') return [];
  return toolChoice.only.flatMap((name, index) => {
    if (names.includes(name)) return [];
    const message = `must be a tool of the agent, not ${quote(name)}${didYouMean(name, names)}`;
    return [{ path: `toolChoice.only[${index}]`, message }];
  });
}

function timeoutProblems({ onInputTimeout, inputTimeoutMs }: AgentSpec): Problem[] {
  if (onInputTimeout === undefined) return [];
  if (inputTimeoutMs === undefined)
    return [{ path: 'onInputTimeout', message: 'never happens without an input timeout: set one' }];
  return onInputTimeout === 'fail' ? [] : answerProblems(onInputTimeout);
}

/** It is taken as a person's would be. */
function answerProblems({ answer }: { readonly answer: string }): Problem[] {
  const path = 'onInputTimeout.answer';
  const bytes = utf8Length(answer);
  if (answer.trim() === '') return [{ path, message: 'must say something' }];
  if (bytes <= limits.answer) return [];
  return [{ path, message: `has ${bytes} bytes; at most ${limits.answer} are taken` }];
}

function criterionProblems(criterion: CriterionSpec, path: string): Problem[] {
  if (criterion.kind === 'structured-output') {
    return schemaProblems(criterion.schema, `${path}.schema`);
  }
  if (criterion.kind !== 'custom' || criterion.session === undefined) return [];
  return sessionKeyProblems(criterion.session, `${path}.session`);
}

function repeatedCriteria(criteria: readonly CriterionSpec[]): Problem[] {
  const names = criteria.map((criterion) => (criterion.kind === 'custom' ? criterion.name : ''));
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (name === '' || first === index) return [];
    const message = `has the name ${quote(name)}, which criteria[${first}] already has`;
    return [{ path: `criteria[${index}]`, message }];
  });
}

/** Structured output is always an object or an array: a schema of anything else could never be met. */
function schemaProblems(schema: Json | undefined, path: string): Problem[] {
  if (schema === undefined) return [];
  const compiled = tryCompileSchema(schema);
  if (!compiled.ok) {
    return compiled.problems.map((problem) => ({ ...problem, path: joinPath(path, problem.path) }));
  }
  const type = typeof schema === 'object' && !Array.isArray(schema) ? schema?.type : undefined;
  if (typeof type !== 'string' || type === 'object' || type === 'array') return [];
  return [{ path, message: `must describe an object or an array, not ${quote(type)}` }];
}
