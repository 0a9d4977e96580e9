import { loadServer } from '../session/load-parts';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pinnedAgents } from '../../define';
import { builtInKeyVariables, keyVariablesOf } from '../../protocol';

import type { LoadedAgents } from '../session/agents';
import { messageOf } from '../exit';
import type { Check } from './look';

type Environment = Readonly<Record<string, string | undefined>>;
type ProtobufjsCopies = { readonly common: string; readonly proto: string };

/** The first minor version of Node 22 that strips types. */
const firstStrippingMinor = 18;

/** A Node that is too old for the package does not get this far. */
export function checkNode(version: string): Check {
  const name = 'node';
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  if (major === 22 && minor < firstStrippingMinor) {
    const todo = 'longhaul.config.ts needs Node 22.18 or later; .js and .mjs work';
    return { name, status: 'warn', message: `Node ${version}`, todo };
  }
  return { name, status: 'ok', message: `Node ${version}` };
}

/** The same check as a worker makes at its start, from the current folder. */
export function checkTemporalSdk(
  copies = loadServer().sdkCopies(join(process.cwd(), 'package.json')),
): Check {
  const name = 'temporal sdk';
  const message = loadServer().sdkProblem(copies);
  if (message !== undefined) {
    const todo = 'run `npm ls @temporalio/workflow`, and install one tested version';
    return { name, status: 'fail', message, todo };
  }
  const untested = loadServer().untestedSdk(copies);
  return untested === undefined
    ? { name, status: 'ok', message: `${copies[0]?.version ?? 'none'}, one copy` }
    : { name, status: 'warn', message: untested, todo: 'look for a newer version of longhaul' };
}

/** Two copies of protobufjs in one process break Temporal's SDK. Its errors do not name the cause. */
export function checkProtobufjs(find: () => ProtobufjsCopies = findProtobufjs): Check {
  const name = 'protobufjs';
  try {
    const { common, proto } = find();
    if (common === proto) return { name, status: 'ok', message: 'one copy' };
    const message = `two copies: @temporalio/common takes ${common}, @temporalio/proto ${proto}`;
    return { name, status: 'fail', message, todo: 'run `npm install protobufjs@8`' };
  } catch (error) {
    const [message = ''] = messageOf(error).split('\n');
    return { name, status: 'fail', message, todo: 'install the dependencies again: `npm ci`' };
  }
}

function findProtobufjs(): ProtobufjsCopies {
  const here = createRequire(__filename);
  const common = createRequire(here.resolve('@temporalio/common/package.json'));
  const proto = createRequire(common.resolve('@temporalio/proto/package.json'));
  return { common: common.resolve('protobufjs'), proto: proto.resolve('protobufjs') };
}

/** With agents, checks the keys of their providers. Without, checks whether there is any key. It shows names of variables, never values. */
export function checkProviderKeys(env: Environment, agents: LoadedAgents | undefined): Check {
  const name = 'provider keys';
  const isSet = (variable: string): boolean => (env[variable] ?? '').trim() !== '';
  if (agents === undefined) {
    const found = builtInKeyVariables.filter(isSet);
    if (found.length > 0) return { name, status: 'ok', message: found.join(', ') };
    const todo = `set the one of your provider where the worker runs: ${builtInKeyVariables.join(', ')}`;
    return { name, status: 'warn', message: 'none in this environment', todo };
  }
  const wanted = providersOf(agents).map((provider) => ({
    provider,
    variables: keyVariablesOf(provider),
  }));
  const missing = wanted.filter(({ variables }) => !variables.some(isSet));
  if (missing.length === 0) {
    const found = wanted.flatMap(({ variables }) => variables.filter(isSet));
    return { name, status: 'ok', message: found.join(', ') || 'none needed' };
  }
  const list = missing.map(({ provider, variables }) => `${provider} (${variables.join(' or ')})`);
  const todo = 'set it where the worker runs, or give the provider an apiKey in the configuration';
  return { name, status: 'warn', message: `no key for ${list.join(', ')}`, todo };
}

/** Finds agents with `context` where the window of the model is unknown. */
export function checkWindows({ registry }: LoadedAgents): readonly Check[] {
  const unknown = pinnedAgents(registry).filter(
    ({ context }) => context !== undefined && context.window === undefined,
  );
  if (unknown.length === 0) return [];
  const list = unknown.map(({ id, model }) => `${id} (${model.provider}/${model.model})`);
  return [
    {
      name: 'context windows',
      status: 'warn',
      message: `not known for ${list.join(', ')}: a prompt gets smaller only after the provider refused it`,
      todo: 'set context.window of the agent, or the window of its model in createWorker({ prices })',
    },
  ];
}

/** The providers of the agents' models for which the configuration has no key and no code. */
function providersOf({ registry, options }: LoadedAgents): readonly string[] {
  const named = pinnedAgents(registry).map(({ model }) => model.provider);
  return [...new Set(named)].filter((provider) => {
    const configured = options.providers?.[provider];
    if (configured === undefined) return true;
    return !('call' in configured) && configured.apiKey === undefined && !configured.baseURL;
  });
}
