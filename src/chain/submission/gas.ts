// The gas of a submitted transaction. The charges for its size, for reads, writes and events and for storage are those of
// the network's gas schedule. Without bytecode, only the cost of instructions is an estimate.
import { encodeWith } from "../../bcs/codec.ts";
import type { ContractEvent } from "../../ledger/event.ts";
import type { ExecutionStatus } from "../../ledger/execution-status.ts";
import { typeTagCodec } from "../../move/type-tag.ts";
import { CallFailure } from "../functions/aborts.ts";

/** `maximum_number_of_gas_units`. */
export const MAX_GAS_AMOUNT = 2_000_000n;
/** `min_price_per_gas_unit` and `max_price_per_gas_unit`, in octas. */
export const MIN_GAS_PRICE = 100n;
export const MAX_GAS_PRICE = 10_000_000_000n;
/** Internal units of one gas unit (`gas_unit_scaling_factor`). All charges below but the fees are internal units. */
const SCALE = 1_000_000n;
/** `min_transaction_gas_units`, and `intrinsic_gas_per_byte` above `large_transaction_cutoff` bytes. */
const INTRINSIC = 2_760_000n;
const INTRINSIC_PER_BYTE = 1_158n;
const FREE_BYTES = 600n;
/** Estimate of the instructions of one withdrawal or deposit, with everything around it. */
const PER_MOVEMENT = 1_000_000n;
/** `storage_io_per_state_slot_read`, and `storage_io_per_state_byte_read` for whole pages. */
const PER_READ = 302_385n;
const PER_BYTE_READ = 151n;
const PAGE_BYTES = 4096;
/** `storage_io_per_state_slot_write`; one price per byte of writes, events and the transaction itself. */
const PER_WRITE = 89_568n;
const PER_BYTE_WRITTEN = 89n;
/** `storage_fee_per_state_slot`, `storage_fee_per_state_byte` and `max_storage_fee`, in octas. */
const FEE_PER_SLOT = 40_000n;
const FEE_PER_BYTE = 40n;
const MAX_STORAGE_FEE = 200_000_000n;
/** `max_execution_gas` and `max_io_gas`. */
const MAX_EXECUTION = 920_000_000n;
const MAX_IO = 1_000_000_000n;
/** `max_write_ops_per_transaction`. */
const MAX_WRITES = 8192;

/** The chain's numbers of what ends a run besides aborts. */
const FAILURES = {
  NUMBER_OF_SIGNER_ARGUMENTS_MISMATCH: 1101n,
  STORAGE_WRITE_LIMIT_REACHED: 4027n,
  EXECUTION_LIMIT_REACHED: 4030n,
  IO_LIMIT_REACHED: 4031n,
  STORAGE_LIMIT_REACHED: 4032n,
};

/** An item that a transaction writes, as far as its price depends on it. */
export interface PricedWrite {
  /** Bytes of the key: of the address and path, or of the table and its key. */
  readonly keyBytes: number;
  /** Bytes of the value; 0 for a deletion. */
  readonly bytes: number;
  /** Undefined for a new item. */
  readonly bytesBefore: number | undefined;
}

/** What a creator deposits for an item. */
export function depositsOf({ keyBytes, bytes }: PricedWrite): {
  readonly slot: bigint;
  readonly bytes: bigint;
} {
  return { slot: FEE_PER_SLOT, bytes: BigInt(keyBytes + bytes) * FEE_PER_BYTE };
}

function storageFeeOf(write: PricedWrite): bigint {
  if (write.bytesBefore === undefined) {
    const { slot, bytes } = depositsOf(write);
    return slot + bytes;
  }
  return write.bytes > write.bytesBefore ? BigInt(write.bytes - write.bytesBefore) * FEE_PER_BYTE : 0n;
}

/** Bytes of an event, as the network counts them. */
function eventBytes({ kind, type, data }: ContractEvent): number {
  const handleBytes = 48;
  return encodeWith(typeTagCodec, type).length + data.length + (kind === "v1" ? handleBytes : 0);
}

/** Units that a transaction used, rounded up as in its FeeStatement. */
export interface GasUse {
  readonly total: bigint;
  readonly execution: bigint;
  readonly io: bigint;
  /** In octas. */
  readonly storageFee: bigint;
}

