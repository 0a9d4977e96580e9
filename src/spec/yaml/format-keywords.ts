/** A keyword of our schemas of the format: values of potato-agent's files, each with ours. */
export const valuesKeyword = 'x-values';

/** A keyword of a union: the kind of an object that does not say one. */
export const defaultKindKeyword = 'x-default-kind';

/** A keyword of an object that may have any members. */
export const freeKeyword = 'x-free';
