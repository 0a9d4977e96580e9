// What the attackers know together, and what they must be able to find again in the end.

import { maySee, type Person } from './people.mts';

/** A run, a turn or a thread, and whose it is. */
export type Thing = {
  readonly id: string;
  readonly kind: 'run' | 'turn' | 'thread';
  readonly agent: string;
  readonly owner: Person;
  readonly chat?: string;
};

export type InputKind = 'question' | 'approval' | 'tool' | 'budget';

/** An input that somebody saw open. */
export type SeenInput = {
  readonly thing: Thing;
  readonly inputId: string;
  readonly kind: InputKind;
  readonly digest?: string;
  readonly byToken?: true;
};

/** What an answer of 2xx said: it must be so in the end. */
export type Claim =
  | { readonly kind: 'started'; readonly workflowId: string; readonly by: Person }
  | {
      readonly kind: 'decided';
      readonly thing: Thing;
      readonly inputId: string;
      readonly verdicts: readonly string[];
      readonly by: Person;
    }
  | { readonly kind: 'ended'; readonly thing: Thing; readonly what: string }
  | { readonly kind: 'said'; readonly thing: Thing; readonly text: string }
  | {
      readonly kind: 'sent';
      readonly chat: Chat;
      readonly messageId: string;
      readonly text: string;
      readonly whenBusy: string;
      readonly times: Times;
    };

export type Chat = { readonly owner: Person; readonly agent: string; readonly name: string };

type Times = { readonly from: number; readonly to: number };

/** Something that takes texts of a chat away. */
export type Loss = Times & { readonly what: 'stop' | 'clear' | 'interrupt' | 'cancel' };

export class World {
  readonly #things = new Map<string, Thing>();
  readonly #inputs = new Map<string, SeenInput>();
  readonly #losses = new Map<string, Loss[]>();
  readonly #accepted = new Map<string, string>();
  readonly positions: string[] = [];
  readonly claims: Claim[] = [];
  readonly report: (wrong: string) => void;

  constructor(report: (wrong: string) => void) {
    this.report = report;
  }

  get things(): readonly Thing[] {
    return [...this.#things.values()];
  }

  thing(id: string): Thing | undefined {
    return this.#things.get(id);
  }

  addThing(thing: Thing): Thing {
    const known = this.#things.get(thing.id);
    if (known === undefined) this.#things.set(thing.id, thing);
    return known ?? thing;
  }

  /** Those that were seen last come first. */
  inputs(reader: Person, which: 'visible' | 'foreign'): readonly SeenInput[] {
    const isVisible = which === 'visible';
    return [...this.#inputs.values()]
      .filter(({ thing }) => maySee(reader, thing.owner) === isVisible)
      .toReversed();
  }

  addInput(input: SeenInput): void {
    this.#inputs.set(keyOf(input), input);
  }

  /** Two different answers must not both be taken. */
  accept(input: SeenInput, value: string, by: Person): void {
    const key = keyOf(input);
    const known = this.#accepted.get(key);
    if (known === undefined) this.#accepted.set(key, value);
    else if (known !== value)
      this.report(`two answers were taken for ${key}: ${known}, and ${value} of ${by.user}`);
  }

  lose({ owner, name }: Chat, loss: Loss): void {
    const key = `${owner.index}/${name}`;
    this.#losses.set(key, [...(this.#losses.get(key) ?? []), loss]);
  }

  losses({ owner, name }: Chat): readonly Loss[] {
    return this.#losses.get(`${owner.index}/${name}`) ?? [];
  }
}

/** A run names its own inputs shortly. An id with a suffix is the same wherever it is seen. */
function keyOf({ inputId, thing }: SeenInput): string {
  return inputId.includes('@') ? inputId : `${inputId} of ${thing.id}`;
}
