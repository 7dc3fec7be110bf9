// The public interface of the package.
export { CodedError, ConfigError } from "./base/errors.ts";
export type { Logger } from "./base/log.ts";
export {
  type BalanceChange,
  type BalanceDetailAnswer,
  type BatchAnswer,
  createNode,
  type Explanation,
  type FollowOptions,
  type GenesisReport,
  type HistoryEnd,
  type HistoryOptions,
  type HoldingAnswer,
  type HttpOptions,
  type LedgerInfo,
  type LocalChainOptions,
  type Node,
  type NodeOptions,
  type ReadOptions,
  type StoreOptions,
  type TableItemsOptions,
  type TableRow,
  verifyGenesis,
} from "./node.ts";
