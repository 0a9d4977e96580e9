// How busy the machine was with something else while a section ran. Only on Linux.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What the kernel counts in. */
const tickMs = 10;

type Cpu = {
  readonly time: number;
  readonly busy: number;
  readonly stolen: number;
  readonly own: number;
};

export type Noise = {
  /** Cores that others used. Our own process tree and those of `servers` do not count. */
  readonly others: number;
  /** Cores that the host of this virtual machine withheld. */
  readonly stolen: number;
};

/** Call it when the work starts; what it returns, when the work ends. `servers` are the process ids of servers on this machine. */
export function noiseSince(servers: readonly number[]): () => Noise | undefined {
  if (!existsSync('/proc/stat')) return () => undefined;
  const before = cpuOf(servers);
  return () => {
    const after = cpuOf(servers);
    const cores = (key: 'busy' | 'stolen' | 'own'): number =>
      (after[key] - before[key]) / (after.time - before.time);
    return { others: Math.max(0, cores('busy') - cores('own')), stolen: cores('stolen') };
  };
}

function cpuOf(servers: readonly number[]): Cpu {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const ticks = line.split(/\s+/).slice(1).map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = ticks;
  return {
    time: performance.now(),
    busy: (user + nice + system + irq + softIrq) * tickMs,
    stolen: stolen * tickMs,
    own: ticksOf([process.pid, ...servers]) * tickMs,
  };
}

type Process = { readonly id: number; readonly parent: number; readonly ticks: number };

/** Of these processes and all below them, with the children that have ended. */
function ticksOf(roots: readonly number[]): number {
  const processes = readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? readProcess(name) : [],
  );
  const below = (id: number): number =>
    processes
      .filter(({ parent }) => parent === id)
      .reduce((sum, child) => sum + child.ticks + below(child.id), 0);
  return processes
    .filter(({ id }) => roots.includes(id))
    .reduce((sum, { id, ticks }) => sum + ticks + below(id), 0);
}

function readProcess(name: string): readonly Process[] {
  try {
    // The name of the program stands in brackets and may contain blanks.
    const line = readFileSync(`/proc/${name}/stat`, 'utf8');
    const values = line
      .slice(line.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = values.slice(11, 15);
    const ticks = user + system + endedUser + endedSystem;
    return [{ id: Number(name), parent: values[1] ?? 0, ticks }];
  } catch {
    return [];
  }
}
