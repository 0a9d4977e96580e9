// JSON Schemas of tools and outputs, in the forms in which users give them.
export { isStandardSchema, parseSchemaOption, type StandardSchema } from './emit';
