// What a chain does with a transaction before a block has it: checks it against the ledger, or makes it itself,
// for the faucet.
import { encodeWith } from "../../bcs/codec.ts";
import { u64 } from "../../bcs/scalars.ts";
import { readAccount, readStoredAccount } from "../../ledger/items/account.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { type Address, FRAMEWORK } from "../../move/address.ts";
import { addressCodec } from "../../move/wire.ts";
import type { EntryFunction } from "../../transaction/executable.ts";
import { type RawTransaction, rawTransactionCodec } from "../../transaction/raw.ts";
import { signingMessage } from "../../transaction/signing-message.ts";
import { refuse } from "../../transaction/submission-error.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";
import type { Keypair } from "../keys.ts";
import { type MachineSource, openHead } from "../machine-source.ts";
import { type Checked, checkOnMachine } from "./on-machine.ts";
import { areSignaturesValid } from "./signatures.ts";
import { type Submitted, toSubmitted } from "./submitted.ts";

/** For transactions of the chain's owner, whose clock may be set to any time. */
export const NO_EXPIRATION_SECS = 0xffff_ffff_ffff_ffffn;
const FAUCET_GAS = 2000n;

export class Submissions {
  readonly #machine: MachineSource;
  readonly #faucet: Keypair;

  constructor({ machine, faucet }: { readonly machine: MachineSource; readonly faucet: Keypair }) {
    this.#machine = machine;
    this.#faucet = faucet;
  }

  /** The account that mints. */
  get faucet(): Address {
    return this.#faucet.address;
  }

  /** Checks a transaction against the ledger's head. Throws SubmissionError for one that no block can take. */
  async check(
    view: LedgerView,
    submitted: Submitted,
    timestampUsec: bigint = view.position.timestampUsec,
  ): Promise<Checked> {
    if (!(await areSignaturesValid(submitted.transaction))) throw refuse("INVALID_SIGNATURE");
    const head = await openHead(this.#machine, view, "requests");
    head.setTime(timestampUsec);
    return checkOnMachine(head, view, submitted, this.faucet);
  }

  /** Checks transactions of the chain's owner, who needs no signature, one after the other. Never for what comes over HTTP. */
  async checkOwners(
    view: LedgerView,
    owners: readonly Submitted[],
    timestampUsec: bigint,
  ): Promise<Checked[]> {
    const head = await openHead(this.#machine, view, "requests");
    head.setTime(timestampUsec);
    const checked: Checked[] = [];
    for (const submitted of owners) checked.push(await checkOnMachine(head, view, submitted, this.faucet));
    return checked;
  }

  /**
   * The faucet's transactions that mint the native coin for an account, and create it where it is missing. `next` tells
   * the sequence number of the first one, from that of the faucet's account.
   */
  async fund(
    view: LedgerView,
    address: Address,
    amount: bigint,
    next: (accountSequenceNumber: bigint) => bigint,
  ): Promise<Submitted[]> {
    const { version, chainId } = view.position;
    const stored = await readStoredAccount(view, this.faucet, version);
    const calls: EntryFunction[] = [];
    if ((await readAccount(view, address, version)) === undefined) {
      calls.push(entryFunction("aptos_account", "create_account", [encodeWith(addressCodec, address)]));
    }
    calls.push(
      entryFunction("aptos_coin", "mint", [encodeWith(addressCodec, address), encodeWith(u64, amount)]),
    );
    const first = next(stored?.sequenceNumber ?? 0n);
    return calls.map((call, index) =>
      toSubmitted(this.#sign(call, first + BigInt(index), chainId), { isOwners: true }),
    );
  }

  #sign(call: EntryFunction, sequenceNumber: bigint, chainId: number): UserTransaction {
    const raw: RawTransaction = {
      sender: this.faucet,
      sequenceNumber,
      payload: { kind: "entryFunction", entryFunction: call },
      maxGasAmount: FAUCET_GAS,
      gasUnitPrice: 0n,
      expirationTimestampSecs: NO_EXPIRATION_SECS,
      chainId,
    };
    const signature = this.#faucet.sign(signingMessage(encodeWith(rawTransactionCodec, raw)));
    const { publicKey } = this.#faucet;
    return { raw, authenticator: { kind: "ed25519", publicKey, signature } };
  }
}

function entryFunction(module: string, name: string, args: readonly Uint8Array[]): EntryFunction {
  return { module: { address: FRAMEWORK, name: module }, function: name, typeArgs: [], args };
}
