/**
 * Ids of tool calls in one request. Providers refuse an id that stands there twice, and models and gateways write such. A result gets
 * the id of its call in the turn right before it; of two calls with one id, the first result is the first call's.
 */
export class CallIds {
  readonly #used = new Set<string>();
  #turn: { readonly callId: string; readonly id: string }[] = [];

  startTurn(): void {
    this.#turn = [];
  }

  /** `wanted` where it is free, else with a number. */
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
