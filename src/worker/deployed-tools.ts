// Tells the workflows of a worker which arguments the worker's tools take now (docs/adr/0055).

import { readFileSync } from 'node:fs';
import type { WorkerOptions } from '@temporalio/worker';
import { toolSchemaProblems } from '../core/schema/schema-problem';
import type { Tool } from '../define';
import { type DeployedTools, deployedToolsGlobal } from '../protocol';

/** One line of code without a line break, so that the lines of the code behind it keep their numbers. The first one counts. */
export function deployedToolsCode(tools: readonly Tool[]): string {
  const isUsable = (schema: DeployedTools[string][number]): boolean =>
    toolSchemaProblems(schema).length === 0;
  const known = tools.flatMap(({ name, spec, accepts = [] }) => {
    const { inputSchema } = spec;
    if (spec.result === 'client' || !isUsable(inputSchema)) return [];
    // What cannot be checked in a workflow takes everything there.
    const earlier = accepts.map(({ schema }) => (isUsable(schema) ? schema : {}));
    return [[name, [inputSchema, ...earlier]]];
  });
  const text = JSON.stringify(Object.fromEntries(known));
  return `globalThis.${deployedToolsGlobal} ??= ${JSON.stringify(text)};`;
}

export function withCode(
  bundle: NonNullable<WorkerOptions['workflowBundle']>,
  code: string,
): { readonly code: string } {
  const own = 'code' in bundle ? bundle.code : readFileSync(bundle.codePath, 'utf8');
  return { code: code + own };
}
