// Names of the headers that carry the ledger's position: `X-<brand>-<name>`, one for each member.

/** Header name of each member of a ledger position. */
export const LEDGER_HEADERS = {
  chainId: "CHAIN-ID",
  version: "LEDGER-VERSION",
  oldestVersion: "LEDGER-OLDEST-VERSION",
  timestampUsec: "LEDGER-TIMESTAMPUSEC",
  epoch: "EPOCH",
  blockHeight: "BLOCK-HEIGHT",
  oldestBlockHeight: "OLDEST-BLOCK-HEIGHT",
} as const;

/** The version at which a response was read. */
export const READ_VERSION = "READ-VERSION";
/** The time of that version's block, in microseconds, where a time was asked for. */
export const READ_TIMESTAMP = "READ-TIMESTAMPUSEC";
/** What the response rests on: the level of trust, such as `chained` or `agreed 2/3`. */
export const TRUST = "TRUST";
/** The network and the version that the ledger forks, such as `forked at 42 from https://…`; only on a fork. */
export const FORK = "FORK";
/** Where the next page begins; only while there is one. */
export const CURSOR = "CURSOR";

export type LedgerHeader =
  | (typeof LEDGER_HEADERS)[keyof typeof LEDGER_HEADERS]
  | typeof READ_VERSION
  | typeof READ_TIMESTAMP
  | typeof TRUST
  | typeof FORK
  | typeof CURSOR;

/** The full name of a header under a brand. */
export function brandedHeader(brand: string, name: LedgerHeader): string {
  return `X-${brand}-${name}`;
}
