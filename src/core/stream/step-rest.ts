// Finds the events that are missing from a step that streamed, when the log has its turn. Pure.

import type { Json } from '../../base';
import { argumentsText } from '../machine/working-turn';
import { sameJson } from '../session';
import type { AssistantPart, ToolCallPart } from '../../protocol/message';
import type { LogHappening } from './events';
import { partEvents, type StreamedPart } from './streamed-step';

/** The events that complete the streamed parts to the `content` of the turn. Undefined if the streamed parts differ from it. */
export function restOf(
  turn: number,
  streamed: readonly StreamedPart[],
  content: readonly AssistantPart[],
): LogHappening[] | undefined {
  const rest = new StepRest(turn, streamed);
  return content.every((part) => rest.take(part)) && rest.isWhole ? rest.events : undefined;
}

/** Compares the streamed parts with the content, part by part. */
class StepRest {
  readonly events: LogHappening[] = [];
  readonly #turn: number;
  readonly #streamed: readonly StreamedPart[];
  #place = 0;
  /** How much of the streamed text at `#place` is used up. */
  #used = 0;
  #calls = 0;

  constructor(turn: number, streamed: readonly StreamedPart[]) {
    this.#turn = turn;
    this.#streamed = streamed;
  }

  /** True if all streamed parts are used up. */
  get isWhole(): boolean {
    return this.#place >= this.#streamed.length && this.#used === 0;
  }

  /** False if another part streamed. */
  take(part: AssistantPart): boolean {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return this.#takeText('text', part.text);
      case 'reasoning':
        return this.#takeText('reasoning', part.text);
      case 'tool_call':
        return this.#takeCall(part);
      case 'media':
      case 'opaque':
        return true;
    }
  }

  #takeText(type: 'text' | 'reasoning', text: string): boolean {
    if (text === '') return true;
    const streamed = this.#streamed[this.#place];
    if (streamed === undefined) return this.#tell({ type, text });
    if (streamed.type !== type) return false;
    if (streamed.text.startsWith(text, this.#used)) {
      this.#used += text.length;
      if (this.#used === streamed.text.length) this.#goOn();
      return true;
    }
    const said = streamed.text.length - this.#used;
    const isLast = this.#place === this.#streamed.length - 1;
    if (!isLast || !text.startsWith(streamed.text.slice(this.#used))) return false;
    this.events.push({ type, turn: this.#turn, part: this.#place, delta: text.slice(said) });
    this.#goOn();
    return true;
  }

  #takeCall(call: ToolCallPart): boolean {
    const [turn, part, index] = [this.#turn, this.#place, this.#calls];
    const { callId, name } = call;
    const streamed = this.#streamed[part];
    if (streamed === undefined) {
      this.#tell({ type: 'call', index, callId, name, text: argumentsText(call) });
    } else {
      const isSame =
        streamed.type === 'call' && streamed.index === index && streamed.callId === callId;
      if (!isSame || streamed.name !== name) return false;
      const delta = missingArguments(streamed.text, call);
      if (delta === undefined) return false;
      if (delta !== '') this.events.push({ type: 'call-delta', turn, part, index, callId, delta });
      this.#goOn();
    }
    this.#calls += 1;
    this.events.push({ type: 'call', turn, part, index, callId, call });
    return true;
  }

  /** Adds the events of a part that did not stream at all. */
  #tell(part: StreamedPart): true {
    this.events.push(...partEvents(this.#turn, this.#place, part));
    this.#goOn();
    return true;
  }

  #goOn(): void {
    this.#place += 1;
    this.#used = 0;
  }
}

/** The rest of the arguments. Undefined if other arguments streamed. Models write JSON in their own way, so equal values are enough. */
function missingArguments(streamed: string, call: ToolCallPart): string | undefined {
  const text = argumentsText(call);
  if (text.startsWith(streamed)) return text.slice(streamed.length);
  return call.args !== null && isTextOf(streamed, call.args) ? '' : undefined;
}

function isTextOf(text: string, value: Json): boolean {
  try {
    return sameJson(JSON.parse(text) as Json, value);
  } catch {
    return false;
  }
}
