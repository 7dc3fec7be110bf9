// Estimates the price of gas as the reference does: from the least price that recent full blocks took, in the epoch of the
// latest block, which is left out itself. A block that was not full takes any price from the chain's minimum on.
import { equalBytes, toMapKey } from "../base/bytes.ts";
import { nextTurn } from "../base/wait.ts";
import { decodeWith, type ValueOf } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { BcsReader } from "../bcs/reader.ts";
import { struct } from "../bcs/records.ts";
import { byteString, text, u64 } from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import { FRAMEWORK } from "../move/address.ts";
import { rawTransactionCodec } from "../transaction/raw.ts";
import { LedgerError } from "./errors.ts";
import { stateValueData } from "./formats/state-value.ts";
import { transactionCodec, USER_VARIANT } from "./formats/transaction.ts";
import { frameworkTag } from "./items/resources.ts";
import { resourceKeyHash } from "./key-hash.ts";
import type { Block, LedgerPosition, LedgerView, StoredRecord } from "./view.ts";
import { eventIdAt } from "./watch/event-id.ts";

/** Prices of a unit of gas, in octas. */
export interface GasPrices {
  readonly deprioritized: bigint;
  readonly market: bigint;
  readonly prioritized: bigint;
}

/** Blocks that each price looks at. */
const LOW_BLOCKS = 10;
const MARKET_BLOCKS = 30;
const MAX_BLOCKS = 120;
/** User transactions from which on a block is full. */
const FULL_TRANSACTIONS = 250;
/** Prices from which on nodes send transactions on sooner. */
const BUCKETS: readonly bigint[] = [0n, 150n, 300n, 500n, 1000n, 3000n, 5000n, 10_000n, 100_000n, 1_000_000n];
/** Minimum of a ledger without a gas schedule, such as a local chain: that of the networks. */
const DEFAULT_MINIMUM = 100n;
/** Records that are read at once, and their bytes. */
const RUN = 500;
const RUN_BYTES = 4 << 20;

const MINIMUM_KEY = "txn.min_price_per_gas_unit";
const gasEntriesCodec = vector(struct({ key: text, value: u64 }));
const gasScheduleCodec = struct({ featureVersion: u64, entries: gasEntriesCodec });
const GAS_SCHEDULE = frameworkTag("gas_schedule", "GasScheduleV2");
const OLD_GAS_SCHEDULE = frameworkTag("gas_schedule", "GasSchedule");
const EXECUTION_CONFIG = frameworkTag("execution_config", "ExecutionConfig");

/** Variants of the execution configuration: this one is empty, all others begin with the way to order a block. */
const NO_CONFIG = 3;
/** The way that keeps one contract from filling a block. */
const BY_USE_CASE = 4;
/** Addresses up to this one are the platform's own, which no contract crowds out. */
const LAST_PLATFORM_ADDRESS = 0x0f;

function nextBucket(price: bigint): bigint {
  return BUCKETS.find((bucket) => bucket > price) ?? price;
}

function atLeast(price: bigint | undefined, least: bigint): bigint {
  return price !== undefined && price > least ? price : least;
}

/** Prices of blocks, the newest first; undefined for one that was not full. */
function pricesOf(blocks: readonly (bigint | undefined)[], minimum: bigint): GasPrices {
  const prices = blocks.map((price) => price ?? minimum);
  const sorted = (count: number): bigint[] =>
    prices.slice(0, count).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const low = sorted(LOW_BLOCKS)[0] ?? minimum;
  const recent = sorted(MARKET_BLOCKS);
  const market = atLeast(recent[recent.length >> 1], low);
  const all = sorted(MAX_BLOCKS);
  const high = atLeast(all[Math.floor((all.length * 9) / 10)], market);
  return { deprioritized: low, market, prioritized: nextBucket(high) };
}

/** Estimates prices, once for each latest block. */
export class GasPriceEstimator {
  /** A store hands out the same object until something is written. */
  #position: LedgerPosition | undefined;
  #prices: Promise<GasPrices> | undefined;
  /** By the id of the block's last version: after a rewind, another block has another id. */
  #blocks: ReadonlyMap<string, bigint | undefined> = new Map();

