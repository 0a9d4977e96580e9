/**
 * Ids of calls in one request, with only the characters this API takes and none twice: it refuses both. Its own ids are so already
 * and go back as they came; those of other providers and of gateways need not be. A result gets the id of its call, of the turn
 * right before it.
 */
export class ToolUseIds {
  readonly #used = new Set<string>();
  #turn: { readonly callId: string; readonly id: string }[] = [];

  startTurn(): void {
    this.#turn = [];
  }

  call(callId: string): string {
    const wanted = callId.replace(/[^A-Za-z0-9_-]/g, '_') || 'call';
    let id = wanted;
    for (let copy = 2; this.#used.has(id); copy += 1) id = `${wanted}_${copy}`;
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
