// Pure: no server.

import { taskFailedHere } from '../../../src/core/stored-format';
import { interceptors } from '../../../src/workflows/query-answers';

type Conclude = NonNullable<
  NonNullable<ReturnType<typeof interceptors>['internals']>[number]['concludeActivation']
>;
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
