// Routes that this project's own programs request from other nodes. All other routes are in the files of their
// operations (`src/http/operations/`).
import { API_ROOT, readRoute, route } from "./route.ts";

export const accountRoute = readRoute("GET", `${API_ROOT}/accounts/{address}`, "ledger_version", "at");
export const accountResourceRoute = readRoute(
  "GET",
  `${API_ROOT}/accounts/{address}/resource/{resource_type}`,
  "ledger_version",
  "at",
);
export const accountResourcesRoute = readRoute(
  "GET",
  `${API_ROOT}/accounts/{address}/resources`,
  "ledger_version",
  "at",
  "limit",
  "start",
);
export const accountModuleRoute = readRoute(
  "GET",
  `${API_ROOT}/accounts/{address}/module/{module_name}`,
  "ledger_version",
  "at",
);
export const accountModulesRoute = readRoute(
  "GET",
  `${API_ROOT}/accounts/{address}/modules`,
  "ledger_version",
  "at",
  "limit",
  "start",
);
export const balanceRoute = readRoute(
  "GET",
  `${API_ROOT}/accounts/{address}/balance/{asset_type}`,
  "ledger_version",
  "at",
  "quoted",
);
export const detailRoute = readRoute(
  "GET",
  `${API_ROOT}/accounts/{address}/balance/{asset_type}/detail`,
  "ledger_version",
  "at",
);
export const historyRoute = readRoute(
  "GET",
  `${API_ROOT}/accounts/{address}/balance/{asset_type}/history`,
  "from",
  "to",
  "limit",
  "start",
  "points",
);
export const balanceProofRoute = readRoute(
  "GET",
  `${API_ROOT}/accounts/{address}/balance/{asset_type}/proof`,
  "ledger_version",
  "at",
  "from_waypoint",
);
export const balancesProofRoute = readRoute(
  "POST",
  `${API_ROOT}/balances/proof`,
  "ledger_version",
  "at",
  "from_waypoint",
  "authentication_keys",
);
export const resourceProofRoute = readRoute(
  "GET",
  `${API_ROOT}/accounts/{address}/resource/{resource_type}/proof`,
  "ledger_version",
  "at",
  "from_waypoint",
);
export const moduleProofRoute = readRoute(
  "GET",
  `${API_ROOT}/accounts/{address}/module/{module_name}/proof`,
  "ledger_version",
  "at",
  "from_waypoint",
);
export const transactionProofRoute = readRoute(
  "GET",
  `${API_ROOT}/transactions/by_version/{txn_version}/proof`,
  "from_waypoint",
);
export const transactionHashProofRoute = readRoute(
  "GET",
  `${API_ROOT}/transactions/by_hash/{txn_hash}/proof`,
  "from_waypoint",
);
export const eventProofRoute = readRoute(
  "GET",
  `${API_ROOT}/transactions/by_version/{txn_version}/events/{event_index}/proof`,
  "from_waypoint",
);
export const balanceStreamRoute = readRoute(
  "GET",
  `${API_ROOT}/accounts/{address}/balance/{asset_type}/stream`,
  "after",
);
export const blockStreamRoute = readRoute("GET", `${API_ROOT}/blocks/stream`, "after");
export const balancesRoute = readRoute("POST", `${API_ROOT}/balances`, "ledger_version", "at");
export const holdingsRoute = readRoute(
  "GET",
  `${API_ROOT}/accounts/{address}/balances`,
  "ledger_version",
  "at",
  "limit",
  "start",
);
export const tableItemsRoute = readRoute(
  "GET",
  `${API_ROOT}/tables/{table_handle}/items`,
  "ledger_version",
  "at",
  "since",
  "limit",
  "start",
);
export const tableItemCountRoute = readRoute(
  "GET",
  `${API_ROOT}/tables/{table_handle}/items/count`,
  "ledger_version",
  "at",
  "since",
  "start",
);
export const tableItemRoute = readRoute(
  "POST",
  `${API_ROOT}/tables/{table_handle}/item`,
  "ledger_version",
  "at",
);
export const rawItemRoute = readRoute(
  "POST",
  `${API_ROOT}/tables/{table_handle}/raw_item`,
  "ledger_version",
  "at",
);
export const rawItemProofRoute = readRoute(
  "POST",
  `${API_ROOT}/tables/{table_handle}/raw_item/proof`,
  "ledger_version",
  "at",
  "from_waypoint",
);
export const viewRoute = readRoute("POST", `${API_ROOT}/view`, "ledger_version", "at");
export const rawItemsRoute = readRoute("POST", `${API_ROOT}/tables/raw_items`, "ledger_version", "at");
export const encodeRoute = readRoute("POST", `${API_ROOT}/transactions/encode_submission`);
export const explainRoute = readRoute("POST", `${API_ROOT}/transactions/explain_submission`);
export const transactionsRoute = readRoute("GET", `${API_ROOT}/transactions`, "start", "limit");
export const transactionByVersionRoute = readRoute(
  "GET",
  `${API_ROOT}/transactions/by_version/{txn_version}`,
);
export const traceRoute = readRoute("POST", `${API_ROOT}/transactions/trace`);
export const traceByVersionRoute = readRoute(
  "GET",
  `${API_ROOT}/transactions/by_version/{txn_version}/trace`,
);
export const transactionByHashRoute = readRoute("GET", `${API_ROOT}/transactions/by_hash/{txn_hash}`);
export const waitByHashRoute = readRoute("GET", `${API_ROOT}/transactions/wait_by_hash/{txn_hash}`);
export const accountTransactionsRoute = readRoute(
  "GET",
  `${API_ROOT}/accounts/{address}/transactions`,
  "start",
  "limit",
);
export const gasPriceRoute = readRoute("GET", `${API_ROOT}/estimate_gas_price`);
export const blockByHeightRoute = readRoute(
  "GET",
  `${API_ROOT}/blocks/by_height/{block_height}`,
  "with_transactions",
);
export const blockByVersionRoute = readRoute(
  "GET",
  `${API_ROOT}/blocks/by_version/{version}`,
  "with_transactions",
);
export const rawStateValueRoute = readRoute(
  "POST",
  `${API_ROOT}/experimental/state_values/raw`,
  "ledger_version",
  "at",
);
export const healthyRoute = route("GET", `${API_ROOT}/-/healthy`, "duration_secs");
export const readyRoute = readRoute("GET", `${API_ROOT}/-/ready`);
export const infoRoute = route("GET", `${API_ROOT}/info`);
export const ledgerInfoRoute = readRoute("GET", API_ROOT);

