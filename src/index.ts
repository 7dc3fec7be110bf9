// The public interface of the package.
export { CodedError, ConfigError } from "./base/errors.ts";
export type { Logger } from "./base/log.ts";
export type {
  HistoryEnd,
  HistoryOptions,
  MinVersionOptions,
  ProveOptions,
  ReadOptions,
  TableItemsOptions,
  WatchOptions,
} from "./http/calls/options.ts";
export type { ModuleAnswer } from "./http/operations/account-modules.ts";
export type { ResourceAnswer } from "./http/operations/account-resources.ts";
export type { BlockAnswer, BlockQuery } from "./http/operations/blocks.ts";
export type { AccountAnswer } from "./http/operations/get-account.ts";
export type { BalanceDetailAnswer } from "./http/operations/get-balance.ts";
export type { HoldingAnswer } from "./http/operations/get-holdings.ts";
export type { TableItemQuery } from "./http/operations/get-table-item.ts";
export type { WaitOptions } from "./http/operations/get-transaction.ts";
export type { BatchAnswer } from "./http/operations/shared/batch-operation.ts";
export type { RecordAnswer, RecordBatch, RecordsOptions } from "./http/operations/shared/record-operation.ts";
export type {
  TraceAnswer,
  TracedCall,
  TracedItem,
  TracedValue,
} from "./http/operations/trace-transaction.ts";
export type { PageOptions, TransactionAnswer } from "./http/operations/transaction-pages.ts";
export type { ViewQuery } from "./http/operations/view.ts";
export type { FilterOptions } from "./http/schemas/record-filter.ts";
export type { BalanceChange } from "./ledger/balances/balance-history.ts";
export type { GasPrices } from "./ledger/gas-price.ts";
export type { TableRow } from "./ledger/items/owned-items.ts";
export type { BalanceEvent } from "./ledger/watch/watched-balance.ts";
export type { BlockEvent } from "./ledger/watch/watched-blocks.ts";
export type { ImpersonatedCall, ImpersonatedResult } from "./node/api/impersonation.ts";
export type { NodeInfo, TrustRange, UpstreamInfo } from "./node/api/node-info.ts";
export type { LedgerInfo } from "./node/api/reader.ts";
export type { Node, SdkConfig } from "./node/api/running-node.ts";
export type {
  Authored,
  ChainAuthoring,
  ChainSnapshot,
  Published,
  TableTypes,
} from "./node/api/test-authors.ts";
export { createNode } from "./node/create-node.ts";
export type { FollowOptions } from "./node/options/follow-options.ts";
export type { HttpOptions } from "./node/options/http-options.ts";
export type { ForkOptions, LocalChainOptions } from "./node/options/local-chain-options.ts";
export type { AccountOptions, NodeOptions } from "./node/options/node-options.ts";
export type { StoreOptions } from "./node/store-engines.ts";
export type { SimulationResult } from "./node/submissions/simulation.ts";
export { type GenesisReport, verifyGenesis } from "./node/tools/genesis-report.ts";
export type { Explanation } from "./transaction/explain/explanation.ts";
