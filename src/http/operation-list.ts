// All operations. A new one costs one line here.
import type { Asker } from "./calls/asker.ts";
import type { Operation } from "./operation.ts";
import { specJson, specPage, specYaml, startPage } from "./operations/documents.ts";
import { encodeSubmission } from "./operations/encode-submission.ts";
import { estimateGasPrice } from "./operations/estimate-gas-price.ts";
import { explainSubmission } from "./operations/explain-submission.ts";
import { getAccount } from "./operations/get-account.ts";
import { getAccountBalance } from "./operations/get-account-balance.ts";
import { getEventsByHandle, getEventsByNumber } from "./operations/get-account-events.ts";
import { getAccountModule } from "./operations/get-account-module.ts";
import { getAccountModules } from "./operations/get-account-modules.ts";
import { getAccountResource } from "./operations/get-account-resource.ts";
import { getAccountResources } from "./operations/get-account-resources.ts";
import { getAccountTransactions } from "./operations/get-account-transactions.ts";
import { getAuxiliaryInfo } from "./operations/get-auxiliary-info.ts";
import { getBalanceDetail } from "./operations/get-balance-detail.ts";
import { getBalanceHistory } from "./operations/get-balance-history.ts";
import { getBalances } from "./operations/get-balances.ts";
import { getBlockByHeight } from "./operations/get-block-by-height.ts";
import { getBlockByVersion } from "./operations/get-block-by-version.ts";
import { getHoldings } from "./operations/get-holdings.ts";
import { getLedgerInfo } from "./operations/get-ledger-info.ts";
import { getRawStateValue } from "./operations/get-raw-state-value.ts";
import { getRawTableItem } from "./operations/get-raw-table-item.ts";
import { getRawTableItems } from "./operations/get-raw-table-items.ts";
import { getTableItem } from "./operations/get-table-item.ts";
import { countTableItems, getTableItems } from "./operations/get-table-items.ts";
import { getTransactionByHash, waitTransactionByHash } from "./operations/get-transaction-by-hash.ts";
import { getTransactionByVersion } from "./operations/get-transaction-by-version.ts";
import { getTransactionSummaries } from "./operations/get-transaction-summaries.ts";
import { getTransactions } from "./operations/get-transactions.ts";
import { healthy } from "./operations/healthy.ts";
import { info } from "./operations/info.ts";
import { metrics } from "./operations/metrics.ts";
import { proveAccountBalance } from "./operations/prove-account-balance.ts";
import { proveAccountModule } from "./operations/prove-account-module.ts";
import { proveAccountResource } from "./operations/prove-account-resource.ts";
import { proveBalances } from "./operations/prove-balances.ts";
import { proveEvent } from "./operations/prove-event.ts";
import { proveRawTableItem } from "./operations/prove-raw-table-item.ts";
import { proveTransactionByHash, proveTransactionByVersion } from "./operations/prove-transaction.ts";
import { ready } from "./operations/ready.ts";
import { simulateTransaction } from "./operations/simulate-transaction.ts";
import { streamBalance } from "./operations/stream-balance.ts";
import { streamBlocks } from "./operations/stream-blocks.ts";
import { streamEvents } from "./operations/stream-events.ts";
import { streamTransactions } from "./operations/stream-transactions.ts";
import { submitBatchTransactions } from "./operations/submit-batch-transactions.ts";
import { submitTransaction } from "./operations/submit-transaction.ts";
import { traceByVersion, traceTransaction } from "./operations/trace-transaction.ts";
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
