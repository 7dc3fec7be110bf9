// What commands, tests and programs may use of a node.
import { ConfigError, TryAgainError } from "./base/errors.ts";
import type { MinVersionOptions } from "./http/calls/options.ts";
import type { Route, RouteValues } from "./interface/route.ts";
import type { AnswerText, RangeQuestion } from "./node/api/operation-calls.ts";
import type { Node } from "./node/api/running-node.ts";
import type { Metrics } from "./node/metrics/metrics.ts";
import { SextantNode, type WorkerLink } from "./node/sextant-node.ts";
import type { WorkerSetup } from "./node/workers/worker-messages.ts";
import { StoreError } from "./store/errors.ts";

export type { MinVersionOptions } from "./http/calls/options.ts";
export type { TraceAnswer, TracedCall, TracedValue } from "./http/operations/trace-transaction.ts";
export { isReversed } from "./ledger/version-range.ts";
export { MAX_WAIT_MS } from "./ledger/watch/head-watch.ts";
export type { BalanceEvent } from "./ledger/watch/watched-balance.ts";
export type { BlockEvent } from "./ledger/watch/watched-blocks.ts";
export { eventText, type RangeQuestion } from "./node/api/operation-calls.ts";
export type { Node } from "./node/api/running-node.ts";
export { createNode } from "./node/create-node.ts";
export { demoNamed } from "./node/demo-names.ts";
export { CASSANDRA_TABLE, type CassandraOptions, checkClusterData } from "./node/engines/cassandra.ts";
export { SOFTWARE_VERSION } from "./node/info.ts";
export { FOLLOW_TABLE, type FollowOptions, type FollowProgress } from "./node/options/follow-options.ts";
export { FRONTEND_NUMBERS, HTTP_TABLE, type HttpOptions } from "./node/options/http-options.ts";
export type { ForkOptions } from "./node/options/local-chain-options.ts";
export { LOCAL_CHAIN_TABLE } from "./node/options/local-chain-options.ts";
export { NODE_TABLE, type NodeOptions } from "./node/options/node-options.ts";
export { ENGINE_NAMES, isSharedEngine, type StoreOptions } from "./node/store-engines.ts";
export { examine, type Finding } from "./node/tools/doctor.ts";
export { verifyGenesis } from "./node/tools/genesis-report.ts";
export { NETWORK_NAMES, type Network, readNetwork } from "./node/tools/networks.ts";
export { parseOperand, refusalOf } from "./node/tools/operands.ts";
export {
  checkProof,
  ownerFault,
  ProofCheck,
  proofPart,
  proofStart,
  proofToBcs,
  provableText,
  statementHead,
  statementText,
} from "./node/tools/proof-files.ts";
export { type RewindReport, rewindData } from "./node/tools/rewinding.ts";
export {
  backupData,
  type CopyWatch,
  checkData,
  exportData,
  restoreData,
  type StoreReport,
} from "./node/tools/store-tools.ts";
export type { IndexReport } from "./sync/maintenance/check/cluster-index.ts";
export type { Explanation } from "./transaction/explain/explanation.ts";

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
  return { node: node.callable(), figures: () => node.figures(), counts: () => node.counts() };
}

/** What the HTTP interface answers a range with. */
export function answerRange(node: Node, question: RangeQuestion): AsyncGenerator<string | Uint8Array> {
  if (!(node instanceof SextantNode)) throw new Error("expected a node that `createNode` made");
  return node.answerRange(question);
}

/** What the HTTP interface answers a question with, in JSON. */
export function answerText<R extends Route>(
  node: Node,
  ...question: [route: R, values: RouteValues<R>, options: MinVersionOptions, body?: Uint8Array]
): Promise<AnswerText> {
  if (!(node instanceof SextantNode)) throw new Error("expected a node that `createNode` made");
  return node.answerText(...question);
}
