// The signatures of a whole transaction: of its sender, further signers and the account that pays the fee.
import type { ValueOf } from "../../bcs/codec.ts";
import { variants } from "../../bcs/records.ts";
import { byteString } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import { addressCodec } from "../../move/wire.ts";
import { accountAuthenticatorCodec } from "./account-authenticator.ts";

/** All signatures of a transaction. */
export const authenticatorCodec = variants("TransactionAuthenticator", {
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
export type TransactionAuthenticator = ValueOf<typeof authenticatorCodec>;
