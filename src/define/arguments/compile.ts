export { compileSchema, tryCompileSchema, affordProblems } from '../../spec/compile-schema';
