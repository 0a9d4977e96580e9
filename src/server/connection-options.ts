import './client-packages';
import { defined } from '../base';
import type { TLSConfig } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { defaults, LonghaulError } from '../protocol';

export type ServerOptions = {
  /** A profile of Temporal's configuration file. */
  readonly profile?: string;
  /** `host:port`; wins over the profile and `TEMPORAL_ADDRESS`. */
  readonly address?: string;
  readonly tls?: TLSConfig | boolean;
  readonly apiKey?: string;
};

export type LoadedConnection = {
  readonly connection: {
    address?: string;
    tls?: TLSConfig | boolean;
    apiKey?: string;
    metadata?: Record<string, string>;
  };
  readonly namespace: string | undefined;
};

/** Where the server is: from the options, else from Temporal's own environment variables and configuration file. */
export function loadConnection(options: ServerOptions = {}): LoadedConnection {
  const { profile, address, tls, apiKey } = options;
  const loaded = readConfiguration(profile);
  const configured = loaded.connectionOptions;
  return {
    connection: {
      address: address ?? configured.address ?? defaults.address,
      ...defined({ apiKey: configured.apiKey }),
      ...(configured.metadata !== undefined && {
        metadata: configured.metadata as Record<string, string>,
      }),
      ...(configured.tls !== undefined && configured.tls !== null && { tls: configured.tls }),
      ...defined({ tls, apiKey }),
    },
    namespace: loaded.namespace,
  };
}

function readConfiguration(
  profile: string | undefined,
): ReturnType<typeof loadClientConnectConfig> {
  try {
    return loadClientConnectConfig(profile === undefined ? {} : { profile });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LonghaulError(
      'InvalidInput',
      `Temporal's configuration cannot be read: ${reason}. Correct profile, TEMPORAL_PROFILE, or the file (TEMPORAL_CONFIG_FILE)`,
      { cause: error },
    );
  }
}

export function namespaceMissing(namespace: string, cause?: unknown): LonghaulError {
  return new LonghaulError(
    'ServerUnavailable',
    `there is no namespace '${namespace}' on this server. Create it with \`temporal operator namespace create --namespace ${namespace}\`, or set namespace, TEMPORAL_NAMESPACE or --namespace`,
    { cause, retryable: true, details: { namespace } },
  );
}

export function serverUnavailable(address: string, cause?: unknown): LonghaulError {
  const reason = cause instanceof Error ? ` (${plainReason(cause.message)})` : '';
  return new LonghaulError(
    'ServerUnavailable',
    `cannot reach Temporal at ${address}${reason}. Start one with \`longhaul dev\`, or set TEMPORAL_ADDRESS or --address`,
    { cause, retryable: true, details: { address } },
  );
}

/** Temporal's native part writes errors as Rust does. The innermost text says what is wrong. */
function plainReason(message: string): string {
  if (!message.includes('tonic::')) return message;
  const innermost = [...message.matchAll(/"([^"]+)"/g)].at(-1)?.[1];
  return innermost ?? /\berror: (\w+(?:\(\w+\))?)/.exec(message)?.[1] ?? 'no connection';
}
