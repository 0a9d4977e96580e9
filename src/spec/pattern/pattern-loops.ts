/** For each state the number of the loop (strongly connected component with an edge in it) it is part of; undefined outside of loops. Tarjan. */
export function loopsOf(edges: readonly ReadonlySet<number>[]): (number | undefined)[] {
  const search = new LoopSearch(edges);
  edges.forEach((_, state) => search.visit(state));
  return search.loops;
}

class LoopSearch {
  readonly loops: (number | undefined)[];
  readonly #edges: readonly ReadonlySet<number>[];
  readonly #order = new Map<number, number>();
  readonly #lowest = new Map<number, number>();
  readonly #stack: number[] = [];
  readonly #onStack = new Set<number>();

  constructor(edges: readonly ReadonlySet<number>[]) {
    this.#edges = edges;
    this.loops = edges.map(() => undefined);
  }

  visit(state: number): void {
    if (this.#order.has(state)) return;
    const order = this.#order.size;
    this.#order.set(state, order);
    this.#lowest.set(state, order);
    this.#stack.push(state);
    this.#onStack.add(state);
    for (const next of this.#edges[state] ?? []) this.#follow(state, next);
    if (this.#lowest.get(state) === order) this.#close(state);
  }

  #follow(state: number, next: number): void {
    const isNew = !this.#order.has(next);
    if (isNew) this.visit(next);
    else if (!this.#onStack.has(next)) return;
    const reached = (isNew ? this.#lowest : this.#order).get(next) ?? 0;
    this.#lowest.set(state, Math.min(this.#lowest.get(state) ?? 0, reached));
  }

  #close(root: number): void {
    const members: number[] = [];
    for (let state = this.#stack.pop(); state !== undefined; state = this.#stack.pop()) {
      this.#onStack.delete(state);
      members.push(state);
      if (state === root) break;
    }
    const isLoop = members.length > 1 || this.#edges[root]?.has(root) === true;
    if (isLoop) members.forEach((state) => (this.loops[state] = root));
  }
}
