/**
 * Ids of tool calls in one request. Providers refuse repeated ids, but models and gateways write them. A result gets the id of its call
 * in the turn before it. If two calls have the same id, the first result belongs to the first call.
 */
export class CallIds {
  readonly #used = new Set<string>();
  #turn: { readonly callId: string; readonly id: string }[] = [];

  startTurn(): void {
    this.#turn = [];
  }

  /** `wanted` if it is free, otherwise with a number. */
  unused(callId: string, wanted = callId): string {
    let id = wanted;
    for (let copy = 2; this.#used.has(id); copy += 1) id = `${wanted}_${copy}`;
    return this.asIs(callId, id);
  }

  asIs(callId: string, id = callId): string {
    this.#used.add(id);
    this.#turn.push({ callId, id });
    return id;
  }

  result(callId: string): string {
    const index = this.#turn.findIndex((call) => call.callId === callId);
    const [call] = index === -1 ? [] : this.#turn.splice(index, 1);
    return call?.id ?? callId;
  }
}
