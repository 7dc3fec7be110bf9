// All operations. A new one costs one line here.
import type { Asker } from "./calls/asker.ts";
import type { Operation } from "./operation.ts";
import { getAccountModule, getAccountModules } from "./operations/account-modules.ts";
import { getAccountResource, getAccountResources } from "./operations/account-resources.ts";
import { getBlockByHeight, getBlockByVersion } from "./operations/blocks.ts";
import { specJson, specPage, specYaml, startPage } from "./operations/documents.ts";
import { getAccount } from "./operations/get-account.ts";
import { getEventsByHandle, getEventsByNumber } from "./operations/get-account-events.ts";
import { getAuxiliaryInfo } from "./operations/get-auxiliary-info.ts";
import { getAccountBalance, getBalanceDetail } from "./operations/get-balance.ts";
import { getBalanceHistory } from "./operations/get-balance-history.ts";
import { getBalances } from "./operations/get-balances.ts";
import { getHoldings } from "./operations/get-holdings.ts";
import { getRawTableItems } from "./operations/get-raw-table-items.ts";
import { getTableItem } from "./operations/get-table-item.ts";
import { countTableItems, getTableItems } from "./operations/get-table-items.ts";
import {
  getTransactionByHash,
  getTransactionByVersion,
  waitTransactionByHash,
} from "./operations/get-transaction.ts";
import { getLedgerInfo, healthy, info, metrics, ready } from "./operations/node-state.ts";
import {
  proveAccountBalance,
  proveAccountModule,
  proveAccountResource,
  proveBalances,
  proveEvent,
  proveRawTableItem,
  proveTransactionByHash,
  proveTransactionByVersion,
} from "./operations/proofs.ts";
import { getRawStateValue, getRawTableItem } from "./operations/raw-items.ts";
import { encodeSubmission, estimateGasPrice, explainSubmission } from "./operations/signing.ts";
import { streamBalance, streamBlocks } from "./operations/stream-changes.ts";
import { streamEvents, streamTransactions } from "./operations/stream-records.ts";
import { simulateTransaction, submitBatchTransactions, submitTransaction } from "./operations/submissions.ts";
import { traceByVersion, traceTransaction } from "./operations/trace-transaction.ts";
import {
  getAccountTransactions,
  getTransactionSummaries,
  getTransactions,
} from "./operations/transaction-pages.ts";
import { view } from "./operations/view.ts";
import { watchList } from "./operations/watch-list.ts";

/** One type with all members of these. */
type Together<C extends readonly object[]> = {
  readonly [I in keyof C]: (calls: C[I]) => void;
}[number] extends (calls: infer All) => void
  ? All
  : never;

/** The operations, with the types of their calls. */
function listed<const C extends readonly object[]>(
  ...operations: { readonly [I in keyof C]: Operation & { calls(node: Asker): C[I] } }
): { readonly operations: readonly Operation[]; readonly calls?: Together<C> } {
  return { operations };
}

const LIST = listed(
  getAccountBalance,
  getBalanceDetail,
  getBalanceHistory,
  proveAccountBalance,
  streamBalance,
  streamBlocks,
  streamTransactions,
  streamEvents,
  watchList,
  getBalances,
  proveBalances,
  getHoldings,
  getAccount,
  getAccountResource,
  proveAccountResource,
  getAccountResources,
  getAccountModule,
  proveAccountModule,
  getAccountModules,
  getTableItem,
  getRawTableItem,
  proveRawTableItem,
  getRawTableItems,
  getTableItems,
  countTableItems,
  view,
  encodeSubmission,
  explainSubmission,
  getTransactions,
  getAuxiliaryInfo,
  submitTransaction,
  submitBatchTransactions,
  simulateTransaction,
  traceTransaction,
  traceByVersion,
  getTransactionByVersion,
  proveTransactionByVersion,
  proveEvent,
  getTransactionByHash,
  proveTransactionByHash,
  waitTransactionByHash,
  getAccountTransactions,
  getTransactionSummaries,
  getEventsByNumber,
  getEventsByHandle,
  estimateGasPrice,
  getBlockByHeight,
  getBlockByVersion,
  getRawStateValue,
  info,
  getLedgerInfo,
  healthy,
  ready,
  specJson,
  specYaml,
  specPage,
  startPage,
  metrics,
);

/** All operations, in the order of the documentation. */
export const OPERATIONS: readonly Operation[] = LIST.operations;

/** The methods of a node that ask operations. */
export type Calls = NonNullable<(typeof LIST)["calls"]>;
