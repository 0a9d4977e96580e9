// Types: checked by tsc. What a definition says of its runs reaches whoever starts them. Nothing is called.
import { z } from 'zod';
import { defineAgent, type Agent, type Json, type JsonObject, type TypesOf } from '../../../src';
import type {
  AgentRunOutcome,
  AgentRunResult,
  Longhaul,
  RunHandle,
  StartOptions,
} from '../../../src/client';
import type { TestEnvironment } from '../../../src/testing';
import type { executeRunner, startRunner } from '../../../src/workflows';

type Equal<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;

function expectType<Expected>() {
  return <Actual>(_value: Actual, _isEqual: Equal<Actual, Expected>): void => undefined;
}

declare const longhaul: Longhaul;
declare const test: TestEnvironment;
declare const inWorkflow: { start: typeof startRunner; execute: typeof executeRunner };

const model = 'openai/gpt-5-mini';
const plain = defineAgent({ id: 'plain', model });
const schema = z.object({ queue: z.enum(['bug', 'other']), urgent: z.boolean().default(false) });
const triage = defineAgent({ id: 'triage', model, output: { schema } });
type Cart = { items: string[] };
type User = { userId: string; team?: string | undefined };
const shop = defineAgent<{ session: Cart; context: User }>({ id: 'shop', model });

/** Only for its types. */
const uncalled = (check: () => Promise<void>): void => expect(typeof check).toBe('function');

describe('finalResponse.structured', () => {
  it('is what the output schema takes, before its defaults', () =>
    uncalled(async () => {
      const run = await longhaul.start(triage, 'It crashes');
      const { finalResponse } = await run.result();
      expectType<{ queue: 'bug' | 'other'; urgent?: boolean | undefined } | undefined>()(
        finalResponse.structured,
        true,
      );
      const outcome = await run.outcome();
      if (outcome.kind !== 'complete') return;
      // @ts-expect-error There is no such queue.
      void (outcome.result.finalResponse.structured?.queue === 'none');
    }));

  it('reaches the outcome in a test environment', () =>
    uncalled(async () => {
      const run = await longhaul.start(triage, 'It crashes');
      const outcome = await test.outcome(run);
      if (outcome.kind !== 'complete') return;
      expectType<{ queue: 'bug' | 'other'; urgent?: boolean | undefined } | undefined>()(
        outcome.result.finalResponse.structured,
        true,
      );
      const untyped: AgentRunOutcome = await test.outcome(await longhaul.start('triage', 'Hi'));
      void untyped;
    }));

  it('is JSON without a schema, or with a JSON Schema', () =>
    uncalled(async () => {
      const described = defineAgent({ id: 'a', model, output: { schema: { type: 'object' } } });
      for (const agent of [plain, described]) {
        const { finalResponse } = await (await longhaul.start(agent, 'Hello')).result();
        expectType<Json | undefined>()(finalResponse.structured, true);
      }
    }));

  it('is what is said of a run that is known by its id', () =>
    uncalled(async () => {
      const started = await longhaul.start<TypesOf<typeof triage>>('triage', 'It crashes');
      const found = longhaul.run<TypesOf<typeof triage>>(started.workflowId);
      for (const run of [started, found])
        expectType<'bug' | 'other' | undefined>()(
          (await run.result()).finalResponse.structured?.queue,
          true,
        );
    }));
});

describe('session and context', () => {
  it('are those of the definition', () =>
    uncalled(async () => {
      const run = await longhaul.start(shop, 'Hello', {
        session: { items: [] },
        context: { userId: 'ada' },
      });
      expectType<Cart>()((await run.result()).session, true);
      // @ts-expect-error Items are texts.
      await longhaul.start(shop, 'Hello', { session: { items: [1] } });
      // @ts-expect-error A user has an id.
      await longhaul.start(shop, 'Hello', { context: {} });
    }));

  it('are those of a conversation', () =>
    uncalled(async () => {
      const thread = longhaul.thread({ agent: shop, sessionId: 's', session: { items: [] } });
      const turn = await thread.send('Hello', { context: { userId: 'ada' } });
      expectType<Cart>()((await turn.result()).session, true);
      expectType<Cart>()(await thread.session(), true);
      // @ts-expect-error A user has an id.
      await thread.send('Hello', { context: {} });
    }));

  it('are those of a run that a workflow starts', () =>
    uncalled(async () => {
      const context = { userId: 'ada' };
      const run = await inWorkflow.start(shop, 'Hello', { session: { items: [] }, context });
      expectType<Cart>()((await run.result()).session, true);
      expectType<Cart>()((await run.handle.result()).session, true);
      const { finalResponse } = await inWorkflow.execute<TypesOf<typeof triage>>('triage', 'Hi');
      expectType<'bug' | 'other' | undefined>()(finalResponse.structured?.queue, true);
      // @ts-expect-error A user has an id.
      await inWorkflow.execute(shop, 'Hello', { context: {} });
    }));

  it('are JSON objects where nothing is said', () =>
    uncalled(async () => {
      const run = await longhaul.start('plain', 'Hello', { session: { a: 1 }, context: {} });
      expectType<RunHandle>()(run, true);
      expectType<JsonObject>()((await run.result()).session, true);
    }));
});

describe('typed definitions', () => {
  it('go wherever untyped ones do', () => {
    const agents: readonly Agent[] = [plain, triage, shop];
    const options: StartOptions = { session: {}, context: {} };
    const read = ({ finalResponse }: AgentRunResult): Json | undefined => finalResponse.structured;
    expect([agents.length, typeof options, typeof read]).toEqual([3, 'object', 'function']);
  });

  it('know their options', () => {
    // @ts-expect-error There is no such option.
    const define = () => defineAgent<{ session: Cart }>({ id: 'a', model, sesion: {} });
    expect(define).toThrow();
  });
});
