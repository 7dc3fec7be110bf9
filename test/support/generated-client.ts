// Types of a client, generated from docs/openapi.json by openapi-typescript. Not for editing.
// biome-ignore-all lint: generated
// biome-ignore-all format: generated

export interface paths {
  "/accounts/{address}/balance/{asset_type}": {
    /**
     * Balance of an account
     * @description The balance of an account for a coin type or a fungible asset, at the latest or a chosen version. A coin type counts its CoinStore and the primary store of the paired fungible asset; a metadata address counts that primary store only. Accounts, assets and stores that do not exist have a balance of 0. With `?quoted=true` the answer is the same digits as a JSON string, for clients whose JSON parser rounds integers above 2^53; generated clients get them from `get_balance_detail`.
     */
    get: operations["get_account_balance"];
  };
  "/accounts/{address}/balance/{asset_type}/detail": {
    /**
     * Parts of a balance
     * @description What the balance of an account is made of: the coin store and the primary store with their amounts, whether each exists and is frozen, the addresses and state keys that were read, and, where the ledger has them, the asset's name, symbol and decimals.
     */
    get: operations["get_balance_detail"];
  };
  "/accounts/{address}/balance/{asset_type}/history": {
    /**
     * Changes of a balance
     * @description Every change of a balance between two versions or times, oldest first, with the balance before and after it and the transaction. JSON comes in pages: while there are more changes, `X-NODE-CURSOR` gives the `start` of the next page; a page may hold fewer changes than `limit`. CSV and NDJSON are streamed to the end of the range unless `limit` or `points` is given; a stream that fails midway lacks HTTP's final chunk. The change at the oldest kept version is unknown, because the state before it was pruned: the range begins after that version.
     */
    get: operations["get_balance_history"];
  };
  "/accounts/{address}/balance/{asset_type}/proof": {
    /**
     * Proof of a balance
     * @description A balance with its proof: the state items that it is computed from, present or absent, their place in the state, and the signatures of the validators, from a waypoint on. The version must end a block inside the node's proof window; left out, it is the newest signed one.
     */
    get: operations["prove_account_balance"];
  };
  "/accounts/{address}/balance/{asset_type}/stream": {
    /**
     * Changes of a balance as they happen
     * @description Server-sent events: the balance now, then each change of it as soon as its version is committed. A client that connects again with `Last-Event-ID` gets what it missed. A client that reads too slowly is cut off and resumes in the same way. The stream has no end of its own.
     */
    get: operations["stream_balance"];
  };
  "/blocks/stream": {
    /**
     * Blocks as they are committed
     * @description Server-sent events: the latest block, then each block as soon as it is committed, with its height, versions, time and epoch. The id of an event names the last version of its block. A client that connects again with `Last-Event-ID` gets the blocks that it missed.
     */
    get: operations["stream_blocks"];
  };
  "/balances": {
    /**
     * Many balances at one version
     * @description The balances of up to 1,000 pairs of an account and an asset, all read at one version: the latest, a given version, or the version at a given time. Results are in the order of the queries; a query that fails has its error in its place. Each balance counts as in `get_account_balance`, so a coin type and the metadata address that it is paired with count the same store.
     */
    post: operations["get_balances"];
  };
  "/accounts/{address}/balances": {
    /**
     * All balances of an account
     * @description Every asset for which the account has a store at one version, empty stores included. A coin counts with the fungible asset that it is paired with, as in `get_account_balance`; a fungible asset is named by its metadata address where the account has no store of a coin paired with it. Only primary stores count. Comes in pages, which all belong to the version of the first: while there is more, `X-NODE-CURSOR` gives the `start` of the next one, and a page may hold fewer assets than asked for. 403 on a node that has no index, 503 while it builds one.
     */
    get: operations["get_holdings"];
  };
  "/accounts/{address}": {
    /**
     * Account
     * @description The sequence number and the authentication key of an account, at the latest or a chosen version. Where the chain gives every address an account, one that was never used has sequence number 0 and its address as the key.
     */
    get: operations["get_account"];
  };
  "/accounts/{address}/resource/{resource_type}": {
    /**
     * Resource of an account
     * @description One resource of an account by its type, at the latest or a chosen version, decoded by the modules as of that version. Finds members of resource groups too.
     */
    get: operations["get_account_resource"];
  };
  "/accounts/{address}/resources": {
    /**
     * Resources of an account
     * @description All resources of an account at one version, members of resource groups among them, in the order of the hashes of their state keys. Comes in pages, which all belong to the version of the first: while there is more, `X-NODE-CURSOR` gives the `start` of the next one, and a page may hold fewer resources than asked for, even none. 403 on a node that has no index, 503 while it builds one.
     */
    get: operations["get_account_resources"];
  };
  "/accounts/{address}/module/{module_name}": {
    /**
     * Module of an account
     * @description The bytecode of one module and its ABI: its structs, and its functions that are public, friend, entry or view. At the latest or a chosen version.
     */
    get: operations["get_account_module"];
  };
  "/accounts/{address}/modules": {
    /**
     * Modules of an account
     * @description All modules of an account at one version with their ABIs, in the order of the hashes of their state keys. Comes in pages, which all belong to the version of the first: while there is more, `X-NODE-CURSOR` gives the `start` of the next one, and a page may hold fewer modules than asked for, even none. 403 on a node that has no index, 503 while it builds one.
     */
    get: operations["get_account_modules"];
  };
  "/tables/{table_handle}/item": {
    /**
     * Table item
     * @description One item of a table by the JSON of its key, at the latest or a chosen version. The request names the types of the table's keys and values, and both are taken as given: a wrong key type finds nothing, a wrong value type gives another value or none.
     */
    post: operations["get_table_item"];
  };
  "/tables/{table_handle}/raw_item": {
    /**
     * Raw table item
     * @description The stored bytes of one table item, by the table's handle and the key's BCS bytes, at the latest or a chosen version.
     */
    post: operations["get_raw_table_item"];
  };
  "/tables/{table_handle}/raw_item/proof": {
    /**
     * Proof of a table item
     * @description One table item with its proof, or the proof that there is none: its place in the state, and the signatures of the validators, from a waypoint on. The version must end a block inside the node's proof window; left out, it is the newest signed one.
     */
    post: operations["prove_raw_table_item"];
  };
  "/tables/raw_items": {
    /**
     * Many raw table items at one version
     * @description The stored bytes of up to 1,000 table items, all read at one version: the latest, a given version, or the version at a given time. Results are in the order of the queries; a query that fails, or whose item does not exist, has its error in its place. One response holds at most 8 MiB of items.
     */
    post: operations["get_raw_table_items"];
  };
  "/tables/{table_handle}/items": {
    /**
     * Rows of a table
     * @description Keys and values of a table at one version, in the order of the hashes of their state keys. Comes in pages, which all belong to the version of the first: while there is more, `X-NODE-CURSOR` gives the `start` of the next one. A page may hold fewer rows than asked for, even none. A handle that no table has gives no rows. 403 on a node that has no index, 503 while it builds one.
     */
    get: operations["get_table_items"];
  };
  "/tables/{table_handle}/items/count": {
    /**
     * Number of rows of a table
     * @description Counts the rows of a table at one version. One answer looks at 20,000 rows at most; for a larger table `X-NODE-CURSOR` gives the `start` from which to go on, at the same version, and the numbers are to be added up.
     */
    get: operations["count_table_items"];
  };
  "/view": {
    /**
     * View function
     * @description Calls a view function at the latest or a chosen version. This node has no virtual machine and answers only functions that read balances, supplies and names: `0x1::coin::balance`, `0x1::coin::supply`, `0x1::coin::paired_coin`, `0x1::primary_fungible_store::balance`, `0x1::fungible_asset::balance`, `0x1::fungible_asset::supply`, `0x1::fungible_asset::metadata`, `0x1::fungible_asset::decimals`, `0x1::fungible_asset::name`, `0x1::fungible_asset::symbol`, `0x1::fungible_asset::icon_uri`, `0x1::fungible_asset::project_uri`. Any other function is 400.
     */
    post: operations["view"];
  };
  "/transactions/encode_submission": {
    /**
     * Encode a transaction for signing
     * @description Checks a transaction request against the functions on chain and returns the bytes to sign: the 32-byte domain prefix, then the BCS of the transaction. Sign exactly these bytes.
     */
    post: operations["encode_submission"];
  };
  "/transactions/explain_submission": {
    /**
     * Explain a transaction before it is signed
     * @description Decodes a signing message, a raw transaction or an encode request: who signs, which function or script is called with which arguments, what it can cost, when it expires, every field with its bytes, and warnings from the state of the ledger. The fields are encoded again and compared byte for byte. Nothing is executed, so a transaction without warnings may still fail.
     */
    post: operations["explain_submission"];
  };
  "/transactions": {
    /**
     * Transactions of a range of versions
     * @description Consecutive transactions, each with its info, events and changes. In BCS they are the records that another node needs to follow and verify. A page may hold fewer than asked for.
     */
    get: operations["get_transactions"];
    /**
     * Submit a signed transaction
     * @description Takes a transaction for one of the next blocks of a local chain, after the checks of the network: signatures, authentication key, chain id, expiry, sequence number or nonce, gas and the balance for it. Only calls of a closed list of functions are taken; everything else is refused, because this node has no virtual machine. A node that follows a network hands transactions on to its first upstream with `--forward-submissions`, and takes none without it.
     */
    post: operations["submit_transaction"];
  };
  "/transactions/batch": {
    /**
     * Submit several signed transactions
     * @description Takes each transaction as `submit_transaction` does. 202 if all were taken; 206 with the errors of those that were not.
     */
    post: operations["submit_batch_transactions"];
  };
  "/transactions/simulate": {
    /**
     * Simulate a transaction
     * @description Runs a transaction on the head of a local chain and keeps nothing. The answer is the transaction as it would be committed, with zeros for the hashes. Its signatures must not be valid, because anyone could submit what is signed: send zeros. A transaction that the chain would refuse is answered too, with the reason as its `vm_status`. Calls that are not modelled are refused as in `submit_transaction`.
     */
    post: operations["simulate_transaction"];
  };
  "/transactions/by_version/{txn_version}": {
    /**
     * Transaction by version
     * @description One committed transaction with its info, events and changes. Events, resources and arguments are decoded by the modules as of its version.
     */
    get: operations["get_transaction_by_version"];
  };
  "/transactions/by_hash/{txn_hash}": {
    /**
     * Transaction by hash
     * @description One transaction: committed, or waiting for a block on a node that makes them. 404 for one that is neither, or was pruned. 403 on a node without an index of transactions, 503 while it builds one.
     */
    get: operations["get_transaction_by_hash"];
  };
  "/transactions/wait_by_hash/{txn_hash}": {
    /**
     * Transaction by hash, once it is committed
     * @description As by hash, but waits up to 1000 ms for the transaction to be committed. At most 100 requests wait; more are answered at once.
     */
    get: operations["wait_transaction_by_hash"];
  };
  "/accounts/{address}/transactions": {
    /**
     * Transactions of an account
     * @description The kept transactions that an account sent with sequence numbers, in the order of these; those with nonces have no place in it. A page may hold fewer than asked for. 403 on a node without an index of transactions, 503 while it builds one.
     */
    get: operations["get_account_transactions"];
  };
  "/estimate_gas_price": {
    /**
     * Estimated price of gas
     * @description Prices of a unit of gas, by the reference's rule: from the least prices that the last 10, 30 and 120 blocks of the epoch took, where a block that was not full took the chain's minimum. Computed once for each block.
     */
    get: operations["estimate_gas_price"];
  };
  "/blocks/by_height/{block_height}": {
    /**
     * Block by height
     * @description One block: its hash, time and versions, and its transactions if they are asked for, at most the first 10,000. A block of many transactions comes in pieces; one that fails midway lacks HTTP's final chunk.
     */
    get: operations["get_block_by_height"];
  };
  "/blocks/by_version/{version}": {
    /**
     * Block of a version
     * @description The block that a version is in, as by its height.
     */
    get: operations["get_block_by_version"];
  };
  "/experimental/state_values/raw": {
    /**
     * Raw state value
     * @description The stored value of one state key with its metadata, at the latest or a chosen version, as another node needs it. In BCS only.
     */
    post: operations["get_raw_state_value"];
  };
  "/info": {
    /**
     * Node info
     * @description Basic information about the node: software, chain, sync, storage and pruning.
     */
    get: operations["info"];
  };
  "/": {
    /**
     * Ledger info
     * @description The chain, the latest and the oldest version and block, and the ledger's time.
     */
    get: operations["get_ledger_info"];
  };
  "/-/healthy": {
    /**
     * Health check
     * @description 200 if the node can read its ledger, or waits for it: while there is none yet, or the storage is out of reach, a restart would not help. With `duration_secs`, 200 only if the latest block is no older than that many seconds. A follower is not healthy if no upstream serves data that it can verify.
     */
    get: operations["healthy"];
  };
  "/-/ready": {
    /**
     * Readiness check
     * @description 200 if the node can take requests: it has a ledger, no fault stops it from writing, nothing refutes its history, the latest block is no older than the node's own limit (`--max-lag`), and a follower is at the head of its upstreams or within `--ready-lag`. Use `healthy` to decide whether to restart a process.
     */
    get: operations["ready"];
  };
  "/spec.json": {
    /**
     * OpenAPI document, JSON
     * @description This document.
     */
    get: operations["spec_json"];
  };
  "/spec.yaml": {
    /**
     * OpenAPI document, YAML
     * @description This document as YAML.
     */
    get: operations["spec_yaml"];
  };
  "/spec": {
    /**
     * Reference page
     * @description The operations with their parameters, responses and errors, as a page that works offline.
     */
    get: operations["spec_page"];
  };
}

