// Pure: no server.
import { updateId } from '../../../src/client/answer-sender';

it('the update id is one of the answer and of its actor', () => {
  const said = ['approve', null];
  expect(updateId('n', said, 'ada')).toBe(updateId('n', said, 'ada'));
  const ids = [
    updateId('n', said),
    updateId('n', said, 'ada'),
    updateId('n', said, 'bob'),
    updateId('other', said, 'ada'),
    updateId('n', ['reject', 'no'], 'ada'),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});
