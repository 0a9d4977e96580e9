// JSON Schemas of tools and outputs, and the check of values against them.
export { TookTooLong, withinTime } from './bounds';
export { compileSchema, tryCompileSchema } from './compile';
export { isStandardSchema, parseSchemaOption, type StandardSchema } from './emit';
export { loadPatternEngine } from './patterns';
