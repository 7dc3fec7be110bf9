// Gas: what a run may cost, by the schedule on the chain. Internal units, a million to one unit of gas.
import { STATUS, VmError } from "./errors.ts";

/** The schedule on the chain: its version, and the price of each name. */
export interface GasSchedule {
  readonly version: number;
  readonly prices: ReadonlyMap<string, number>;
  /** Prices of reads and writes, which versions 1 to 9 keep apart. */
  readonly storage?: StoragePrices | undefined;
}

export interface StoragePrices {
  readonly itemRead: number;
  readonly itemCreate: number;
  readonly itemWrite: number;
  readonly byteRead: number;
  readonly byteCreate: number;
  readonly byteWrite: number;
}

const SCALING = 1_000_000;
const PAGE_BYTES = 4096;
/** Bytes of a write that cost nothing, in versions 3 and 4. */
const FREE_BYTES = 1024;
const OUT_OF_GAS = "out of gas";

/** Prices by the form of their names: so much for each unit of something, or for something as a whole. */
class PlainPrices extends Map<string, number> {
  override get(name: string): number | undefined {
    if (name.startsWith("txn.")) return super.get(name);
    return name.includes("per_") ? 20 : 1000;
  }
}

/** For a chain without a schedule: prices and limits of transactions as on a network, of instructions about so. */
export const PLAIN_SCHEDULE: GasSchedule = {
  version: 43,
  prices: new PlainPrices([
    ["txn.max_execution_gas", 920_000_000],
    ["txn.max_io_gas", 1_000_000_000],
    ["txn.storage_io_per_state_slot_read", 302_385],
    ["txn.storage_io_per_state_byte_read", 151],
    ["txn.storage_io_per_state_slot_write", 89_568],
    ["txn.storage_io_per_state_byte_write", 89],
    ["txn.storage_io_per_event_byte_write", 89],
    ["txn.storage_io_per_transaction_byte_write", 89],
    ["txn.storage_fee_per_state_slot", 40_000],
    ["txn.storage_fee_per_state_byte", 40],
    ["txn.max_storage_fee", 200_000_000],
    ["txn.max_write_ops_per_transaction", 8192],
    ["txn.max_bytes_per_write_op", 1 << 20],
    ["txn.max_bytes_all_write_ops_per_transaction", 10 << 20],
    ["txn.max_bytes_per_event", 1 << 20],
    ["txn.max_bytes_all_events_per_transaction", 10 << 20],
    ["txn.memory_quota", 10_000_000],
    ["txn.max_transaction_size_in_bytes", 64 * 1024],
    ["txn.maximum_number_of_gas_units", 2_000_000],
    ["txn.min_transaction_gas_units", 2_760_000],
    ["txn.large_transaction_cutoff", 600],
    ["txn.intrinsic_gas_per_byte", 1158],
    ["txn.min_price_per_gas_unit", 100],
    ["txn.max_price_per_gas_unit", 10_000_000_000],
  ]),
};

/** Charges of a run, by what they are for. */
export class Meter {
  readonly version: number;
  /** Internal units of one unit of gas. */
  readonly scaling: number;
  readonly #storage: StoragePrices | undefined;
  readonly #prices: ReadonlyMap<string, number>;
  balance: number;
  executionUsed = 0;
  ioUsed = 0;
  storageUsed = 0;
  storageFee = 0;
  /** False for runs of the system, which cost nothing. */
  isMetered = true;
  /** True while arguments of natives stay counted: since a generic call into modules of tables or events. */
  leaksNativeArguments = false;
  #memoryLeft: number;
  readonly #maxExecution: number;
  readonly #maxIo: number;
  readonly #maxStorageFee: number;

  /** `maxGas` is in units of gas. */
  constructor(schedule: GasSchedule, maxGas: number) {
    this.version = schedule.version;
    this.#prices = schedule.prices;
    this.#storage = schedule.version < 10 ? schedule.storage : undefined;
    this.scaling = this.price("txn.gas_unit_scaling_factor", SCALING);
    this.balance = maxGas * this.scaling;
    this.#maxExecution = this.price("txn.max_execution_gas", Number.POSITIVE_INFINITY);
    this.#memoryLeft = this.price("txn.memory_quota", Number.POSITIVE_INFINITY);
    this.#maxIo = this.price("txn.max_io_gas", Number.POSITIVE_INFINITY);
    this.#maxStorageFee = this.price("txn.max_storage_fee", Number.POSITIVE_INFINITY);
  }

  /** A price of the schedule; 0 where it has none, unless another default is given. */
  price(name: string, fallback = 0): number {
    return this.#prices.get(name) ?? fallback;
  }

