// Signs transactions for the local chain, as a client would.
import { encodeWith } from "../../src/bcs/codec.ts";
import type { Keypair } from "../../src/chain/keys.ts";
import { type Address, parseAddress } from "../../src/move/address.ts";
import type { TypeTag } from "../../src/move/type-tag.ts";
import {
  NONCE_SEQUENCE_NUMBER,
  type RawTransaction,
  rawTransactionCodec,
  type TransactionPayload,
} from "../../src/transaction/raw.ts";
import { signingMessage } from "../../src/transaction/signing-message.ts";
import type { UserTransaction } from "../../src/transaction/user-transaction.ts";

/** What a transaction calls, and its fields where they differ from the usual. */
export interface Call {
  /** `module::function`, at `0x1` unless the module has another address. */
  readonly function: string;
  readonly module?: Address;
  readonly typeArgs?: readonly TypeTag[];
  readonly args: readonly Uint8Array[];
  readonly fields?: Partial<RawTransaction>;
  readonly nonce?: bigint;
}

/** A signed transaction of the local chain. */
export function signCall(sender: Keypair, call: Call): UserTransaction {
  const [module = "", name = ""] = call.function.split("::");
  const { args, typeArgs = [], nonce } = call;
  const entryFunction = {
    module: { address: call.module ?? parseAddress("0x1"), name: module },
    function: name,
    typeArgs,
    args,
  };
  const payload: TransactionPayload =
    nonce === undefined
      ? { kind: "entryFunction", entryFunction }
      : {
          kind: "payload",
          payload: {
            kind: "v1",
            executable: { kind: "entryFunction", entryFunction },
            extraConfig: { kind: "v1", multisigAddress: undefined, replayProtectionNonce: nonce },
          },
        };
  const raw: RawTransaction = {
    sender: sender.address,
    sequenceNumber: nonce === undefined ? 0n : NONCE_SEQUENCE_NUMBER,
    payload,
    maxGasAmount: 20_000n,
    gasUnitPrice: 100n,
    expirationTimestampSecs: 4_000_000_000n,
    chainId: 4,
    ...call.fields,
  };
  const signature = sender.sign(signingMessage(encodeWith(rawTransactionCodec, raw)));
  return { raw, authenticator: { kind: "ed25519", publicKey: sender.publicKey, signature } };
}

/** The JSON of a transfer, to encode or to simulate. */
export const transferRequest = (
  sender: string | undefined,
  to: string | undefined,
  amount: string,
  more: object = {},
) => ({
  sender,
  sequence_number: "0",
  max_gas_amount: "200000",
  gas_unit_price: "100",
  expiration_timestamp_secs: "32425224034",
  payload: {
    type: "entry_function_payload",
    function: "0x1::aptos_account::transfer",
    type_arguments: [],
    arguments: [to, amount],
  },
  ...more,
});
