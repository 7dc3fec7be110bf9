// Executes one user transaction on the state: sequence number, the action's changes, the fee, and the fee statement
// that ends every user transaction.
import { struct } from "../bcs/records.ts";
import { u64 } from "../bcs/scalars.ts";
import type { Action } from "./actions/action.ts";
import type { BalancePart } from "./demo-accounts.ts";
import { type BlockState, type Effects, emitV2 } from "./effects.ts";
import { typeOf } from "./item.ts";
import type { Movement } from "./wallet.ts";
import { balanceOf, burnFee, createAccount, move } from "./wallet.ts";

/** Gas of a transaction. */
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

function feePart(blockState: BlockState, action: Action, fee: bigint): BalancePart {
  return balanceOf(blockState, action.sender, "native", "coin") >= fee ? "coin" : "store";
}

function incrementSequenceNumber(effects: Effects, action: Action): void {
  const { state, items } = effects;
  const item = items.accounts[action.sender].account;
  // The first transaction of an account creates it.
  if (!state.has(item)) createAccount(effects, action.sender);
  const account = state.get(item);
  if (account === undefined) throw new Error("the new account is missing");
  state.set(item, { ...account, sequenceNumber: account.sequenceNumber + 1n });
}

/** Executes an action and returns the amounts it moved, fee included. */
export function execute(effects: Effects, action: Action, gas: Gas, hasNonce: boolean): Movement[] {
  const fee = feeOf(gas);
  const movements: Movement[] = [];
  if (!hasNonce) incrementSequenceNumber(effects, action);
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
