// The contract of the code as it is.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import packageJson from '../../../package.json';
import { allRoutes } from '../../../src/http/routes';
import { errorCodes } from '../../../src/protocol/errors';
import { limits, timeouts } from '../../../src/protocol/limits';
import * as names from '../../../src/protocol/names';
import { retryingMemoKey } from '../../../src/protocol/retrying';
import { specFileSchema } from '../../../src';
import { ConstantsReader } from './constants';
import type { Contract } from './growth';
import { commandLine, defaultsOfFiles, ids, needs } from './observed';
import { type Edit, type Shape, ShapeReader } from './shapes';

const root = resolve(__dirname, '../../..');
const wireFile = resolve(__dirname, 'wire.ts');

/** The entries of the package, each with its source file. */
const entries: readonly (readonly [string, string])[] = Object.entries(packageJson.exports).flatMap(
  ([entry, target]) =>
    typeof target === 'string'
      ? []
      : [[entry, resolve(root, target.default.replace('./dist/', 'src/').replace('.js', '.ts'))]],
);

/** Where a format is written down. */
const formatFiles = [
  'src/core/machine/state-json.ts',
  'src/core/orchestration/stored-plan.ts',
  'src/workflows/run/carried-run.ts',
  'src/workflows/thread/carried-thread.ts',
];

/** `edit` changes the source that the compiler reads. */
export function contractOfToday(edit?: Edit): Contract {
  const reader = new ShapeReader([wireFile, ...entries.map(([, file]) => file)], edit);
  const wire = reader.read(wireFile, 'Wire');
  const exports = Object.fromEntries(
    entries.map(([entry, file]) => [entry, reader.exported(file)]),
  );
  const taken: Shape = { calls: [{ takes: [wire], needs: 1, gives: 'void' }] };
  const given = reader.given([taken, ...Object.values(exports)]);
  const code = new ConstantsReader(reader.program);
  return {
    version: packageJson.version,
    names: {
      workflowTypes: names.allWorkflowTypes,
      signals: Object.values(names.signalNames),
      updates: Object.values(names.updateNames),
      queries: Object.values(names.queryNames),
      errorCodes,
      commands: Object.keys(packageJson.bin),
      optionsOfActivities: code.calls('proxyActivities'),
    },
    limits,
    formats: Object.fromEntries(formatFiles.map((file) => [file, formatOf(file)])),
    needs: needs(),
    constants: { ...constants(), defaultsInCode: code.defaults(given) },
    http: Object.fromEntries(allRoutes('').map(operation)),
    specs: specFileSchema(),
    wire,
    exports,
    definitions: sorted(reader.definitions),
  };
}

function constants(): Contract['constants'] {
  const { defaults, searchAttributes, askUserTool, resultToolNames } = names;
  return JSON.parse(
    JSON.stringify({
      timeouts,
      ids: ids(),
      defaultsOfFiles: defaultsOfFiles(),
      commandLine: commandLine(),
      defaults,
      searchAttributes,
      askUserTool,
      resultToolNames,
      askUserMarker: names.askUserMarker,
      traceHeader: names.traceHeader,
      memoKeys: { run: names.memoKey, thread: names.threadMemoKey, retrying: retryingMemoKey },
      idPatterns: Object.fromEntries(
        Object.entries(names.idPatterns).map(([name, { source }]) => [name, source]),
      ),
    }),
  ) as Contract['constants'];
}

/** A line for each definition and the like, so that a change is read in a diff. */
export function textOf(contract: Contract): string {
  const parts = Object.entries(contract).map(([name, part]) => {
    const isLong = typeof part === 'object' && JSON.stringify(part).length > 120;
    const lines = isLong
      ? Object.entries(part as object).map(([key, value]) => entryOf(key, value))
      : undefined;
    return lines ? `${JSON.stringify(name)}: {\n${lines.join(',\n')}\n}` : entryOf(name, part);
  });
  return `{\n${parts.join(',\n')}\n}\n`;
}

function entryOf(name: string, value: unknown): string {
  return `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
}

function formatOf(file: string): number {
  const found = /^(?:export )?const (?:format|stateFormat) = (\d+)\b/m.exec(
    readFileSync(resolve(root, file), 'utf8'),
  );
  if (found === null) throw new Error(`${file} names no format`);
  return Number(found[1]);
}

function operation({
  method,
  path,
  ...route
}: ReturnType<typeof allRoutes>[number]): readonly [string, unknown] {
  return [`${method} ${path}`, JSON.parse(JSON.stringify(route))];
}

function sorted<Value>(object: { readonly [name: string]: Value }): { [name: string]: Value } {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
