// Open inputs as one message carries them. Pure.
//
// 1. What is left out is read elsewhere: calls and whole questions in the log of the run that asked, inputs beyond the last in the list
//    that is told when one of it was answered.
// 2. A list that fits travels as it is.

import { clipText, utf8Length } from '../../base/text';
import { withinBytes } from '../../core/machine/questions';
import { limits } from '../../protocol/limits';
import type { PendingInput } from '../../protocol/run';

/** Below this, what is left of a question says nothing. */
const shortestQuestion = 128;

/** Within `most` bytes of JSON: without the calls, then with questions cut shorter, then without the last ones. */
export function inputsThatTravel(
  inputs: readonly PendingInput[],
  most: number = limits.replies,
): readonly PendingInput[] {
  if (countWithin(inputs, most) === inputs.length) return inputs;
  const bare = inputs.map(({ call: _call, ...input }): PendingInput => input);
  for (let bytes: number = limits.question; bytes >= shortestQuestion; bytes /= 4) {
    const cut = bare.map((input) => shortened(input, bytes));
    if (countWithin(cut, most) === cut.length) return cut;
  }
  const shortest = bare.map((input) => shortened(input, shortestQuestion));
  return shortest.slice(0, countWithin(shortest, most));
}

function shortened(input: PendingInput, bytes: number): PendingInput {
  const { question, options } = input;
  return {
    ...input,
    question: clipText(question, bytes),
    ...(options && { options: withinBytes(options, bytes) }),
  };
}

/** How many of the first ones fit. Measured one by one: all of them together may be more than a string can be. */
function countWithin(inputs: readonly PendingInput[], most: number): number {
  let bytes = 2;
  for (const [index, input] of inputs.entries()) {
    bytes += utf8Length(JSON.stringify(input)) + 1;
    if (bytes > most) return index;
  }
  return inputs.length;
}
