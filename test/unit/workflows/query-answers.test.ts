// Pure: no server.

import { taskFailedHere } from '../../../src/core/stored-format';
import { closedRunHeader, taskComesFirst } from '../../../src/protocol/names';
import { interceptors } from '../../../src/workflows/query-answers';

type Internals = NonNullable<ReturnType<typeof interceptors>['internals']>[number];
type Conclude = NonNullable<Internals['concludeActivation']>;
type Activation = Parameters<NonNullable<Internals['activate']>>[0]['activation'];
type Commands = Parameters<Conclude>[0]['commands'];

function concluded(commands: Commands): Commands {
  const [{ concludeActivation = undefined } = {}] = interceptors().internals ?? [];
  return concludeActivation?.({ commands }, (input) => input).commands ?? [];
}

const answer = { respondToQuery: { queryId: 'q', succeeded: { response: {} } } };
const accepted = { updateResponse: { protocolInstanceId: 'outcome:2', accepted: {} } };

describe('the commands of an activation', () => {
  it.each([
    { name: 'answers to queries', commands: [answer, answer] },
    { name: 'what the run does', commands: [accepted] },
    { name: 'nothing', commands: [] },
  ])('stay as they are: $name', ({ commands }) => {
    expect(concluded(commands)).toEqual(commands);
  });

  it('are only failed answers, if those of a failed task are left', () => {
    expect(concluded([accepted, answer])).toEqual([
      { respondToQuery: { queryId: 'q', failed: { message: taskFailedHere } } },
    ]);
  });
});

/** What an activation brings to a run with so many events, when its last workflow task began at that second. */
function activation(job: 'signalWorkflow' | 'queryWorkflow', ...at: [number, number]): Activation {
  const [historyLength, second] = at;
  const timestamp = { seconds: second as never, nanos: 0 };
  const historySizeBytes = (100 * second) as never;
  return { jobs: [{ [job]: {} }], historyLength, historySizeBytes, timestamp, isReplaying: false };
}

/** Lets a run take these, and then asks it. */
function ask(taken: readonly Activation[], asked: Activation): void {
  const [{ activate = undefined } = {}] = interceptors().internals ?? [];
  for (const each of [...taken, asked])
    activate?.({ activation: each, batchIndex: 0 }, () => undefined);
}

describe('a query', () => {
  const begun = activation('signalWorkflow', 3, 1);

  it.each([
    { name: 'after a task', taken: [begun, activation('signalWorkflow', 7, 2)] },
    { name: 'after a task in two batches', taken: [begun, begun] },
    {
      name: 'after a replay of tasks that seem to be one',
      taken: [begun, { ...activation('signalWorkflow', 7, 1), isReplaying: true }],
    },
    {
      name: 'after the task that took what came first',
      taken: [begun, activation('signalWorkflow', 6, 1), activation('signalWorkflow', 9, 2)],
    },
  ])('is answered $name', ({ taken }) => {
    expect(() => ask(taken, activation('queryWorkflow', 9, 2))).not.toThrow();
  });

  it.each([
    { name: 'a signal', later: [activation('signalWorkflow', 6, 1)] },
    {
      name: 'a signal, and what came with it',
      later: [activation('signalWorkflow', 6, 1), activation('signalWorkflow', 6, 1)],
    },
  ])('fails if the run took $name ahead of its task', ({ later }) => {
    expect(() => ask([begun, ...later], activation('queryWorkflow', 6, 1))).toThrow(taskComesFirst);
  });

  it('is answered ahead of a task if the run is closed', () => {
    const asked = activation('queryWorkflow', 6, 1);
    const jobs = [{ queryWorkflow: { headers: { [closedRunHeader]: {} } } }];
    const taken = [begun, activation('signalWorkflow', 6, 1)];
    expect(() => ask(taken, { ...asked, jobs })).not.toThrow();
  });
});
