// For src/ledger/balance-keys.ts, whose cache would cost more than a single proof gains.
export { balanceKeyHashes as balanceKeys } from "../../ledger/balance-key-hashes.ts";
