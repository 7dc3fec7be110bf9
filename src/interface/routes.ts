// The operations that programs of this project ask other nodes for. Those that only users ask for have their paths
// in their own files (`src/http/operations/`).
import { API_ROOT, route } from "./route.ts";

export const balanceRoute = route(
  "GET",
  `${API_ROOT}/accounts/{address}/balance/{asset_type}`,
  "ledger_version",
  "quoted",
);
export const rawItemRoute = route("POST", `${API_ROOT}/tables/{table_handle}/raw_item`, "ledger_version");
export const encodeRoute = route("POST", `${API_ROOT}/transactions/encode_submission`);
export const explainRoute = route("POST", `${API_ROOT}/transactions/explain_submission`);
export const transactionsRoute = route("GET", `${API_ROOT}/transactions`, "start", "limit");
export const rawStateValueRoute = route(
  "POST",
  `${API_ROOT}/experimental/state_values/raw`,
  "ledger_version",
);
export const infoRoute = route("GET", `${API_ROOT}/info`);
export const ledgerInfoRoute = route("GET", API_ROOT);
