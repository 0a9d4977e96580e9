// Puts the large parts of an input into a result store before the client sends the input, and reads them.

import type { Client } from '@temporalio/client';
import { inputProblem } from '../../core/input-parts';
import { storedHead } from '../../core/transcript/fit-texts';
import {
  limits,
  LonghaulError,
  type MediaPart,
  type Stored,
  type TextPart,
  type UserInput,
} from '../../protocol';
import { atOnce, largeMedia, scopeOf, sha256Of, type StoredContent } from '../../stores/index';
import { describeIfThere } from './calls';

const uploadsAtOnce = 8;

/** Where a client keeps content: in its namespace, if `connect` got the option `results`. */
export type ClientResults = { readonly namespace: string; readonly store: StoredContent };

/** An input as it is sent. `upload` keeps its large parts for the run or thread with this workflow id. Undefined if it has none. */
export type SentInput = {
  readonly input: UserInput;
  readonly upload?: (workflowId: string) => Promise<void>;
};

/** The content of a run or thread. `workflowId` may be any run of its tree. Throws `StoreError` if the content is gone. */
export async function readContent(
  client: Client,
  {
    results,
    workflowId,
    stored,
  }: {
    readonly results: ClientResults | undefined;
    readonly workflowId: string;
    readonly stored: Stored;
  },
): Promise<Uint8Array> {
  if (results === undefined)
    throw new LonghaulError(
      'InvalidInput',
      'this client has no result store: connect with connect({ results })',
    );
  let lost = '';
  for (let id: string | undefined = workflowId; id !== undefined; id = await parentOf(client, id)) {
    const read = await results.store.read(scopeOf(results.namespace, id), stored);
    if (read.bytes !== undefined) return read.bytes;
    lost = read.lost;
  }
  const details = { digest: stored.digest };
  throw new LonghaulError(
    'StoreError',
    `the content ${stored.digest} of run '${workflowId}' cannot be read: ${lost}`,
    { details },
  );
}

/** The content of a tree belongs to its root run, or to the thread above that. */
async function parentOf(client: Client, workflowId: string): Promise<string | undefined> {
  const execution = await describeIfThere(client, { workflowId });
  return execution?.parentExecution?.workflowId ?? undefined;
}

/**
 * Prepares an input. It keeps nothing yet, so that the caller can check the start first. A wrong input stays as it is. Throws
 * `PayloadTooLarge`.
 */
export function sentInput(given: UserInput, results: ClientResults | undefined): SentInput {
  const isWrong = inputProblem(given, { mayBeEmpty: false }) !== undefined;
  if (results === undefined || isWrong) return { input: given };
  const contents: Uint8Array[] = [];
  const take = (bytes: Uint8Array): Stored => {
    contents.push(bytes);
    return { digest: sha256Of(bytes), bytes: bytes.byteLength };
  };
  const parts = typeof given === 'string' ? [{ type: 'text' as const, text: given }] : given;
  const sent = parts.map((part, index) => sentPart(part, index, take));
  if (contents.length === 0) return { input: given };
  checkSize(
    'input',
    contents.reduce((sum, { byteLength }) => sum + byteLength, 0),
    limits.wholeInput,
  );
  const upload = async (workflowId: string): Promise<void> => {
    const scope = scopeOf(results.namespace, workflowId);
    await atOnce(uploadsAtOnce, contents, async (bytes) => {
      await results.store.keep(scope, bytes);
    });
  };
  return { input: sent, upload };
}

type Part = TextPart | MediaPart;

function sentPart(part: Part, index: number, take: (bytes: Uint8Array) => Stored): Part {
  const bytes = bytesOf(part);
  if (bytes === undefined) return part;
  checkSize(`input[${index}]`, bytes.byteLength, limits.inputPart);
  const stored = take(bytes);
  return part.type === 'text'
    ? { ...part, text: storedHead(part.text, stored), stored }
    : { ...part, source: { kind: 'stored', ...stored } };
}

/** Undefined for a part that is small, or is not in the input itself. */
function bytesOf(part: Part): Uint8Array | undefined {
  if (part.type === 'text') {
    const isLong = part.stored === undefined && Buffer.byteLength(part.text) > limits.storedText;
    return isLong ? Buffer.from(part.text) : undefined;
  }
  return largeMedia(part.source);
}

function checkSize(name: string, bytes: number, limit: number): void {
  if (bytes <= limit) return;
  throw new LonghaulError('PayloadTooLarge', `${name} has ${bytes} bytes; the limit is ${limit}`);
}
