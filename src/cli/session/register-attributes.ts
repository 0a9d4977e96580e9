// Registers what runs are filtered by, and says of what cannot be registered who can and how.

import type { Client } from '@temporalio/client';
import { ServerUnavailable } from '../../protocol/error-classes';
import { timeouts } from '../../protocol/limits';
import {
  addAttributes,
  attributeTypes,
  readAttributes,
  typedNames,
  type AttributeState,
} from '../../server/search-attributes';
import { grpcStatus } from '../../base/grpc-status';
import { grpcStatusOf } from '../cli-error';

export type AttributeReport = {
  readonly name: string;
  readonly status: 'registered' | 'already-there' | 'wrong-type';
  /** As what it is registered now. */
  readonly type: string;
  readonly todo?: string;
};

/** Throws `ServerUnavailable` with what to do where the server does not let this client. */
export async function registerAttributes(client: Client): Promise<readonly AttributeReport[]> {
  const { namespace } = client.options;
  const { operatorService } = client.connection;
  const of = { operatorService, namespace };
  try {
    return await client.withDeadline(Date.now() + 2 * timeouts.serverCheck, async () => {
      const before = await readAttributes(of);
      const missing = before.filter(({ status }) => status === 'missing');
      await addAttributes(
        of,
        missing.map(({ name }) => name),
      );
      return before.map((state) => reportOf(state, namespace));
    });
  } catch (error) {
    throw refused(error, namespace) ?? error;
  }
}

function reportOf({ name, status, type }: AttributeState, namespace: string): AttributeReport {
  const wanted = attributeTypes[name] ?? 'unknown';
  if (status === 'missing') return { name, status: 'registered', type: wanted };
  if (status === 'registered') return { name, status: 'already-there', type: wanted };
  return { name, status, type: type ?? 'unknown', todo: replacing(name, namespace) };
}

function replacing(name: string, namespace: string): string {
  return (
    `no run can set it: if nothing else uses it, remove it with \`temporal operator search-attribute remove --namespace ${namespace} ` +
    `--name ${name}\` (on Temporal Cloud rename it: \`tcld namespace search-attributes rename --namespace ${namespace} ` +
    `--existing-name ${name} --new-name Old${name}\`), then run \`longhaul setup\` again`
  );
}

/** Temporal Cloud has its own API for this; elsewhere it takes an administrator. */
function refused(error: unknown, namespace: string): Error | undefined {
  const status = grpcStatusOf(error);
  if (status?.code !== grpcStatus.permissionDenied && status?.code !== grpcStatus.unimplemented)
    return undefined;
  const temporal = typedNames
    .map((attribute) => `--name ${attribute.replace('=', ' --type ')}`)
    .join(' ');
  const cloud = typedNames.map((attribute) => `--sa ${attribute}`).join(' ');
  return new ServerUnavailable(
    `the server does not let this client register search attributes in namespace '${namespace}' (${status.details}). ` +
      `Who may: \`temporal operator search-attribute create --namespace ${namespace} ${temporal}\`; ` +
      `on Temporal Cloud: \`tcld namespace search-attributes add --namespace ${namespace} ${cloud}\`. ` +
      'Runs and the inbox work without them',
    { cause: error, details: { namespace } },
  );
}
