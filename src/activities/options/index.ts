// The types that the options of a worker name. They need no optional package, so that the types of `longhaul/worker` need none.
export type { WorkerLogger } from '../call-log';
export type { InlineSpecInfo, InlineSpecs } from '../definition/inline-spec';
export type { CheckSignature, OnPause } from '../people/hooks';
