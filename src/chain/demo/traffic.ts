// The transactions of the demo accounts: weighted random draws, signed with their keys, which run like anybody's.
import { USEC_PER_SEC } from "../../base/numbers.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { AccountAuthenticator, TransactionAuthenticator } from "../../transaction/authenticator.ts";
import {
  NONCE_SEQUENCE_NUMBER,
  type RawTransaction,
  type TransactionPayload,
} from "../../transaction/raw.ts";
import { signingMessage } from "../../transaction/signing-message.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";
import type { StateChange } from "../../vm/ledger/ledger-transactions.ts";
import type { ChainItems } from "../chain-items.ts";
import type { Random } from "../random.ts";
import { WorkingState } from "../working-state.ts";
import {
  type Action,
  type ActionContext,
  type ActionMaker,
  advanceVisitor,
  batchTransfer,
  type Call,
  COIN_TRADERS,
  failingTransfer,
  quotePrice,
  swap,
  tradeOrder,
  transferAsset,
  transferCoin,
} from "./actions.ts";
import type { DemoAccountName, DemoAccounts } from "./demo-accounts.ts";

const MAX_TRANSACTIONS = 6;
/** One transaction in this many carries a nonce instead of a sequence number. */
const NONCE_TRANSACTIONS = 8;

const WEIGHTS: readonly (readonly [weight: number, make: ActionMaker])[] = [
  [8, transferAsset],
  [6, transferCoin],
  [4, tradeOrder],
  [3, quotePrice],
  [3, advanceVisitor],
  [2, swap],
  [1, batchTransfer],
  [1, failingTransfer],
  [1, runScript],
];

const TOTAL_WEIGHT = WEIGHTS.reduce((sum, [weight]) => sum + weight, 0);

/** Draws the transactions of one block. */
export class Traffic {
  readonly #context: ActionContext;

  private constructor(context: ActionContext) {
    this.#context = context;
  }

  static async open(items: ChainItems, view: LedgerView, random: Random): Promise<Traffic> {
    const state = new WorkingState();
    await state.load(view, items.all);
    return new Traffic({ items, state, random });
  }

  /** Takes over what transactions of the block changed. */
  update(changes: Iterable<StateChange>): void {
    this.#context.state.update(changes);
  }

  /** Random number of transactions. */
  pickCount(): number {
    return 1 + this.#context.random.below(MAX_TRANSACTIONS);
  }

  /** The next transaction; undefined if the state allows none. */
  next(envelope: Omit<Envelope, "replayProtection">): UserTransaction | undefined {
    const { random, items, state } = this.#context;
    const action = pickAction(this.#context);
    if (action === undefined) return undefined;
    const mayHaveNonce = action.cosigner === undefined && action.call.kind === "entryFunction";
    const hasNonce = (random.oneIn(NONCE_TRANSACTIONS) && mayHaveNonce) || action.feePayer !== undefined;
    const sequenceNumber = state.get(items.accounts[action.sender].account)?.sequenceNumber ?? 0n;
    const replayProtection = hasNonce ? { nonce: random.u64() } : { sequenceNumber };
    return signAction(action, items.demoAccounts, { ...envelope, replayProtection });
  }
}

/** Draws one action. Falls back to a coin transfer if the state does not allow the drawn one, or to none. */
function pickAction(context: ActionContext): Action | undefined {
  let at = context.random.below(TOTAL_WEIGHT);
  for (const [weight, make] of WEIGHTS) {
    if (at < weight) return make(context) ?? transferCoin(context);
    at -= weight;
  }
  throw new Error("the draw is above the total weight");
}

/** Magic, version 6, one table with the empty signature, no type parameters, no locals, `ret`. */
const EMPTY_SCRIPT: Uint8Array = Buffer.from("a11ceb0b0600000001050001000000000102", "hex");

/** A transaction that runs the smallest script, which returns at once. */
function runScript({ random }: ActionContext): Action {
  return {
    sender: random.pick(COIN_TRADERS),
    call: { kind: "script", script: { code: EMPTY_SCRIPT, typeArgs: [], args: [] } },
  };
}

const MAX_GAS = 200_000n;
const GAS_PRICE = 100n;
const LIFETIME_SECS = 600n;
/** The network takes no nonce of a transaction that expires later. */
const NONCE_LIFETIME_SECS = 60n;

/** The fields of a transaction besides its action. */
interface Envelope {
  readonly chainId: number;
  readonly timestampUsec: bigint;
  /** The sender's sequence number, or a nonce instead. */
  readonly replayProtection: { readonly sequenceNumber: bigint } | { readonly nonce: bigint };
}

/** Signs an action. */
function signAction(action: Action, demoAccounts: DemoAccounts, envelope: Envelope): UserTransaction {
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
