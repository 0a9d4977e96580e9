import { isJsonObject, type Json, type JsonObject } from '../../../base/json';
import type { ModelDelta } from '../../provider';
import { parseToolArguments } from '../../tool-arguments';
import type { ChatToolCall } from './from-chat-message';

type OpenCall = { index: number; id: string; name: string; arguments: string; fields: JsonObject };

/**
 * Puts streamed calls together. The API keys their pieces by `index`; compatible servers leave it out, or give whole calls
 * all the same one, so that a new id also starts a new call, and so does a name after a call that is whole where there is neither.
 */
export class ChatToolCalls {
  readonly #onDelta: (delta: ModelDelta) => void;
  readonly #calls: OpenCall[] = [];
  readonly #latest = new Map<number, OpenCall>();

  constructor(onDelta: (delta: ModelDelta) => void) {
    this.#onDelta = onDelta;
  }

  get list(): readonly ChatToolCall[] {
    return this.#calls.map(({ id, name, arguments: text, fields }) => ({
      id,
      name,
      arguments: text,
      fields,
    }));
  }

  add(piece: Json): void {
    if (!isJsonObject(piece)) return;
    const { index, id, type: _type, function: called, ...fields } = piece;
    const { name, arguments: given } = isJsonObject(called) ? called : {};
    const call = this.#callFor(index, typeof id === 'string' ? id : '', name);
    const isNew = call.name === '';
    if (typeof name === 'string' && isNew) call.name = name;
    const text = argumentsPiece(given);
    call.arguments += text;
    call.fields = { ...call.fields, ...fields };
    this.#onDelta({
      kind: 'tool-call',
      index: call.index,
      ...(isNew && call.id !== '' ? { callId: call.id } : {}),
      ...(isNew && call.name !== '' ? { name: call.name } : {}),
      ...(text === '' ? {} : { args: text }),
    });
  }

  #callFor(givenIndex: Json | undefined, id: string, name: Json | undefined): OpenCall {
    const last = this.#calls.at(-1);
    const isKeyed = typeof givenIndex === 'number';
    const key = isKeyed ? givenIndex : (last?.index ?? 0);
    const found = isKeyed ? this.#latest.get(key) : last;
    const goesOn = found !== undefined && (isKeyed || id !== '' || !startsAnother(found, name));
    if (goesOn && isIdOf(found, id)) {
      if (found.id === '') found.id = id;
      return found;
    }
    const call = { index: this.#calls.length, id, name: '', arguments: '', fields: {} };
    this.#calls.push(call);
    this.#latest.set(key, call);
    return call;
  }
}

function isIdOf(call: OpenCall, id: string): boolean {
  return id === '' || call.id === '' || call.id === id;
}

/** Of a piece with neither index nor id: one that names its function, after a call that is whole. */
function startsAnother(last: OpenCall, name: Json | undefined): boolean {
  if (typeof name !== 'string' || last.arguments === '') return false;
  return parseToolArguments(last.arguments).args !== null;
}

function argumentsPiece(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return isJsonObject(value) ? JSON.stringify(value) : '';
}
