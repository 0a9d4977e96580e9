// A codec that adds a third to every payload: what comes near each limit still travels.

import { randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { defineAgent, defineTool, parallel } from '../../src';
import { connect, type Longhaul } from '../../src/client';
import { limits } from '../../src/protocol/limits';
import { fetchHistories } from '../../src/testing/history';
import { scriptedModel } from '../../src/testing/scripted-model';
import { devServerAddress } from '../servers';
import { openHarness, type Harness } from './harness';

const encoding = new TextEncoder().encode('binary/encrypted');

/** Base64, which is what a codec that adds a third comes to. */
const growing: PayloadCodec = {
  encode: (payloads) =>
    Promise.resolve(
      payloads.map(({ metadata, data }) => ({
        metadata: { encoding },
        data: Buffer.from(serialize({ metadata, data }).toString('base64')),
      })),
    ),
  decode: (payloads) =>
    Promise.resolve(
      payloads.map(
        ({ data }) =>
          deserialize(Buffer.from(Buffer.from(data ?? []).toString(), 'base64')) as Payload,
      ),
    ),
};

/** Text that does not deflate, a little shorter than a limit: names and braces go around it. */
const near = (limit: number): string =>
  randomBytes(limit)
    .toString('base64')
    .slice(0, limit - 512);

describe('with a codec that adds a third', () => {
  let harness: Harness;
  let longhaul: Longhaul;

  beforeAll(async () => {
    harness = await openHarness();
    const { taskQueue } = harness;
    longhaul = await connect({ address: devServerAddress(), taskQueue, encryption: growing });
  });
  afterAll(async () => {
    await longhaul.close();
    await harness.close();
  });

  it('a run near every limit continues as new, asks, is answered and gives its result', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks',
      inputSchema: { type: 'object' },
      maxResultBytes: limits.toolResultStored,
      execute: () => near(limits.toolResultStored),
    });
    const question = near(limits.question);
    const written = near(limits.modelTurn);
    const args = { text: near(limits.toolArguments) };
    const scripted = scriptedModel([
      { toolCalls: Array.from({ length: 10 }, () => ({ name: 'look', args: {} })) },
      { toolCalls: [{ name: 'look', args }] },
      { toolCalls: [{ name: 'ask_user', args: { question } }] },
      written,
    ]);
    // Whichever branch calls first, both write as much.
    const writers = scriptedModel([written, written]);
    const helper = defineAgent({
      id: 'helper',
      model: 'scripted/one',
      tools: [look],
      askUser: 'tool',
    });
    const writer = defineAgent({ id: 'writer', model: 'writers/one' });
    const both = parallel({ id: 'both', branches: [writer, writer] });
    await harness.worker({
      runners: [helper, both],
      providers: { scripted, writers },
      encryption: growing,
    });

    const run = await longhaul.startSpec(helper, near(limits.input), {
      session: { notes: near(limits.session) },
      context: { about: near(limits.context) },
    });
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input', question });

    await run.resume(near(limits.answer));
    const { finalResponse } = await run.result();
    expect(written.startsWith(finalResponse.text.slice(0, 900_000))).toBe(true);
    expect((await fetchHistories(longhaul, run.workflowId)).length).toBeGreaterThan(1);

    const { combinedText = '' } = await (await longhaul.startSpec(both, 'Write.')).result();
    const texts = JSON.parse(combinedText) as readonly string[];
    expect(texts.map((text) => text.slice(0, 200_000))).toEqual(
      [0, 1].map(() => written.slice(0, 200_000)),
    );
  });
});
