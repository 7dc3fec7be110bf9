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
    ["txn.memory_quota", 10_000_000],
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
  readonly #schedule: GasSchedule;
  readonly #known: KnownPrices;
  readonly #storage: StoragePrices | undefined;
  readonly #budget: number;
  balance: number;
  ioUsed = 0;
  storageUsed = 0;
  storageFee = 0;
  /** False for runs of the system, which cost nothing. */
  isMetered = true;
  /** True while arguments of natives stay counted: since a generic call into modules of tables or events. */
  leaksNativeArguments = false;
  #memoryLeft: number;
  /** What work may cost before a charge throws: less than the balance where the limit of work is near. */
  #workLeft = 0;

  /** `maxGas` is in units of gas. */
  constructor(schedule: GasSchedule, maxGas: number) {
    this.version = schedule.version;
    this.#schedule = schedule;
    this.#known = knownPrices(schedule);
    this.#storage = schedule.version < 10 ? schedule.storage : undefined;
    this.scaling = this.#known.scaling;
    this.#budget = maxGas * this.scaling;
    this.balance = this.#budget;
    this.#memoryLeft = this.#known.memoryQuota;
    this.#setWorkLeft();
  }

  get executionUsed(): number {
    return this.#budget - this.balance - this.ioUsed - this.storageUsed;
  }

  #setWorkLeft(): void {
    this.#workLeft = Math.min(this.balance, this.#known.maxExecution - this.executionUsed);
  }

  /** A price of the schedule; 0 where it has none, unless another default is given. */
  price(name: string, fallback = 0): number {
    return this.#schedule.prices.get(name) ?? fallback;
  }

  get instructions(): InstructionPrices {
    return this.#known.instructions;
  }

  /** Charges what a native function costs: a base price, and one for each unit, under one name for each function. */
  chargeNative(key: string, units = 0, unit = "per_byte"): void {
    let price = this.#known.natives.get(key);
    if (price === undefined) {
      price = { base: this.price(`${key}.base`), each: this.price(`${key}.${unit}`) };
      this.#known.natives.set(key, price);
    }
    this.charge(price.base + price.each * units);
  }

  /** Price of the first load of an item. Bytes are paid by the page. */
  readPrice(bytes: number): number {
    if (this.#storage !== undefined) return this.#storage.itemRead + this.#storage.byteRead * bytes;
    if (this.version < 10)
      return this.price("txn.load_data.base") + this.price("txn.load_data.per_byte") * bytes;
    const paid = this.version < 12 ? bytes : Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
    return this.#known.slotRead + this.#known.byteRead * paid;
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

  /** What work may cost before a charge throws. */
  get available(): number {
    return this.isMetered ? this.#workLeft : Number.POSITIVE_INFINITY;
  }

  /** Charges for work. Throws VmError when the gas is used up. */
  charge(amount: number): void {
    if (!this.isMetered) return;
    if (this.balance < amount) throw this.#outOfGas();
    this.balance -= amount;
    this.#workLeft -= amount;
    if (this.#workLeft < 0) throw new VmError(STATUS.executionLimitReached, "the limit of work is reached");
  }

  /** Charges for reads and writes of the state. */
  chargeIo(amount: number): void {
    if (!this.isMetered) return;
    if (this.balance < amount) {
      this.ioUsed += this.balance;
      throw this.#outOfGas();
    }
    this.balance -= amount;
    this.ioUsed += amount;
    this.#setWorkLeft();
    if (this.ioUsed > this.#known.maxIo)
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
      throw this.#outOfGas();
    }
    this.balance -= amount;
    this.storageUsed += amount;
    this.storageFee += octas;
    this.#setWorkLeft();
    if (this.storageFee > this.#known.maxStorageFee)
      throw new VmError(STATUS.storageLimitReached, "the limit of storage fees is reached");
  }

  /** Takes the rest of the balance. */
  #outOfGas(): VmError {
    this.balance = 0;
    this.#setWorkLeft();
    return new VmError(STATUS.outOfGas, OUT_OF_GAS);
  }
}

interface NativePrice {
  readonly base: number;
  readonly each: number;
}

type KnownPrices = ReturnType<typeof lookUp>;

const known = new WeakMap<GasSchedule, KnownPrices>();

/** What runs use of a schedule, looked up once. */
function knownPrices(schedule: GasSchedule): KnownPrices {
  let found = known.get(schedule);
  if (found === undefined) {
    found = lookUp(schedule);
    known.set(schedule, found);
  }
  return found;
}

function lookUp({ prices }: GasSchedule) {
  const price = (name: string, fallback = 0): number => prices.get(`txn.${name}`) ?? fallback;
  return {
    scaling: price("gas_unit_scaling_factor", SCALING),
    maxExecution: price("max_execution_gas", Number.POSITIVE_INFINITY),
    memoryQuota: price("memory_quota", Number.POSITIVE_INFINITY),
    maxIo: price("max_io_gas", Number.POSITIVE_INFINITY),
    maxStorageFee: price("max_storage_fee", Number.POSITIVE_INFINITY),
    slotRead: price("storage_io_per_state_slot_read"),
    byteRead: price("storage_io_per_state_byte_read"),
    instructions: instructionPrices(prices),
    /** By the name of the function, once it was called. */
    natives: new Map<string, NativePrice>(),
  };
}

export type InstructionPrices = ReturnType<typeof instructionPrices>;

function instructionPrices(prices: GasSchedule["prices"]) {
  const price = (name: string): number => prices.get(`instr.${name}`) ?? 0;
  const base = new Float64Array(256);
  const plain = new Float64Array(256);
  for (const [i, name] of NAMES.entries()) {
    if (name === "-") continue;
    base[i + 1] = price(name);
    if (PLAIN_BASES.has(name) || !/_generic$|\.base$/.test(name)) plain[i + 1] = price(name);
  }
  return {
    /** By opcode: the price of plain instructions, the base of others. */
    base,
    /** By opcode: the price of instructions that are charged at once, before anything else; 0 for others. */
    plain,
    perNode: price("subst_ty_per_node"),
    constantByte: price("ld_const.per_byte"),
    copyUnit: price("copy_loc.per_abs_val_unit"),
    readUnit: price("read_ref.per_abs_val_unit"),
    equalUnit: price("eq.per_abs_val_unit"),
    notEqualUnit: price("neq.per_abs_val_unit"),
    packField: price("pack.per_field"),
    unpackField: price("unpack.per_field"),
    packGenericField: price("pack_generic.per_field"),
    unpackGenericField: price("unpack_generic.per_field"),
    callBase: price("call.base"),
    callArg: price("call.per_arg"),
    callLocal: price("call.per_local"),
    genericCallBase: price("call_generic.base"),
    genericCallArg: price("call_generic.per_arg"),
    genericCallLocal: price("call_generic.per_local"),
    genericCallType: price("call_generic.per_ty_arg"),
    closureArg: price("pack.closure.per_arg"),
    closureGenericArg: price("pack_closure_generic.per_arg"),
    vectorPackItem: price("vec_pack.per_elem"),
    vectorUnpackItem: price("vec_unpack.per_expected_elem"),
  };
}

/** Names of whole prices that look like others. */
const PLAIN_BASES: ReadonlySet<string> = new Set(["move_loc.base", "st_loc.base", "write_ref.base"]);

/** The name of each instruction's price, from opcode 1 on; `-` where the price has parts of its own. */
const NAMES: readonly string[] = `
  pop ret br_true br_false branch ld_u64 ld_const.base ld_true ld_false copy_loc.base move_loc.base st_loc.base
  mut_borrow_loc imm_borrow_loc mut_borrow_field imm_borrow_field - pack.base unpack.base read_ref.base
  write_ref.base add sub mul mod div bit_or bit_and bit_xor or and not eq.base neq.base lt gt le ge abort nop
  exists.base mut_borrow_global.base imm_borrow_global.base move_from.base move_to.base freeze_ref bit_shl bit_shr
  ld_u8 ld_u128 cast_u8 cast_u64 cast_u128 mut_borrow_field_generic imm_borrow_field_generic - pack_generic.base
  unpack_generic.base exists_generic.base mut_borrow_global_generic.base imm_borrow_global_generic.base
  move_from_generic.base move_to_generic.base vec_pack.base vec_len.base vec_imm_borrow.base vec_mut_borrow.base
  vec_push_back.base vec_pop_back.base vec_unpack.base vec_swap.base ld_u16 ld_u32 ld_u256 cast_u16 cast_u32
  cast_u256 imm_borrow_variant_field mut_borrow_variant_field imm_borrow_variant_field_generic
  mut_borrow_variant_field_generic pack.base pack_generic.base unpack.base unpack_generic.base test_variant
  test_variant_generic pack_closure.base pack_closure_generic.base - ld_i8 ld_i16 ld_i32 ld_i64 ld_i128 ld_i256
  cast_i8 cast_i16 cast_i32 cast_i64 cast_i128 cast_i256 negate abort
`
  .trim()
  .split(/\s+/);
