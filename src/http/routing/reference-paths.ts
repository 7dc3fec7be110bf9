// Paths of the reference's document. Clients take 404 there for an answer, such as "there is no such account", so a node
// that does not serve one of them must say that instead.
import { API_ROOT } from "../../interface/route.ts";

/** All of them; those that this node serves are found before this list is asked. */
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

const PATTERNS = REFERENCE_PATHS.map(([method, path]) => {
  const whole = path === "/" ? API_ROOT : API_ROOT + path;
  return { method, path: whole, segments: whole.split("/") };
});

/** The path of the reference's document that a request is for, by any method; undefined for any other request. */
export function findReferencePath(path: string): string | undefined {
  const given = path.split("/");
  return PATTERNS.find(
    ({ segments }) =>
      segments.length === given.length &&
      segments.every((segment, i) => segment.startsWith("{") || segment === given[i]),
  )?.path;
}

/** Whether the reference's document has this path with this method. */
export function isReferenceRequest(method: string, path: string): boolean {
  const wanted = method === "HEAD" ? "GET" : method;
  const found = findReferencePath(path);
  return PATTERNS.some(({ method: served, path: own }) => own === found && served === wanted);
}
