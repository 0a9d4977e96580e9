import { isJsonObject, type Json, type JsonObject } from '../../../base/json';
import type { Origin, ReasoningPart } from '../../../protocol/message';
import { differenceOf, seal, withDifference } from '../../seal';

const separator = '\n\n';

/** Where a part's text stands in its item: in pieces of these lengths. By default one summary, or none if it is empty. */
type Split = { readonly field: 'summary' | 'content'; readonly lengths: readonly Json[] };

/** Reasoning whose text is shown once and whose other fields, the encrypted content above all, go back untouched. */
export function fromReasoningItem(item: JsonObject, origin: Origin): ReasoningPart {
  const summary = pieces(item['summary']);
  const content = pieces(item['content']);
  const field = summary.length === 0 && content.length > 0 ? 'content' : 'summary';
  const texts = field === 'summary' ? summary : content;
  const text = texts.join(separator);
  const lengths = texts.map((piece) => piece.length);
  const isDefault = field === 'summary' && lengths.length === (text === '' ? 0 : 1);
  const difference = differenceOf(item, projection(text, { field, lengths }));
  const data = isDefault ? difference : { ...difference, [`$${field}`]: lengths };
  return { type: 'reasoning', text, sealed: seal(origin, data) };
}

export function toReasoningItem(part: ReasoningPart, sealed: JsonObject): JsonObject {
  const { $summary, $content, ...difference } = sealed;
  return withDifference(projection(part.text, splitOf(part.text, $summary, $content)), difference);
}

function splitOf(text: string, summary: Json | undefined, content: Json | undefined): Split {
  if (Array.isArray(content)) return { field: 'content', lengths: content };
  if (Array.isArray(summary)) return { field: 'summary', lengths: summary };
  return { field: 'summary', lengths: text === '' ? [] : [text.length] };
}

function projection(text: string, { field, lengths }: Split): JsonObject {
  let start = 0;
  const texts = lengths.map((length) => {
    const piece = text.slice(start, start + Number(length));
    start += piece.length + separator.length;
    return piece;
  });
  if (field === 'summary') {
    const summary = texts.map((piece) => ({ type: 'summary_text', text: piece }));
    return { type: 'reasoning', summary };
  }
  const content = texts.map((piece) => ({ type: 'reasoning_text', text: piece }));
  return { type: 'reasoning', summary: [], content };
}

function pieces(value: Json | undefined): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((piece) =>
    isJsonObject(piece) && typeof piece['text'] === 'string' ? [piece['text']] : [],
  );
}
