import { isJsonObject, type Json, type JsonObject } from '../../protocol/json';
import type { Origin, ReasoningPart } from '../../protocol/message';
import { differenceOf, seal, withDifference } from '../seal';

const split = '$split';
const separator = '\n\n';

/** Where the text of a reasoning item stands, in pieces of these lengths; by default one summary, or none if empty. */
type Split = { readonly field: 'summary' | 'content'; readonly lengths: readonly number[] };

/** Reasoning whose text is shown once and whose other fields, the encrypted content above all, go back untouched. */
export function fromReasoningItem(item: JsonObject, origin: Origin): ReasoningPart {
  const summary = pieces(item['summary']);
  const field = summary.length === 0 && pieces(item['content']).length > 0 ? 'content' : 'summary';
  const texts = field === 'summary' ? summary : pieces(item['content']);
  const text = texts.join(separator);
  const lengths = texts.map((piece) => piece.length);
  const isDefault = field === 'summary' && lengths.length === (text === '' ? 0 : 1);
  const difference = differenceOf(item, projection(text, { field, lengths }));
  const data = isDefault ? difference : { ...difference, [split]: { field, lengths } };
  return { type: 'reasoning', text, sealed: seal(origin, data) };
}

export function toReasoningItem(part: ReasoningPart, sealed: JsonObject): JsonObject {
  const { [split]: kept, ...difference } = sealed;
  return withDifference(
    projection(part.text, isSplit(kept) ? kept : defaultSplit(part.text)),
    difference,
  );
}

function projection(text: string, { field, lengths }: Split): JsonObject {
  let start = 0;
  const texts = lengths.map((length) => {
    const piece = text.slice(start, start + length);
    start += length + separator.length;
    return piece;
  });
  if (field === 'summary') {
    return {
      type: 'reasoning',
      summary: texts.map((piece) => ({ type: 'summary_text', text: piece })),
    };
  }
  const content = texts.map((piece) => ({ type: 'reasoning_text', text: piece }));
  return { type: 'reasoning', summary: [], content };
}

function defaultSplit(text: string): Split {
  return { field: 'summary', lengths: text === '' ? [] : [text.length] };
}

function isSplit(value: Json | undefined): value is Split & JsonObject {
  return isJsonObject(value) && Array.isArray(value['lengths']);
}

function pieces(value: Json | undefined): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((piece) =>
    isJsonObject(piece) && typeof piece['text'] === 'string' ? [piece['text']] : [],
  );
}
