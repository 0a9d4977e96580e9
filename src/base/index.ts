// The door of this room.

export * from './call-ids';
export * from './causes';
export * from './check-shape';
export * from './digest';
export * from './duration';
export * from './grpc-status';
export * from './json';
export * from './problem';
export * from './retry';
export * from './sha256';
export * from './text';