export type webhooks = Record<string, never>;

export interface components {
  schemas: {
    /**
     * Format: hex
     * @description A 32-byte address: 1 to 64 hex digits behind `0x`, leading zeros may be left out.
     * @example 0x1
     */
    Address: string;
    /**
     * Format: asset-type
     * @description The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`.
     * @example 0x1::aptos_coin::AptosCoin
     */
    AssetType: string;
    /**
     * Format: uint64
     * @description A 64-bit unsigned integer as a string of decimal digits.
     */
    U64: string;
    /** @description A time as RFC 3339, or Unix seconds. */
    Time: string;
    Error: {
      /** @description Names the wrong part of the request, what was expected and what was received. */
      message: string;
      /** @enum {string} */
      error_code: "account_not_found" | "resource_not_found" | "module_not_found" | "struct_field_not_found" | "version_not_found" | "transaction_not_found" | "table_item_not_found" | "block_not_found" | "state_value_not_found" | "version_pruned" | "block_pruned" | "invalid_input" | "invalid_transaction_update" | "sequence_number_too_old" | "vm_error" | "rejected_by_filter" | "health_check_failed" | "mempool_is_full" | "internal_error" | "web_framework_error" | "bcs_not_supported" | "api_disabled";
      /**
       * Format: int64
       * @description Status code of the virtual machine. Sextant has none, so it never sends this member.
       */
      vm_error_code?: number;
      /**
       * Format: uri
       * @description On 410, if configured: a node that keeps more versions.
       */
      archival_endpoint?: string;
      /**
       * Format: uint64
       * @description On 503 because of `min_ledger_version`: the latest version.
       */
      ledger_version?: string;
      /**
       * Format: uint64
       * @description On 503 because of `min_ledger_version`: how many versions are missing.
       */
      versions_behind?: string;
    };
    BalanceDetail: {
      /**
       * Format: uint64
       * @description The version that all of it was read at.
       */
      ledger_version: string;
      /**
       * Format: uint64
       * @description Time of its block, in microseconds.
       */
      timestamp_usec: string;
      /**
       * Format: uint64
       * @description What `get_account_balance` returns: the sum of the parts.
       */
      balance: string;
      coin: components["schemas"]["CoinPart"];
      fungible: components["schemas"]["FungiblePart"];
      /** @description Name of the asset, where the ledger has it. */
      name?: string;
      /** @description Symbol of the asset, where the ledger has it. */
      symbol?: string;
      /** @description Number of digits after the decimal point. */
      decimals?: number;
      /** @description The balance with its decimal point, all decimals included, where they are known. */
      display?: string;
    };
    /** @description The CoinStore of the account. `null` if the request has a metadata address, which does not count the CoinStore. */
    CoinPart: ({
      /** @description The address whose state was read. */
      address: string;
      /** @description Type of the resource, or group of resources, that was read there. */
      type: string;
      /** @description Hash of the state key that was read. */
      state_key_hash: string;
      /** @description Whether the store exists. The amount is 0 both without a store and for an empty one. */
      exists: boolean;
      /**
       * Format: uint64
       * @description What counts towards the balance.
       */
      amount: string;
      /** @description `null` where there is no store. */
      frozen: boolean | null;
    }) | null;
    /** @description The primary store of the account for the asset, or for the one that the coin is paired with. */
    FungiblePart: {
      /** @description The address whose state was read. */
      address: string;
      /** @description Type of the resource, or group of resources, that was read there. */
      type: string;
      /** @description Hash of the state key that was read. */
      state_key_hash: string;
      /** @description Whether the store exists. The amount is 0 both without a store and for an empty one. */
      exists: boolean;
      /**
       * Format: uint64
       * @description What counts towards the balance.
       */
      amount: string;
      /** @description `null` where there is no store. */
      frozen: boolean | null;
      /** @description Address of the asset's metadata. */
      metadata: string;
      /** @description Whether there is an object at the address, with a store in it or not. */
      object_exists: boolean;
      /**
       * Format: uint64
       * @description Amount in the store itself.
       */
      store_amount: string | null;
      /**
       * Format: uint64
       * @description Amount in the concurrent balance, which counts while the store itself has 0.
       */
      concurrent_amount: string | null;
    };
    /** @description A version in digits, or a time as RFC 3339 or as Unix seconds behind an `@`. */
    RangeEnd: string;
    BalanceChange: {
      /**
       * Format: uint64
       * @description The version that changed the balance.
       */
      version: string;
      /**
       * Format: uint64
       * @description Time of its block, in microseconds.
       */
      timestamp_usec: string;
      /**
       * Format: uint64
       * @description The balance at the version before.
       */
      before: string;
      /**
       * Format: uint64
       * @description The balance at this version.
       */
      after: string;
      /** @description Hash of the transaction that changed it. */
      transaction_hash: string;
    };
    ProofBundle: {
      claim: components["schemas"]["ProofClaim"];
      /**
       * Format: uint64
       * @description The last version of a block: the claim holds after it.
       */
      ledger_version: string;
      /** @description Every state item that the claim rests on. */
      items: components["schemas"]["ProvenItem"][];
      /** @description BCS of the info of that version, which has the state root. */
      transaction_info: components["schemas"]["HexBytes"];
      /** @description Hashes beside its way, from the bottom up. */
      accumulator_siblings: components["schemas"]["HexBytes"][];
      ledger: components["schemas"]["ProvenLedger"];
    };
    ProofClaim: components["schemas"]["BalanceClaim"] | components["schemas"]["TableItemClaim"];
    BalanceClaim: {
      /** @enum {string} */
      type: "balance";
      address: string;
      asset_type: string;
      /**
       * Format: uint64
       * @description An amount in the asset's smallest unit.
       */
      balance: string;
    };
    TableItemClaim: {
      /** @enum {string} */
      type: "table_item";
      table_handle: string;
      key: components["schemas"]["HexBytes"];
      /**
       * Format: hex
       * @description Null if the table has no such item.
       * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
       */
      value: string | null;
    };
    /**
     * Format: hex
     * @description Bytes in hex: `0x` and two digits for each byte, zeros never left out.
     * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
     */
    HexBytes: string;
    ProvenItem: {
      /** @description BCS of the state key. */
      state_key: components["schemas"]["HexBytes"];
      /**
       * Format: hex
       * @description BCS of the state value; null if there is no such item.
       * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
       */
      state_value: string | null;
      /** @description The leaf at the end of the key's way through the state tree; null where there is none. */
      leaf: {
        key_hash: components["schemas"]["HexBytes"];
        value_hash: components["schemas"]["HexBytes"];
      } | null;
      /** @description Hashes beside the way, from the root down. */
      siblings: components["schemas"]["HexBytes"][];
    };
    ProvenLedger: components["schemas"]["NamedLedger"] | components["schemas"]["SignedLedger"];
    NamedLedger: {
      /** @enum {string} */
      type: "named";
      /** @description BCS of what the waypoint itself commits to. */
      ledger_info: components["schemas"]["HexBytes"];
    };
    SignedLedger: {
      /** @enum {string} */
      type: "signed";
      /** @description BCS of the end of an epoch, which the waypoint commits to. */
      start: components["schemas"]["HexBytes"];
      /** @description BCS of the signed ledger infos that end the epochs after it, in order. */
      epoch_changes: components["schemas"]["HexBytes"][];
      /** @description BCS of the signed ledger info that the version is proven in. */
      last: components["schemas"]["HexBytes"];
    };
    BalanceEvent: {
      /**
       * Format: uint64
       * @description The version of this balance.
       */
      version: string;
      /**
       * Format: uint64
       * @description Time of its block, in microseconds.
       */
      timestamp_usec: string;
      /**
       * Format: uint64
       * @description An amount in the asset's smallest unit.
       */
      balance: string;
      /**
       * Format: uint64
       * @description In a change: the balance at the version before.
       */
      before?: string;
      /** @description In a change: the transaction. */
      transaction_hash?: string;
      /** @description The trust level of this event when it was sent, as `X-NODE-TRUST` names it for other responses. */
      trust: string;
    };
    GapEvent: {
      message: string;
      /**
       * Format: uint64
       * @description Where the client wanted to resume.
       */
      last_event_id: string;
      /**
       * Format: uint64
       * @description The oldest version that is kept.
       */
      oldest_version: string;
    };
    BlockEvent: {
      /** Format: uint64 */
      height: string;
      /** Format: uint64 */
      first_version: string;
      /** Format: uint64 */
      last_version: string;
      /** Format: uint64 */
      timestamp_usec: string;
      /** Format: uint64 */
      epoch: string;
      /** @description The trust level of this event when it was sent, as `X-NODE-TRUST` names it for other responses. */
      trust: string;
    };
    BalancesRequest: {
      queries: components["schemas"]["BalanceQuery"][];
      /** @description The ledger version to read at: the state after that transaction. The latest when left out. */
      ledger_version?: components["schemas"]["U64"];
      /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
      at?: components["schemas"]["Time"];
      /**
       * @description `true` adds up the balances of each asset.
       * @default false
       */
      totals?: boolean;
    };
    BalanceQuery: {
      /** @description The account address, with or without `0x`; leading zeros may be left out. */
      address: string;
      /** @description The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`. */
      asset_type: string;
    };
    Balances: {
      /**
       * Format: uint64
       * @description The version that all of it was read at.
       */
      ledger_version: string;
      /**
       * Format: uint64
       * @description Time of its block, in microseconds.
       */
      timestamp_usec: string;
      /** @description In the order of the queries. */
      balances: components["schemas"]["BalanceResult"][];
      /** @description With `totals`: the sum of the balances above by asset type, as its first query writes it; a u128. Queries with an error count 0, and a pair that is asked for twice counts twice. */
      totals?: {
        [key: string]: string;
      };
    };
    /** @description Either `balance` or `error`. */
    BalanceResult: {
      /**
       * Format: uint64
       * @description An amount in the asset's smallest unit.
       */
      balance?: string;
      error?: components["schemas"]["Error"];
    };
    Holding: {
      /** @description The type of a coin, or the metadata address of a fungible asset. */
      asset_type: string;
      /**
       * Format: uint64
       * @description What `get_account_balance` answers for this `asset_type`.
       */
      balance: string;
      /** @description Symbol of the asset, where the ledger has it. */
      symbol?: string;
      /** @description Digits behind the decimal point. */
      decimals?: number;
    };
    Account: {
      /**
       * Format: uint64
       * @description The sequence number of the next transaction.
       */
      sequence_number: string;
      /** @description What the account's public key must hash to. */
      authentication_key: components["schemas"]["HexBytes"];
    };
    MoveResource: {
      /**
       * @description A struct type as `address::module::Name<…>`.
       * @example 0x1::account::Account
       */
      type: string;
      data: components["schemas"]["MoveStructValue"];
    };
    /** @description The fields of a struct, each a `MoveValue`. */
    MoveStructValue: {
      [key: string]: unknown;
    };
    MoveModule: {
      bytecode: components["schemas"]["HexBytes"];
      abi: components["schemas"]["MoveModuleAbi"];
    };
    MoveModuleAbi: {
      /**
       * Format: hex
       * @description A 32-byte address: 1 to 64 hex digits behind `0x`, without leading zeros.
       * @example 0x1
       */
      address: string;
      name: string;
      friends: string[];
      exposed_functions: components["schemas"]["MoveFunction"][];
      structs: components["schemas"]["MoveStruct"][];
    };
    MoveFunction: {
      name: string;
      /** @enum {string} */
      visibility: "private" | "public" | "friend";
      is_entry: boolean;
      is_view: boolean;
      generic_type_params: components["schemas"]["MoveTypeParam"][];
      params: string[];
      return: string[];
    };
    MoveTypeParam: {
      constraints: string[];
    };
    MoveStruct: {
      name: string;
      is_native: boolean;
      is_event: boolean;
      is_enum: boolean;
      abilities: string[];
      generic_type_params: components["schemas"]["MoveTypeParam"][];
      fields: components["schemas"]["MoveField"][];
      variants: components["schemas"]["MoveVariant"][];
    };
    MoveField: {
      name: string;
      type: string;
    };
    MoveVariant: {
      name: string;
      fields: components["schemas"]["MoveField"][];
    };
    TableItemRequest: {
      /**
       * Format: move-type
       * @description A Move type such as `u64`, `vector<u8>` or `0x1::string::String`.
       */
      key_type: string;
      /**
       * Format: move-type
       * @description A Move type such as `u64`, `vector<u8>` or `0x1::string::String`.
       */
      value_type: string;
      key: components["schemas"]["MoveValue"];
    };
    /** @description A Move value by its type: `u8` to `u32` and `i8` to `i32` are numbers, wider integers decimal strings; addresses have no leading zeros; `vector<u8>` is hex; `String` is text; `Option` is `{"vec": […]}`; structs are objects, and enums objects with `__variant__`. */
    MoveValue: unknown;
    RawTableItemRequest: {
      key: components["schemas"]["HexBytes"];
    };
    TableItemsRequest: {
      queries: components["schemas"]["TableItemQuery"][];
      /** @description The ledger version to read at: the state after that transaction. The latest when left out. */
      ledger_version?: components["schemas"]["U64"];
      /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
      at?: components["schemas"]["Time"];
    };
    TableItemQuery: {
      /** @description The table's handle: a 32-byte address, with or without `0x`. */
      table_handle: string;
      /** @description The BCS bytes of the key in hex, with or without `0x`. */
      key: string;
    };
    TableItems: {
      /**
       * Format: uint64
       * @description The version that all of it was read at.
       */
      ledger_version: string;
      /**
       * Format: uint64
       * @description Time of its block, in microseconds.
       */
      timestamp_usec: string;
      /** @description In the order of the queries. */
      items: components["schemas"]["TableItemResult"][];
    };
    /** @description Either `value` or `error`. */
    TableItemResult: {
      value?: components["schemas"]["HexBytes"];
      error?: components["schemas"]["Error"];
    };
    TableRow: {
      /**
       * Format: hex
       * @description The key's BCS bytes, as `get_raw_table_item` takes them.
       * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
       */
      key: string;
      /**
       * Format: hex
       * @description The stored bytes; `null` for a row that was deleted after `since`.
       * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
       */
      value: string | null;
    };
    TableRowCount: {
      /**
       * Format: uint64
       * @description The version that was read at.
       */
      ledger_version: string;
      /**
       * Format: uint64
       * @description Time of its block, in microseconds.
       */
      timestamp_usec: string;
      /**
       * Format: uint64
       * @description Rows that were counted from `start` on.
       */
      count: string;
      /** @description `false`: the table goes on behind the cursor, and its rows there must be added. */
      is_complete: boolean;
    };
    ViewRequest: {
      /** @description The function to call. */
      function: string;
      type_arguments: string[];
      arguments: components["schemas"]["MoveValue"][];
    };
    EncodeSubmissionRequest: {
      sender: components["schemas"]["Address"];
      /**
       * Format: uint64
       * @description The sender's sequence number. May be left out when `replay_protection_nonce` is given.
       */
      sequence_number?: string | null;
      max_gas_amount: components["schemas"]["U64"];
      gas_unit_price: components["schemas"]["U64"];
      /** @description Expiration time in seconds. */
      expiration_timestamp_secs: components["schemas"]["U64"];
      payload: components["schemas"]["TransactionPayload"];
      /**
       * Format: uint64
       * @description Protects from replay instead of the sequence number.
       */
      replay_protection_nonce?: string | null;
      /** @description Further signers of a multi-agent transaction. An empty list gives other bytes to sign than no list. */
      secondary_signers?: components["schemas"]["Address"][] | null;
      /**
       * Format: hex
       * @description The account that pays for the gas instead of the sender; the bytes to sign are then the fee-payer message. `0x0` if it is not known yet: the sender and the secondary signers may sign that message, but the fee payer signs the message with its own address.
       * @example 0x1
       */
      fee_payer?: string | null;
    };
    TransactionPayload: components["schemas"]["EntryFunctionPayload"] | components["schemas"]["ScriptPayload"] | components["schemas"]["MultisigPayload"];
    EntryFunctionPayload: {
      /** @enum {string} */
      type: "entry_function_payload";
      /**
       * @description `address::module::function`; names are case-sensitive.
       * @example 0x1::aptos_account::transfer
       */
      function: string;
      /** @description Type arguments, such as `0x1::aptos_coin::AptosCoin`. */
      type_arguments: string[];
      /** @description Arguments without the signers; u64 and wider as strings, `vector<u8>` as hex. */
      arguments: unknown[];
    };
    ScriptPayload: {
      /** @enum {string} */
      type: "script_payload";
      code: components["schemas"]["ScriptCode"];
      /** @description Type arguments, such as `0x1::aptos_coin::AptosCoin`. */
      type_arguments: string[];
      /** @description Arguments without the signers; u64 and wider as strings, `vector<u8>` as hex. */
      arguments: unknown[];
    };
    /** @description The script. Parameter types come from `abi` when it is given, else from the bytecode. */
    ScriptCode: {
      bytecode: components["schemas"]["HexBytes"];
      abi?: components["schemas"]["ScriptAbi"];
    };
    /** @description The script's signature, as a compiler gives it. */
    ScriptAbi: ({
      name: string;
      /** @enum {string} */
      visibility: "private" | "public" | "friend";
      is_entry: boolean;
      is_view: boolean;
      generic_type_params: components["schemas"]["MoveTypeParameter"][];
      params: string[];
      return: string[];
    }) | null;
    MoveTypeParameter: {
      constraints: ("copy" | "drop" | "store" | "key")[];
    };
    MultisigPayload: {
      /** @enum {string} */
      type: "multisig_payload";
      multisig_address: components["schemas"]["Address"];
      transaction_payload?: components["schemas"]["MultisigTransactionPayload"];
    };
    /** @description What the account is to run. Without it: what the account has stored. */
    MultisigTransactionPayload: (components["schemas"]["EntryFunctionPayload"] | components["schemas"]["ScriptPayload"]) | null;
    ExplainSubmissionRequest: components["schemas"]["ExplainMessageRequest"] | components["schemas"]["ExplainRawTransactionRequest"] | components["schemas"]["ExplainEncodeRequest"];
    ExplainMessageRequest: {
      /**
       * @description May be left out.
       * @enum {string}
       */
      type?: "signing_message";
      /** @description A signing message, its prefix included. */
      message: components["schemas"]["HexBytes"];
    };
    ExplainRawTransactionRequest: {
      /**
       * @description May be left out.
       * @enum {string}
       */
      type?: "raw_transaction";
      /** @description The BCS of a raw transaction. */
      raw_transaction: components["schemas"]["HexBytes"];
    };
    ExplainEncodeRequest: {
      sender: components["schemas"]["Address"];
      /**
       * Format: uint64
       * @description The sender's sequence number. May be left out when `replay_protection_nonce` is given.
       */
      sequence_number?: string | null;
      max_gas_amount: components["schemas"]["U64"];
      gas_unit_price: components["schemas"]["U64"];
      /** @description Expiration time in seconds. */
      expiration_timestamp_secs: components["schemas"]["U64"];
      payload: components["schemas"]["TransactionPayload"];
      /**
       * Format: uint64
       * @description Protects from replay instead of the sequence number.
       */
      replay_protection_nonce?: string | null;
      /** @description Further signers of a multi-agent transaction. An empty list gives other bytes to sign than no list. */
      secondary_signers?: components["schemas"]["Address"][] | null;
      /**
       * Format: hex
       * @description The account that pays for the gas instead of the sender; the bytes to sign are then the fee-payer message. `0x0` if it is not known yet: the sender and the secondary signers may sign that message, but the fee payer signs the message with its own address.
       * @example 0x1
       */
      fee_payer?: string | null;
      /**
       * @description May be left out.
       * @enum {string}
       */
      type?: "encode_request";
    };
    Explanation: {
      /**
       * @description A raw transaction, or the signing message of one of three forms.
       * @enum {string}
       */
      kind: "raw_transaction" | "single_signer" | "multi_agent" | "fee_payer";
      /** @description What is explained; the offsets of the fields count in it. */
      bytes: components["schemas"]["HexBytes"];
      /** Format: int32 */
      chain_id: number;
      /**
       * Format: hex
       * @description A 32-byte address: 1 to 64 hex digits behind `0x`, without leading zeros.
       * @example 0x1
       */
      sender: string;
      secondary_signers?: string[];
      /**
       * Format: hex
       * @description `0x0` when it is not known yet.
       * @example 0x1
       */
      fee_payer?: string;
      payload: components["schemas"]["ExplainedPayload"];
      limits?: components["schemas"]["ExplainedLimits"];
      /** Format: uint64 */
      max_gas_amount: string;
      /** Format: uint64 */
      gas_unit_price: string;
      /**
       * Format: uint128
       * @description The most that it can cost: gas times price, in decimal digits.
       * @example 200000
       */
      max_fee: string;
      /** Format: uint64 */
      expiration_timestamp_secs: string;
      /**
       * Format: date-time
       * @description The same as a time; absent after the year 9999.
       */
      expiration?: string;
      replay_protection: components["schemas"]["ReplayProtection"];
      /** @description All of the bytes in order, without gap or overlap. */
      fields: components["schemas"]["ExplainedField"][];
      warnings: components["schemas"]["ExplainedWarning"][];
      /**
       * @description The fields, encoded again, gave exactly these bytes. If they do not, the response is 400.
       * @enum {boolean}
       */
      matches: true;
    };
    ExplainedPayload: components["schemas"]["ExplainedEntryFunction"] | components["schemas"]["ExplainedScript"] | components["schemas"]["ExplainedMultisig"];
    ExplainedEntryFunction: {
      /** @enum {string} */
      type: "entry_function_payload";
      /** @example 0x1::aptos_account::transfer */
      function: string;
      type_arguments: string[];
      arguments: components["schemas"]["ExplainedArgument"][];
    };
    /** @description One argument: its `value` where its type is known and fits, else its `bytes`. */
    ExplainedArgument: {
      /** @description Only for the framework's transfer functions: modules keep no names. */
      name?: string;
      type?: string;
      /** @description In the form that encode_submission accepts. */
      value?: unknown;
      bytes?: components["schemas"]["HexBytes"];
    };
    ExplainedScript: {
      /** @enum {string} */
      type: "script_payload";
      /** @description SHA3-256 of the bytecode, which is the field `payload.code`. */
      code_hash: components["schemas"]["HexBytes"];
      type_arguments: string[];
      arguments: components["schemas"]["ExplainedArgument"][];
    };
    ExplainedMultisig: {
      /** @enum {string} */
      type: "multisig_payload";
      /**
       * Format: hex
       * @description A 32-byte address: 1 to 64 hex digits behind `0x`, without leading zeros.
       * @example 0x1
       */
      multisig_address: string;
      transaction_payload?: components["schemas"]["ExplainedMultisigCall"];
    };
    ExplainedMultisigCall: components["schemas"]["ExplainedEntryFunction"] | components["schemas"]["ExplainedScript"];
    /** @description A request for higher limits, and the stake that backs it. */
    ExplainedLimits: {
      /** @enum {string} */
      backed_by: "stake_pool_owner" | "delegated_voter" | "delegation_pool_delegator";
      /**
       * Format: hex
       * @description A 32-byte address: 1 to 64 hex digits behind `0x`, without leading zeros.
       * @example 0x1
       */
      pool?: string;
      /** Format: uint64 */
      execution_multiplier: string;
      /** Format: uint64 */
      io_multiplier: string;
    };
    ReplayProtection: components["schemas"]["SequenceNumberProtection"] | components["schemas"]["NonceProtection"];
    SequenceNumberProtection: {
      /** @enum {string} */
      type: "sequence_number";
      /** Format: uint64 */
      sequence_number: string;
    };
    NonceProtection: {
      /** @enum {string} */
      type: "nonce";
      /** Format: uint64 */
      nonce: string;
    };
    ExplainedField: {
      /** @example payload.arguments[0] */
      name: string;
      /** @description Digits, an address, a name, a type, or bytes in hex. */
      value: string;
      /**
       * Format: int32
       * @description Offset of its first byte.
       */
      start: number;
      /**
       * Format: int32
       * @description Offset after its last byte.
       */
      end: number;
    };
    ExplainedWarning: {
      /**
       * @description `wrong_chain`: The transaction is for another chain than this node's, so the node did not look up its accounts. `expired`: By the ledger's time the transaction has expired. `expires_too_late`: With a nonce, the chain accepts an expiration at most 100 seconds ahead. `unknown_function`: This ledger has no such module or entry function, so the arguments are shown as bytes. `invalid_script`: The script's bytecode cannot be read. `wrong_arguments`: Type arguments or arguments do not fit the called function or script. `argument_not_decoded`: An argument is shown as bytes: its type is unknown, or its value is too large to print. `wrong_signers`: An account signs twice, or the number of signers is not the number that the called function or script takes. `fee_payer_open`: No fee payer is named: the fee payer signs the message with its own address. `sender_unknown`: The sender has no account resource on this ledger. `sequence_number_used`: The sender's sequence number on this ledger is higher. `sequence_number_ahead`: The sender's sequence number on this ledger is lower: other transactions must come first. `recipient_unknown`: A recipient has neither an account resource nor any of the asset on this ledger. `recipients_not_checked`: There are more recipients than the node looks up. `amount_above_balance`: The transfer takes more than the balance on this ledger. `fee_above_balance`: The highest possible fee, with the amount that the payer transfers, is above the payer's balance.
       * @enum {string}
       */
      code: "wrong_chain" | "expired" | "expires_too_late" | "unknown_function" | "invalid_script" | "wrong_arguments" | "argument_not_decoded" | "wrong_signers" | "fee_payer_open" | "sender_unknown" | "sequence_number_used" | "sequence_number_ahead" | "recipient_unknown" | "recipients_not_checked" | "amount_above_balance" | "fee_above_balance";
      message: string;
    };
    CommittedTransaction: components["schemas"]["UserTransaction"] | components["schemas"]["GenesisTransaction"] | components["schemas"]["BlockMetadataTransaction"] | components["schemas"]["StateCheckpointTransaction"] | components["schemas"]["BlockEpilogueTransaction"] | components["schemas"]["ValidatorTransaction"];
    UserTransaction: {
      /** Format: uint64 */
      version: string;
      hash: string;
      state_change_hash: string;
      event_root_hash: string;
      state_checkpoint_hash: string | null;
      /** Format: uint64 */
      gas_used: string;
      success: boolean;
      /** @description How the execution ended. */
      vm_status: string;
      accumulator_root_hash: string;
      changes: components["schemas"]["WriteSetChange"][];
      /**
       * Format: hex
       * @description A 32-byte address: 1 to 64 hex digits behind `0x`, without leading zeros.
       * @example 0x1
       */
      sender: string;
      /** Format: uint64 */
      sequence_number: string;
      /** Format: uint64 */
      max_gas_amount: string;
      /** Format: uint64 */
      gas_unit_price: string;
      /** Format: uint64 */
      expiration_timestamp_secs: string;
      payload: components["schemas"]["CommittedPayload"];
      signature: components["schemas"]["CommittedSignature"];
      /** Format: uint64 */
      replay_protection_nonce: string | null;
      events: components["schemas"]["Event"][];
      /**
       * Format: uint64
       * @description Time of the block, in microseconds.
       */
      timestamp: string;
      /** @enum {string} */
      type: "user_transaction";
    };
    /** @description `write_resource`, `write_module`, `write_table_item`, `delete_resource`, `delete_module` or `delete_table_item`, with the address or the table handle and the hash of the state key. `data` holds the decoded value; of a table item it is null. */
    WriteSetChange: {
      type: string;
      [key: string]: unknown;
    };
    /** @description `entry_function_payload` with `function`, `type_arguments` and `arguments`; `script_payload` with `code`; `multisig_payload` with `multisig_address` and `transaction_payload`; `encrypted_transaction_payload`, or `module_bundle_payload`. Arguments are decoded by the function's parameters, or all of them hex where that is not possible. */
    CommittedPayload: {
      type: string;
      [key: string]: unknown;
    };
    /** @description `ed25519_signature`, `multi_ed25519_signature`, `multi_agent_signature`, `fee_payer_signature` or `single_sender`, with public keys and signatures in hex. */
    CommittedSignature: {
      type: string;
      [key: string]: unknown;
    };
    Event: {
      guid: components["schemas"]["EventGuid"];
      /** Format: uint64 */
      sequence_number: string;
      type: string;
      data: components["schemas"]["MoveValue"];
    };
    EventGuid: {
      /** Format: uint64 */
      creation_number: string;
      /**
       * Format: hex
       * @description A 32-byte address: 1 to 64 hex digits behind `0x`, without leading zeros.
       * @example 0x1
       */
      account_address: string;
    };
    GenesisTransaction: {
      /** Format: uint64 */
      version: string;
      hash: string;
      state_change_hash: string;
      event_root_hash: string;
      state_checkpoint_hash: string | null;
      /** Format: uint64 */
      gas_used: string;
      success: boolean;
      /** @description How the execution ended. */
      vm_status: string;
      accumulator_root_hash: string;
      changes: components["schemas"]["WriteSetChange"][];
      payload: components["schemas"]["GenesisPayload"];
      events: components["schemas"]["Event"][];
      /** @enum {string} */
      type: "genesis_transaction";
    };
    GenesisPayload: {
      write_set: components["schemas"]["GenesisWriteSet"];
      /** @enum {string} */
      type: "write_set_payload";
    };
    /** @description `direct_write_set` with `changes` and `events`, or `script_write_set` with `execute_as` and `script`. */
    GenesisWriteSet: {
      type: string;
      [key: string]: unknown;
    };
    BlockMetadataTransaction: {
      /** Format: uint64 */
      version: string;
      hash: string;
      state_change_hash: string;
      event_root_hash: string;
      state_checkpoint_hash: string | null;
      /** Format: uint64 */
      gas_used: string;
      success: boolean;
      /** @description How the execution ended. */
      vm_status: string;
      accumulator_root_hash: string;
      changes: components["schemas"]["WriteSetChange"][];
      id: string;
      /** Format: uint64 */
      epoch: string;
      /** Format: uint64 */
      round: string;
      events: components["schemas"]["Event"][];
      previous_block_votes_bitvec: number[];
      /**
       * Format: hex
       * @description A 32-byte address: 1 to 64 hex digits behind `0x`, without leading zeros.
       * @example 0x1
       */
      proposer: string;
      failed_proposer_indices: number[];
      /**
       * Format: uint64
       * @description Time of the block, in microseconds.
       */
      timestamp: string;
      /** @enum {string} */
      type: "block_metadata_transaction";
      /** @description Only in blocks of the newer form. */
      block_metadata_extension?: {
        [key: string]: unknown;
      };
    };
    StateCheckpointTransaction: {
      /** Format: uint64 */
      version: string;
      hash: string;
      state_change_hash: string;
      event_root_hash: string;
      state_checkpoint_hash: string | null;
      /** Format: uint64 */
      gas_used: string;
      success: boolean;
      /** @description How the execution ended. */
      vm_status: string;
      accumulator_root_hash: string;
      changes: components["schemas"]["WriteSetChange"][];
      /**
       * Format: uint64
       * @description Time of the block, in microseconds.
       */
      timestamp: string;
      /** @enum {string} */
      type: "state_checkpoint_transaction";
    };
    BlockEpilogueTransaction: {
      /** Format: uint64 */
      version: string;
      hash: string;
      state_change_hash: string;
      event_root_hash: string;
      state_checkpoint_hash: string | null;
      /** Format: uint64 */
      gas_used: string;
      success: boolean;
      /** @description How the execution ended. */
      vm_status: string;
      accumulator_root_hash: string;
      changes: components["schemas"]["WriteSetChange"][];
      /**
       * Format: uint64
       * @description Time of the block, in microseconds.
       */
      timestamp: string;
      block_end_info: components["schemas"]["BlockEndInfo"];
      /** @enum {string} */
      type: "block_epilogue_transaction";
    };
    BlockEndInfo: {
      block_gas_limit_reached: boolean;
      block_output_limit_reached: boolean;
      /** Format: int64 */
      block_effective_block_gas_units: number;
      /** Format: int64 */
      block_approx_output_size: number;
    };
    ValidatorTransaction: {
      /** Format: uint64 */
      version: string;
      hash: string;
      state_change_hash: string;
      event_root_hash: string;
      state_checkpoint_hash: string | null;
      /** Format: uint64 */
      gas_used: string;
      success: boolean;
      /** @description How the execution ended. */
      vm_status: string;
      accumulator_root_hash: string;
      changes: components["schemas"]["WriteSetChange"][];
      events: components["schemas"]["Event"][];
      /**
       * Format: uint64
       * @description Time of the block, in microseconds.
       */
      timestamp: string;
      validator_transaction_type: string;
      /** @enum {string} */
      type: "validator_transaction";
      /** @description The web keys that the validators agreed on, and who signed them. */
      quorum_certified_update?: {
        [key: string]: unknown;
      };
      /** @description The epoch, author and payload of a key generation. */
      dkg_transcript?: {
        [key: string]: unknown;
      };
    };
    SubmitTransactionRequest: components["schemas"]["EncodeSubmissionRequest"] & {
      signature: components["schemas"]["TransactionSignature"];
    };
    TransactionSignature: {
      /** @enum {string} */
      type: "ed25519_signature" | "multi_ed25519_signature" | "single_key_signature" | "single_sender" | "multi_key_signature" | "multi_agent_signature" | "fee_payer_signature" | "no_account_signature";
      [key: string]: unknown;
    };
    PendingTransaction: {
      hash: string;
      /**
       * Format: hex
       * @description A 32-byte address: 1 to 64 hex digits behind `0x`, without leading zeros.
       * @example 0x1
       */
      sender: string;
      /** Format: uint64 */
      sequence_number: string;
      /** Format: uint64 */
      max_gas_amount: string;
      /** Format: uint64 */
      gas_unit_price: string;
      /** Format: uint64 */
      expiration_timestamp_secs: string;
      payload: components["schemas"]["CommittedPayload"];
      signature: components["schemas"]["CommittedSignature"];
      /** Format: uint64 */
      replay_protection_nonce: string | null;
      /** @enum {string} */
      type: "pending_transaction";
    };
    TransactionsBatchSubmissionResult: {
      transaction_failures: components["schemas"]["TransactionsBatchSingleSubmissionFailure"][];
    };
    TransactionsBatchSingleSubmissionFailure: {
      error: components["schemas"]["Error"];
      transaction_index: number;
    };
    Transaction: components["schemas"]["UserTransaction"] | components["schemas"]["GenesisTransaction"] | components["schemas"]["BlockMetadataTransaction"] | components["schemas"]["StateCheckpointTransaction"] | components["schemas"]["BlockEpilogueTransaction"] | components["schemas"]["ValidatorTransaction"] | components["schemas"]["PendingTransaction"];
    GasEstimation: {
      /**
       * Format: int64
       * @description For a transaction that can wait.
       */
      deprioritized_gas_estimate: number;
      /**
       * Format: int64
       * @description For an ordinary transaction.
       */
      gas_estimate: number;
      /**
       * Format: int64
       * @description For one that should go first.
       */
      prioritized_gas_estimate: number;
    };
    Block: {
      /** Format: uint64 */
      block_height: string;
      block_hash: string;
      /**
       * Format: uint64
       * @description Time of the block, in microseconds.
       */
      block_timestamp: string;
      /** Format: uint64 */
      first_version: string;
      /** Format: uint64 */
      last_version: string;
      /** @description The first 10000 transactions, where they are asked for. */
      transactions: components["schemas"]["CommittedTransaction"][] | null;
    };
    RawStateValueRequest: {
      key: components["schemas"]["HexBytes"];
    };
    NodeInfo: {
      [key: string]: unknown;
    };
    LedgerInfo: {
      /** Format: int32 */
      chain_id: number;
      /** Format: uint64 */
      epoch: string;
      /** Format: uint64 */
      ledger_version: string;
      /** Format: uint64 */
      oldest_ledger_version: string;
      /** Format: uint64 */
      ledger_timestamp: string;
      /** @enum {string} */
      node_role: "validator" | "full_node";
      /** Format: uint64 */
      oldest_block_height: string;
      /** Format: uint64 */
      block_height: string;
      git_hash?: string | null;
      encryption_key?: string | null;
    };
    Message: {
      message: string;
    };
    OpenApiDocument: {
      [key: string]: unknown;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: {
    "X-NODE-CHAIN-ID": number;
    "X-NODE-LEDGER-VERSION": number;
    "X-NODE-LEDGER-OLDEST-VERSION": number;
    "X-NODE-LEDGER-TIMESTAMPUSEC": number;
    "X-NODE-EPOCH": number;
    "X-NODE-BLOCK-HEIGHT": number;
    "X-NODE-OLDEST-BLOCK-HEIGHT": number;
  };
  pathItems: never;
}

export type $defs = Record<string, never>;

export type external = Record<string, never>;

export interface operations {

  /**
   * Balance of an account
   * @description The balance of an account for a coin type or a fungible asset, at the latest or a chosen version. A coin type counts its CoinStore and the primary store of the paired fungible asset; a metadata address counts that primary store only. Accounts, assets and stores that do not exist have a balance of 0. With `?quoted=true` the answer is the same digits as a JSON string, for clients whose JSON parser rounds integers above 2^53; generated clients get them from `get_balance_detail`.
   */
  get_account_balance: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description An `ETag` of an earlier response: 304 instead of the same bytes again. */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The account address, with or without `0x`; leading zeros may be left out.
         * @example 0x1
         */
        address: components["schemas"]["Address"];
        /**
         * @description The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`. In a path `<`, `>` and spaces are escaped.
         * @example 0x1::aptos_coin::AptosCoin
         */
        asset_type: components["schemas"]["AssetType"];
      };
    };
    responses: {
      /** @description application/json: A bare integer with every digit. application/x-bcs: Eight bytes: a little-endian u64. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: {
          "application/json": number;
          "application/x-bcs": string;
        };
      };
      /** @description The bytes that `If-None-Match` names have not changed. */
      304: {
        headers: {
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: never;
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Parts of a balance
   * @description What the balance of an account is made of: the coin store and the primary store with their amounts, whether each exists and is frozen, the addresses and state keys that were read, and, where the ledger has them, the asset's name, symbol and decimals.
   */
  get_balance_detail: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description An `ETag` of an earlier response: 304 instead of the same bytes again. */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The account address, with or without `0x`; leading zeros may be left out.
         * @example 0x1
         */
        address: components["schemas"]["Address"];
        /**
         * @description The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`. In a path `<`, `>` and spaces are escaped.
         * @example 0x1::aptos_coin::AptosCoin
         */
        asset_type: components["schemas"]["AssetType"];
      };
    };
    responses: {
      /** @description application/json: The parts; amounts, version and time are strings of decimal digits. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: {
          "application/json": components["schemas"]["BalanceDetail"];
        };
      };
      /** @description The bytes that `If-None-Match` names have not changed. */
      304: {
        headers: {
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: never;
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Changes of a balance
   * @description Every change of a balance between two versions or times, oldest first, with the balance before and after it and the transaction. JSON comes in pages: while there are more changes, `X-NODE-CURSOR` gives the `start` of the next page; a page may hold fewer changes than `limit`. CSV and NDJSON are streamed to the end of the range unless `limit` or `points` is given; a stream that fails midway lacks HTTP's final chunk. The change at the oldest kept version is unknown, because the state before it was pruned: the range begins after that version.
   */
  get_balance_history: {
    parameters: {
      query?: {
        /** @description Where the range begins: this version, or the first version whose block is not before this time. If left out, the oldest change that the node still knows. A version in digits, or a time: RFC 3339 such as `2026-01-31T00:00:00Z`, or `@` and Unix seconds. */
        from?: components["schemas"]["RangeEnd"];
        /** @description Where the range ends: this version, or the last version whose block is not after this time. If left out, the latest version. A version in digits, or a time: RFC 3339 such as `2026-01-31T00:00:00Z`, or `@` and Unix seconds. */
        to?: components["schemas"]["RangeEnd"];
        /**
         * @description Largest number of changes. If left out, 100 in JSON and no limit in CSV and NDJSON.
         * @example 100
         */
        limit?: number;
        /** @description The cursor of the previous page; continues after that page in the same range. */
        start?: components["schemas"]["U64"];
        /** @description Samples the changes for a chart: divides the range into equal time spans, a quarter as many as this number, and returns the first, last, lowest and highest change of each. Excludes `limit`. */
        points?: number;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      path: {
        /**
         * @description The account address, with or without `0x`; leading zeros may be left out.
         * @example 0x1
         */
        address: components["schemas"]["Address"];
        /**
         * @description The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`. In a path `<`, `>` and spaces are escaped.
         * @example 0x1::aptos_coin::AptosCoin
         */
        asset_type: components["schemas"]["AssetType"];
      };
    };
    responses: {
      /** @description application/json: The changes; amounts, versions and times are strings of decimal digits. text/csv: A header line and a line for each change: version, timestamp_usec, before, after, transaction_hash. application/x-ndjson: One of the JSON objects on each line. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
          /** @description While there is more: the value of `start` for the next page. */
          "X-NODE-CURSOR"?: string;
        };
        content: {
          "application/json": components["schemas"]["BalanceChange"][];
          "text/csv": string;
          "application/x-ndjson": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: `from` is above `to`, or `since` above the version that is read at. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Proof of a balance
   * @description A balance with its proof: the state items that it is computed from, present or absent, their place in the state, and the signatures of the validators, from a waypoint on. The version must end a block inside the node's proof window; left out, it is the newest signed one.
   */
  prove_account_balance: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /** @description The waypoint that the proof must begin at: one of an epoch's end, such as that of genesis. The bundle then holds every change of epoch since. Left out, it begins at the end of the epoch before. */
        from_waypoint?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description An `ETag` of an earlier response: 304 instead of the same bytes again. */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The account address, with or without `0x`; leading zeros may be left out.
         * @example 0x1
         */
        address: components["schemas"]["Address"];
        /**
         * @description The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`. In a path `<`, `>` and spaces are escaped.
         * @example 0x1::aptos_coin::AptosCoin
         */
        asset_type: components["schemas"]["AssetType"];
      };
    };
    responses: {
      /** @description application/json: The bundle. `sextant verify-proof` checks it without a network. application/x-bcs: The same bundle in BCS. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: {
          "application/json": components["schemas"]["ProofBundle"];
          "application/x-bcs": string;
        };
      };
      /** @description The bytes that `If-None-Match` names have not changed. */
      304: {
        headers: {
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: never;
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: A proof is asked for at a version that ends no block, or from a waypoint that this node cannot begin at. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Changes of a balance as they happen
   * @description Server-sent events: the balance now, then each change of it as soon as its version is committed. A client that connects again with `Last-Event-ID` gets what it missed. A client that reads too slowly is cut off and resumes in the same way. The stream has no end of its own.
   */
  stream_balance: {
    parameters: {
      query?: {
        /** @description Sends the changes after this version instead of the state now: for clients that cannot send `Last-Event-ID`, which overrides it. */
        after?: components["schemas"]["U64"];
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description The id of the last event that the client got: resumes behind it. Changes since are sent from the history. The id names a version and the history up to it; a ledger with another history answers with an event `gap`. */
        "Last-Event-ID"?: string;
      };
      path: {
        /**
         * @description The account address, with or without `0x`; leading zeros may be left out.
         * @example 0x1
         */
        address: components["schemas"]["Address"];
        /**
         * @description The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`. In a path `<`, `>` and spaces are escaped.
         * @example 0x1::aptos_coin::AptosCoin
         */
        asset_type: components["schemas"]["AssetType"];
      };
    };
    responses: {
      /** @description text/event-stream: Server-sent events. An event `balance` gives the current state, then each change, with the trust level that it has when it is sent; its `id` names its version and the history up to it. A node with a least trust level (`--min-trust`) sends an event once it has that level. An event `gap` says that changes after `Last-Event-ID` have been pruned, or that the ledger does not have that history; the current state follows it. A comment is a heartbeat; its `id` says how far the stream is. `x-event-data` names the schema of the JSON in `data`, by event. Generated clients have types for it but read the response as one text, which never ends: read it line by line. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "text/event-stream": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Blocks as they are committed
   * @description Server-sent events: the latest block, then each block as soon as it is committed, with its height, versions, time and epoch. The id of an event names the last version of its block. A client that connects again with `Last-Event-ID` gets the blocks that it missed.
   */
  stream_blocks: {
    parameters: {
      query?: {
        /** @description Sends the changes after this version instead of the state now: for clients that cannot send `Last-Event-ID`, which overrides it. */
        after?: components["schemas"]["U64"];
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description The id of the last event that the client got: resumes behind it. Changes since are sent from the history. The id names a version and the history up to it; a ledger with another history answers with an event `gap`. */
        "Last-Event-ID"?: string;
      };
    };
    responses: {
      /** @description text/event-stream: Server-sent events. An event `block` gives the current state, then each change, with the trust level that it has when it is sent; its `id` names its version and the history up to it. A node with a least trust level (`--min-trust`) sends an event once it has that level. An event `gap` says that changes after `Last-Event-ID` have been pruned, or that the ledger does not have that history; the current state follows it. A comment is a heartbeat; its `id` says how far the stream is. `x-event-data` names the schema of the JSON in `data`, by event. Generated clients have types for it but read the response as one text, which never ends: read it line by line. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "text/event-stream": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Many balances at one version
   * @description The balances of up to 1,000 pairs of an account and an asset, all read at one version: the latest, a given version, or the version at a given time. Results are in the order of the queries; a query that fails has its error in its place. Each balance counts as in `get_account_balance`, so a coin type and the metadata address that it is paired with count the same store.
   */
  get_balances: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    /** @description Up to 1,000 pairs of an account and an asset, and the version or the time to read all of them at. At most 1 MiB. */
    requestBody: {
      content: {
        /**
         * @example {
         *   "queries": [
         *     {
         *       "address": "0x4c8c4c574ddfa2ff2015d1817d88bfb048ec7928297952bb4400935ea67a3d5f",
         *       "asset_type": "0x1::aptos_coin::AptosCoin"
         *     },
         *     {
         *       "address": "0x2a0f0892cbcb1c872b8b6b62610373eb9814535d4b968f194eecdf6fec44c918",
         *       "asset_type": "0x1::aptos_coin::AptosCoin"
         *     }
         *   ],
         *   "totals": true
         * }
         */
        "application/json": components["schemas"]["BalancesRequest"];
      };
    };
    responses: {
      /** @description application/json: Version, block time and the balances; amounts are strings of decimal digits. application/x-bcs: A struct: u64 version, u64 block time in microseconds, a vector of results, and an option of the totals. A result is an enum: 0 with a u64 balance, or 1 with two strings, message and error code. Totals are a vector of structs: string asset type, u128 sum. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["Balances"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, as sent or decompressed, is over the node's limit (8 MiB unless configured), a batch is over 1 MiB, the request of a state value over 2 MiB or of a raw item's proof over 256 KiB, or that of a table item or a view function over 64 KiB. */
      413: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A POST has no `Content-Type`, one that is not JSON, or an unknown `Content-Encoding`. */
      415: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * All balances of an account
   * @description Every asset for which the account has a store at one version, empty stores included. A coin counts with the fungible asset that it is paired with, as in `get_account_balance`; a fungible asset is named by its metadata address where the account has no store of a coin paired with it. Only primary stores count. Comes in pages, which all belong to the version of the first: while there is more, `X-NODE-CURSOR` gives the `start` of the next one, and a page may hold fewer assets than asked for. 403 on a node that has no index, 503 while it builds one.
   */
  get_holdings: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description How many assets at most. 100 when left out.
         * @example 100
         */
        limit?: number;
        /** @description The cursor of the page before: the next page, at the version of that page. Excludes `at`, and `ledger_version` of another version. */
        start?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description An `ETag` of an earlier response: 304 instead of the same bytes again. */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The account address, with or without `0x`; leading zeros may be left out.
         * @example 0x1
         */
        address: components["schemas"]["Address"];
      };
    };
    responses: {
      /** @description application/json: The assets, in the order of their metadata addresses; amounts are decimal digits. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
          /** @description While there is more: the value of `start` for the next page. */
          "X-NODE-CURSOR"?: string;
        };
        content: {
          "application/json": components["schemas"]["Holding"][];
        };
      };
      /** @description The bytes that `If-None-Match` names have not changed. */
      304: {
        headers: {
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: never;
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Account
   * @description The sequence number and the authentication key of an account, at the latest or a chosen version. Where the chain gives every address an account, one that was never used has sequence number 0 and its address as the key.
   */
  get_account: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description An `ETag` of an earlier response: 304 instead of the same bytes again. */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The account address, with or without `0x`; leading zeros may be left out.
         * @example 0x1
         */
        address: components["schemas"]["Address"];
      };
    };
    responses: {
      /** @description application/json: The account. application/x-bcs: BCS of the `0x1::account::Account` resource. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: {
          "application/json": components["schemas"]["Account"];
          "application/x-bcs": string;
        };
      };
      /** @description The bytes that `If-None-Match` names have not changed. */
      304: {
        headers: {
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: never;
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `account_not_found`: The address has no account at this version, and the chain gives it none by default. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Resource of an account
   * @description One resource of an account by its type, at the latest or a chosen version, decoded by the modules as of that version. Finds members of resource groups too.
   */
  get_account_resource: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description An `ETag` of an earlier response: 304 instead of the same bytes again. */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The account address, with or without `0x`; leading zeros may be left out.
         * @example 0x1
         */
        address: components["schemas"]["Address"];
        /**
         * @description The type of the resource as `address::module::Name<…>`. In a path `<`, `>` and spaces are escaped.
         * @example 0x1::chain_id::ChainId
         */
        resource_type: string;
      };
    };
    responses: {
      /** @description application/json: The type and the fields. application/x-bcs: The stored bytes, verbatim. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: {
          "application/json": components["schemas"]["MoveResource"];
          "application/x-bcs": string;
        };
      };
      /** @description The bytes that `If-None-Match` names have not changed. */
      304: {
        headers: {
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: never;
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `resource_not_found`: The address has no resource of this type at this version. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Resources of an account
   * @description All resources of an account at one version, members of resource groups among them, in the order of the hashes of their state keys. Comes in pages, which all belong to the version of the first: while there is more, `X-NODE-CURSOR` gives the `start` of the next one, and a page may hold fewer resources than asked for, even none. 403 on a node that has no index, 503 while it builds one.
   */
  get_account_resources: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description How many resources, a resource group counting as one at most: 9999 when left out; more counts as 9999.
         * @example 100
         */
        limit?: number;
        /** @description The cursor of the page before: the next page, at the version of that page. Excludes `at`, and `ledger_version` of another version. */
        start?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description An `ETag` of an earlier response: 304 instead of the same bytes again. */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The account address, with or without `0x`; leading zeros may be left out.
         * @example 0x1
         */
        address: components["schemas"]["Address"];
      };
    };
    responses: {
      /** @description application/json: The resources. application/x-bcs: A BCS map from struct tags to the stored bytes. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
          /** @description While there is more: the value of `start` for the next page. */
          "X-NODE-CURSOR"?: string;
        };
        content: {
          "application/json": components["schemas"]["MoveResource"][];
          "application/x-bcs": string;
        };
      };
      /** @description The bytes that `If-None-Match` names have not changed. */
      304: {
        headers: {
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: never;
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `account_not_found`: The address has no account at this version, and the chain gives it none by default. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Module of an account
   * @description The bytecode of one module and its ABI: its structs, and its functions that are public, friend, entry or view. At the latest or a chosen version.
   */
  get_account_module: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description An `ETag` of an earlier response: 304 instead of the same bytes again. */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The account address, with or without `0x`; leading zeros may be left out.
         * @example 0x1
         */
        address: components["schemas"]["Address"];
        /**
         * @description The module's name.
         * @example coin
         */
        module_name: string;
      };
    };
    responses: {
      /** @description application/json: The bytecode in hex, and the ABI. application/x-bcs: The bytecode, verbatim. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: {
          "application/json": components["schemas"]["MoveModule"];
          "application/x-bcs": string;
        };
      };
      /** @description The bytes that `If-None-Match` names have not changed. */
      304: {
        headers: {
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: never;
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `module_not_found`: The address has no module of this name at this version. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Modules of an account
   * @description All modules of an account at one version with their ABIs, in the order of the hashes of their state keys. Comes in pages, which all belong to the version of the first: while there is more, `X-NODE-CURSOR` gives the `start` of the next one, and a page may hold fewer modules than asked for, even none. 403 on a node that has no index, 503 while it builds one.
   */
  get_account_modules: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description How many modules at most: 9999 when left out; more counts as 9999.
         * @example 100
         */
        limit?: number;
        /** @description The cursor of the page before: the next page, at the version of that page. Excludes `at`, and `ledger_version` of another version. */
        start?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description An `ETag` of an earlier response: 304 instead of the same bytes again. */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The account address, with or without `0x`; leading zeros may be left out.
         * @example 0x1
         */
        address: components["schemas"]["Address"];
      };
    };
    responses: {
      /** @description application/json: The modules. application/x-bcs: A BCS map from module ids to bytecode. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
          /** @description While there is more: the value of `start` for the next page. */
          "X-NODE-CURSOR"?: string;
        };
        content: {
          "application/json": components["schemas"]["MoveModule"][];
          "application/x-bcs": string;
        };
      };
      /** @description The bytes that `If-None-Match` names have not changed. */
      304: {
        headers: {
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: never;
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `account_not_found`: The address has no account at this version, and the chain gives it none by default. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Table item
   * @description One item of a table by the JSON of its key, at the latest or a chosen version. The request names the types of the table's keys and values, and both are taken as given: a wrong key type finds nothing, a wrong value type gives another value or none.
   */
  get_table_item: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      path: {
        /**
         * @description The table's handle: a 32-byte address, with or without `0x`.
         * @example 0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815
         */
        table_handle: components["schemas"]["Address"];
      };
    };
    /** @description The types of the table's keys and values, and the key in JSON. The ledger does not have the types: ask with those of the struct that holds the table. */
    requestBody: {
      content: {
        /**
         * @example {
         *   "key_type": "0x1::string::String",
         *   "value_type": "u64",
         *   "key": "APT"
         * }
         */
        "application/json": components["schemas"]["TableItemRequest"];
      };
    };
    responses: {
      /** @description application/json: The item by its type. application/x-bcs: The stored bytes, verbatim. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["MoveValue"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The key type or value type is no type of this ledger, the key is no value of its type, or the item is none. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `table_item_not_found`: The table holds no item under this key at this version, or there is no such table. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, as sent or decompressed, is over the node's limit (8 MiB unless configured), a batch is over 1 MiB, the request of a state value over 2 MiB or of a raw item's proof over 256 KiB, or that of a table item or a view function over 64 KiB. */
      413: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A POST has no `Content-Type`, one that is not JSON, or an unknown `Content-Encoding`. */
      415: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Raw table item
   * @description The stored bytes of one table item, by the table's handle and the key's BCS bytes, at the latest or a chosen version.
   */
  get_raw_table_item: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      path: {
        /**
         * @description The table's handle: a 32-byte address, with or without `0x`.
         * @example 0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815
         */
        table_handle: components["schemas"]["Address"];
      };
    };
    /** @description The BCS bytes of the key in hex. A bare JSON string instead of the object is taken too. */
    requestBody: {
      content: {
        /**
         * @example {
         *   "key": "0x03415054"
         * }
         */
        "application/json": components["schemas"]["RawTableItemRequest"];
      };
    };
    responses: {
      /** @description application/json: The same bytes as a JSON string in hex. application/x-bcs: The stored bytes, verbatim. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["HexBytes"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `table_item_not_found`: The table holds no item under this key at this version, or there is no such table. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, as sent or decompressed, is over the node's limit (8 MiB unless configured), a batch is over 1 MiB, the request of a state value over 2 MiB or of a raw item's proof over 256 KiB, or that of a table item or a view function over 64 KiB. */
      413: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A POST has no `Content-Type`, one that is not JSON, or an unknown `Content-Encoding`. */
      415: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Proof of a table item
   * @description One table item with its proof, or the proof that there is none: its place in the state, and the signatures of the validators, from a waypoint on. The version must end a block inside the node's proof window; left out, it is the newest signed one.
   */
  prove_raw_table_item: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /** @description The waypoint that the proof must begin at: one of an epoch's end, such as that of genesis. The bundle then holds every change of epoch since. Left out, it begins at the end of the epoch before. */
        from_waypoint?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      path: {
        /**
         * @description The table's handle: a 32-byte address, with or without `0x`.
         * @example 0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815
         */
        table_handle: components["schemas"]["Address"];
      };
    };
    /** @description The BCS bytes of the key in hex, at most 256 KiB. A bare JSON string instead of the object is taken too. */
    requestBody: {
      content: {
        /**
         * @example {
         *   "key": "0x03415054"
         * }
         */
        "application/json": components["schemas"]["RawTableItemRequest"];
      };
    };
    responses: {
      /** @description application/json: The bundle. `sextant verify-proof` checks it without a network. application/x-bcs: The same bundle in BCS. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["ProofBundle"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: A proof is asked for at a version that ends no block, or from a waypoint that this node cannot begin at. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, as sent or decompressed, is over the node's limit (8 MiB unless configured), a batch is over 1 MiB, the request of a state value over 2 MiB or of a raw item's proof over 256 KiB, or that of a table item or a view function over 64 KiB. */
      413: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A POST has no `Content-Type`, one that is not JSON, or an unknown `Content-Encoding`. */
      415: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Many raw table items at one version
   * @description The stored bytes of up to 1,000 table items, all read at one version: the latest, a given version, or the version at a given time. Results are in the order of the queries; a query that fails, or whose item does not exist, has its error in its place. One response holds at most 8 MiB of items.
   */
  get_raw_table_items: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    /** @description Up to 1,000 pairs of a table and a key, and the version or the time to read all of them at. At most 1 MiB. */
    requestBody: {
      content: {
        /**
         * @example {
         *   "queries": [
         *     {
         *       "table_handle": "0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815",
         *       "key": "0x03415054"
         *     }
         *   ]
         * }
         */
        "application/json": components["schemas"]["TableItemsRequest"];
      };
    };
    responses: {
      /** @description application/json: Version, block time and the items; bytes are in hex. application/x-bcs: A struct: u64 version, u64 block time in microseconds, and a vector of results. A result is an enum: 0 with a `vector<u8>`, or 1 with two strings, message and error code. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["TableItems"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: In a batch, in place of a table item: the items before it already fill the largest response (8 MiB). Or the transactions of a block have over 64 MiB in BCS. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `table_item_not_found`: The table holds no item under this key at this version, or there is no such table. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, as sent or decompressed, is over the node's limit (8 MiB unless configured), a batch is over 1 MiB, the request of a state value over 2 MiB or of a raw item's proof over 256 KiB, or that of a table item or a view function over 64 KiB. */
      413: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A POST has no `Content-Type`, one that is not JSON, or an unknown `Content-Encoding`. */
      415: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Rows of a table
   * @description Keys and values of a table at one version, in the order of the hashes of their state keys. Comes in pages, which all belong to the version of the first: while there is more, `X-NODE-CURSOR` gives the `start` of the next one. A page may hold fewer rows than asked for, even none. A handle that no table has gives no rows. 403 on a node that has no index, 503 while it builds one.
   */
  get_table_items: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /** @description Only rows that changed after this version: new and changed ones with their values, deleted ones without. */
        since?: components["schemas"]["U64"];
        /**
         * @description How many rows at most. 100 when left out.
         * @example 100
         */
        limit?: number;
        /** @description The cursor of the page before: the next page, at the version of that page. Excludes `at`, and `ledger_version` of another version. */
        start?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description An `ETag` of an earlier response: 304 instead of the same bytes again. */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The table's handle: a 32-byte address, with or without `0x`.
         * @example 0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815
         */
        table_handle: components["schemas"]["Address"];
      };
    };
    responses: {
      /** @description application/json: The rows, in hex. application/x-bcs: A vector of rows, each the key as `vector<u8>` and the value as `Option<vector<u8>>`; none for a row that was deleted after `since`. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
          /** @description While there is more: the value of `start` for the next page. */
          "X-NODE-CURSOR"?: string;
        };
        content: {
          "application/json": components["schemas"]["TableRow"][];
          "application/x-bcs": string;
        };
      };
      /** @description The bytes that `If-None-Match` names have not changed. */
      304: {
        headers: {
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: never;
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: `from` is above `to`, or `since` above the version that is read at. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Number of rows of a table
   * @description Counts the rows of a table at one version. One answer looks at 20,000 rows at most; for a larger table `X-NODE-CURSOR` gives the `start` from which to go on, at the same version, and the numbers are to be added up.
   */
  count_table_items: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /** @description Only rows that changed after this version: new and changed ones with their values, deleted ones without. */
        since?: components["schemas"]["U64"];
        /** @description The cursor of the page before: the next page, at the version of that page. Excludes `at`, and `ledger_version` of another version. */
        start?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description An `ETag` of an earlier response: 304 instead of the same bytes again. */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The table's handle: a 32-byte address, with or without `0x`.
         * @example 0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815
         */
        table_handle: components["schemas"]["Address"];
      };
    };
    responses: {
      /** @description application/json: The number of rows, as decimal digits. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
          /** @description While there is more: the value of `start` for the next page. */
          "X-NODE-CURSOR"?: string;
        };
        content: {
          "application/json": components["schemas"]["TableRowCount"];
        };
      };
      /** @description The bytes that `If-None-Match` names have not changed. */
      304: {
        headers: {
          /** @description Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever. */
          ETag?: string;
        };
        content: never;
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: `from` is above `to`, or `since` above the version that is read at. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * View function
   * @description Calls a view function at the latest or a chosen version. This node has no virtual machine and answers only functions that read balances, supplies and names: `0x1::coin::balance`, `0x1::coin::supply`, `0x1::coin::paired_coin`, `0x1::primary_fungible_store::balance`, `0x1::fungible_asset::balance`, `0x1::fungible_asset::supply`, `0x1::fungible_asset::metadata`, `0x1::fungible_asset::decimals`, `0x1::fungible_asset::name`, `0x1::fungible_asset::symbol`, `0x1::fungible_asset::icon_uri`, `0x1::fungible_asset::project_uri`. Any other function is 400.
   */
  view: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    /** @description The function and its arguments. */
    requestBody: {
      content: {
        /**
         * @example {
         *   "function": "0x1::coin::balance",
         *   "type_arguments": [
         *     "0x1::aptos_coin::AptosCoin"
         *   ],
         *   "arguments": [
         *     "0x1"
         *   ]
         * }
         */
        "application/json": components["schemas"]["ViewRequest"];
        "application/x.aptos.view_function+bcs": string;
      };
    };
    responses: {
      /** @description application/json: The values that the function returned. application/x-bcs: A BCS vector with the BCS of each returned value, as `vector<u8>`. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["MoveValue"][];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The view function is none of those that a node without a virtual machine can answer, or its arguments are wrong. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, as sent or decompressed, is over the node's limit (8 MiB unless configured), a batch is over 1 MiB, the request of a state value over 2 MiB or of a raw item's proof over 256 KiB, or that of a table item or a view function over 64 KiB. */
      413: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A POST has no `Content-Type`, one that is not JSON, or an unknown `Content-Encoding`. */
      415: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Encode a transaction for signing
   * @description Checks a transaction request against the functions on chain and returns the bytes to sign: the 32-byte domain prefix, then the BCS of the transaction. Sign exactly these bytes.
   */
  encode_submission: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    /** @description A user transaction, optionally with secondary signers and a fee payer. */
    requestBody: {
      content: {
        /**
         * @example {
         *   "sender": "0x1",
         *   "sequence_number": "0",
         *   "max_gas_amount": "2000",
         *   "gas_unit_price": "100",
         *   "expiration_timestamp_secs": "32425224034",
         *   "payload": {
         *     "type": "entry_function_payload",
         *     "function": "0x1::aptos_account::transfer",
         *     "type_arguments": [],
         *     "arguments": [
         *       "0x1234",
         *       "5"
         *     ]
         *   }
         * }
         */
        "application/json": components["schemas"]["EncodeSubmissionRequest"];
      };
    };
    responses: {
      /** @description application/json: The signing message in hex. application/x-bcs: The signing message as a BCS `vector<u8>`: its length in ULEB128, then the bytes. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["HexBytes"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The transaction is well-formed but cannot be encoded: unknown module or function, wrong number or kind of arguments, or a payload that the chain refuses. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, as sent or decompressed, is over the node's limit (8 MiB unless configured), a batch is over 1 MiB, the request of a state value over 2 MiB or of a raw item's proof over 256 KiB, or that of a table item or a view function over 64 KiB. */
      413: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A POST has no `Content-Type`, one that is not JSON, or an unknown `Content-Encoding`. */
      415: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Explain a transaction before it is signed
   * @description Decodes a signing message, a raw transaction or an encode request: who signs, which function or script is called with which arguments, what it can cost, when it expires, every field with its bytes, and warnings from the state of the ledger. The fields are encoded again and compared byte for byte. Nothing is executed, so a transaction without warnings may still fail.
   */
  explain_submission: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    /** @description A signing message or a raw transaction of at most 262,144 bytes, or an encode request. */
    requestBody: {
      content: {
        /**
         * @example {
         *   "type": "signing_message",
         *   "message": "0xb5e97db07fa0bd0e5598aa3643a9bc6f6693bddc1a9fec9e674a461eaa00b193000000000000000000000000000000000000000000000000000000000000000100000000000000000200000000000000000000000000000000000000000000000000000000000000010d6170746f735f6163636f756e74087472616e736665720002200000000000000000000000000000000000000000000000000000000000001234080500000000000000d007000000000000640000000000000062a7b18c0700000004"
         * }
         */
        "application/json": components["schemas"]["ExplainSubmissionRequest"];
      };
    };
    responses: {
      /** @description application/json: The explanation. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["Explanation"];
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The transaction is well-formed but cannot be encoded: unknown module or function, wrong number or kind of arguments, or a payload that the chain refuses. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, as sent or decompressed, is over the node's limit (8 MiB unless configured), a batch is over 1 MiB, the request of a state value over 2 MiB or of a raw item's proof over 256 KiB, or that of a table item or a view function over 64 KiB. */
      413: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A POST has no `Content-Type`, one that is not JSON, or an unknown `Content-Encoding`. */
      415: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Transactions of a range of versions
   * @description Consecutive transactions, each with its info, events and changes. In BCS they are the records that another node needs to follow and verify. A page may hold fewer than asked for.
   */
  get_transactions: {
    parameters: {
      query?: {
        /**
         * @description The version of the first record. When left out, the page ends with the latest version.
         * @example 1
         */
        start?: components["schemas"]["U64"];
        /**
         * @description How many at most: 25 when left out; above 100 counts as 100.
         * @example 25
         */
        limit?: number;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    responses: {
      /** @description application/json: The transactions. application/x-bcs: A BCS vector of records. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["CommittedTransaction"][];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: `start` is above the latest version, or `limit` is 0. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. */
      400: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Submit a signed transaction
   * @description Takes a transaction for one of the next blocks of a local chain, after the checks of the network: signatures, authentication key, chain id, expiry, sequence number or nonce, gas and the balance for it. Only calls of a closed list of functions are taken; everything else is refused, because this node has no virtual machine. A node that follows a network hands transactions on to its first upstream with `--forward-submissions`, and takes none without it.
   */
  submit_transaction: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    /** @description A signed transaction. */
    requestBody: {
      content: {
        /**
         * @example {
         *   "sender": "0x1",
         *   "sequence_number": "0",
         *   "max_gas_amount": "2000",
         *   "gas_unit_price": "100",
         *   "expiration_timestamp_secs": "32425224034",
         *   "payload": {
         *     "type": "entry_function_payload",
         *     "function": "0x1::aptos_account::transfer",
         *     "type_arguments": [],
         *     "arguments": [
         *       "0x1234",
         *       "5"
         *     ]
         *   },
         *   "signature": {
         *     "type": "ed25519_signature",
         *     "public_key": "0x0000000000000000000000000000000000000000000000000000000000000000",
         *     "signature": "0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
         *   }
         * }
         */
        "application/json": components["schemas"]["SubmitTransactionRequest"];
        "application/x.aptos.signed_transaction+bcs": string;
      };
    };
    responses: {
      /** @description application/json: The transaction, which waits for a block. application/x-bcs: Nothing: the body is empty. */
      202: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["PendingTransaction"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The transaction is well-formed but cannot be encoded: unknown module or function, wrong number or kind of arguments, or a payload that the chain refuses. `vm_error`: The chain's prologue refuses the submitted transaction: wrong signature or authentication key, wrong chain id, expired, a sequence number below the account's, a nonce used before, or no money for the gas. `invalid_transaction_update`: Another transaction of the sender with this sequence number or nonce waits for a block. `sequence_number_too_old`: A block took another transaction with this sequence number while the submitted one was checked. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, as sent or decompressed, is over the node's limit (8 MiB unless configured), a batch is over 1 MiB, the request of a state value over 2 MiB or of a raw item's proof over 256 KiB, or that of a table item or a view function over 64 KiB. */
      413: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A POST has no `Content-Type`, one that is not JSON, or an unknown `Content-Encoding`. */
      415: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `mempool_is_full`: Too many transactions, or too many of this sender, wait for a block. */
      507: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Submit several signed transactions
   * @description Takes each transaction as `submit_transaction` does. 202 if all were taken; 206 with the errors of those that were not.
   */
  submit_batch_transactions: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    /** @description At most 10 signed transactions. */
    requestBody: {
      content: {
        /**
         * @example [
         *   {
         *     "sender": "0x1",
         *     "sequence_number": "0",
         *     "max_gas_amount": "2000",
         *     "gas_unit_price": "100",
         *     "expiration_timestamp_secs": "32425224034",
         *     "payload": {
         *       "type": "entry_function_payload",
         *       "function": "0x1::aptos_account::transfer",
         *       "type_arguments": [],
         *       "arguments": [
         *         "0x1234",
         *         "5"
         *       ]
         *     },
         *     "signature": {
         *       "type": "ed25519_signature",
         *       "public_key": "0x0000000000000000000000000000000000000000000000000000000000000000",
         *       "signature": "0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
         *     }
         *   }
         * ]
         */
        "application/json": components["schemas"]["SubmitTransactionRequest"][];
        "application/x.aptos.signed_transaction+bcs": string;
      };
    };
    responses: {
      /** @description application/json: The transactions that were not taken, by their place in the batch. */
      202: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["TransactionsBatchSubmissionResult"];
        };
      };
      /** @description application/json: The transactions that were not taken, by their place in the batch. */
      206: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["TransactionsBatchSubmissionResult"];
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The transaction is well-formed but cannot be encoded: unknown module or function, wrong number or kind of arguments, or a payload that the chain refuses. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, as sent or decompressed, is over the node's limit (8 MiB unless configured), a batch is over 1 MiB, the request of a state value over 2 MiB or of a raw item's proof over 256 KiB, or that of a table item or a view function over 64 KiB. */
      413: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A POST has no `Content-Type`, one that is not JSON, or an unknown `Content-Encoding`. */
      415: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Simulate a transaction
   * @description Runs a transaction on the head of a local chain and keeps nothing. The answer is the transaction as it would be committed, with zeros for the hashes. Its signatures must not be valid, because anyone could submit what is signed: send zeros. A transaction that the chain would refuse is answered too, with the reason as its `vm_status`. Calls that are not modelled are refused as in `submit_transaction`.
   */
  simulate_transaction: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    /** @description A signed transaction. */
    requestBody: {
      content: {
        /**
         * @example {
         *   "sender": "0x1",
         *   "sequence_number": "0",
         *   "max_gas_amount": "2000",
         *   "gas_unit_price": "100",
         *   "expiration_timestamp_secs": "32425224034",
         *   "payload": {
         *     "type": "entry_function_payload",
         *     "function": "0x1::aptos_account::transfer",
         *     "type_arguments": [],
         *     "arguments": [
         *       "0x1234",
         *       "5"
         *     ]
         *   },
         *   "signature": {
         *     "type": "ed25519_signature",
         *     "public_key": "0x0000000000000000000000000000000000000000000000000000000000000000",
         *     "signature": "0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
         *   }
         * }
         */
        "application/json": components["schemas"]["SubmitTransactionRequest"];
        "application/x.aptos.signed_transaction+bcs": string;
      };
    };
    responses: {
      /** @description application/json: The transaction. application/x-bcs: A vector of one record, as in `GET /v1/transactions`. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["UserTransaction"][];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The transaction is well-formed but cannot be encoded: unknown module or function, wrong number or kind of arguments, or a payload that the chain refuses. `vm_error`: The chain's prologue refuses the submitted transaction: wrong signature or authentication key, wrong chain id, expired, a sequence number below the account's, a nonce used before, or no money for the gas. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, as sent or decompressed, is over the node's limit (8 MiB unless configured), a batch is over 1 MiB, the request of a state value over 2 MiB or of a raw item's proof over 256 KiB, or that of a table item or a view function over 64 KiB. */
      413: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A POST has no `Content-Type`, one that is not JSON, or an unknown `Content-Encoding`. */
      415: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Transaction by version
   * @description One committed transaction with its info, events and changes. Events, resources and arguments are decoded by the modules as of its version.
   */
  get_transaction_by_version: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      path: {
        /**
         * @description The version of the transaction.
         * @example 1
         */
        txn_version: components["schemas"]["U64"];
      };
    };
    responses: {
      /** @description application/json: The transaction. application/x-bcs: A zero byte, and the record as in `GET /v1/transactions`. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["CommittedTransaction"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `transaction_not_found`: No transaction has this version or hash: it is not committed yet, or was pruned. `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Transaction by hash
   * @description One transaction: committed, or waiting for a block on a node that makes them. 404 for one that is neither, or was pruned. 403 on a node without an index of transactions, 503 while it builds one.
   */
  get_transaction_by_hash: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      path: {
        /**
         * @description The hash of the transaction: 64 hex digits, with or without `0x`.
         * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
         */
        txn_hash: string;
      };
    };
    responses: {
      /** @description application/json: The transaction; `pending_transaction` while it waits for a block. application/x-bcs: A zero byte and the record as in `GET /v1/transactions`; or, while it waits for a block, a one and the signed transaction. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["Transaction"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `transaction_not_found`: No transaction has this version or hash: it is not committed yet, or was pruned. `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Transaction by hash, once it is committed
   * @description As by hash, but waits up to 1000 ms for the transaction to be committed. At most 100 requests wait; more are answered at once.
   */
  wait_transaction_by_hash: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      path: {
        /**
         * @description The hash of the transaction: 64 hex digits, with or without `0x`.
         * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
         */
        txn_hash: string;
      };
    };
    responses: {
      /** @description application/json: The transaction; `pending_transaction` while it waits for a block. application/x-bcs: A zero byte and the record as in `GET /v1/transactions`; or, while it waits for a block, a one and the signed transaction. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["Transaction"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `transaction_not_found`: No transaction has this version or hash: it is not committed yet, or was pruned. `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Transactions of an account
   * @description The kept transactions that an account sent with sequence numbers, in the order of these; those with nonces have no place in it. A page may hold fewer than asked for. 403 on a node without an index of transactions, 503 while it builds one.
   */
  get_account_transactions: {
    parameters: {
      query?: {
        /**
         * @description The least sequence number. When left out, the page ends with the account's latest.
         * @example 0
         */
        start?: components["schemas"]["U64"];
        /**
         * @description How many at most: 25 when left out; above 100 counts as 100.
         * @example 25
         */
        limit?: number;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      path: {
        /**
         * @description The account address, with or without `0x`; leading zeros may be left out.
         * @example 0x1
         */
        address: components["schemas"]["Address"];
      };
    };
    responses: {
      /** @description application/json: The transactions. application/x-bcs: A BCS vector of records as in `GET /v1/transactions`. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["CommittedTransaction"][];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: `start` is above the latest version, or `limit` is 0. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. */
      400: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Estimated price of gas
   * @description Prices of a unit of gas, by the reference's rule: from the least prices that the last 10, 30 and 120 blocks of the epoch took, where a block that was not full took the chain's minimum. Computed once for each block.
   */
  estimate_gas_price: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    responses: {
      /** @description application/json: The prices, in octas. application/x-bcs: `gas_estimate` as a u64. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["GasEstimation"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Block by height
   * @description One block: its hash, time and versions, and its transactions if they are asked for, at most the first 10,000. A block of many transactions comes in pieces; one that fails midway lacks HTTP's final chunk.
   */
  get_block_by_height: {
    parameters: {
      query?: {
        /**
         * @description `true` returns the block's transactions too.
         * @example true
         */
        with_transactions?: boolean;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      path: {
        /**
         * @description The height of the block; that of genesis is 0.
         * @example 1
         */
        block_height: components["schemas"]["U64"];
      };
    };
    responses: {
      /** @description application/json: The block. application/x-bcs: Height, hash, time, first and last version, and an optional vector of records as in `GET /v1/transactions`. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["Block"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. `invalid_input`: In a batch, in place of a table item: the items before it already fill the largest response (8 MiB). Or the transactions of a block have over 64 MiB in BCS. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `block_not_found`: The height is above that of the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `block_pruned`: The block is older than those that the node keeps. */
      410: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Block of a version
   * @description The block that a version is in, as by its height.
   */
  get_block_by_version: {
    parameters: {
      query?: {
        /**
         * @description `true` returns the block's transactions too.
         * @example true
         */
        with_transactions?: boolean;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      path: {
        /**
         * @description A version in the block.
         * @example 1
         */
        version: components["schemas"]["U64"];
      };
    };
    responses: {
      /** @description application/json: The block. application/x-bcs: Height, hash, time, first and last version, and an optional vector of records as in `GET /v1/transactions`. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["Block"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The stored value has no JSON form: it holds a function value, or is too large or too deep to print. `invalid_input`: In a batch, in place of a table item: the items before it already fill the largest response (8 MiB). Or the transactions of a block have over 64 MiB in BCS. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Raw state value
   * @description The stored value of one state key with its metadata, at the latest or a chosen version, as another node needs it. In BCS only.
   */
  get_raw_state_value: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: components["schemas"]["U64"];
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: components["schemas"]["Time"];
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    /** @description The BCS bytes of the state key in hex, at most 2 MiB. A bare JSON string instead of the object is taken too. */
    requestBody: {
      content: {
        /**
         * @example {
         *   "key": "0x01c90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc968150403415054"
         * }
         */
        "application/json": components["schemas"]["RawStateValueRequest"];
      };
    };
    responses: {
      /** @description application/x-bcs: BCS of the state value. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` is after the latest block. `state_value_not_found`: The state holds nothing under this key at this version. `web_framework_error`: Nothing is served under this path. */
      404: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_pruned`: `ledger_version` is below the oldest version that the node keeps, or `at` is before that version's block. */
      410: {
        headers: {
          "X-NODE-CHAIN-ID": components["headers"]["X-NODE-CHAIN-ID"];
          "X-NODE-LEDGER-VERSION": components["headers"]["X-NODE-LEDGER-VERSION"];
          "X-NODE-LEDGER-OLDEST-VERSION": components["headers"]["X-NODE-LEDGER-OLDEST-VERSION"];
          "X-NODE-LEDGER-TIMESTAMPUSEC": components["headers"]["X-NODE-LEDGER-TIMESTAMPUSEC"];
          "X-NODE-EPOCH": components["headers"]["X-NODE-EPOCH"];
          "X-NODE-BLOCK-HEIGHT": components["headers"]["X-NODE-BLOCK-HEIGHT"];
          "X-NODE-OLDEST-BLOCK-HEIGHT": components["headers"]["X-NODE-OLDEST-BLOCK-HEIGHT"];
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, as sent or decompressed, is over the node's limit (8 MiB unless configured), a batch is over 1 MiB, the request of a state value over 2 MiB or of a raw item's proof over 256 KiB, or that of a table item or a view function over 64 KiB. */
      413: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A POST has no `Content-Type`, one that is not JSON, or an unknown `Content-Encoding`. */
      415: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Node info
   * @description Basic information about the node: software, chain, sync, storage and pruning.
   */
  info: {
    responses: {
      /** @description application/json: A flat object of names and values. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID"?: number;
          "X-NODE-LEDGER-VERSION"?: number;
          "X-NODE-LEDGER-OLDEST-VERSION"?: number;
          "X-NODE-LEDGER-TIMESTAMPUSEC"?: number;
          "X-NODE-EPOCH"?: number;
          "X-NODE-BLOCK-HEIGHT"?: number;
          "X-NODE-OLDEST-BLOCK-HEIGHT"?: number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST"?: string;
        };
        content: {
          "application/json": components["schemas"]["NodeInfo"];
        };
      };
      /** @description `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Ledger info
   * @description The chain, the latest and the oldest version and block, and the ledger's time.
   */
  get_ledger_info: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    responses: {
      /** @description application/json: The position of the ledger; 64-bit values are strings. application/x-bcs: The same without the last two members, as a BCS struct with digit strings. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["LedgerInfo"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the requested form of the response, is switched off on this node, or needs an index that the node does not have. `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, an index is being built, or the upstream that an item must be fetched from does not respond. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Health check
   * @description 200 if the node can read its ledger, or waits for it: while there is none yet, or the storage is out of reach, a restart would not help. With `duration_secs`, 200 only if the latest block is no older than that many seconds. A follower is not healthy if no upstream serves data that it can verify.
   */
  healthy: {
    parameters: {
      query?: {
        /**
         * @description How old, in seconds, the ledger's time may be for the node to be healthy.
         * @example 30
         */
        duration_secs?: number;
      };
    };
    responses: {
      /** @description application/json: An object with a message. application/x-bcs: The message as a BCS string. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID"?: number;
          "X-NODE-LEDGER-VERSION"?: number;
          "X-NODE-LEDGER-OLDEST-VERSION"?: number;
          "X-NODE-LEDGER-TIMESTAMPUSEC"?: number;
          "X-NODE-EPOCH"?: number;
          "X-NODE-BLOCK-HEIGHT"?: number;
          "X-NODE-OLDEST-BLOCK-HEIGHT"?: number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST"?: string;
        };
        content: {
          "application/json": components["schemas"]["Message"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `health_check_failed`: The health check fails: the node has no readable ledger, the ledger is older than `duration_secs` allows, or no upstream serves data that can be verified. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Readiness check
   * @description 200 if the node can take requests: it has a ledger, no fault stops it from writing, nothing refutes its history, the latest block is no older than the node's own limit (`--max-lag`), and a follower is at the head of its upstreams or within `--ready-lag`. Use `healthy` to decide whether to restart a process.
   */
  ready: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: components["schemas"]["U64"];
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    responses: {
      /** @description application/json: An object with a message. application/x-bcs: The message as a BCS string. */
      200: {
        headers: {
          "X-NODE-CHAIN-ID": number;
          "X-NODE-LEDGER-VERSION": number;
          "X-NODE-LEDGER-OLDEST-VERSION": number;
          "X-NODE-LEDGER-TIMESTAMPUSEC": number;
          "X-NODE-EPOCH": number;
          "X-NODE-BLOCK-HEIGHT": number;
          "X-NODE-OLDEST-BLOCK-HEIGHT": number;
          "X-NODE-READ-VERSION"?: number;
          "X-NODE-READ-TIMESTAMPUSEC"?: number;
          /** @description How the data of the response was checked. Levels from the strongest to the weakest: proven, anchored, chained, agreed NEEDED/OF, trusted, local, forked. */
          "X-NODE-TRUST": string;
        };
        content: {
          "application/json": components["schemas"]["Message"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: Stored bytes are damaged or do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        headers: {
          /** @description Finds the cause in the node's log. */
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `health_check_failed`: The health check fails: the node has no readable ledger, the ledger is older than `duration_secs` allows, or no upstream serves data that can be verified. `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * OpenAPI document, JSON
   * @description This document.
   */
  spec_json: {
    responses: {
      /** @description application/json: An OpenAPI 3.0 document. */
      200: {
        content: {
          "application/json": components["schemas"]["OpenApiDocument"];
        };
      };
      /** @description `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * OpenAPI document, YAML
   * @description This document as YAML.
   */
  spec_yaml: {
    responses: {
      /** @description application/yaml: An OpenAPI 3.0 document. */
      200: {
        content: {
          "application/yaml": components["schemas"]["OpenApiDocument"];
        };
      };
      /** @description `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Reference page
   * @description The operations with their parameters, responses and errors, as a page that works offline.
   */
  spec_page: {
    responses: {
      /** @description text/html: An HTML page. */
      200: {
        content: {
          "text/html": string;
        };
      };
      /** @description `api_disabled`: The path is one of the reference's interface that this node does not serve. It is no 404, which clients take for an account or a transaction that does not exist. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
        headers: {
          /** @description The methods that the path has. */
          Allow: string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request's headers or body did not arrive in time. */
      408: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request target is longer than 16 KiB. */
      414: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request expects something other than `100-continue`. */
      417: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: This client sends more requests per second than `--rate-limit` allows; there is no limit unless configured. */
      429: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After": number;
          "RateLimit-Limit"?: number;
          "RateLimit-Remaining"?: number;
          "RateLimit-Reset"?: number;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The request line and headers together are longer than 32 KiB. */
      431: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: The node is at its limit of requests in flight, or cannot respond in time. */
      503: {
        headers: {
          /** @description Seconds to wait before the next attempt. */
          "Retry-After"?: number;
          "X-Request-Id": string;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
}
