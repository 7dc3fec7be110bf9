// The signatures of a whole transaction: of its sender, further signers and whoever pays the fee.
import type { Codec } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { byteString } from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import type { Address } from "../move/address.ts";
import { addressCodec } from "../move/wire.ts";
import { type AccountAuthenticator, accountAuthenticatorCodec } from "./account-authenticator.ts";

/** All signatures of a transaction. */
export type TransactionAuthenticator =
  | {
      readonly kind: "ed25519" | "multiEd25519";
      readonly publicKey: Uint8Array;
      readonly signature: Uint8Array;
    }
  | {
      readonly kind: "multiAgent";
      readonly sender: AccountAuthenticator;
      readonly secondaryAddresses: readonly Address[];
      readonly secondarySigners: readonly AccountAuthenticator[];
    }
  | {
      readonly kind: "feePayer";
      readonly sender: AccountAuthenticator;
      readonly secondaryAddresses: readonly Address[];
      readonly secondarySigners: readonly AccountAuthenticator[];
      readonly feePayerAddress: Address;
      readonly feePayer: AccountAuthenticator;
    }
  | { readonly kind: "singleSender"; readonly sender: AccountAuthenticator };

/** Transaction authenticators on the wire. */
export const authenticatorCodec: Codec<TransactionAuthenticator> = variants("TransactionAuthenticator", {
  ed25519: { publicKey: byteString, signature: byteString },
  multiEd25519: { publicKey: byteString, signature: byteString },
  multiAgent: {
    sender: accountAuthenticatorCodec,
    secondaryAddresses: vector(addressCodec),
    secondarySigners: vector(accountAuthenticatorCodec),
  },
  feePayer: {
    sender: accountAuthenticatorCodec,
    secondaryAddresses: vector(addressCodec),
    secondarySigners: vector(accountAuthenticatorCodec),
    feePayerAddress: addressCodec,
    feePayer: accountAuthenticatorCodec,
  },
  singleSender: { sender: accountAuthenticatorCodec },
});
