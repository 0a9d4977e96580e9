// Fits the reply of a run into little room. Pure.
//
// 1. If the text repeats the value, it drops the value before it cuts the text.
// 2. It cannot cut a value. It keeps the value if that leaves the text some room. Otherwise it drops the value.

import type { Json } from '../../base';
import { cutText, fairShare, jsonBytes, sizeInJson } from './fit-texts';
import { sameJson } from '../session';

export type FinalReply = { readonly text: string; readonly structured?: Json };

/** Room for a sentence or two. */
const leastText = 400;

export function fitReply<Fitted extends FinalReply>(reply: Fitted, maxBytes: number): Fitted {
  if (jsonBytes(reply) <= maxBytes) return reply;
  const { structured: _structured, ...bare } = reply;
  const plain = bare as Fitted;
  if (repeatsText(reply) && jsonBytes(plain) <= maxBytes) return plain;
  const withValue = { ...reply, text: '' };
  const kept = jsonBytes(withValue) + leastText <= maxBytes ? reply : plain;
  const room = maxBytes - jsonBytes({ ...kept, text: '' });
  return { ...kept, text: cutText(reply.text, room, sizeInJson) };
}

/** Fits all replies into `maxBytes`, in their order, like `fitTexts`. */
export function fitReplies<Fitted extends FinalReply>(
  replies: readonly Fitted[],
  maxBytes: number,
): readonly Fitted[] {
  const share = fairShare(replies.map(jsonBytes), maxBytes);
  return replies.map((reply) => fitReply(reply, share));
}

export function repeatsText({ text, structured }: FinalReply): boolean {
  if (structured === undefined) return false;
  try {
    return sameJson(JSON.parse(text) as Json, structured);
  } catch {
    return false;
  }
}
