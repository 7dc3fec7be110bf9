// Runs a submitted transaction on the state: prologue, function, gas, fee.
import { struct } from "../../bcs/records.ts";
import { u64 } from "../../bcs/scalars.ts";
import type { ExecutionStatus } from "../../ledger/execution-status.ts";
import { emitV2 } from "../effects.ts";
import { MoveAbort } from "../functions/aborts.ts";
import { accountItem, type CallState, newAccount } from "../functions/call-state.ts";
import { burnFee, coinBalance, NATIVE_COIN } from "../functions/coins.ts";
import { typeOf } from "../item.ts";
import { useNonce } from "./nonce-history.ts";
import type { Submitted } from "./submitted.ts";
import { checkPrologue, type PrologueContext } from "./transaction-prologue.ts";

const FEE_STATEMENT = typeOf("0x1::transaction_fee::FeeStatement");
const feeStatementCodec = struct({
  total: u64,
  execution: u64,
  io: u64,
  storageFee: u64,
  storageRefund: u64,
});
// Without bytecode there is no exact gas. Execution and io grow with the work; the storage fee is the network's own.
const BASE_EXECUTION = 3n;
const BASE_IO = 1n;
const FEE_PER_SLOT = 40_000n;
const FEE_PER_BYTE = 40n;
const USEC_PER_SEC = 1_000_000n;

/** How a transaction ended. */
export interface RunResult {
  readonly status: ExecutionStatus;
  readonly gasUsed: bigint;
}

interface GasUse {
  readonly execution: bigint;
  readonly io: bigint;
  /** In octas. */
  readonly storageFee: bigint;
  readonly total: bigint;
}

function measureGas(call: CallState, price: bigint): GasUse {
  const { count, bytes } = call.state.creations;
  const execution = BASE_EXECUTION + BigInt(call.movements);
  const io = BASE_IO + BigInt(call.state.writeCount);
  const storageFee = BigInt(count) * FEE_PER_SLOT + BigInt(bytes) * FEE_PER_BYTE;
  const storage = price === 0n ? 0n : (storageFee + price - 1n) / price;
  return { execution, io, storageFee: price === 0n ? 0n : storageFee, total: execution + io + storage };
}

/** Marks the transaction as used: by the sender's sequence number, or by its nonce. */
async function protectFromReplay(
  call: CallState,
  submitted: Submitted,
  timestampUsec: bigint,
): Promise<void> {
  const { raw } = submitted.transaction;
  if (submitted.nonce !== undefined) {
    const used = { sender: raw.sender, nonce: submitted.nonce, expirationSecs: raw.expirationTimestampSecs };
    await useNonce(call, used, timestampUsec / USEC_PER_SEC);
    return;
  }
  const item = accountItem(raw.sender);
  const account = (await call.read(item)) ?? newAccount(raw.sender);
  call.write(item, { ...account, sequenceNumber: account.sequenceNumber + 1n });
}

/** Runs the function and measures it; the changes stay in the state unless it aborts. */
async function runCall(
  call: CallState,
  submitted: Submitted,
  timestampUsec: bigint,
): Promise<{ readonly status: ExecutionStatus; readonly gas: GasUse }> {
  const { raw } = submitted.transaction;
  let status: ExecutionStatus = { kind: "success" };
  const settle = async (): Promise<GasUse> => {
    await protectFromReplay(call, submitted, timestampUsec);
    return measureGas(call, raw.gasUnitPrice);
  };
  try {
    await submitted.call.run(call, raw.sender);
    const gas = await settle();
    if (gas.total <= raw.maxGasAmount) {
      const held = await coinBalance(call, submitted.payer, NATIVE_COIN);
      if (held < gas.total * raw.gasUnitPrice) throw new MoveAbort("feeUnpaid");
      return { status, gas };
    }
    status = { kind: "outOfGas" };
  } catch (error) {
    if (!(error instanceof MoveAbort)) throw error;
    status = error.status;
  }
  call.rollBack();
  const gas = await settle();
  if (status.kind !== "outOfGas" && gas.total <= raw.maxGasAmount) return { status, gas };
  const total = raw.maxGasAmount;
  return { status: { kind: "outOfGas" }, gas: { execution: total, io: 0n, storageFee: 0n, total } };
}

/**
 * Runs a transaction; its changes and events are then in `call`, for the caller to finish. Throws SubmissionError, with
 * the state as it was, for a transaction that the chain does not take.
 */
export async function runSubmitted(
  call: CallState,
  submitted: Submitted,
  context: PrologueContext,
): Promise<RunResult> {
  await checkPrologue(call, submitted, context);
  try {
    const { status, gas } = await runCall(call, submitted, context.timestampUsec);
    await burnFee(call, submitted.payer, gas.total * submitted.transaction.raw.gasUnitPrice);
    emitV2(call, FEE_STATEMENT, feeStatementCodec, { ...gas, storageRefund: 0n });
    return { status, gasUsed: gas.total };
  } catch (error) {
    call.rollBack();
    throw error;
  }
}
