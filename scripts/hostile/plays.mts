// All plays, and how often each is played.

import type { Random } from '../torture/random.mts';
import type { Attacker } from './attacker.mts';
import { answer, answerEarly } from './acts/answers.mts';
import { bringTool, dearClientTools, poison } from './acts/bodies.mts';
import { fuzz, nobody } from './acts/fuzz.mts';
import { cancel, lists, look, say, start } from './acts/runs.mts';
import { stream } from './acts/streams.mts';
import { clear, message, stopAndSay } from './acts/threads.mts';
import { answerByWire, forgeEarly, leave, steer, talkAgUi, talkAiSdk } from './acts/wires.mts';

type Play = (one: Attacker) => Promise<void>;

const plays: Readonly<Record<string, { readonly play: Play; readonly weight: number }>> = {
  start: { play: start, weight: 8 },
  look: { play: look, weight: 8 },
  lists: { play: lists, weight: 4 },
  cancel: { play: cancel, weight: 4 },
  say: { play: say, weight: 5 },
  answer: { play: answer, weight: 16 },
  answerEarly: { play: answerEarly, weight: 2 },
  message: { play: message, weight: 5 },
  clear: { play: clear, weight: 2 },
  stopAndSay: { play: stopAndSay, weight: 3 },
  talkAgUi: { play: talkAgUi, weight: 3 },
  talkAiSdk: { play: talkAiSdk, weight: 3 },
  steer: { play: steer, weight: 4 },
  forgeEarly: { play: forgeEarly, weight: 4 },
  answerByWire: { play: answerByWire, weight: 6 },
  leave: { play: leave, weight: 2 },
  stream: { play: stream, weight: 6 },
  poison: { play: poison, weight: 10 },
  dearClientTools: { play: dearClientTools, weight: 3 },
  bringTool: { play: bringTool, weight: 3 },
  fuzz: { play: fuzz, weight: 10 },
  nobody: { play: nobody, weight: 2 },
};

const drawn = Object.entries(plays).flatMap(([name, { weight }]) =>
  Array.from({ length: weight }, () => name),
);

const names = Object.keys(plays);

/** The play that somebody begins with: those who begin first have all of them among themselves. */
export const firstPlay = (order: number): string => names[order % names.length] ?? 'look';

export const drawPlay = (random: Random): string => drawn[random.below(drawn.length)] ?? 'look';

export async function play(one: Attacker, name: string): Promise<void> {
  one.play = name;
  await plays[name]?.play(one);
}
