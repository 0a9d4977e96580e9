// Where the steps of a pipeline stand in the paths of its runs. Pure.

/**
 * The runner's id for each step, with the step's number behind it where the id alone would not tell two steps apart. Numbered ones
 * never equal each other, so that this ends.
 */
export function stepElements(runners: readonly string[]): readonly string[] {
  let elements = runners;
  for (let shared = sharedOf(elements); shared.size > 0; shared = sharedOf(elements)) {
    const before = elements;
    elements = before.map((element, index) => {
      const runner = runners[index] ?? element;
      return shared.has(element) ? `${runner}-${index + 1}` : element;
    });
  }
  return elements;
}

function sharedOf(elements: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const element of elements) (seen.has(element) ? shared : seen).add(element);
  return shared;
}
