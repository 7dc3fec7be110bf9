// What commands, tests and programs may use of a node.
import { ConfigError, TryAgainError } from "./base/errors.ts";
import type { Route, RouteValues } from "./interface/route.ts";
import type { Metrics } from "./node/metrics.ts";
import type { MinVersionOptions } from "./node/read-options.ts";
import type { Node } from "./node/running-node.ts";
import { SextantNode, type WorkerLink } from "./node/sextant-node.ts";
import type { WorkerSetup } from "./node/worker-messages.ts";
import { StoreError } from "./store/errors.ts";

export type { BalanceDetailAnswer } from "./http/operations/get-balance-detail.ts";
export type { HoldingAnswer } from "./http/operations/get-holdings.ts";
export { HTTP_DEFAULTS, HTTP_NUMBERS, isHeaderBrand, isTrustLevel } from "./http/server.ts";
export type { BalanceChange } from "./ledger/balance-history.ts";
export type { GasPrices } from "./ledger/gas-price.ts";
export type { TableRow } from "./ledger/owned-items.ts";
export { formatTrust } from "./ledger/trust.ts";
export { isReversed } from "./ledger/version-range.ts";
export { MAX_WAIT_MS } from "./ledger/watch/min-version.ts";
export type { BalanceEvent } from "./ledger/watch/watched-balance.ts";
export type { BlockEvent } from "./ledger/watch/watched-blocks.ts";
export type { LocalChainOptions } from "./node/block-maker.ts";
export { LOCAL_CHAIN_NUMBERS } from "./node/block-maker.ts";
export { type CopyOptions, type CopyReport, copyData } from "./node/copying.ts";
export { createNode } from "./node/create-node.ts";
export type { CassandraOptions } from "./node/engines/cassandra.ts";
export type { FollowOptions, FollowProgress } from "./node/following.ts";
export { FOLLOW_NUMBERS } from "./node/following.ts";
export type { ForkOptions } from "./node/forking.ts";
export { type GenesisReport, verifyGenesis } from "./node/genesis-report.ts";
export type { HttpOptions } from "./node/http-options.ts";
export { FRONTEND_NUMBERS } from "./node/http-options.ts";
export type { ImpersonatedCall, ImpersonatedResult } from "./node/impersonation.ts";
export { SOFTWARE_VERSION } from "./node/info.ts";
export type {
  AccountAnswer,
  BlockAnswer,
  BlockQuery,
  ModuleAnswer,
  PageOptions,
  ResourceAnswer,
  TableItemQuery,
  TransactionAnswer,
  ViewQuery,
  WaitOptions,
} from "./node/ledger-answers.ts";
export { lookAtCluster, lookAtProofs } from "./node/looks.ts";
export { type NodeInfo, type TrustRange, type UpstreamInfo, wideJson } from "./node/node-info.ts";
export { parseOperand, refusalOf } from "./node/operands.ts";
export { type AccountOptions, NODE_DEFAULTS, type NodeOptions } from "./node/options.ts";
export { checkProof, proofStart, proofToBcs, proofToJson } from "./node/proof-files.ts";
export type {
  HistoryEnd,
  HistoryOptions,
  MinVersionOptions,
  ProveOptions,
  ReadOptions,
  TableItemsOptions,
  WatchOptions,
} from "./node/read-options.ts";
export type { LedgerInfo } from "./node/reader.ts";
export { type RewindReport, rewindData } from "./node/rewinding.ts";
export type { BatchAnswer, Explanation, Node, SdkConfig } from "./node/running-node.ts";
export type { StoreOptions } from "./node/store-engines.ts";
export { lookAtData, type StoreLook } from "./node/store-look.ts";
export {
  backupData,
  type CheckProgress,
  type CopyWatch,
  checkClusterData,
  checkData,
  type IndexReport,
  restoreData,
  type StoreReport,
} from "./node/store-tools.ts";
export type { SimulationResult } from "./node/submissions/simulation.ts";
export type { Authored, ChainAuthoring, ChainSnapshot } from "./node/test-authors.ts";
export { CASSANDRA_NUMBERS } from "./store/cassandra/options.ts";
export { parseUpstreamUrl } from "./sync/upstream/rest-upstream.ts";

/** Store errors that the user must fix; nothing was touched. */
const USAGE_CODES = ["absent", "format", "identity", "unwritable"];

/** Transient store errors: another process writes, a cluster is out of reach, or only a new process may write. */
const TRY_AGAIN_CODES = ["locked", "unreachable", "given_up"];

/** True for errors after which another start may work: what the process needs from outside may be there later. */
export function isTryAgainFault(error: unknown): boolean {
  if (error instanceof TryAgainError) return true;
  return error instanceof StoreError && TRY_AGAIN_CODES.includes(error.code);
}

/** True for errors in the configuration or its surroundings that the user must fix; nothing was touched. */
export function isUsageFault(error: unknown): boolean {
  if (error instanceof ConfigError) return true;
  return error instanceof StoreError && USAGE_CODES.includes(error.code);
}

/** Starts the node of a worker process, which reads the store and answers. */
export async function createWorkerNode(
  setup: WorkerSetup,
  link: WorkerLink,
): Promise<{ readonly node: Node } & Pick<Metrics, "figures" | "counts">> {
  const node = new SextantNode({ ...setup.node, readOnly: true, logger: link.logger }, { ...setup, ...link });
  await node.start();
  return { node, figures: () => node.figures(), counts: () => node.counts() };
}

/** The JSON text that the HTTP interface answers a read with, and where the next page begins. */
export function answerText<R extends Route>(
  node: Node,
  ...question: [route: R, values: RouteValues<R>, options: MinVersionOptions, body?: Uint8Array]
): Promise<{ readonly text: string; readonly cursor: string | undefined }> {
  if (!(node instanceof SextantNode)) throw new Error("expected a node that `createNode` made");
  return node.answerText(...question);
}
