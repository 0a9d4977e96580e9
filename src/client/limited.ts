/** Runs work as it is given, at most `atATime` of it at once. */
export type Limited = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function limited(atATime: number): Limited {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atATime) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
