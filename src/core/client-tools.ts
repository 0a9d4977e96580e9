// Checks the tools that a client brings for one run. Anybody may have written them. Pure.
//
// 1. `broughtToolsProblem` finds what no run takes. The client calls it before it sends the tools. The thread and the worker call it again.
// 2. A replay calls only `clientToolsProblem`, because a run still takes what it once took.

import { formatProblem, isJsonObject, joinPath, quote, shapeProblem, utf8Length } from '../base';
import { limits } from '../protocol/limits';
import { type ClientTool, clientToolShape } from '../protocol/run';
import { listOf } from '../protocol/shapes';
import { budgetProblem } from './schema/json-budget';
import { answerSchemaProblem, toolSchemaProblems } from './schema/schema-problem';
import { checkExactJson, violationText } from './session';

const shape = listOf(clientToolShape, limits.clientTools);

/** Why looking at the tools would take more than a moment, or undefined. It measures all of them together. */
export function clientToolsExcess(value: unknown): string | undefined {
  const problem = budgetProblem(value, {
    bytes: limits.clientToolsBytes,
    values: limits.clientToolsValues,
    levels: limits.clientToolsLevels,
    patternSteps: limits.clientToolsPatternSteps,
  });
  return problem && `clientTools ${problem}: bring fewer tools, or smaller schemas`;
}

/** The first reason why no run takes the tools, or undefined. */
export function broughtToolsProblem(value: unknown): string | undefined {
  const problem = clientToolsExcess(value) ?? clientToolsProblem(value);
  if (problem !== undefined) return problem;
  for (const [index, { inputSchema }] of (value as readonly ClientTool[]).entries()) {
    const [found] = toolSchemaProblems(inputSchema);
    if (found === undefined) continue;
    const path = joinPath(`clientTools[${index}].inputSchema`, found.path);
    return formatProblem({ ...found, path });
  }
  return undefined;
}

/** The first problem of their shape and of the schemas of results, or undefined. */
export function clientToolsProblem(value: unknown): string | undefined {
  const violation = checkExactJson(value);
  if (violation !== undefined) return `clientTools is not JSON${violationText(violation)}`;
  const bytes = utf8Length(JSON.stringify(value));
  if (bytes > limits.definition)
    return `clientTools has ${bytes} bytes of JSON; the limit is ${limits.definition}`;
  const problem = shapeProblem(shape, value, ['clientTools']);
  if (problem !== undefined) return formatProblem(problem);
  const tools = value as readonly ClientTool[];
  for (const [index, tool] of tools.entries()) {
    const found = toolProblem(tool, tools.slice(0, index));
    if (found !== undefined) return `clientTools[${index}].${found}`;
  }
  return undefined;
}

function toolProblem(
  { name, inputSchema, resultSchema }: ClientTool,
  before: readonly ClientTool[],
): string | undefined {
  if (before.some((tool) => tool.name === name))
    return `name must not be ${quote(name)}: a tool before it has that name`;
  if (inputSchema['type'] !== 'object')
    return "inputSchema must describe an object: its top level needs type 'object'";
  if (!isJsonObject(resultSchema)) return undefined;
  const problem = answerSchemaProblem(resultSchema);
  return problem && formatProblem({ ...problem, path: joinPath('resultSchema', problem.path) });
}
