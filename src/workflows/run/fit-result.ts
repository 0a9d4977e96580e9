// A result within what may travel. Nothing that was paid for is refused at the end: what is too long is cut or left out, and a warning
// says where the rest is. Pure.
//
// 1. Left out in this order, and no more than needed: the content; a value that the text says, too; the tails of the texts of
//    `combinedText`; the tail of the text, or the value.
// 2. `combinedText` stays JSON of the same shape, and has half of the room at least.

import { fitReply, repeatsText } from '../../core/transcript/fit-reply';
import { fitTexts, jsonBytes, sizeInJsonText } from '../../core/transcript/fit-texts';
import type { PlanResult } from '../../core/orchestration/plan';

export type Room = {
  readonly maxBytes: number;
  /** Where the rest is: "read it from …". */
  readonly source: string;
};

type Step = <Result extends PlanResult>(result: Result, room: Room) => Result;

const steps: readonly Step[] = [withoutContent, withoutRepeat, withShorterTexts, withShorterReply];

export function fitResult<Result extends PlanResult>(result: Result, room: Room): Result {
  let fitted = result;
  for (const step of steps) {
    if (jsonBytes(fitted) <= room.maxBytes) break;
    fitted = step(fitted, room);
  }
  return fitted;
}

function withoutContent<Result extends PlanResult>(result: Result, { source }: Room): Result {
  if (result.finalResponse.content.length === 0) return result;
  const fitted = { ...result, finalResponse: { ...result.finalResponse, content: [] } };
  return warned(fitted, `finalResponse.content was left out for its size: ${source}`);
}

function withoutRepeat<Result extends PlanResult>(result: Result, { maxBytes }: Room): Result {
  const { structured: _structured, ...finalResponse } = result.finalResponse;
  const fitted = warned(
    { ...result, finalResponse },
    'finalResponse.structured was left out for its size: finalResponse.text is its JSON',
  );
  const { combinedText: _combined, ...alone } = fitted;
  return repeatsText(result.finalResponse) && jsonBytes(alone) <= maxBytes ? fitted : result;
}

function withShorterTexts<Result extends PlanResult>(result: Result, room: Room): Result {
  const { combinedText } = result;
  if (combinedText === undefined) return result;
  const fitted = warned(result, `texts of combinedText were cut for their size: ${room.source}`);
  const left = room.maxBytes - jsonBytes({ ...fitted, combinedText: '' });
  const shorter = fitCombined(combinedText, Math.max(left, Math.floor(room.maxBytes / 2)));
  return shorter === combinedText ? result : { ...fitted, combinedText: shorter };
}

function withShorterReply<Result extends PlanResult>(result: Result, room: Room): Result {
  const { finalResponse } = result;
  const fitted = warned(result, `finalResponse was cut for its size: ${room.source}`);
  const around = jsonBytes(fitted) - jsonBytes(finalResponse);
  return { ...fitted, finalResponse: fitReply(finalResponse, room.maxBytes - around) };
}

/** JSON of texts: a list, or an object by task. */
function fitCombined(combinedText: string, maxBytes: number): string {
  const texts = JSON.parse(combinedText) as Readonly<Record<string, string>> | readonly string[];
  const keys = Object.keys(texts);
  const withTexts = (all: readonly string[]): string =>
    JSON.stringify(
      Array.isArray(texts) ? all : Object.fromEntries(keys.map((key, at) => [key, all[at]])),
    );
  const empty = withTexts(keys.map(() => ''));
  const room = maxBytes - (jsonBytes(empty) - 2);
  return withTexts(fitTexts(Object.values(texts), room, sizeInJsonText));
}

function warned<Result extends PlanResult>(result: Result, warning: string): Result {
  return { ...result, warnings: [...(result.warnings ?? []), warning] };
}
