// The door of this room.

export * from './activities';
export * from './agent-run';
export * from './cancel-hint';
export * from './encryption';
export * from './errors';
export * from './limits';
export * from './live';
export * from './log';
export * from './media';
export * from './message';
export * from './names';
export * from './peers';
export * from './people';
export * from './provider-keys';
export * from './retrying';
export * from './run';
export * from './session';
export * from './shapes';
export * from './spec';
export * from './thread';
export * from './trace';
