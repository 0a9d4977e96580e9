// The tools that a client brings, as it writes them and as it sends them.

import {
  describeValue,
  type Duration,
  formatProblem,
  joinPath,
  parseDuration,
  type Problem,
} from '../../base';
import { broughtToolsProblem, clientToolsExcess } from '../../core/client-tools';
import { isStandardSchema, parseSchemaOption, type StandardSchema } from '../../define/arguments';
import { type JsonSchemaLiteral, toPlainJson } from '../../define';
import { type ClientTool, limits, LonghaulError } from '../../protocol';
import { checkOptions } from '../server/check-options';

/** A tool for one run. The client that started the run gives its results, with `run.complete` or `run.fail`. */
export type ClientToolOptions = {
  readonly name: string;
  readonly description: string;
  /** The arguments: an object. */
  readonly inputSchema: StandardSchema | JsonSchemaLiteral;
  /** Any JSON if it is left out. */
  readonly resultSchema?: StandardSchema | JsonSchemaLiteral;
  /** How long a call waits for its result. Default: for ever. */
  readonly resultTimeout?: Duration;
};

const names = {
  name: true,
  description: true,
  inputSchema: true,
  resultSchema: true,
  resultTimeout: true,
} as const;

/**
 * Throws `InvalidInput` or `SpecError` for tools that no run takes. A backend may pass on tools that a stranger wrote. So this measures the
 * tools before other code reads them, and compiles nothing.
 */
export function sentTools(tools: readonly ClientToolOptions[]): readonly ClientTool[] {
  const given: unknown = tools;
  if (!Array.isArray(given))
    throw invalid(`clientTools must be a list of tools, not ${describeValue(given)}`);
  if (given.length > limits.clientTools)
    throw invalid(`clientTools must have at most ${limits.clientTools} items`);
  const written = tools.map(writtenTool);
  const excess = clientToolsExcess(written);
  if (excess !== undefined) throw invalid(excess);
  const plain = toPlainJson(written);
  if (!plain.ok) throw specProblem({ ...plain.problem, path: toolPath(plain.problem.path) });
  const problem = broughtToolsProblem(plain.value);
  if (problem !== undefined) throw new LonghaulError('SpecError', problem);
  return plain.value as readonly object[] as readonly ClientTool[];
}

/** Schemas of a library become JSON. Other schemas stay as they are. */
function writtenTool(tool: ClientToolOptions, index: number): object {
  checkOptions('a client tool', tool, names);
  const { inputSchema, resultSchema, resultTimeout, ...rest } = tool;
  const path = `[${index}]`;
  return {
    ...rest,
    inputSchema: writtenSchema(inputSchema, `${path}.inputSchema`),
    resultSchema: resultSchema && writtenSchema(resultSchema, `${path}.resultSchema`),
    resultTimeoutMs: resultTimeout && milliseconds(resultTimeout, `${path}.resultTimeout`),
  };
}

function writtenSchema(schema: StandardSchema | JsonSchemaLiteral, path: string): unknown {
  if (!isStandardSchema(schema)) return schema;
  const option = parseSchemaOption(schema);
  if (option.ok) return option.schema;
  throw specProblem({ ...option.problem, path: toolPath(path) });
}

function milliseconds(duration: Duration, path: string): number {
  const parsed = parseDuration(duration);
  if (parsed.ok) return parsed.ms;
  throw specProblem({ path: toolPath(path), message: parsed.message });
}

const toolPath = (path: string): string => joinPath('clientTools', path);

function specProblem(problem: Problem): LonghaulError {
  return new LonghaulError('SpecError', formatProblem(problem));
}

function invalid(message: string): LonghaulError {
  return new LonghaulError('InvalidInput', message);
}
