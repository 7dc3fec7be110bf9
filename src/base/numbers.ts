// Numbers that the ledger's formats share.

/** Largest unsigned integer of 64 bits. */
export const U64_MAX = 0xffff_ffff_ffff_ffffn;

/** The ledger counts time in microseconds since 1970. */
export const USEC_PER_MS = 1000n;
export const USEC_PER_SEC = 1_000_000n;
