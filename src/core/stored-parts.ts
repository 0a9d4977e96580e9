// Finds the contents of an input that are in a result store. Pure.

import type { MediaPart, Stored, TextPart, UserInput } from '../protocol/message';

export function storedOf(part: TextPart | Pick<MediaPart, 'type' | 'source'>): Stored | undefined {
  if (part.type === 'text') return part.stored;
  return part.source.kind === 'stored' ? part.source : undefined;
}

export function storedInInput(input: UserInput): readonly Stored[] {
  return typeof input === 'string' ? [] : input.flatMap((part) => storedOf(part) ?? []);
}
