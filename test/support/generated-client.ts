// Types of a client, generated from docs/openapi.json by openapi-typescript. Not for editing.
// biome-ignore-all lint: generated
// biome-ignore-all format: generated

/** OneOf type helpers */
type Without<T, U> = { [P in Exclude<keyof T, keyof U>]?: never };
type XOR<T, U> = (T | U) extends object ? (Without<T, U> & U) | (Without<U, T> & T) : T | U;
type OneOf<T extends any[]> = T extends [infer Only] ? Only : T extends [infer A, infer B, ...infer Rest] ? OneOf<[XOR<A, B>, ...Rest]> : never;

export interface paths {
  "/accounts/{address}/balance/{asset_type}": {
    /**
     * Balance of an account
     * @description The balance of an account for a coin type or a fungible asset, at the latest or a chosen version. A coin type counts its CoinStore and the primary store of the paired fungible asset; a metadata address counts that primary store only. Accounts, assets and stores that do not exist have a balance of 0.
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
     * @description Every version between two versions or times that changed a balance, oldest first, with the balance before and after it and the transaction. JSON comes in pages: while there is more, `X-NODE-CURSOR` gives the `start` of the next one, and a page may hold fewer changes than asked for. CSV and NDJSON are streamed to the end of the range unless `limit` or `points` is given; a stream that breaks off is not ended as HTTP demands. What changed at the oldest kept version cannot be told, because the state before it is gone: the range begins behind it.
     */
    get: operations["get_balance_history"];
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
     * @description Server-sent events: the latest block, then each block as soon as it is committed, with its height, versions, time and epoch. The id of an event is the last version of its block. A client that connects again with `Last-Event-ID` gets the blocks that it missed.
     */
    get: operations["stream_blocks"];
  };
  "/balances": {
    /**
     * Many balances at one version
     * @description The balances of up to 1,000 pairs of an account and an asset, all read at one version: the latest, a chosen one, or that of a chosen time. Answers are in the order of the queries; a query that cannot be answered has its error in its place. Each balance counts as in `get_account_balance`, so a coin type and the metadata address that it is paired with count the same store.
     */
    post: operations["get_balances"];
  };
  "/tables/{table_handle}/raw_item": {
    /**
     * Raw table item
     * @description The stored bytes of one table item, by the table's handle and the key's BCS bytes, at the latest or a chosen version.
     */
    post: operations["get_raw_table_item"];
  };
  "/tables/raw_items": {
    /**
     * Many raw table items at one version
     * @description The stored bytes of up to 1,000 table items, all read at one version: the latest, a chosen one, or that of a chosen time. Answers are in the order of the queries; an item that does not exist, or a query that cannot be answered, has its error in its place. The items of one answer are at most 8 MiB.
     */
    post: operations["get_raw_table_items"];
  };
  "/transactions/encode_submission": {
    /**
     * Encode a transaction for signing
     * @description Checks a transaction request against the functions on chain and answers the bytes to sign: the 32-byte domain prefix, then the BCS of the transaction. Sign exactly these bytes.
     */
    post: operations["encode_submission"];
  };
  "/transactions/explain_submission": {
    /**
     * Explain a transaction before it is signed
     * @description Takes a signing message, a raw transaction or an encode request apart: who signs, what is called with which arguments, what it can cost, when it expires, every field with its bytes, and what the ledger says against it. The fields are encoded again and compared byte for byte. Nothing is executed, so an explanation without warnings is no promise that the transaction succeeds.
     */
    post: operations["explain_submission"];
  };
  "/transactions": {
    /**
     * Records of a range of versions
     * @description Consecutive records, each with its transaction, info, events, accumulator root and changes, as another node needs them to follow and verify. In BCS only. A page may hold fewer records than asked for.
     */
    get: operations["get_transactions"];
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
     * @description 200 when the ledger can be read and, with `duration_secs`, its time is no older than that many seconds. A follower that gets nothing it can verify is not healthy.
     */
    get: operations["healthy"];
  };
  "/-/ready": {
    /**
     * Readiness check
     * @description 200 when the node should get requests: it has a ledger, no fault keeps it from moving, and its ledger is no older than the node's own limit (`--max-lag`). Use `healthy` to decide whether to restart a process.
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
     * @description The operations, their parameters, answers and errors, as a page that works offline.
     */
    get: operations["spec_page"];
  };
}

