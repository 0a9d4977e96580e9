// The thread of watchdog.mts. Its clocks and timers are real.

import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import type { Watched } from './watchdog.mts';
import { bundlePath, withSourceLines } from './worker/source-lines.ts';

type Frame = {
  readonly functionName: string;
  readonly location: { scriptId: string; lineNumber: number; columnNumber: number };
};

type Message = { readonly method?: string; readonly params?: Record<string, unknown> };

const { steps, port, ms } = workerData as Watched;

/** A loop of promises is between two of them most of the time: it is stopped a few times. */
const stops = 20;
/** Code that waits takes no time of the process. It gets so many times as long, by the clock on the wall. */
const wallFactor = 30;
/** ms until the process ends even if the debugger says nothing. */
const longestSearch = 10_000;

function say(text: string): void {
  writeSync(2, `${text}\n`);
}

async function debuggerUrl(): Promise<string> {
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/json/list`);
      const [first] = (await response.json()) as { webSocketDebuggerUrl: string }[];
      if (first !== undefined) return first.webSocketDebuggerUrl;
    } catch {
      // It does not listen yet.
    }
    await pause(50);
  }
}

/** Where the code is, each place once. */
async function findPlaces(places: Set<string>): Promise<void> {
  process.kill(process.pid, 'SIGUSR1');
  const socket = new WebSocket(await debuggerUrl());
  const urls = new Map<string, string>();
  let id = 0;
  const send = (method: string): void => {
    id += 1;
    socket.send(JSON.stringify({ id, method }));
  };
  const placeOf = ({ functionName, location }: Frame): string => {
    const file = urls.get(location.scriptId) ?? '';
    return `  at ${functionName || 'a function'} (${file}:${location.lineNumber + 1}:${location.columnNumber + 1})`;
  };
  await new Promise<void>((resolve) => {
    let stopped = 0;
    socket.onopen = () => {
      send('Debugger.enable');
      send('Debugger.pause');
    };
    socket.onmessage = ({ data }) => {
      const { method, params = {} } = JSON.parse(String(data)) as Message;
      if (method === 'Debugger.scriptParsed')
        urls.set(String(params['scriptId']), String(params['url']));
      if (method !== 'Debugger.paused') return;
      const frames = (params['callFrames'] as Frame[]).map(placeOf);
      for (const place of frames) places.add(withSourceLines(place));
      stopped += 1;
      const isFound = frames.some((place) => place.includes(bundlePath));
      if (isFound || stopped === stops) resolve();
      else send('Debugger.stepInto');
    };
  });
}

/** Of the whole process, in ms. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

let before = { step: steps[0], cpu: cpuTime(), at: Date.now() };
while (cpuTime() - before.cpu < ms && Date.now() - before.at < ms * wallFactor) {
  await pause(200);
  if (steps[0] !== before.step) before = { step: steps[0], cpu: cpuTime(), at: Date.now() };
}

say(`the simulation hangs: nothing has happened for ${ms} ms of this process`);
const places = new Set<string>();
await Promise.race([findPlaces(places), pause(longestSearch)]);
say([...places].slice(0, 20).join('\n'));
say(`repeat it: npm run simulate -- --seed ${steps[1]} --rounds 1`);
process.kill(process.pid, 'SIGKILL');
