// The streaming half of a turn, for the activities that read streams.
export { StreamedTurnAssembler } from './streamed-turn-assembler';
export { type StreamedInvalidToolCall, type StreamEvent, toCallPart } from './streamed-turn';
