// What is not written down anywhere, as the code makes it: ids of fixed inputs, the command line, what the package needs.

import packageJson from '../../../package.json';
import { defineAgent, specFileSchema } from '../../../src';
import { idempotencyKey } from '../../../src/activities/tool/run-call';
import { emptyDigest, extendDigest } from '../../../src/base/digest';
import { createProgram } from '../../../src/cli/run-cli';
import { updateId } from '../../../src/client/write/answer-sender';
import { threadId } from '../../../src/client/write/thread-input';
import { keyHashes } from '../../../src/core/key-hashes';
import { digestOf } from '../../../src/core/people/digest';
import { listedInputId } from '../../../src/core/people/input-ids';
import { keptOf, proofOf, tokenPrefix } from '../../../src/core/people/result-token';
import { hashDefinition } from '../../../src/define/definition';
import { derivedTrace, traceparent } from '../../../src/protocol/trace';
import { scopeName, scopeOf, sha256Of } from '../../../src/stores/results/result-store';
import { childId } from '../../../src/workflows/children/child-start';
import { fakeTerminal } from '../cli/fake-terminal';
import type { Contract } from './growth';

/** Runs, threads and stored data of earlier versions are found by these. */
export function ids(): { readonly [name: string]: unknown } {
  const key = { appName: 'app', userId: 'ü/1', sessionId: 's 1', tenant: 'acme' };
  const { spec } = defineAgent({ id: 'helper', model: 'openai/gpt' });
  const call = { origin: 'run-1', turn: 2, index: 0, tool: 'refund' };
  const args = { b: [1, 'ü'], a: null };
  const place = { workflowId: 'run-1', tag: '0123456789', place: 'helper-2.0' };
  return {
    child: childId(place),
    longChild: childId({ ...place, workflowId: 'r'.repeat(200) }),
    thread: threadId(key),
    longThread: threadId({ ...key, userId: 'u'.repeat(200), sessionId: 's'.repeat(200) }),
    hiddenThread: threadId(key, 'a secret of 16 or more'),
    answer: updateId('nonce', '["resume","yes"]'),
    call: idempotencyKey(call, args),
    input: listedInputId('run-1', 'a3.1-2'),
    seen: digestOf({
      call: { type: 'tool_call', callId: 'c1', name: 'refund', args },
      preview: 'Refund ü',
    }),
    token: [tokenPrefix, proofOf('lh1.a.b.c'), keptOf(proofOf('lh1.a.b.c'))],
    key: keyHashes(key),
    log: ['one', 'two'].reduce(extendDigest, emptyDigest),
    trace: traceparent(derivedTrace('run-1')),
    content: [sha256Of('text'), scopeOf('default', 'run-1'), scopeName('default/run-1')],
    spec,
    definition: hashDefinition({ root: spec.id, runners: { [spec.id]: spec }, tools: {} } as never),
  };
}

/** Commands with their arguments and options, and the default of each, by flags. */
export function commandLine(): { readonly [command: string]: unknown } {
  const context = { terminal: fakeTerminal(), finish: () => undefined };
  return Object.fromEntries(
    createProgram(context).commands.map((command) => [
      command.name(),
      {
        arguments: {
          ...command.registeredArguments.map(({ required, variadic, argChoices }) => ({
            required,
            variadic,
            ...(argChoices && { enum: argChoices }),
          })),
        },
        options: Object.fromEntries(
          command.options.map(({ flags, mandatory, defaultValue, argChoices, description }) => [
            flags,
            {
              mandatory,
              default:
                (defaultValue as unknown) ?? /\(default: (\S+)\)/.exec(description)?.[1] ?? null,
              ...(argChoices && { enum: argChoices }),
            },
          ]),
        ),
      },
    ]),
  );
}

/** By `agent.maxIterations`: what the help of a field in a file says, if that is a value. */
export function defaultsOfFiles(): { readonly [field: string]: string } {
  const found: { [field: string]: string } = {};
  const read = (names: readonly string[], schema: unknown, isNamed = false): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { description } = schema as { readonly description?: unknown };
    const said = /\. Default: '?([\w.]+)'?$/.exec(String(description))?.[1];
    if (said !== undefined) found[names.join('.')] = said;
    for (const [key, part] of Object.entries(schema)) {
      const holdsNames = !isNamed && (key === 'properties' || key === '$defs');
      read(isNamed ? [...names, key] : names, part, holdsNames);
    }
  };
  read([], specFileSchema());
  return found;
}

/** The versions that the package runs with. */
export function needs(): Contract['needs'] {
  const { engines, peerDependencies, peerDependenciesMeta } = packageJson;
  const optional: { readonly [name: string]: unknown } = peerDependenciesMeta;
  return Object.fromEntries(
    Object.entries({ ...engines, ...peerDependencies }).map(([name, range]) => [
      name,
      { ...versions(range), optional: name in optional },
    ]),
  );
}

function versions(range: string): { readonly from: number; readonly below: number } {
  const [, caret, from = '', below] = /^(\^|>=)([\d.]+)(?: <([\d.]+))?$/.exec(range) ?? [];
  if (from === '') throw new Error(`the range ${range} is not read yet`);
  const next = caret === '^' ? String(Number.parseInt(from, 10) + 1) : '9999';
  return { from: ordinal(from), below: ordinal(below ?? next) };
}

/** 1.2.3 as 1002003. */
function ordinal(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return (major * 1_000 + minor) * 1_000 + patch;
}