  /** The prices as of a view. Throws LedgerError. */
  estimate(view: LedgerView): Promise<GasPrices> {
    if (this.#position === view.position && this.#prices !== undefined) return this.#prices;
    const prices = this.#estimate(view);
    this.#position = view.position;
    this.#prices = prices;
    prices.catch(() => {
      if (this.#prices === prices) this.#prices = undefined;
    });
    return prices;
  }

  async #estimate(view: LedgerView): Promise<GasPrices> {
    const { blockHeight, oldestBlockHeight, epoch } = view.position;
    const minimum = await readMinimum(view);
    const isByUseCase = await readIsByUseCase(view);
    const known = this.#blocks;
    const blocks = new Map<string, bigint | undefined>();
    for (let height = blockHeight - 1n; height >= oldestBlockHeight && blocks.size < MAX_BLOCKS; height--) {
      const block = await view.getBlockByHeight(height);
      if (block?.epoch !== epoch) break;
      const id = await eventIdAt(view, block.lastVersion);
      blocks.set(id, known.has(id) ? known.get(id) : await blockPrice(view, block, isByUseCase));
    }
    this.#blocks = blocks;
    return pricesOf([...blocks.values()], minimum);
  }
}

async function readFramework(view: LedgerView, tag: Uint8Array): Promise<Uint8Array | undefined> {
  const [item] = await view.getItems([resourceKeyHash(FRAMEWORK, tag, view.keyTrace)], view.position.version);
  return item?.value === undefined ? undefined : stateValueData(item.value);
}

/** The least price that the chain takes. */
async function readMinimum(view: LedgerView): Promise<bigint> {
  const schedule = await readFramework(view, GAS_SCHEDULE);
  const old = schedule === undefined ? await readFramework(view, OLD_GAS_SCHEDULE) : undefined;
  let entries: ValueOf<typeof gasEntriesCodec> = [];
  try {
    if (schedule !== undefined) ({ entries } = decodeWith(gasScheduleCodec, schedule));
    else if (old !== undefined) entries = decodeWith(gasEntriesCodec, old);
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new LedgerError("corrupt", `the stored gas schedule does not decode: ${error.message}`, {
      cause: error,
    });
  }
  return entries.find(({ key }) => key === MINIMUM_KEY)?.value ?? DEFAULT_MINIMUM;
}

/** Whether blocks are ordered by use case. */
async function readIsByUseCase(view: LedgerView): Promise<boolean> {
  const bytes = await readFramework(view, EXECUTION_CONFIG);
  if (bytes === undefined) return false;
  try {
    const config = new BcsReader(decodeWith(byteString, bytes));
    return config.uleb() !== NO_CONFIG && config.uleb() === BY_USE_CASE;
  } catch (error) {
    if (error instanceof BcsError) return false;
    throw error;
  }
}

/** What a block tells about prices. */
interface BlockUse {
  users: number;
  lowest: bigint | undefined;
  isLimitReached: boolean;
  /** User transactions by contract. */
  readonly contracts: Map<string, number>;
}

/** The price that a full block took at least; undefined for a block that was not full. */
async function blockPrice(view: LedgerView, block: Block, isByUseCase: boolean): Promise<bigint | undefined> {
  const use: BlockUse = { users: 0, lowest: undefined, isLimitReached: false, contracts: new Map() };
  for (let next = block.firstVersion; next <= block.lastVersion; ) {
    const left = Number(block.lastVersion - next) + 1;
    const records = await view.getRecords(next, Math.min(RUN, left), RUN_BYTES);
    if (records.length === 0) throw new LedgerError("corrupt", `no record at version ${next}`);
    for (const record of records) noteRecord(record, use);
    next += BigInt(records.length);
    await nextTurn();
  }
  const most = isByUseCase ? Math.max(0, ...use.contracts.values()) : 0;
  // One contract did not keep others out of the block.
  if (most * 2 > use.users) return undefined;
  const isFull = use.users >= FULL_TRANSACTIONS || use.isLimitReached;
  return isFull && use.lowest !== undefined ? nextBucket(use.lowest) : undefined;
}

function noteRecord({ bytes }: StoredRecord, use: BlockUse): void {
  const reader = new BcsReader(bytes);
  reader.u64();
  if (bytes[reader.offset] !== USER_VARIANT) {
    const transaction = transactionCodec.read(reader);
    if (transaction.kind !== "blockEpilogue") return;
    const { gasLimitReached, outputLimitReached } = transaction.epilogue.endInfo;
    use.isLimitReached ||= gasLimitReached || outputLimitReached;
    return;
  }
  reader.skip(1);
  const { gasUnitPrice, payload } = rawTransactionCodec.read(reader);
  use.users++;
  if (use.lowest === undefined || gasUnitPrice < use.lowest) use.lowest = gasUnitPrice;
  const call =
    payload.kind === "entryFunction"
      ? payload.entryFunction
      : payload.kind === "payload" && payload.payload.executable.kind === "entryFunction"
        ? payload.payload.executable.entryFunction
        : undefined;
  if (call === undefined || isPlatform(call.module.address)) return;
  const contract = toMapKey(call.module.address);
  use.contracts.set(contract, (use.contracts.get(contract) ?? 0) + 1);
}

const ZEROS = new Uint8Array(31);

function isPlatform(address: Uint8Array): boolean {
  return equalBytes(address.subarray(0, 31), ZEROS) && (address[31] ?? 0) <= LAST_PLATFORM_ADDRESS;
}
