// Pure: no server.
import { answerText, checkAnswer } from '../../../../src/core/machine/answer';
import type { Json } from '../../../../src/base/json';
import { limits } from '../../../../src/protocol/limits';
import { thrown } from '../builders';

describe('an answer', () => {
  it.each<{ name: string; answer: Json; text: string }>([
    { name: 'a text as it is', answer: ' Paris ', text: ' Paris ' },
    { name: 'a number as JSON', answer: 0, text: '0' },
    { name: 'false as JSON', answer: false, text: 'false' },
    { name: 'an object as JSON', answer: { a: [1] }, text: '{"a":[1]}' },
    {
      name: 'a text just as long as it may be',
      answer: 'x'.repeat(limits.answer),
      text: 'x'.repeat(limits.answer),
    },
  ])('takes $name', ({ answer, text }) => {
    expect(() => checkAnswer(answer)).not.toThrow();
    expect(answerText(answer)).toBe(text);
  });

  it.each<{ name: string; answer: unknown; message: string }>([
    { name: 'nothing', answer: undefined, message: 'any other JSON value but null' },
    { name: 'null', answer: null, message: 'any other JSON value but null' },
    { name: 'an empty text', answer: '', message: 'the answer is empty' },
    { name: 'white space', answer: ' \n', message: 'the answer is empty' },
    { name: 'NaN', answer: { a: [Number.NaN] }, message: "the answer is not JSON at 'a[0]': " },
    { name: 'a Date', answer: { at: new Date(0) }, message: "the answer is not JSON at 'at': " },
    {
      name: 'a text a byte too long',
      answer: `${'x'.repeat(limits.answer - 1)}é`,
      message: `the answer has ${limits.answer + 1} bytes; at most ${limits.answer} are taken`,
    },
    {
      name: 'JSON that is too long',
      answer: ['x'.repeat(limits.answer)],
      message: `the answer has ${limits.answer + 4} bytes; `,
    },
    { name: '-0', answer: -0, message: 'the answer is not JSON: -0 is not JSON' },
    {
      name: 'half a character',
      answer: { text: 'cut \ud83d' },
      message: "the answer is not JSON at 'text': the text has half of a surrogate pair",
    },
  ])('refuses $name', ({ answer, message }) => {
    expect(thrown(() => checkAnswer(answer))).toMatchObject({
      code: 'InvalidAnswer',
      message: expect.stringContaining(message) as string,
    });
  });
});