/** A failure that is no abort. */
export class RunFailure extends CallFailure {
  constructor(name: keyof typeof FAILURES) {
    super({ kind: "miscellaneous", statusCode: FAILURES[name] }, name);
  }
}

class OutOfGas extends CallFailure {
  constructor() {
    super({ kind: "outOfGas" }, "out of gas");
  }
}

function roundUp(internal: bigint): bigint {
  return (internal + SCALE - 1n) / SCALE;
}

/** Gas that a transaction of this size uses in any case. */
function intrinsicGas(sizeBytes: number): bigint {
  const extra = BigInt(sizeBytes) - FREE_BYTES;
  return INTRINSIC + (extra > 0n ? extra * INTRINSIC_PER_BYTE : 0n);
}

/** Least `max_gas_amount` of a transaction of this size. */
export function leastGas(sizeBytes: number): bigint {
  return roundUp(intrinsicGas(sizeBytes));
}

/** Counts the gas of one transaction. Charges throw CallFailure when it or a limit of the network is used up. */
export class GasMeter {
  readonly #maxGas: bigint;
  readonly #unitPrice: bigint;
  readonly #sizeBytes: number;
  #execution: bigint;
  #io = 0n;
  #storageFee = 0n;
  /** The storage fee in internal units. */
  #storage = 0n;

  constructor(options: { readonly maxGas: bigint; readonly unitPrice: bigint; readonly sizeBytes: number }) {
    this.#maxGas = options.maxGas;
    this.#unitPrice = options.unitPrice;
    this.#sizeBytes = options.sizeBytes;
    this.#execution = intrinsicGas(options.sizeBytes);
  }

  #assertRoom(): void {
    if (this.#execution + this.#io + this.#storage > this.#maxGas * SCALE) throw new OutOfGas();
  }

  /** One withdrawal or deposit. */
  chargeMovement(): void {
    this.#execution += PER_MOVEMENT;
    if (this.#execution > MAX_EXECUTION) throw new RunFailure("EXECUTION_LIMIT_REACHED");
    this.#assertRoom();
  }

  /** The first read of an item. */
  chargeRead(bytes: number): void {
    const pages = BigInt(Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES);
    this.#chargeIo(PER_READ + pages * PER_BYTE_READ);
  }

  #chargeIo(amount: bigint): void {
    this.#io += amount;
    if (this.#io > MAX_IO) throw new RunFailure("IO_LIMIT_REACHED");
    this.#assertRoom();
  }

  /** Everything that the transaction leaves behind. */
  chargeChanges(writes: readonly PricedWrite[], events: readonly ContractEvent[]): void {
    if (writes.length > MAX_WRITES) throw new RunFailure("STORAGE_WRITE_LIMIT_REACHED");
    let bytes = this.#sizeBytes;
    for (const event of events) bytes += eventBytes(event);
    for (const write of writes) bytes += write.keyBytes + write.bytes;
    this.#chargeIo(BigInt(writes.length) * PER_WRITE + BigInt(bytes) * PER_BYTE_WRITTEN);
    this.chargeStorage(writes);
  }

  /** The deposits for what the writes add to the state. A transaction without a gas price pays none. */
  chargeStorage(writes: readonly PricedWrite[]): void {
    if (this.#unitPrice === 0n) return;
    const fee = writes.reduce((sum, write) => sum + storageFeeOf(write), 0n);
    this.#storageFee += fee;
    if (this.#storageFee > MAX_STORAGE_FEE) throw new RunFailure("STORAGE_LIMIT_REACHED");
    this.#storage += (fee * SCALE + this.#unitPrice - 1n) / this.#unitPrice;
    this.#assertRoom();
  }

  /** What a transaction with this outcome pays for. */
  used(status: ExecutionStatus): GasUse {
    const total = roundUp(this.#execution + this.#io + this.#storage);
    const [execution, io] = [roundUp(this.#execution), roundUp(this.#io)];
    if (status.kind !== "outOfGas" && total <= this.#maxGas)
      return { total, execution, io, storageFee: this.#storageFee };
    // All of it is used up, as far as the statement tells by the instructions.
    return { total: this.#maxGas, execution: this.#maxGas, io: 0n, storageFee: 0n };
  }
}
