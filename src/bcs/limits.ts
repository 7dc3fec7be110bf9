// Limits of BCS, for readers and writers.

/** Deepest nesting of containers. */
export const MAX_CONTAINER_DEPTH = 500;

/** Longest sequence or byte string: lengths stay below 2^31. */
export const MAX_SEQUENCE_LENGTH = 0x7fff_ffff;