  /** Price of the first load of an item. Bytes are paid by the page. */
  readPrice(bytes: number): number {
    if (this.#storage !== undefined) return this.#storage.itemRead + this.#storage.byteRead * bytes;
    if (this.version < 10)
      return this.price("txn.load_data.base") + this.price("txn.load_data.per_byte") * bytes;
    const paid = this.version < 12 ? bytes : Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
    return (
      this.price("txn.storage_io_per_state_slot_read") +
      this.price("txn.storage_io_per_state_byte_read") * paid
    );
  }

  /** Price of a use of a table's item; `bytes` is undefined once it is loaded. Old versions charged each use. */
  tableReadPrice(bytes: number | undefined): number {
    const storage = this.#storage;
    if (storage === undefined || this.version > 6) return bytes === undefined ? 0 : this.readPrice(bytes);
    return storage.itemRead + storage.byteRead * (bytes ?? 0);
  }

  /** Price of a write; no bytes for a deletion. */
  writePrice(kind: "create" | "modify" | "delete", keyBytes: number, valueBytes: number): number {
    const storage = this.#storage;
    const size = keyBytes + valueBytes;
    if (this.version >= 10) {
      if (this.version < 12 && kind === "delete") return 0;
      const free = this.version < 12 ? this.price("txn.free_write_bytes_quota") : 0;
      return (
        this.price("txn.storage_io_per_state_slot_write") +
        this.price("txn.storage_io_per_state_byte_write") * Math.max(0, size - free)
      );
    }
    if (storage === undefined || kind === "delete") return 0;
    const free = this.version < 5 ? FREE_BYTES : this.price("txn.free_write_bytes_quota");
    const paid = Math.max(0, size - free);
    return kind === "create"
      ? storage.itemCreate + storage.byteCreate * paid
      : storage.itemWrite + storage.byteWrite * paid;
  }

  /** Counts memory of values; costs nothing, but there is an end to it. */
  useMemory(units: number): void {
    if (!this.isMetered || units === 0) return;
    if (this.#memoryLeft < units) {
      this.#memoryLeft = 0;
      throw new VmError(STATUS.memoryLimitExceeded, "the values of the run are too large");
    }
    this.#memoryLeft -= units;
  }

  releaseMemory(units: number): void {
    if (this.isMetered) this.#memoryLeft += units;
  }

  /** Charges for work. Throws VmError when the gas is used up. */
  charge(amount: number): void {
    if (!this.isMetered) return;
    if (this.balance < amount) {
      this.executionUsed += this.balance;
      this.balance = 0;
      throw new VmError(STATUS.outOfGas, OUT_OF_GAS);
    }
    this.balance -= amount;
    this.executionUsed += amount;
    if (this.executionUsed > this.#maxExecution)
      throw new VmError(STATUS.executionLimitReached, "the limit of work is reached");
  }

  /** Charges for reads and writes of the state. */
  chargeIo(amount: number): void {
    if (!this.isMetered) return;
    if (this.balance < amount) {
      this.ioUsed += this.balance;
      this.balance = 0;
      throw new VmError(STATUS.outOfGas, OUT_OF_GAS);
    }
    this.balance -= amount;
    this.ioUsed += amount;
    if (this.ioUsed > this.#maxIo)
      throw new VmError(STATUS.ioLimitReached, "the limit of reads and writes is reached");
  }

  /** Charges a fee in octas at a price of gas. */
  chargeStorage(octas: number, gasUnitPrice: number): void {
    if (!this.isMetered) return;
    const amount = Math.ceil((octas * this.scaling) / gasUnitPrice);
    if (this.balance < amount) {
      this.storageUsed += this.balance;
      // The statement of fees names the whole fee, though it was not paid.
      if (this.version >= 12) this.storageFee += octas;
      this.balance = 0;
      throw new VmError(STATUS.outOfGas, OUT_OF_GAS);
    }
    this.balance -= amount;
    this.storageUsed += amount;
    this.storageFee += octas;
    if (this.storageFee > this.#maxStorageFee)
      throw new VmError(STATUS.storageLimitReached, "the limit of storage fees is reached");
  }
}

/** Prices of instructions, looked up once for a run. */
export class InstructionPrices {
  /** By opcode: the whole price of plain instructions, the base of others. */
  readonly base: Float64Array = new Float64Array(256);
  readonly perNode: number;
  readonly constantByte: number;
  readonly copyUnit: number;
  readonly readUnit: number;
  readonly equalUnit: number;
  readonly notEqualUnit: number;
  readonly packField: number;
  readonly unpackField: number;
  readonly packGenericField: number;
  readonly unpackGenericField: number;
  readonly callBase: number;
  readonly callArg: number;
  readonly callLocal: number;
  readonly genericCallBase: number;
  readonly genericCallArg: number;
  readonly genericCallLocal: number;
  readonly genericCallType: number;
  readonly closureArg: number;
  readonly closureGenericArg: number;
  readonly vectorPackItem: number;
  readonly vectorUnpackItem: number;

  constructor(meter: Meter) {
    const price = (name: string): number => meter.price(`instr.${name}`);
    for (const [code, name] of NAMES) this.base[code] = price(name);
    this.perNode = price("subst_ty_per_node");
    this.constantByte = price("ld_const.per_byte");
    this.copyUnit = price("copy_loc.per_abs_val_unit");
    this.readUnit = price("read_ref.per_abs_val_unit");
    this.equalUnit = price("eq.per_abs_val_unit");
    this.notEqualUnit = price("neq.per_abs_val_unit");
    this.packField = price("pack.per_field");
    this.unpackField = price("unpack.per_field");
    this.packGenericField = price("pack_generic.per_field");
    this.unpackGenericField = price("unpack_generic.per_field");
    this.callBase = price("call.base");
    this.callArg = price("call.per_arg");
    this.callLocal = price("call.per_local");
    this.genericCallBase = price("call_generic.base");
    this.genericCallArg = price("call_generic.per_arg");
    this.genericCallLocal = price("call_generic.per_local");
    this.genericCallType = price("call_generic.per_ty_arg");
    this.closureArg = price("pack.closure.per_arg");
    this.closureGenericArg = price("pack_closure_generic.per_arg");
    this.vectorPackItem = price("vec_pack.per_elem");
    this.vectorUnpackItem = price("vec_unpack.per_expected_elem");
  }
}

/** The name of each instruction's price. */
const NAMES: readonly (readonly [code: number, name: string])[] = [
  [0x01, "pop"],
  [0x02, "ret"],
  [0x03, "br_true"],
  [0x04, "br_false"],
  [0x05, "branch"],
  [0x06, "ld_u64"],
  [0x07, "ld_const.base"],
  [0x08, "ld_true"],
  [0x09, "ld_false"],
  [0x0a, "copy_loc.base"],
  [0x0b, "move_loc.base"],
  [0x0c, "st_loc.base"],
  [0x0d, "mut_borrow_loc"],
  [0x0e, "imm_borrow_loc"],
  [0x0f, "mut_borrow_field"],
  [0x10, "imm_borrow_field"],
  [0x12, "pack.base"],
  [0x13, "unpack.base"],
  [0x14, "read_ref.base"],
  [0x15, "write_ref.base"],
  [0x16, "add"],
  [0x17, "sub"],
  [0x18, "mul"],
  [0x19, "mod"],
  [0x1a, "div"],
  [0x1b, "bit_or"],
  [0x1c, "bit_and"],
  [0x1d, "bit_xor"],
  [0x1e, "or"],
  [0x1f, "and"],
  [0x20, "not"],
  [0x21, "eq.base"],
  [0x22, "neq.base"],
  [0x23, "lt"],
  [0x24, "gt"],
  [0x25, "le"],
  [0x26, "ge"],
  [0x27, "abort"],
  [0x28, "nop"],
  [0x29, "exists.base"],
  [0x2a, "mut_borrow_global.base"],
  [0x2b, "imm_borrow_global.base"],
  [0x2c, "move_from.base"],
  [0x2d, "move_to.base"],
  [0x2e, "freeze_ref"],
  [0x2f, "bit_shl"],
  [0x30, "bit_shr"],
  [0x31, "ld_u8"],
  [0x32, "ld_u128"],
  [0x33, "cast_u8"],
  [0x34, "cast_u64"],
  [0x35, "cast_u128"],
  [0x36, "mut_borrow_field_generic"],
  [0x37, "imm_borrow_field_generic"],
  [0x39, "pack_generic.base"],
  [0x3a, "unpack_generic.base"],
  [0x3b, "exists_generic.base"],
  [0x3c, "mut_borrow_global_generic.base"],
  [0x3d, "imm_borrow_global_generic.base"],
  [0x3e, "move_from_generic.base"],
  [0x3f, "move_to_generic.base"],
  [0x40, "vec_pack.base"],
  [0x41, "vec_len.base"],
  [0x42, "vec_imm_borrow.base"],
  [0x43, "vec_mut_borrow.base"],
  [0x44, "vec_push_back.base"],
  [0x45, "vec_pop_back.base"],
  [0x46, "vec_unpack.base"],
  [0x47, "vec_swap.base"],
  [0x48, "ld_u16"],
  [0x49, "ld_u32"],
  [0x4a, "ld_u256"],
  [0x4b, "cast_u16"],
  [0x4c, "cast_u32"],
  [0x4d, "cast_u256"],
  [0x4e, "imm_borrow_variant_field"],
  [0x4f, "mut_borrow_variant_field"],
  [0x50, "imm_borrow_variant_field_generic"],
  [0x51, "mut_borrow_variant_field_generic"],
  [0x52, "pack.base"],
  [0x53, "pack_generic.base"],
  [0x54, "unpack.base"],
  [0x55, "unpack_generic.base"],
  [0x56, "test_variant"],
  [0x57, "test_variant_generic"],
  [0x58, "pack_closure.base"],
  [0x59, "pack_closure_generic.base"],
  [0x5b, "ld_i8"],
  [0x5c, "ld_i16"],
  [0x5d, "ld_i32"],
  [0x5e, "ld_i64"],
  [0x5f, "ld_i128"],
  [0x60, "ld_i256"],
  [0x61, "cast_i8"],
  [0x62, "cast_i16"],
  [0x63, "cast_i32"],
  [0x64, "cast_i64"],
  [0x65, "cast_i128"],
  [0x66, "cast_i256"],
  [0x67, "negate"],
  [0x68, "abort"],
];
