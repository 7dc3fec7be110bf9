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

export type LedgerHeader = (typeof LEDGER_HEADERS)[keyof typeof LEDGER_HEADERS] | typeof READ_VERSION;

/** The full name of a header under a brand. */
export function brandedHeader(brand: string, name: LedgerHeader): string {
  return `X-${brand}-${name}`;
}
