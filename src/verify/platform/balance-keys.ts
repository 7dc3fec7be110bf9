// For src/ledger/balances/balance-keys.ts, whose cache would cost more than a single proof gains.
export { balanceKeyHashes as balanceKeys } from "../../ledger/balances/balance-key-hashes.ts";
