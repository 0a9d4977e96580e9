/** What each task of a graph depends on, by id. */
export type TaskLinks = ReadonlyMap<string, readonly string[]>;

/** All that a task depends on, through others, too. */
export function dependenciesOf(id: string, links: TaskLinks): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [...(links.get(id) ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    waiting.push(...(links.get(next) ?? []));
  }
  return reached;
}

/** Tasks that wait for each other, from one back to itself: each depends on the next. */
export function circleOf(links: TaskLinks): readonly string[] | undefined {
  const sound = new Set<string>();
  for (const id of links.keys()) {
    const circle = circleFrom(id, { links, sound, path: [] });
    if (circle !== undefined) return circle;
  }
  return undefined;
}

type Search = {
  readonly links: TaskLinks;
  /** Tasks that no circle leads through. */
  readonly sound: Set<string>;
  readonly path: string[];
};

function circleFrom(id: string, search: Search): readonly string[] | undefined {
  const { links, sound, path } = search;
  if (sound.has(id)) return undefined;
  if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
  path.push(id);
  for (const dependency of links.get(id) ?? []) {
    const circle = circleFrom(dependency, search);
    if (circle !== undefined) return circle;
  }
  path.pop();
  sound.add(id);
  return undefined;
}
