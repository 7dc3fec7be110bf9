// Signed user transactions: an action with sender, sequence number and expiry, signed with Ed25519 keys over the
// chain's signing message.
import { USEC_PER_SEC } from "../base/numbers.ts";
import type { AccountAuthenticator } from "../transaction/account-authenticator.ts";
import type { TransactionAuthenticator } from "../transaction/authenticator.ts";
import type { TransactionPayload } from "../transaction/payload.ts";
import { NONCE_SEQUENCE_NUMBER, type RawTransaction } from "../transaction/raw.ts";
import { signingMessage } from "../transaction/signing-message.ts";
import type { UserTransaction } from "../transaction/user-transaction.ts";
import type { Action, Call } from "./actions/action.ts";
import type { DemoAccountName, DemoAccounts } from "./demo-accounts.ts";

const MAX_GAS = 200_000n;
const GAS_PRICE = 100n;
const LIFETIME_SECS = 600n;
/** The network takes no nonce of a transaction that expires later. */
const NONCE_LIFETIME_SECS = 60n;

/** The fields of a transaction besides its action. */
export interface Envelope {
  readonly chainId: number;
  readonly timestampUsec: bigint;
  /** The sender's sequence number, or a nonce instead. */
  readonly replayProtection: { readonly sequenceNumber: bigint } | { readonly nonce: bigint };
}

/** Signs an action. */
export function signAction(action: Action, demoAccounts: DemoAccounts, envelope: Envelope): UserTransaction {
  const sender = demoAccounts[action.sender];
  const { replayProtection } = envelope;
  const raw: RawTransaction = {
    sender: sender.address,
    sequenceNumber: "nonce" in replayProtection ? NONCE_SEQUENCE_NUMBER : replayProtection.sequenceNumber,
    payload: "nonce" in replayProtection ? noncePayload(action.call, replayProtection.nonce) : action.call,
    maxGasAmount: MAX_GAS,
    gasUnitPrice: GAS_PRICE,
    expirationTimestampSecs:
      envelope.timestampUsec / USEC_PER_SEC +
      ("nonce" in replayProtection ? NONCE_LIFETIME_SECS : LIFETIME_SECS),
    chainId: envelope.chainId,
  };
  return { raw, authenticator: sign(raw, action, demoAccounts) };
}

function noncePayload(call: Call, nonce: bigint): TransactionPayload {
  const extraConfig = { kind: "v1", multisigAddress: undefined, replayProtectionNonce: nonce } as const;
  return { kind: "payload", payload: { kind: "v1", executable: call, extraConfig } };
}

function sign(
  raw: RawTransaction,
  { sender, cosigner, feePayer }: Action,
  demoAccounts: DemoAccounts,
): TransactionAuthenticator {
  const secondaryAddresses = cosigner === undefined ? [] : [demoAccounts[cosigner].address];
  const payer = feePayer && demoAccounts[feePayer].address;
  const isSingle = cosigner === undefined && payer === undefined;
  const message = signingMessage(raw, isSingle ? undefined : secondaryAddresses, payer);
  const authenticate = (name: DemoAccountName): AccountAuthenticator & { kind: "ed25519" } => {
    const { publicKey, sign: signWith } = demoAccounts[name];
    return { kind: "ed25519", publicKey, signature: signWith(message) };
  };
  if (isSingle) return authenticate(sender);
  const signers = {
    sender: authenticate(sender),
    secondaryAddresses,
    secondarySigners: cosigner === undefined ? [] : [authenticate(cosigner)],
  };
  if (feePayer === undefined || payer === undefined) return { kind: "multiAgent", ...signers };
  return { kind: "feePayer", ...signers, feePayerAddress: payer, feePayer: authenticate(feePayer) };
}
