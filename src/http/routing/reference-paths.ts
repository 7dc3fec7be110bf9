// Paths of the reference's document. Clients take 404 there for an answer, such as "there is no such account", so this node
// has an operation for each, which may say that it is not served.
import { API_ROOT } from "../../interface/route.ts";

export const REFERENCE_PATHS: readonly (readonly [method: "GET" | "POST", path: string])[] = [
  ["GET", "/"],
  ["GET", "/-/healthy"],
  ["GET", "/info"],
  ["GET", "/spec"],
  ["GET", "/accounts/{address}"],
  ["GET", "/accounts/{address}/resources"],
  ["GET", "/accounts/{address}/resource/{resource_type}"],
  ["GET", "/accounts/{address}/modules"],
  ["GET", "/accounts/{address}/module/{module_name}"],
  ["GET", "/accounts/{address}/balance/{asset_type}"],
  ["GET", "/accounts/{address}/events/{creation_number}"],
  ["GET", "/accounts/{address}/events/{event_handle}/{field_name}"],
  ["GET", "/accounts/{address}/transactions"],
  ["GET", "/accounts/{address}/transaction_summaries"],
  ["GET", "/blocks/by_height/{block_height}"],
  ["GET", "/blocks/by_version/{version}"],
  ["POST", "/tables/{table_handle}/item"],
  ["POST", "/tables/{table_handle}/raw_item"],
  ["GET", "/transactions"],
  ["POST", "/transactions"],
  ["POST", "/transactions/batch"],
  ["POST", "/transactions/simulate"],
  ["POST", "/transactions/encode_submission"],
  ["GET", "/transactions/by_hash/{txn_hash}"],
  ["GET", "/transactions/wait_by_hash/{txn_hash}"],
  ["GET", "/transactions/by_version/{txn_version}"],
  ["GET", "/transactions/auxiliary_info"],
  ["GET", "/estimate_gas_price"],
  ["POST", "/view"],
  ["POST", "/experimental/state_values/raw"],
];

const REQUESTS: ReadonlySet<string> = new Set(
  REFERENCE_PATHS.map(([method, path]) => `${method} ${API_ROOT}${path === "/" ? "" : path}`),
);

/** Whether the reference's document has an operation's path with its method. */
export function isReferenceRequest(method: string, path: string): boolean {
  return REQUESTS.has(`${method} ${path}`);
}