export type webhooks = Record<string, never>;

export interface components {
  schemas: {
    Error: {
      /** @description Names the part, what was expected and what came. */
      message: string;
      /** @enum {string} */
      error_code: "account_not_found" | "resource_not_found" | "module_not_found" | "struct_field_not_found" | "version_not_found" | "transaction_not_found" | "table_item_not_found" | "block_not_found" | "state_value_not_found" | "version_pruned" | "block_pruned" | "invalid_input" | "invalid_transaction_update" | "sequence_number_too_old" | "vm_error" | "rejected_by_filter" | "health_check_failed" | "mempool_is_full" | "internal_error" | "web_framework_error" | "bcs_not_supported" | "api_disabled";
      /**
       * Format: uint64
       * @description Only where a virtual machine said no.
       */
      vm_error_code?: number;
      /**
       * Format: uri
       * @description On 410, where configured: a node that keeps more versions.
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
       * @description What `get_account_balance` answers: the sum of the parts.
       */
      balance: string;
      /** @description `null` for a question by metadata address, which does not count the CoinStore. */
      coin: components["schemas"]["CoinPart"] | null;
      fungible: components["schemas"]["FungiblePart"];
      /** @description Name of the asset, where the ledger has it. */
      name?: string;
      /** @description Symbol of the asset, where the ledger has it. */
      symbol?: string;
      /** @description Digits behind the decimal point. */
      decimals?: number;
      /** @description The balance with its decimal point, all decimals included, where they are known. */
      display?: string;
    };
    /** @description The CoinStore of the account. */
    CoinPart: {
      /** @description The address whose state was read. */
      address: string;
      /** @description Type of the resource, or group of resources, that was read there. */
      type: string;
      /** @description Hash of the state key that was read. */
      state_key_hash: string;
      /** @description Whether there is a store: `false` tells a 0 of no store from the 0 of an empty one. */
      exists: boolean;
      /**
       * Format: uint64
       * @description What counts towards the balance.
       */
      amount: string;
      /** @description `null` where there is no store. */
      frozen: boolean | null;
    };
    /** @description The primary store of the account for the asset, or for the one that the coin is paired with. */
    FungiblePart: {
      /** @description The address whose state was read. */
      address: string;
      /** @description Type of the resource, or group of resources, that was read there. */
      type: string;
      /** @description Hash of the state key that was read. */
      state_key_hash: string;
      /** @description Whether there is a store: `false` tells a 0 of no store from the 0 of an empty one. */
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
    };
    BalancesRequest: {
      queries: components["schemas"]["BalanceQuery"][];
      /**
       * Format: uint64
       * @description The ledger version to read at: the state after that transaction. The latest when left out.
       */
      ledger_version?: string;
      /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
      at?: string;
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
    TableItemsRequest: {
      queries: components["schemas"]["TableItemQuery"][];
      /**
       * Format: uint64
       * @description The ledger version to read at: the state after that transaction. The latest when left out.
       */
      ledger_version?: string;
      /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
      at?: string;
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
      /**
       * Format: hex
       * @description Bytes in hex: `0x` and two digits for each byte, zeros never left out.
       * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
       */
      value?: string;
      error?: components["schemas"]["Error"];
    };
    EncodeSubmissionRequest: {
      /**
       * Format: hex
       * @description A 32-byte address: `0x` and 1 to 64 hex digits, leading zeros may be left out.
       * @example 0x1
       */
      sender: string;
      /**
       * Format: uint64
       * @description The sender's sequence number. May be left out when `replay_protection_nonce` is given.
       * @example 32425224034
       */
      sequence_number?: string;
      /**
       * Format: uint64
       * @description A 64-bit unsigned integer as a string of decimal digits.
       * @example 32425224034
       */
      max_gas_amount: string;
      /**
       * Format: uint64
       * @description A 64-bit unsigned integer as a string of decimal digits.
       * @example 32425224034
       */
      gas_unit_price: string;
      /**
       * Format: uint64
       * @description Expiration time in seconds.
       * @example 32425224034
       */
      expiration_timestamp_secs: string;
      payload: components["schemas"]["TransactionPayload"];
      /**
       * Format: uint64
       * @description A 64-bit unsigned integer as a string of decimal digits.
       * @example 32425224034
       */
      replay_protection_nonce?: string;
      /** @description Further signers of a multi-agent transaction; an empty list is not the same as none. */
      secondary_signers?: string[];
      /**
       * Format: hex
       * @description Pays for the gas in the sender's place, and makes it the fee-payer message. `0x0` when it is not known yet: sender and secondary signers may sign that message, the fee payer signs the one with its own address.
       * @example 0x1
       */
      fee_payer?: string;
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
      /** @description The script. Parameter types come from `abi` when it is given, else from the bytecode. */
      code: {
        /**
         * Format: hex
         * @description Bytes in hex: `0x` and two digits for each byte, zeros never left out.
         * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
         */
        bytecode: string;
        abi?: components["schemas"]["MoveFunction"];
      };
      /** @description Type arguments, such as `0x1::aptos_coin::AptosCoin`. */
      type_arguments: string[];
      /** @description Arguments without the signers; u64 and wider as strings, `vector<u8>` as hex. */
      arguments: unknown[];
    };
    MoveFunction: {
      name: string;
      /** @enum {string} */
      visibility: "private" | "public" | "friend";
      is_entry: boolean;
      is_view: boolean;
      generic_type_params: {
          constraints: string[];
        }[];
      params: string[];
      return: string[];
    };
    MultisigPayload: {
      /** @enum {string} */
      type: "multisig_payload";
      /**
       * Format: hex
       * @description A 32-byte address: `0x` and 1 to 64 hex digits, leading zeros may be left out.
       * @example 0x1
       */
      multisig_address: string;
      transaction_payload?: components["schemas"]["MultisigTransactionPayload"];
    };
    MultisigTransactionPayload: components["schemas"]["EntryFunctionPayload"] | components["schemas"]["ScriptPayload"];
    ExplainSubmissionRequest: components["schemas"]["ExplainMessageRequest"] | components["schemas"]["ExplainRawTransactionRequest"] | components["schemas"]["EncodeSubmissionRequest"];
    ExplainMessageRequest: {
      /**
       * Format: hex
       * @description A signing message, its prefix included.
       * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
       */
      message: string;
    };
    ExplainRawTransactionRequest: {
      /**
       * Format: hex
       * @description The BCS of a raw transaction.
       * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
       */
      raw_transaction: string;
    };
    Explanation: {
      /**
       * @description A raw transaction, or the signing message of one of three forms.
       * @enum {string}
       */
      kind: "raw_transaction" | "single_signer" | "multi_agent" | "fee_payer";
      /**
       * Format: hex
       * @description What is explained; the offsets of the fields count in it.
       * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
       */
      bytes: string;
      /** Format: uint8 */
      chain_id: number;
      /**
       * Format: hex
       * @description A 32-byte address: `0x` and 1 to 64 hex digits, leading zeros may be left out.
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
      /**
       * Format: uint64
       * @description A 64-bit unsigned integer as a string of decimal digits.
       * @example 32425224034
       */
      max_gas_amount: string;
      /**
       * Format: uint64
       * @description A 64-bit unsigned integer as a string of decimal digits.
       * @example 32425224034
       */
      gas_unit_price: string;
      /**
       * Format: uint128
       * @description The most that it can cost: gas times price, in decimal digits.
       * @example 200000
       */
      max_fee: string;
      /**
       * Format: uint64
       * @description A 64-bit unsigned integer as a string of decimal digits.
       * @example 32425224034
       */
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
       * @description The fields, encoded again, gave exactly these bytes. Where they do not, the answer is 400.
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
      /** @description In the form that encode_submission takes. */
      value?: unknown;
      /**
       * Format: hex
       * @description Bytes in hex: `0x` and two digits for each byte, zeros never left out.
       * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
       */
      bytes?: string;
    };
    ExplainedScript: {
      /** @enum {string} */
      type: "script_payload";
      /**
       * Format: hex
       * @description SHA3-256 of the bytecode, which is the field `payload.code`.
       * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
       */
      code_hash: string;
      type_arguments: string[];
      arguments: components["schemas"]["ExplainedArgument"][];
    };
    ExplainedMultisig: {
      /** @enum {string} */
      type: "multisig_payload";
      /**
       * Format: hex
       * @description A 32-byte address: `0x` and 1 to 64 hex digits, leading zeros may be left out.
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
       * @description A 32-byte address: `0x` and 1 to 64 hex digits, leading zeros may be left out.
       * @example 0x1
       */
      pool?: string;
      /**
       * Format: uint64
       * @description A 64-bit unsigned integer as a string of decimal digits.
       * @example 32425224034
       */
      execution_multiplier: string;
      /**
       * Format: uint64
       * @description A 64-bit unsigned integer as a string of decimal digits.
       * @example 32425224034
       */
      io_multiplier: string;
    };
    ReplayProtection: components["schemas"]["SequenceNumberProtection"] | components["schemas"]["NonceProtection"];
    SequenceNumberProtection: {
      /** @enum {string} */
      type: "sequence_number";
      /**
       * Format: uint64
       * @description A 64-bit unsigned integer as a string of decimal digits.
       * @example 32425224034
       */
      sequence_number: string;
    };
    NonceProtection: {
      /** @enum {string} */
      type: "nonce";
      /**
       * Format: uint64
       * @description A 64-bit unsigned integer as a string of decimal digits.
       * @example 32425224034
       */
      nonce: string;
    };
    ExplainedField: {
      /** @example payload.arguments[0] */
      name: string;
      /** @description Digits, an address, a name, a type, or bytes in hex. */
      value: string;
      /**
       * Format: uint32
       * @description Offset of its first byte.
       */
      start: number;
      /**
       * Format: uint32
       * @description Offset behind its last byte.
       */
      end: number;
    };
    ExplainedWarning: {
      /**
       * @description `wrong_chain`: The transaction is for another chain than this node's; nothing was looked up about its accounts. `expired`: By the ledger's time the transaction has expired. `expires_too_late`: With a nonce the chain takes an expiration at most 100 seconds ahead. `unknown_function`: This ledger has no such module or entry function, so the arguments are shown as bytes. `invalid_script`: The script's bytecode cannot be read. `wrong_arguments`: Type arguments or arguments do not fit what is called. `argument_not_decoded`: An argument is shown as bytes: its type is not known here, or its value too large to print. `wrong_signers`: An account signs twice, or the number of signers is not what is called takes. `fee_payer_open`: No fee payer is named: the fee payer signs the message with its own address. `sender_unknown`: The sender has no account resource on this ledger. `sequence_number_used`: The sender's sequence number on this ledger is higher. `sequence_number_ahead`: The sender's sequence number on this ledger is lower: other transactions must come first. `recipient_unknown`: A recipient has neither an account resource nor any of the asset on this ledger. `recipients_not_checked`: There are more recipients than are looked up. `amount_above_balance`: The transfer takes more than the balance on this ledger. `fee_above_balance`: The most that the transaction can cost, with what it transfers, is above the payer's balance.
       * @enum {string}
       */
      code: "wrong_chain" | "expired" | "expires_too_late" | "unknown_function" | "invalid_script" | "wrong_arguments" | "argument_not_decoded" | "wrong_signers" | "fee_payer_open" | "sender_unknown" | "sequence_number_used" | "sequence_number_ahead" | "recipient_unknown" | "recipients_not_checked" | "amount_above_balance" | "fee_above_balance";
      message: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}

export type $defs = Record<string, never>;

export type external = Record<string, never>;

export interface operations {

  /**
   * Balance of an account
   * @description The balance of an account for a coin type or a fungible asset, at the latest or a chosen version. A coin type counts its CoinStore and the primary store of the paired fungible asset; a metadata address counts that primary store only. Accounts, assets and stores that do not exist have a balance of 0.
   */
  get_account_balance: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: string;
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: string;
        /**
         * @description `true` answers the digits as a JSON string, for clients whose JSON parser rounds integers above 2^53.
         * @example true
         */
        quoted?: boolean;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
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
        address: string;
        /**
         * @description The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`. In a path `<`, `>` and spaces are escaped.
         * @example 0x1::aptos_coin::AptosCoin
         */
        asset_type: string;
      };
    };
    responses: {
      /** @description application/json: A bare integer with every digit; with `quoted=true` the same digits as a string. application/x-bcs: Eight bytes: a little-endian u64. */
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
        };
        content: {
          "application/json": number | string;
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the form of answer that was asked for, is switched off on this node. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
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
      /** @description `version_pruned`: `ledger_version` is below the oldest version that is kept, or `at` before its block. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, or the upstream that an item must be fetched from does not answer. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
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
        ledger_version?: string;
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
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
        address: string;
        /**
         * @description The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`. In a path `<`, `>` and spaces are escaped.
         * @example 0x1::aptos_coin::AptosCoin
         */
        asset_type: string;
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
        };
        content: {
          "application/json": components["schemas"]["BalanceDetail"];
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the form of answer that was asked for, is switched off on this node. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
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
      /** @description `version_pruned`: `ledger_version` is below the oldest version that is kept, or `at` before its block. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, or the upstream that an item must be fetched from does not answer. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Changes of a balance
   * @description Every version between two versions or times that changed a balance, oldest first, with the balance before and after it and the transaction. JSON comes in pages: while there is more, `X-NODE-CURSOR` gives the `start` of the next one, and a page may hold fewer changes than asked for. CSV and NDJSON are streamed to the end of the range unless `limit` or `points` is given; a stream that breaks off is not ended as HTTP demands. What changed at the oldest kept version cannot be told, because the state before it is gone: the range begins behind it.
   */
  get_balance_history: {
    parameters: {
      query?: {
        /** @description Where the range begins: that version, or the first one whose block is not before that time. The oldest change that can be told when left out. A version in digits, or a time: RFC 3339 such as `2026-01-31T00:00:00Z`, or Unix seconds behind an `@`. */
        from?: string;
        /** @description Where the range ends: that version, or the last one whose block is not after that time. The latest version when left out. A version in digits, or a time: RFC 3339 such as `2026-01-31T00:00:00Z`, or Unix seconds behind an `@`. */
        to?: string;
        /**
         * @description How many changes at most. 100 in JSON when left out.
         * @example 100
         */
        limit?: number;
        /** @description The cursor of the page before: goes on from there in the same range. */
        start?: string;
        /** @description For charts, instead of all changes: cuts the range into equal spans of time, a quarter as many as this, and gives of each the first, the last, the lowest and the highest change. Excludes `limit`. */
        points?: number;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
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
        address: string;
        /**
         * @description The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`. In a path `<`, `>` and spaces are escaped.
         * @example 0x1::aptos_coin::AptosCoin
         */
        asset_type: string;
      };
    };
    responses: {
      /** @description application/json: The changes; amounts, versions and times are strings of decimal digits. text/csv: A line for each change, after one with the names: version, timestamp_usec, before, after, transaction_hash. application/x-ndjson: One of the JSON objects on each line. */
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
          /** @description While there is more: the value of `start` for the next page. */
          "X-NODE-CURSOR"?: string;
        };
        content: {
          "application/json": components["schemas"]["BalanceChange"][];
          "text/csv": string;
          "application/x-ndjson": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: `from` is above `to`. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the form of answer that was asked for, is switched off on this node. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
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
      /** @description `version_pruned`: `ledger_version` is below the oldest version that is kept, or `at` before its block. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, or the upstream that an item must be fetched from does not answer. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
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
        after?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description The id of the last event that the client got, which is a version: resumes behind it. Changes since are sent from the history. */
        "Last-Event-ID"?: string;
      };
      path: {
        /**
         * @description The account address, with or without `0x`; leading zeros may be left out.
         * @example 0x1
         */
        address: string;
        /**
         * @description The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`. In a path `<`, `>` and spaces are escaped.
         * @example 0x1::aptos_coin::AptosCoin
         */
        asset_type: string;
      };
    };
    responses: {
      /** @description text/event-stream: Server-sent events. `balance`: the state at once, then each change; `id` is its version. `gap`: changes behind `Last-Event-ID` are pruned; the state now follows. Comments are heartbeats, whose `id` tells how far the stream is. */
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
      /** @description `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, or the upstream that an item must be fetched from does not answer. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Blocks as they are committed
   * @description Server-sent events: the latest block, then each block as soon as it is committed, with its height, versions, time and epoch. The id of an event is the last version of its block. A client that connects again with `Last-Event-ID` gets the blocks that it missed.
   */
  stream_blocks: {
    parameters: {
      query?: {
        /** @description Sends the changes after this version instead of the state now: for clients that cannot send `Last-Event-ID`, which overrides it. */
        after?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
      header?: {
        /** @description The id of the last event that the client got, which is a version: resumes behind it. Changes since are sent from the history. */
        "Last-Event-ID"?: string;
      };
    };
    responses: {
      /** @description text/event-stream: Server-sent events. `block`: the state at once, then each change; `id` is its version. `gap`: changes behind `Last-Event-ID` are pruned; the state now follows. Comments are heartbeats, whose `id` tells how far the stream is. */
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
      /** @description `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, or the upstream that an item must be fetched from does not answer. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Many balances at one version
   * @description The balances of up to 1,000 pairs of an account and an asset, all read at one version: the latest, a chosen one, or that of a chosen time. Answers are in the order of the queries; a query that cannot be answered has its error in its place. Each balance counts as in `get_account_balance`, so a coin type and the metadata address that it is paired with count the same store.
   */
  get_balances: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: string;
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
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
      /** @description `api_disabled`: The operation, or the form of answer that was asked for, is switched off on this node. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` after the latest block. `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
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
      /** @description `version_pruned`: `ledger_version` is below the oldest version that is kept, or `at` before its block. */
      410: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, or what it inflates to, is over the node's limit (8 MiB unless configured), or a batch is over 1 MiB. */
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
      /** @description `web_framework_error`: A POST has no `Content-Type`, or not a JSON one, or an unknown `Content-Encoding`. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, or the upstream that an item must be fetched from does not answer. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
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
        ledger_version?: string;
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
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
        table_handle: string;
      };
    };
    /** @description The BCS bytes of the key in hex, as the member `key` of an object or as a bare string. */
    requestBody: {
      content: {
        /**
         * @example {
         *   "key": "0x03415054"
         * }
         */
        "application/json": OneOf<[{
          /**
           * Format: hex
           * @description Bytes in hex: `0x` and two digits for each byte, zeros never left out.
           * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
           */
          key: string;
        }, string]>;
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
        };
        content: {
          "application/json": string;
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the form of answer that was asked for, is switched off on this node. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` after the latest block. `table_item_not_found`: The table holds no item under this key at this version, or there is no such table. `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
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
      /** @description `version_pruned`: `ledger_version` is below the oldest version that is kept, or `at` before its block. */
      410: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, or what it inflates to, is over the node's limit (8 MiB unless configured), or a batch is over 1 MiB. */
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
      /** @description `web_framework_error`: A POST has no `Content-Type`, or not a JSON one, or an unknown `Content-Encoding`. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, or the upstream that an item must be fetched from does not answer. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Many raw table items at one version
   * @description The stored bytes of up to 1,000 table items, all read at one version: the latest, a chosen one, or that of a chosen time. Answers are in the order of the queries; an item that does not exist, or a query that cannot be answered, has its error in its place. The items of one answer are at most 8 MiB.
   */
  get_raw_table_items: {
    parameters: {
      query?: {
        /**
         * @description The ledger version to read at: the state after that transaction. The latest when left out.
         * @example 1
         */
        ledger_version?: string;
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
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
        };
        content: {
          "application/json": components["schemas"]["TableItems"];
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: In the place of a table item of a batch: the items before it fill an answer already (8 MiB). */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the form of answer that was asked for, is switched off on this node. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` after the latest block. `table_item_not_found`: The table holds no item under this key at this version, or there is no such table. `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
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
      /** @description `version_pruned`: `ledger_version` is below the oldest version that is kept, or `at` before its block. */
      410: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, or what it inflates to, is over the node's limit (8 MiB unless configured), or a batch is over 1 MiB. */
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
      /** @description `web_framework_error`: A POST has no `Content-Type`, or not a JSON one, or an unknown `Content-Encoding`. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, or the upstream that an item must be fetched from does not answer. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Encode a transaction for signing
   * @description Checks a transaction request against the functions on chain and answers the bytes to sign: the 32-byte domain prefix, then the BCS of the transaction. Sign exactly these bytes.
   */
  encode_submission: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
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
        };
        content: {
          "application/json": string;
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The transaction is well-formed but cannot be encoded: unknown module or function, wrong number or kind of arguments, a payload the chain refuses. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the form of answer that was asked for, is switched off on this node. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
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
      /** @description `web_framework_error`: The body, or what it inflates to, is over the node's limit (8 MiB unless configured), or a batch is over 1 MiB. */
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
      /** @description `web_framework_error`: A POST has no `Content-Type`, or not a JSON one, or an unknown `Content-Encoding`. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, or the upstream that an item must be fetched from does not answer. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Explain a transaction before it is signed
   * @description Takes a signing message, a raw transaction or an encode request apart: who signs, what is called with which arguments, what it can cost, when it expires, every field with its bytes, and what the ledger says against it. The fields are encoded again and compared byte for byte. Nothing is executed, so an explanation without warnings is no promise that the transaction succeeds.
   */
  explain_submission: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
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
        };
        content: {
          "application/json": components["schemas"]["Explanation"];
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: The transaction is well-formed but cannot be encoded: unknown module or function, wrong number or kind of arguments, a payload the chain refuses. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the form of answer that was asked for, is switched off on this node. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
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
      /** @description `web_framework_error`: The body, or what it inflates to, is over the node's limit (8 MiB unless configured), or a batch is over 1 MiB. */
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
      /** @description `web_framework_error`: A POST has no `Content-Type`, or not a JSON one, or an unknown `Content-Encoding`. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, or the upstream that an item must be fetched from does not answer. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Records of a range of versions
   * @description Consecutive records, each with its transaction, info, events, accumulator root and changes, as another node needs them to follow and verify. In BCS only. A page may hold fewer records than asked for.
   */
  get_transactions: {
    parameters: {
      query?: {
        /**
         * @description The version of the first record. When left out, the page ends with the latest version.
         * @example 1
         */
        start?: string;
        /**
         * @description How many records at most: 25 when left out; above 100 counts as 100.
         * @example 25
         */
        limit?: number;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    responses: {
      /** @description application/x-bcs: A BCS vector of records. */
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
        };
        content: {
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. `invalid_input`: `start` is above the latest version, or `limit` is 0. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `api_disabled`: The operation, or the form of answer that was asked for, is switched off on this node. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
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
      /** @description `version_pruned`: `ledger_version` is below the oldest version that is kept, or `at` before its block. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, or the upstream that an item must be fetched from does not answer. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
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
        ledger_version?: string;
        /** @description Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time. */
        at?: string;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
        /**
         * @description With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.
         * @example 1000
         */
        wait_ms?: number;
      };
    };
    /** @description The BCS bytes of the state key in hex, as the member `key` of an object or as a bare string. */
    requestBody: {
      content: {
        /**
         * @example {
         *   "key": "0x01c90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc968150403415054"
         * }
         */
        "application/json": OneOf<[{
          /**
           * Format: hex
           * @description Bytes in hex: `0x` and two digits for each byte, zeros never left out.
           * @example 0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1
           */
          key: string;
        }, string]>;
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
      /** @description `api_disabled`: The operation, or the form of answer that was asked for, is switched off on this node. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
      403: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `version_not_found`: `ledger_version` is above the latest version, or `at` after the latest block. `state_value_not_found`: The state holds nothing under this key at this version. `web_framework_error`: Nothing is served under this path. */
      404: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The path is served, but not with this method. */
      405: {
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
      /** @description `version_pruned`: `ledger_version` is below the oldest version that is kept, or `at` before its block. */
      410: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: The body, or what it inflates to, is over the node's limit (8 MiB unless configured), or a batch is over 1 MiB. */
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
      /** @description `web_framework_error`: A POST has no `Content-Type`, or not a JSON one, or an unknown `Content-Encoding`. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, or the upstream that an item must be fetched from does not answer. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
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
        };
        content: {
          "application/json": {
            [key: string]: unknown;
          };
        };
      };
      /** @description `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. */
      503: {
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
        min_ledger_version?: string;
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
        };
        content: {
          "application/json": {
            /** Format: uint8 */
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
          "application/x-bcs": string;
        };
      };
      /** @description `api_disabled`: The operation, or the form of answer that was asked for, is switched off on this node. `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `internal_error`: There is no ledger yet, the storage is out of reach, the node is too far behind, or the upstream that an item must be fetched from does not answer. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Health check
   * @description 200 when the ledger can be read and, with `duration_secs`, its time is no older than that many seconds. A follower that gets nothing it can verify is not healthy.
   */
  healthy: {
    parameters: {
      query?: {
        /**
         * @description How old, in seconds, the ledger's time may be for the node to be healthy.
         * @example 30
         */
        duration_secs?: number;
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
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
        };
        content: {
          "application/json": {
            message: string;
          };
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `health_check_failed`: The health check fails: no readable ledger, its time is older than `duration_secs` allows, or nothing that can be verified comes from any upstream. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Readiness check
   * @description 200 when the node should get requests: it has a ledger, no fault keeps it from moving, and its ledger is no older than the node's own limit (`--max-lag`). Use `healthy` to decide whether to restart a process.
   */
  ready: {
    parameters: {
      query?: {
        /**
         * @description Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.
         * @example 1
         */
        min_ledger_version?: string;
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
        };
        content: {
          "application/json": {
            message: string;
          };
          "application/x-bcs": string;
        };
      };
      /** @description `web_framework_error`: The path, the query, a header or the body cannot be parsed. */
      400: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: Stored bytes do not decode, a sum does not fit its type, or something unforeseen happened. */
      500: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description `health_check_failed`: The health check fails: no readable ledger, its time is older than `duration_secs` allows, or nothing that can be verified comes from any upstream. `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. `internal_error`: The ledger did not reach `min_ledger_version` within `wait_ms`. */
      503: {
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
          "application/json": Record<string, never>;
        };
      };
      /** @description `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. */
      503: {
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
          "application/yaml": string;
        };
      };
      /** @description `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. */
      503: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  /**
   * Reference page
   * @description The operations, their parameters, answers and errors, as a page that works offline.
   */
  spec_page: {
    responses: {
      /** @description text/html: An HTML page. */
      200: {
        content: {
          "text/html": string;
        };
      };
      /** @description `web_framework_error`: A browser's preflight asks for a method other than GET, HEAD or POST. */
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
      /** @description `web_framework_error`: This client sends more requests per second than the node allows it; off unless configured. */
      429: {
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
      /** @description `internal_error`: The node is at its limit of requests in flight, or cannot answer in time. */
      503: {
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
}
