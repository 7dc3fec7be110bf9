// Transactions and blocks as the API gives them. The document describes them loosely, because there are many kinds; here
// are the members that the console shows.

export interface LedgerEvent {
  readonly guid?: { readonly account_address?: string; readonly creation_number?: string };
  readonly sequence_number?: string;
  readonly type: string;
  readonly data: unknown;
}

export interface Change {
  readonly type: string;
  readonly state_key_hash?: string;
  readonly address?: string;
  readonly module?: string;
  readonly resource?: string;
  readonly handle?: string;
  readonly key?: string;
  readonly value?: string;
  readonly data?: { readonly type?: string; readonly data?: unknown; readonly abi?: unknown } | null;
}

export interface Payload {
  readonly type: string;
  readonly function?: string;
  readonly type_arguments?: readonly string[];
  readonly arguments?: readonly unknown[];
}

/** A signature of any kind; members by its type. */
export interface Signature {
  readonly type: string;
  readonly [member: string]: unknown;
}

export interface Transaction {
  readonly type: string;
  readonly version?: string;
  readonly hash: string;
  readonly success?: boolean;
  readonly vm_status?: string;
  readonly gas_used?: string;
  readonly gas_unit_price?: string;
  readonly max_gas_amount?: string;
  readonly sender?: string;
  readonly sequence_number?: string;
  readonly expiration_timestamp_secs?: string;
  readonly replay_protection_nonce?: string | null;
  readonly timestamp?: string;
  readonly payload?: Payload;
  readonly signature?: Signature | null;
  readonly events?: readonly LedgerEvent[];
  readonly changes?: readonly Change[];
  readonly accumulator_root_hash?: string;
  readonly state_change_hash?: string;
  readonly event_root_hash?: string;
  readonly state_checkpoint_hash?: string | null;
  readonly proposer?: string;
  readonly epoch?: string;
  readonly round?: string;
}

export interface FullBlock {
  readonly block_height: string;
  readonly block_hash: string;
  readonly block_timestamp: string;
  readonly first_version: string;
  readonly last_version: string;
  readonly transactions?: readonly Transaction[] | null;
}

const KINDS: Readonly<Record<string, string>> = {
  user_transaction: "User transaction",
  block_metadata_transaction: "Block metadata",
  state_checkpoint_transaction: "State checkpoint",
  block_epilogue_transaction: "Block epilogue",
  genesis_transaction: "Genesis",
  validator_transaction: "Validator transaction",
  pending_transaction: "Pending",
};

/** The kind of a transaction in words. */
export function kindOf({ type }: Pick<Transaction, "type">): string {
  return KINDS[type] ?? type.replaceAll("_", " ");
}

/** What a transaction calls, in a few words. */
export function callOf(transaction: Transaction): string {
  const { payload } = transaction;
  if (payload === undefined) return kindOf(transaction);
  return payload.function ?? payload.type.replaceAll("_", " ");
}

/** Every account that signed, with its part. */
export function signersOf({
  sender,
  signature,
}: Transaction): readonly (readonly [part: string, address: string])[] {
  const signers: [string, string][] = sender === undefined ? [] : [["sender", sender]];
  const others = signature?.secondary_signer_addresses;
  if (Array.isArray(others)) for (const one of others) signers.push(["also signs", String(one)]);
  const payer = signature?.fee_payer_address;
  if (typeof payer === "string") signers.push(["pays the fee", payer]);
  return signers;
}
