// Runs one user transaction on the workingState: sequence number, what the action changes, the fee, and the report
// of the fee that ends every user transaction.
import { struct } from "../bcs/records.ts";
import { u64 } from "../bcs/scalars.ts";
import type { Action } from "./actions/action.ts";
import type { Part } from "./demo-accounts.ts";
import { type BlockState, type Effects, emitV2 } from "./effects.ts";
import { typeOf } from "./item.ts";
import type { Movement } from "./wallet.ts";
import { balanceOf, burnFee, createAccount, move } from "./wallet.ts";

/** What a transaction costs. */
export interface Gas {
  readonly used: bigint;
  readonly unitPrice: bigint;
}

const FEE_STATEMENT = typeOf("0x1::transaction_fee::FeeStatement");

const feeStatementCodec = struct({
  total: u64,
  execution: u64,
  io: u64,
  storageFee: u64,
  storageRefund: u64,
});

/** The fee in octas. */
export function feeOf(gas: Gas): bigint {
  return gas.used * gas.unitPrice;
}

function feePart(blockState: BlockState, action: Action, fee: bigint): Part {
  return balanceOf(blockState, action.sender, "native", "coin") >= fee ? "coin" : "store";
}

function bumpSequenceNumber(effects: Effects, action: Action): void {
  const { workingState, chainItems } = effects;
  const item = chainItems.accounts[action.sender].account;
  // The first transaction of an account creates it.
  if (!workingState.has(item)) createAccount(effects, action.sender);
  const account = workingState.get(item);
  if (account === undefined) throw new Error("an account that was just created is missing");
  workingState.set(item, { ...account, sequenceNumber: account.sequenceNumber + 1n });
}

/** Runs an action: the amounts that it moved, fee included. */
export function execute(effects: Effects, action: Action, gas: Gas, hasNonce: boolean): Movement[] {
  const fee = feeOf(gas);
  const movements: Movement[] = [];
  if (!hasNonce) bumpSequenceNumber(effects, action);
  if (action.failure === undefined) {
    action.change?.(effects);
    for (const movement of action.movements) move(effects, movement);
    movements.push(...action.movements);
  }
  if (fee > 0n) {
    const part = feePart(effects, action, fee);
    burnFee(effects, action.sender, part, fee);
    movements.push({ asset: "native", part, from: action.sender, to: undefined, amount: fee });
  }
  if (action.failure === undefined) action.close?.(effects);
  const io = gas.used / 3n;
  emitV2(effects, FEE_STATEMENT, feeStatementCodec, {
    total: gas.used,
    execution: gas.used - io,
    io,
    storageFee: 0n,
    storageRefund: 0n,
  });
  return movements;
}
