/**
 * Ids of calls in one request. This API's own go back as they came; those of other providers get only the characters the
 * API takes, and none that was there before: it refuses both. A result gets the id of its call, of the turn right before it.
 */
export class ToolUseIds {
  readonly #used = new Set<string>();
  #turn: { readonly callId: string; readonly id: string }[] = [];

  startTurn(): void {
    this.#turn = [];
  }

  own(callId: string): string {
    return this.#add(callId, callId);
  }

  foreign(callId: string): string {
    const wanted = callId.replace(/[^A-Za-z0-9_-]/g, '_') || 'call';
    let id = wanted;
    for (let copy = 2; this.#used.has(id); copy += 1) id = `${wanted}_${copy}`;
    return this.#add(callId, id);
  }

  result(callId: string): string {
    const index = this.#turn.findIndex((call) => call.callId === callId);
    const [call] = index === -1 ? [] : this.#turn.splice(index, 1);
    return call?.id ?? callId;
  }

  #add(callId: string, id: string): string {
    this.#used.add(id);
    this.#turn.push({ callId, id });
    return id;
  }
}
