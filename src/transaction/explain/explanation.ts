// What is said about a transaction before it is signed: the shape of the answer.
import type { JsonValue } from "../../move/value-print.ts";

/** Every code of a warning, with what it means. */
export const WARNINGS = {
  wrong_chain:
    "The transaction is for another chain than this node's, so the node did not look up its accounts.",
  expired: "By the ledger's time the transaction has expired.",
  expires_too_late: "With a nonce, the chain accepts an expiration at most 100 seconds ahead.",
  unknown_function: "This ledger has no such module or entry function, so the arguments are shown as bytes.",
  invalid_script: "The script's bytecode cannot be read.",
  wrong_arguments: "Type arguments or arguments do not fit the called function or script.",
  argument_not_decoded:
    "An argument is shown as bytes: its type is unknown, or its value is too large to print.",
  wrong_signers:
    "An account signs twice, or the number of signers is not the number that the called function or script takes.",
  fee_payer_open: "No fee payer is named: the fee payer signs the message with its own address.",
  sender_unknown: "The sender has no account resource on this ledger.",
  sequence_number_used: "The sender's sequence number on this ledger is higher.",
  sequence_number_ahead:
    "The sender's sequence number on this ledger is lower: other transactions must come first.",
  recipient_unknown: "A recipient has neither an account resource nor any of the asset on this ledger.",
  recipients_not_checked: "There are more recipients than the node looks up.",
  amount_above_balance: "The transfer takes more than the balance on this ledger.",
  fee_above_balance:
    "The highest possible fee, with the amount that the payer transfers, is above the payer's balance.",
} as const;

/** Code of a warning. */
export type WarningCode = keyof typeof WARNINGS;

/** Something to know before signing. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}

/** What kind of bytes are explained. */
export type ExplanationKind = "raw_transaction" | "single_signer" | "multi_agent" | "fee_payer";

/** One argument: its value where its type is known, else its bytes. */
export interface ExplainedArgument {
  /** Known for the framework's transfer functions only: modules on chain do not keep names. */
  readonly name?: string;
  readonly type?: string;
  readonly value?: JsonValue;
  readonly bytes?: string;
}

/** A call of an entry function. */
export interface ExplainedEntryFunction {
  readonly type: "entry_function_payload";
  readonly function: string;
  readonly type_arguments: readonly string[];
  readonly arguments: readonly ExplainedArgument[];
}

/** A script; its bytecode is among the fields. */
export interface ExplainedScript {
  readonly type: "script_payload";
  /** SHA3-256 of the bytecode. */
  readonly code_hash: string;
  readonly type_arguments: readonly string[];
  readonly arguments: readonly ExplainedArgument[];
}

/** What a multisig account runs; without a payload, what it has stored. */
export interface ExplainedMultisig {
  readonly type: "multisig_payload";
  readonly multisig_address: string;
  readonly transaction_payload?: ExplainedEntryFunction | ExplainedScript;
}

/** What the transaction runs. */
export type ExplainedPayload = ExplainedEntryFunction | ExplainedScript | ExplainedMultisig;

/** What keeps the transaction from running twice. */
export type ReplayProtection =
  | { readonly type: "sequence_number"; readonly sequence_number: string }
  | { readonly type: "nonce"; readonly nonce: string };

/** A request for higher limits, and the stake that backs it. */
export interface ExplainedLimits {
  readonly backed_by: "stake_pool_owner" | "delegated_voter" | "delegation_pool_delegator";
  readonly pool?: string;
  readonly execution_multiplier: string;
  readonly io_multiplier: string;
}

/** One stretch of the bytes: from `start` up to, not including, `end`. */
export interface Field {
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** A transaction explained. Addresses are short; integers of 64 bits and more are decimal text. */
export interface Explanation {
  readonly kind: ExplanationKind;
  /** What is explained, in hex: the fields' offsets count in it. */
  readonly bytes: string;
  readonly chain_id: number;
  readonly sender: string;
  readonly secondary_signers?: readonly string[];
  /** `0x0` when it is not known yet. */
  readonly fee_payer?: string;
  readonly payload: ExplainedPayload;
  readonly limits?: ExplainedLimits;
  readonly max_gas_amount: string;
  readonly gas_unit_price: string;
  /** The most that it can cost: gas times price. */
  readonly max_fee: string;
  readonly expiration_timestamp_secs: string;
  /** The same in RFC 3339; absent after the year 9999. */
  readonly expiration?: string;
  readonly replay_protection: ReplayProtection;
  /** All of the bytes, without gap or overlap. */
  readonly fields: readonly Field[];
  readonly warnings: readonly Warning[];
  /** The fields, encoded again, gave exactly these bytes; otherwise there is no explanation. */
  readonly matches: true;
}
