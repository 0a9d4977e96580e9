import { isJsonObject, type JsonObject } from '../../../base/json';
import type { AssistantPart, Origin, ToolCallPart } from '../../../protocol/message';
import { differenceOf, seal } from '../../seal';
import { checkToolArguments } from '../../tool-arguments';
import { argumentsSeal } from '../call-arguments';
import { fromMessageItem } from './responses-message';
import { fromReasoningItem } from './responses-reasoning';

/** Output items as parts, in order; the sealed data of each gives its item back. `firstCall` numbers calls without an id. */
export function fromResponsesOutput(
  output: readonly unknown[],
  origin: Origin,
  firstCall: number,
): AssistantPart[] {
  let call = firstCall;
  return output.filter(isItem).flatMap((item): AssistantPart[] => {
    switch (item['type']) {
      case 'message':
        return fromMessageItem(item, origin);
      case 'reasoning':
        return [fromReasoningItem(item, origin)];
      case 'function_call':
        return [fromFunctionCall(item, origin, `call_${call++}`)];
      default:
        return [{ type: 'opaque', label: labelOf(item), sealed: seal(origin, item) }];
    }
  });
}

/** What a function call says without its id: also what a call of another provider becomes. */
export function functionCallItem(
  call: Pick<ToolCallPart, 'callId' | 'name'>,
  argumentsText: string,
): JsonObject {
  return {
    type: 'function_call',
    call_id: call.callId,
    name: call.name,
    arguments: argumentsText,
    status: 'completed',
  };
}

function fromFunctionCall(item: JsonObject, origin: Origin, fallbackId: string): ToolCallPart {
  const { arguments: given, call_id: givenId, name: givenName } = item;
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  const parsed = checkToolArguments(text);
  const callId = typeof givenId === 'string' && givenId !== '' ? givenId : fallbackId;
  const name = typeof givenName === 'string' ? givenName : '';
  const projection = functionCallItem({ callId, name }, text);
  const difference = differenceOf({ ...item, call_id: callId, arguments: text }, projection);
  const data = { ...difference, ...argumentsSeal(text, parsed) };
  return { type: 'tool_call', callId, name, ...parsed, sealed: seal(origin, data) };
}

function isItem(value: unknown): value is JsonObject {
  return isJsonObject(value);
}

function labelOf(item: JsonObject): string {
  return typeof item['type'] === 'string' ? item['type'] : 'item';
}
