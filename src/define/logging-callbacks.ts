import { defineCallbacks, type CallbackContext } from './callbacks';

/** Writes a line to the worker's log for each model call, tool call and invalid call. Every worker knows it as `logging`. */
export const loggingCallbacks = defineCallbacks({
  name: 'logging',
  beforeModelCall: ({ log, messages, ...context }) => {
    log.info('model call', { ...placeOf(context), messages: messages.length });
  },
  afterModelCall: ({ log, response, ...context }) => {
    const { content, finishReason, usage } = response;
    const toolCalls = content.filter((part) => part.type === 'tool_call').length;
    log.info('model response', { ...placeOf(context), finishReason, toolCalls, usage });
  },
  beforeToolCall: ({ log, call, ...context }) => {
    log.info('tool call', { ...placeOf(context), tool: call.name, callId: call.callId });
  },
  afterToolCall: ({ log, call, result, ...context }) => {
    const { name: tool, callId } = call;
    log.info('tool result', { ...placeOf(context), tool, callId, isError: result.isError });
  },
  onInvalidToolCall: ({ log, call, reason, ...context }) => {
    log.warn('invalid tool call', { ...placeOf(context), tool: call.name, reason });
  },
});

/** It has no texts and no arguments, because logs are kept elsewhere and for longer. */
function placeOf({ path, turn, iteration }: Pick<CallbackContext, 'path' | 'turn' | 'iteration'>) {
  return { path, turn, iteration };
}
