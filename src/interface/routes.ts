// Routes that this project's own programs request from other nodes. All other routes are in the files of their
// operations (`src/http/operations/`).
import { readRoute, route } from "./route.ts";

/** Parameters of reads of a state, and of lists in pages. */
const STATE = ["ledger_version", "at"] as const;
const PAGE = ["limit", "start"] as const;
const PROVEN_STATE = [...STATE, "from_waypoint"] as const;
const BALANCE = "/accounts/{address}/balance/{asset_type}";

export const accountRoute = readRoute("GET", "/accounts/{address}", ...STATE);
export const accountResourceRoute = readRoute(
  "GET",
  "/accounts/{address}/resource/{resource_type}",
  ...STATE,
);
export const accountResourcesRoute = readRoute("GET", "/accounts/{address}/resources", ...STATE, ...PAGE);
export const accountModuleRoute = readRoute("GET", "/accounts/{address}/module/{module_name}", ...STATE);
export const accountModulesRoute = readRoute("GET", "/accounts/{address}/modules", ...STATE, ...PAGE);
export const balanceRoute = readRoute("GET", BALANCE, ...STATE, "quoted");
export const detailRoute = readRoute("GET", `${BALANCE}/detail`, ...STATE);
export const historyRoute = readRoute("GET", `${BALANCE}/history`, "from", "to", "limit", "start", "points");
export const balanceProofRoute = readRoute("GET", `${BALANCE}/proof`, ...PROVEN_STATE);
export const balancesProofRoute = readRoute(
  "POST",
  "/balances/proof",
  ...PROVEN_STATE,
  "authentication_keys",
);
export const resourceProofRoute = readRoute(
  "GET",
  "/accounts/{address}/resource/{resource_type}/proof",
  ...PROVEN_STATE,
);
export const moduleProofRoute = readRoute(
  "GET",
  "/accounts/{address}/module/{module_name}/proof",
  ...PROVEN_STATE,
);
export const transactionProofRoute = readRoute(
  "GET",
  "/transactions/by_version/{txn_version}/proof",
  "from_waypoint",
);
export const transactionHashProofRoute = readRoute(
  "GET",
  "/transactions/by_hash/{txn_hash}/proof",
  "from_waypoint",
);
export const eventProofRoute = readRoute(
  "GET",
  "/transactions/by_version/{txn_version}/events/{event_index}/proof",
  "from_waypoint",
);
export const balanceStreamRoute = readRoute("GET", `${BALANCE}/stream`, "after");
export const blockStreamRoute = readRoute("GET", "/blocks/stream", "after");
export const balancesRoute = readRoute("POST", "/balances", ...STATE);
export const holdingsRoute = readRoute("GET", "/accounts/{address}/balances", ...STATE, ...PAGE);
export const tableItemsRoute = readRoute("GET", "/tables/{table_handle}/items", ...STATE, "since", ...PAGE);
export const tableItemCountRoute = readRoute(
  "GET",
  "/tables/{table_handle}/items/count",
  ...STATE,
  "since",
  "start",
);
export const tableItemRoute = readRoute("POST", "/tables/{table_handle}/item", ...STATE);
export const rawItemRoute = readRoute("POST", "/tables/{table_handle}/raw_item", ...STATE);
export const rawItemProofRoute = readRoute("POST", "/tables/{table_handle}/raw_item/proof", ...PROVEN_STATE);
export const viewRoute = readRoute("POST", "/view", ...STATE);
export const rawItemsRoute = readRoute("POST", "/tables/raw_items", ...STATE);
export const encodeRoute = readRoute("POST", "/transactions/encode_submission");
export const explainRoute = readRoute("POST", "/transactions/explain_submission");
export const transactionsRoute = readRoute("GET", "/transactions", "start", "limit");
export const transactionByVersionRoute = readRoute("GET", "/transactions/by_version/{txn_version}");
export const traceRoute = readRoute("POST", "/transactions/trace");
export const traceByVersionRoute = readRoute("GET", "/transactions/by_version/{txn_version}/trace");
export const transactionByHashRoute = readRoute("GET", "/transactions/by_hash/{txn_hash}");
export const waitByHashRoute = readRoute("GET", "/transactions/wait_by_hash/{txn_hash}");
export const accountTransactionsRoute = readRoute(
  "GET",
  "/accounts/{address}/transactions",
  "start",
  "limit",
);
export const gasPriceRoute = readRoute("GET", "/estimate_gas_price");
export const blockByHeightRoute = readRoute("GET", "/blocks/by_height/{block_height}", "with_transactions");
export const blockByVersionRoute = readRoute("GET", "/blocks/by_version/{version}", "with_transactions");
export const rawStateValueRoute = readRoute("POST", "/experimental/state_values/raw", ...STATE);
export const healthyRoute = route("GET", "/-/healthy", "duration_secs");
export const readyRoute = readRoute("GET", "/-/ready");
export const infoRoute = route("GET", "/info");
export const ledgerInfoRoute = readRoute("GET", "");

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
