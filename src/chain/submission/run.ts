// Runs a submitted transaction on the state: prologue, function, gas, fee.
import { USEC_PER_SEC } from "../../base/numbers.ts";
import { BcsError } from "../../bcs/errors.ts";
import { struct } from "../../bcs/records.ts";
import { u64 } from "../../bcs/scalars.ts";
import type { ExecutionStatus } from "../../ledger/execution-status.ts";
import { unmodelled } from "../../transaction/submission-error.ts";
import { emitV2 } from "../effects.ts";
import { CallFailure, MoveAbort } from "../functions/aborts.ts";
import type { CallState } from "../functions/call-state.ts";
import { burnFee, coinBalance, NATIVE_COIN } from "../functions/coins.ts";
import { typeOf } from "../item.ts";
import { newAccount } from "../new-account.ts";
import { GasMeter, RunFailure } from "./gas.ts";
import { useNonce } from "./nonce-history.ts";
import type { Submitted } from "./submitted.ts";
import { checkPrologue, isPaidByNobody, type PrologueContext } from "./transaction-prologue.ts";

const FEE_STATEMENT = typeOf("0x1::transaction_fee::FeeStatement");
const feeStatementCodec = struct({
  total: u64,
  execution: u64,
  io: u64,
  storageFee: u64,
  storageRefund: u64,
});

/** How a transaction ended. */
export interface RunResult {
  readonly status: ExecutionStatus;
  readonly gasUsed: bigint;
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
  const item = call.account(raw.sender);
  const account = (await call.read(item)) ?? newAccount(raw.sender);
  call.write(item, { ...account, sequenceNumber: account.sequenceNumber + 1n });
}

/** A sponsored transaction creates the account of its sender, which pays for the slot even if the call fails. */
async function ensureSender(call: CallState, { transaction: { raw }, nonce }: Submitted): Promise<void> {
  if (nonce !== undefined) return;
  const item = call.account(raw.sender);
  if ((await call.read(item)) === undefined) call.write(item, newAccount(raw.sender));
}

/** Runs a call and counts its gas; throws CallFailure where the chain ends it. */
export async function runCall(
  call: CallState,
  submitted: Submitted,
  meter: GasMeter,
  context: PrologueContext,
): Promise<void> {
  const { raw } = submitted.transaction;
  const { call: modelled } = submitted;
  if (modelled === undefined) throw new Error("the transaction was taken apart for a framework with code");
  call.meter = meter;
  try {
    await ensureSender(call, submitted);
    if (modelled.signers > 0 && submitted.signers.secondary.length > 0)
      throw new RunFailure("NUMBER_OF_SIGNER_ARGUMENTS_MISMATCH");
    await modelled.run(call, raw.sender);
    meter.chargeChanges(call.state.pricedWrites(), call.events);
  } finally {
    // The chain's own prologue and epilogue cost no gas.
    call.meter = undefined;
  }
  call.state.recordDeposits();
  if (isPaidByNobody(submitted, context)) return;
  const { total } = meter.used({ kind: "success" });
  if ((await coinBalance(call, submitted.payer, NATIVE_COIN)) < total * raw.gasUnitPrice)
    throw new MoveAbort("feeUnpaid");
}

/** A meter for a transaction. */
export function meterOf({ transaction: { raw }, sizeBytes }: Submitted): GasMeter {
  return new GasMeter({ maxGas: raw.maxGasAmount, unitPrice: raw.gasUnitPrice, sizeBytes });
}

/** Runs the function; the changes stay in the state unless it fails. */
async function runOrUndo(
  call: CallState,
  submitted: Submitted,
  meter: GasMeter,
  context: PrologueContext,
): Promise<ExecutionStatus> {
  try {
    await runCall(call, submitted, meter, context);
    return { kind: "success" };
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    call.rollBack();
    return chargeFailure(call, submitted, meter, error.status);
  }
}

async function chargeFailure(
  call: CallState,
  submitted: Submitted,
  meter: GasMeter,
  status: ExecutionStatus,
): Promise<ExecutionStatus> {
  await ensureSender(call, submitted);
  try {
    meter.chargeStorage(call.state.pricedWrites());
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    return error.status;
  }
  call.state.recordDeposits();
  return status;
}

/** Refuses state in another layout than the modelled framework's, which a network under a fork may have. */
export async function asModelled<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw unmodelled(`state in another layout than that of the framework that is modelled: ${error.message}`);
  }
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
  return asModelled(() => runChecked(call, submitted, context));
}

async function runChecked(
  call: CallState,
  submitted: Submitted,
  context: PrologueContext,
): Promise<RunResult> {
  await checkPrologue(call, submitted, context);
  try {
    const meter = meterOf(submitted);
    const status = await runOrUndo(call, submitted, meter, context);
    const gas = meter.used(status);
    await protectFromReplay(call, submitted, context.timestampUsec);
    const fee = gas.total * submitted.transaction.raw.gasUnitPrice;
    if (!isPaidByNobody(submitted, context)) await burnFee(call, submitted.payer, fee);
    emitV2(call, FEE_STATEMENT, feeStatementCodec, { ...gas, storageRefund: 0n });
    return { status, gasUsed: gas.total };
  } catch (error) {
    call.rollBack();
    throw error;
  }
}
