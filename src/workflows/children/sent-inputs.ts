// Keeps child inputs that are too long to send with a start. One copy for each child would fill the caller's history. Pure.
//
// 1. The caller keeps an input while a child that started with it is open. The child asks for it when it starts.
// 2. Children with the same input share a number, so a worker asks once for all of them.
// 3. Within one execution, a number never changes its input.

import { clipText, utf8Length } from '../../base';
import { type InputRef, limits, type RunInput } from '../../protocol';
import { inputText } from './child-start';

type Input = RunInput['input'];

type Sent = { readonly number: number; readonly input: Input };

export class SentInputs {
  readonly #caller: Omit<InputRef, 'number'>;
  readonly #byChild = new Map<string, Sent>();
  #count = 0;

  constructor({ workflowId, runId }: Omit<InputRef, 'number'>) {
    this.#caller = { workflowId, runId };
  }

  /** The fields that stand for the input in a child's start. */
  send(child: string, input: Input): Pick<RunInput, 'input' | 'inputFrom'> {
    const sent = this.#find((known) => known.input === input) ?? this.#keep(input);
    if (sent === undefined) return { input };
    this.#byChild.set(child, sent);
    return {
      input: clipText(inputText(input).trim(), limits.inputShown),
      inputFrom: { ...this.#caller, number: sent.number },
    };
  }

  get(number: number): Input | undefined {
    return this.#find((sent) => sent.number === number)?.input;
  }

  /** Call it when the child has closed, or will not start. */
  drop(child: string): void {
    this.#byChild.delete(child);
  }

  /** Inputs over the limit are sent anyway; the child rejects them. */
  #keep(input: Input): Sent | undefined {
    const bytes = utf8Length(JSON.stringify(input));
    if (bytes <= limits.inputInline || bytes > limits.input) return undefined;
    this.#count += 1;
    return { number: this.#count, input };
  }

  #find(isMeant: (sent: Sent) => boolean): Sent | undefined {
    for (const sent of this.#byChild.values()) if (isMeant(sent)) return sent;
    return undefined;
  }
}
