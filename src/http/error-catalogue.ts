// The catalogue of errors: every condition a request can meet, with its status, its wire code and its documentation.
// The OpenAPI responses and docs/errors.md are generated from this table.

/** The closed list of wire codes: clients decode it as an enumeration, so nothing is ever added here. */
export const ERROR_CODES = [
  "account_not_found",
  "resource_not_found",
  "module_not_found",
  "struct_field_not_found",
  "version_not_found",
  "transaction_not_found",
  "table_item_not_found",
  "block_not_found",
  "state_value_not_found",
  "version_pruned",
  "block_pruned",
  "invalid_input",
  "invalid_transaction_update",
  "sequence_number_too_old",
  "vm_error",
  "rejected_by_filter",
  "health_check_failed",
  "mempool_is_full",
  "internal_error",
  "web_framework_error",
  "bcs_not_supported",
  "api_disabled",
] as const;

/** A wire code of an error body. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** One row of the catalogue. */
export interface CatalogueEntry {
  readonly status: number;
  readonly errorCode: ErrorCode;
  /** When it happens. */
  readonly when: string;
  /** What the client can do about it. */
  readonly remedy: string;
}

/** Every condition, in order of status. */
export const ERROR_CATALOGUE = {
  malformed_request: {
    status: 400,
    errorCode: "web_framework_error",
    when: "The path, the query, a header or the body cannot be parsed.",
    remedy: "The message names the part, what was expected and what was received; correct it and send again.",
  },
  invalid_transaction: {
    status: 400,
    errorCode: "invalid_input",
    when: "The transaction is well-formed but cannot be encoded: unknown module or function, wrong number or kind of arguments, or a payload that the chain refuses.",
    remedy: "The message names the argument or other part; correct it and send again.",
  },
  refused_transaction: {
    status: 400,
    errorCode: "vm_error",
    when: "The chain's prologue refuses the submitted transaction: wrong signature or authentication key, wrong chain id, expired, a sequence number below the account's, a nonce used before, or no money for the gas.",
    remedy:
      "The message names the chain's own reason and `vm_error_code` its number; sign a new transaction.",
  },
  transaction_update: {
    status: 400,
    errorCode: "invalid_transaction_update",
    when: "Another transaction of the sender with this sequence number or nonce waits for a block.",
    remedy: "Wait for that one, or send the same transaction with a higher `gas_unit_price`.",
  },
  sequence_number_too_old: {
    status: 400,
    errorCode: "sequence_number_too_old",
    when: "A block took another transaction with this sequence number while the submitted one was checked.",
    remedy: "Read the account's sequence number and sign a new transaction.",
  },
  invalid_page: {
    status: 400,
    errorCode: "invalid_input",
    when: "`start` is above the latest version, or `limit` is 0.",
    remedy:
      "The ledger headers name the latest version: ask for a version up to it, and for at least one record.",
  },
  invalid_range: {
    status: 400,
    errorCode: "invalid_input",
    when: "`from` is above `to`, or `since` above the version that is read at.",
    remedy: "Swap them.",
  },
  unprovable: {
    status: 400,
    errorCode: "invalid_input",
    when: "A proof is asked for at a version that ends no block, or from a waypoint that this node cannot begin at.",
    remedy: "The message names the nearest versions that can be proven, or what the waypoint must be.",
  },
  answer_too_large: {
    status: 400,
    errorCode: "invalid_input",
    when: "In a batch, in place of a table item: the items before it already fill the largest response (8 MiB). Or the transactions of a block have over 64 MiB in BCS.",
    remedy: "Ask again for the items that have this error; read the transactions in pages.",
  },
  invalid_table_item: {
    status: 400,
    errorCode: "invalid_input",
    when: "The key type or value type is no type of this ledger, the key is no value of its type, or the item is none.",
    remedy: "The message names the part; take the types from the struct that holds the table.",
  },
  invalid_view: {
    status: 400,
    errorCode: "invalid_input",
    when: "There is no such view function, its arguments are wrong, or it aborts, fails or runs out of gas.",
    remedy:
      "The message names the argument, or the chain's own reason with its number in `vm_error_code`; correct the call.",
  },
  unprintable: {
    status: 400,
    errorCode: "invalid_input",
    when: "The stored value has no JSON form: it holds a function value, or is too large or too deep to print.",
    remedy: "Ask for it in BCS with `Accept`; for a list, ask for fewer items with `limit`.",
  },
  disabled: {
    status: 403,
    errorCode: "api_disabled",
    when: "The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have.",
    remedy: "Ask for the other form with `Accept`, or ask another node.",
  },
  not_served: {
    status: 403,
    errorCode: "api_disabled",
    when: "The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist.",
    remedy:
      "Ask a full node. A node that follows one hands submissions on to it with `--forward-submissions`.",
  },
  preflight_refused: {
    status: 403,
    errorCode: "web_framework_error",
    when: "A browser's preflight asks for a method other than GET, HEAD or POST.",
    remedy: "Use GET, HEAD or POST.",
  },
  unknown_path: {
    status: 404,
    errorCode: "web_framework_error",
    when: "Nothing is served under this path.",
    remedy: "`GET /v1/spec.json` lists the paths that are.",
  },
  version_not_found: {
    status: 404,
    errorCode: "version_not_found",
    when: "`ledger_version` is above the latest version, or `at` is after the latest block.",
    remedy:
      "The ledger headers name the latest version and its time; send again later or ask for an earlier version.",
  },
  account_not_found: {
    status: 404,
    errorCode: "account_not_found",
    when: "The address has no account at this version, and the chain gives it none by default.",
    remedy: "Check the address and the version.",
  },
  resource_not_found: {
    status: 404,
    errorCode: "resource_not_found",
    when: "The address has no resource of this type at this version.",
    remedy: "Check the address, the type and the version.",
  },
  struct_field_not_found: {
    status: 404,
    errorCode: "struct_field_not_found",
    when: "The resource has no field of this name with an event handle.",
    remedy: "Read the resource: its fields with `counter` and `guid` are event handles.",
  },
  module_not_found: {
    status: 404,
    errorCode: "module_not_found",
    when: "The address has no module of this name at this version.",
    remedy: "Check the address, the name and the version.",
  },
  transaction_not_found: {
    status: 404,
    errorCode: "transaction_not_found",
    when: "No transaction has this version or hash: it is not committed yet, or was pruned.",
    remedy: "Check the version or the hash; send again later if the transaction was only just submitted.",
  },
  block_not_found: {
    status: 404,
    errorCode: "block_not_found",
    when: "The height is above that of the latest block.",
    remedy: "The ledger headers name the latest height; send again later.",
  },
  table_item_not_found: {
    status: 404,
    errorCode: "table_item_not_found",
    when: "The table holds no item under this key at this version, or there is no such table.",
    remedy: "Check the handle, the key's BCS form and the version.",
  },
  state_value_not_found: {
    status: 404,
    errorCode: "state_value_not_found",
    when: "The state holds nothing under this key at this version.",
    remedy: "Check the key's BCS form and the version.",
  },
  wrong_method: {
    status: 405,
    errorCode: "web_framework_error",
    when: "The path is served, but not with this method.",
    remedy: "The `Allow` header lists the methods that are.",
  },
  request_timeout: {
    status: 408,
    errorCode: "web_framework_error",
    when: "The request's headers or body did not arrive in time.",
    remedy: "Send again on a new connection.",
  },
  version_pruned: {
    status: 410,
    errorCode: "version_pruned",
    when: "`ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block.",
    remedy:
      "The ledger headers name the oldest version; `archival_endpoint` in the body, if present, names a node that keeps more versions.",
  },
  block_pruned: {
    status: 410,
    errorCode: "block_pruned",
    when: "The block is older than those that the node keeps.",
    remedy: "The ledger headers name the oldest height; ask a node that keeps more.",
  },
  body_too_large: {
    status: 413,
    errorCode: "web_framework_error",
    when: "The body, as sent or decompressed, is over the node's limit (8 MiB unless configured), a batch or a transaction to encode or explain is over 1 MiB, the request of a state value over 2 MiB, of a raw item's proof or a view function over 256 KiB, or that of a table item over 64 KiB.",
    remedy: "Send less, or split it into several requests at the same version.",
  },
  uri_too_long: {
    status: 414,
    errorCode: "web_framework_error",
    when: "The request target is longer than 16 KiB.",
    remedy: "Send a shorter target.",
  },
  unsupported_media_type: {
    status: 415,
    errorCode: "web_framework_error",
    when: "A POST has no `Content-Type`, one that is not JSON, or an unknown `Content-Encoding`.",
    remedy:
      "Send `Content-Type: application/json`, uncompressed or with `Content-Encoding` gzip, br or deflate.",
  },
  expectation_failed: {
    status: 417,
    errorCode: "web_framework_error",
    when: "The request expects something other than `100-continue`.",
    remedy: "Leave the `Expect` header out.",
  },
  rate_limited: {
    status: 429,
    errorCode: "web_framework_error",
    when: "This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured.",
    remedy:
      "Send again after the seconds that `Retry-After` names; the `RateLimit-…` headers of each response say how many requests are left.",
  },
  headers_too_large: {
    status: 431,
    errorCode: "web_framework_error",
    when: "The request line and headers together are longer than 32 KiB.",
    remedy: "Send fewer or shorter headers.",
  },
  internal: {
    status: 500,
    errorCode: "internal_error",
    when: "Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened.",
    remedy: "Tell the operator; the node's log holds the cause.",
  },
  unavailable: {
    status: 503,
    errorCode: "internal_error",
    when: "There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond.",
    remedy: "Send again later, or ask another node.",
  },
  behind: {
    status: 503,
    errorCode: "internal_error",
    when: "The ledger did not reach `min_ledger_version` within `wait_ms`.",
    remedy:
      "`versions_behind` in the body tells how far behind it is; send again, wait longer, or ask another node.",
  },
  overloaded: {
    status: 503,
    errorCode: "internal_error",
    when: "The node is at its limit of requests in flight, or cannot respond in time.",
    remedy: "Send again after the seconds that `Retry-After` names.",
  },
  unhealthy: {
    status: 503,
    errorCode: "health_check_failed",
    when: "The health check fails: the node has no readable ledger, the ledger is older than `duration_secs` allows, or no upstream serves data that can be verified.",
    remedy: "Ask another node.",
  },
  mempool_full: {
    status: 507,
    errorCode: "mempool_is_full",
    when: "Too many transactions, or too many of this sender, wait for a block.",
    remedy: "Send again after the next block.",
  },
} as const satisfies Record<string, CatalogueEntry>;

/** Name of a condition in the catalogue. */
export type Condition = keyof typeof ERROR_CATALOGUE;

/** Conditions that any path can meet, before its handler. */
export const COMMON_CONDITIONS = [
  "not_served",
  "unknown_path",
  "wrong_method",
  "preflight_refused",
  "request_timeout",
  "uri_too_long",
  "expectation_failed",
  "rate_limited",
  "headers_too_large",
] as const satisfies readonly Condition[];
