import { loadServer } from '../session/load-parts';
import type { Answer } from '../session/connection';
import { exitCodes, grpcStatusOf } from '../exit';
import { padToWidth, printableLine, type Style } from '../render/text';
import type { Client } from '@temporalio/client';
import type { Longhaul } from '../../client';
import type { Check } from './look';
import { LonghaulError, timeouts } from '../../protocol';
import type { AttributeState } from '../../server';
import { grpcStatus } from '../../base';

const looks = {
  registered: { text: 'registered', paint: 'green' },
  'already-there': { text: 'already there', paint: 'green' },
  'wrong-type': { text: 'wrong type', paint: 'red' },
} as const;

const statusWidth = 15;

const nameWidth = 16;

/** Registers what is missing, so that the server can filter runs. */
export async function fixAttributes({ client }: Longhaul, style: Style): Promise<Answer> {
  const attributes = await registerAttributes(client);
  const ok = attributes.every(({ status }) => status !== 'wrong-type');
  const isNew = attributes.some(({ status }) => status === 'registered');
  return {
    json: { ok, namespace: client.options.namespace, attributes },
    lines: renderAttributes(attributes, style),
    notes: isNew ? ['restart running workers: they set the new attributes from then on'] : [],
    exitCode: ok ? exitCodes.done : exitCodes.failed,
  };
}

export function renderAttributes(
  attributes: readonly AttributeReport[],
  style: Style,
): readonly string[] {
  return attributes.flatMap(({ name, status, type, todo }) => {
    const { text, paint } = looks[status];
    const head = style[paint](text) + ' '.repeat(statusWidth - text.length);
    const line = head + padToWidth(name, nameWidth) + printableLine(type);
    return todo === undefined ? [line] : [line, `${' '.repeat(statusWidth)}→ ${todo}`];
  });
}

export type AttributeReport = {
  readonly name: string;
  readonly status: 'registered' | 'already-there' | 'wrong-type';
  /** The type that it is registered with now. */
  readonly type: string;
  readonly todo?: string;
};

/** Throws `ServerUnavailable`, with what to do, if the server does not allow it. */
export async function registerAttributes(client: Client): Promise<readonly AttributeReport[]> {
  const { namespace } = client.options;
  const { operatorService } = client.connection;
  const of = { operatorService, namespace };
  try {
    return await client.withDeadline(Date.now() + 2 * timeouts.serverCheck, async () => {
      const { readAttributes, addAttributes } = loadServer();
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
  const wanted = loadServer().attributeTypes[name] ?? 'unknown';
  if (status === 'missing') return { name, status: 'registered', type: wanted };
  if (status === 'registered') return { name, status: 'already-there', type: wanted };
  return { name, status, type: type ?? 'unknown', todo: replacing(name, namespace) };
}

function replacing(name: string, namespace: string): string {
  return (
    `no run can set it: if nothing else uses it, remove it with \`temporal operator search-attribute remove --namespace ${namespace} ` +
    `--name ${name}\` (on Temporal Cloud rename it: \`tcld namespace search-attributes rename --namespace ${namespace} ` +
    `--existing-name ${name} --new-name Old${name}\`), then run \`longhaul doctor --fix\` again`
  );
}

/** Temporal Cloud has its own API for this. Elsewhere an administrator must do it. */
function refused(error: unknown, namespace: string): Error | undefined {
  const status = grpcStatusOf(error);
  if (status?.code !== grpcStatus.permissionDenied && status?.code !== grpcStatus.unimplemented)
    return undefined;
  const { typedNames } = loadServer();
  const temporal = typedNames
    .map((attribute) => `--name ${attribute.replace('=', ' --type ')}`)
    .join(' ');
  const cloud = typedNames.map((attribute) => `--sa ${attribute}`).join(' ');
  return new LonghaulError(
    'ServerUnavailable',
    `the server does not let this client register search attributes in namespace '${namespace}' (${status.details}). ` +
      `Who may: \`temporal operator search-attribute create --namespace ${namespace} ${temporal}\`; ` +
      `on Temporal Cloud: \`tcld namespace search-attributes add --namespace ${namespace} ${cloud}\`. ` +
      'Runs and the inbox work without them',
    { cause: error, details: { namespace } },
  );
}

/** The check of `doctor` itself. */
export async function checkSearchAttributes({ client }: Longhaul): Promise<Omit<Check, 'name'>> {
  const { namespace } = client.options;
  const { operatorService } = client.connection;
  const { readAttributes, isRegistered, attributeNames, attributeTypes } = loadServer();
  const states = await client.withDeadline(Date.now() + timeouts.serverCheck, () =>
    readAttributes({ operatorService, namespace }),
  );
  const unusable = states
    .filter((state) => !isRegistered(state))
    .map(({ name }) => `${name} (${attributeTypes[name]})`);
  if (unusable.length === 0) return { status: 'ok', message: attributeNames.join(', ') };
  return {
    status: 'warn',
    message: `${unusable.join(', ')} not registered: the Web UI cannot filter by them, and each list or inbox, also of a user behind HTTP, reads all runs`,
    todo: 'register them with `longhaul doctor --fix`',
  };
}