/**
 * Commands that print what one read of the state answers, line by line where it comes in pages. The operands are in the
 * order of the path's parameters.
 */
export const READ_COMMANDS = {
  account: {
    route: accountRoute,
    summary: "Print the sequence number and authentication key of an account",
    operands: ["ADDRESS"],
    examples: ["sextant account 0x1", "sextant account anna --ledger-version 7"],
  },
  resource: {
    route: accountResourceRoute,
    summary: "Print one resource of an account, decoded",
    operands: ["ADDRESS", "TYPE"],
    examples: ["sextant resource 0x1 0x1::chain_id::ChainId"],
  },
  resources: {
    route: accountResourcesRoute,
    summary: "Print every resource of an account, one JSON object a line",
    operands: ["ADDRESS"],
    examples: ["sextant resources 0xcafe"],
  },
  module: {
    route: accountModuleRoute,
    summary: "Print one module of an account with its ABI",
    operands: ["ADDRESS", "NAME"],
    examples: ["sextant module 0x1 coin"],
  },
  modules: {
    route: accountModulesRoute,
    summary: "Print every module of an account with its ABI, one JSON object a line",
    operands: ["ADDRESS"],
    examples: ["sextant modules 0x1"],
  },
};

/** The methods of a node that ask operations in its own process: whether each gives a value, or a list as it is taken. */
export const CALLS = {
  balance: "value",
  balanceDetail: "value",
  balanceHistory: "list",
  balances: "value",
  holdings: "list",
  proveBalance: "value",
  proveBalances: "value",
  proveRawItem: "value",
  proveResource: "value",
  proveModule: "value",
  proveTransaction: "value",
  proveEvent: "value",
  watchBalance: "list",
  watchBlocks: "list",
  account: "value",
  resource: "value",
  resources: "list",
  module: "value",
  modules: "list",
  tableItem: "value",
  tableItems: "list",
  countTableItems: "value",
  rawItem: "value",
  rawItems: "value",
  view: "value",
  trace: "value",
  transaction: "value",
  waitForTransaction: "value",
  transactions: "list",
  events: "list",
  accountTransactions: "value",
  block: "value",
  gasPrices: "value",
  encodeSubmission: "value",
  explainSubmission: "value",
} as const;
