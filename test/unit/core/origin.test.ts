// Pure: no server.
import fc from 'fast-check';
import { idempotencyKey } from '../../../src/activities/tool/run-call';
import { callerOrigin, originBelow, rootOrigin, type ExecutionIds } from '../../../src/core/origin';

const execution: ExecutionIds = {
  workflowId: 'boss-1',
  firstExecutionRunId: 'first',
  originalExecutionRunId: 'original',
};

type Call = {
  readonly root: string;
  readonly first: string;
  readonly places: readonly string[];
  readonly turn: number;
  readonly index: number;
  readonly tool: string;
  readonly args: Record<string, string>;
};

/** Few texts, of which many put together look alike. */
const text = fc.constantFrom('a', 'b', 'a.1', 'a.1.0', '1', '"', '","', '\\', '\n', '', 'é');
const calls: fc.Arbitrary<Call> = fc.record({
  root: text,
  first: text,
  places: fc.array(text, { maxLength: 4 }),
  turn: fc.nat(2),
  index: fc.nat(12),
  tool: fc.constantFrom('a', 'a1', '1'),
  args: fc.dictionary(fc.constantFrom('x', 'y'), text),
});

function keyOf({ root, first, places, turn, index, tool, args }: Call): string {
  const top = rootOrigin({ ...execution, workflowId: root, firstExecutionRunId: first });
  return idempotencyKey({ origin: originBelow(top, ...places), turn, index, tool }, args);
}

/** As a value, whatever order its keys came in. */
const identity = ({ args, ...call }: Call): string =>
  JSON.stringify([call, Object.entries(args).sort()]);

describe('idempotency keys', () => {
  it('are the same exactly where the call is', () => {
    fc.assert(
      fc.property(fc.array(calls, { minLength: 2, maxLength: 40 }), (made) => {
        const identities = new Set(made.map(identity));
        expect(new Set(made.map(keyOf)).size).toBe(identities.size);
        expect(made.map(keyOf)).toEqual(made.map((call) => keyOf(structuredClone(call))));
      }),
      { numRuns: 300 },
    );
  });

  it('do not depend on the execution that a reset began', () => {
    const after = { ...execution, originalExecutionRunId: 'another' };
    expect(rootOrigin(after)).toBe(rootOrigin(execution));
  });

  it('are others for each execution of a cron schedule, and of a workflow of the own', () => {
    const next = { ...execution, originalExecutionRunId: 'next' };
    const [cronSchedule, one, two] = ['@daily', execution, next];
    expect(rootOrigin({ ...one, cronSchedule })).not.toBe(rootOrigin({ ...two, cronSchedule }));
    expect(callerOrigin(one)).not.toBe(callerOrigin(two));
  });
});
