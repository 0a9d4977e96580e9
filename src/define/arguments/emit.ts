export { isStandardSchema, type StandardSchema, type OutputOf } from '../../spec/standard-schema';
export { parseInputSchema } from '../../spec/tool-input-schema';
export { parseSchemaOption } from '../../spec/schema-option';
