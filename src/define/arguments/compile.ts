export { tryCompileSchema } from '../../spec/compile-schema';
