// The public interface of the package.
export { CodedError, ConfigError } from "./base/errors.ts";
export type { Logger } from "./base/log.ts";
export {
  type BalanceChange,
  type BalanceDetailAnswer,
  type BalanceEvent,
  type BatchAnswer,
  type BlockEvent,
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
  type MinVersionOptions,
  type Node,
  type NodeOptions,
  type ReadOptions,
  type StoreOptions,
  type TableItemsOptions,
  type TableRow,
  verifyGenesis,
  type WatchOptions,
} from "./node.ts";
