// Pure: no server.
import { limits } from '../../../../src/protocol/limits';
import { approveInput, rejectInput } from '../../../../src/workflows/run/answer-input';
import { thrown } from '../../core/builders';

describe('an answer to an approval', () => {
  const long = (bytes: number): string => 'x'.repeat(bytes + 1);

  it.each([
    {
      what: 'arguments',
      read: () => approveInput({ inputId: 'a', args: { text: long(limits.toolArguments) } }),
    },
    {
      what: 'a reason',
      read: () => rejectInput({ inputId: 'a', reason: long(limits.answer) }),
    },
  ])('is refused for $what too long to be kept', ({ read }) => {
    expect(thrown(read)).toMatchObject({
      code: 'InvalidAnswer',
      message: expect.stringMatching(/has \d+ bytes; at most \d+ are taken/),
    });
  });

  it('is taken as it is otherwise', () => {
    expect([
      approveInput({ inputId: 'a', args: { text: 'x' } }),
      approveInput({ inputId: 'a', args: null }),
      rejectInput({ inputId: 'a', reason: 'no' }),
    ]).toEqual([
      { inputId: 'a', args: { text: 'x' } },
      { inputId: 'a' },
      { inputId: 'a', reason: 'no' },
    ]);
  });
});
