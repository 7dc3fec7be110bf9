// The estimated price of gas, on blocks that are full or not.
import { describe, expect, it } from "vitest";
import { encodeWith } from "../bcs/codec.ts";
import { BcsWriter } from "../bcs/writer.ts";
import { parseAddress } from "../move/address.ts";
import type { BlockStart, RawRecord, Store } from "../store/contract.ts";
import { createMemoryStore } from "../store/memory/store.ts";
import { recordCodec } from "./formats/record.ts";
import { GasPriceEstimator } from "./gas-price.ts";
import { frameworkTag } from "./items/resources.ts";
import { resourceKeyHash } from "./key-hash.ts";
import { ALL_TRUSTED } from "./trust.ts";

const ZERO = new Uint8Array(32);
const ONE = parseAddress("0x1");

/** Stands for the root of a history. */
function rootOf(version: bigint, gasUnitPrice: bigint): Uint8Array {
  return new BcsWriter()
    .u64((gasUnitPrice << 32n) + version)
    .u64(0n)
    .u64(0n)
    .u64(0n)
    .take();
}

function userRecord(version: bigint, gasUnitPrice: bigint, contract: string): RawRecord {
  const bytes = encodeWith(recordCodec, {
    version,
    transaction: {
      kind: "user",
      transaction: {
        raw: {
          sender: ONE,
          sequenceNumber: version,
          payload: {
            kind: "entryFunction",
            entryFunction: {
              module: { address: parseAddress(contract), name: "m" },
              function: "f",
              typeArgs: [],
              args: [],
            },
          },
          maxGasAmount: 1n,
          gasUnitPrice,
          expirationTimestampSecs: 1n,
          chainId: 4,
        },
        authenticator: { kind: "ed25519", publicKey: ZERO, signature: ZERO },
      },
    },
    info: {
      kind: "v0",
      gasUsed: 1n,
      status: { kind: "success" },
      transactionHash: ZERO,
      eventRootHash: ZERO,
      stateChangeHash: ZERO,
      stateCheckpointHash: undefined,
      auxiliaryInfoHash: undefined,
    },
    events: [],
    accumulatorRoot: rootOf(version, gasUnitPrice),
    changes: { kind: "v0", writes: [] },
  });
  return { version, bytes };
}

interface TestBlock {
  readonly count: number;
  readonly price: bigint;
  readonly epoch?: bigint;
  readonly contract?: string;
}

function value(data: Uint8Array): Uint8Array {
  return new BcsWriter().u8(0).byteString(data).take();
}

/** A ledger of blocks, the oldest first; the last one is never looked at. */
async function ledgerOf(
  blocks: readonly TestBlock[],
  options: { readonly minimum?: bigint; readonly isByUseCase?: boolean } = {},
): Promise<Store> {
  const store = createMemoryStore();
  const records: RawRecord[] = [];
  const starts: BlockStart[] = [];
  for (const [i, { count, price, epoch = 1n, contract = "0x1" }] of blocks.entries()) {
    const firstVersion = BigInt(records.length);
    starts.push({ height: BigInt(i), firstVersion, timestampUsec: BigInt(i), epoch });
    for (let n = 0; n < count; n++) records.push(userRecord(BigInt(records.length), price, contract));
  }
  const version = BigInt(records.length) - 1n;
  const { minimum } = options;
  const schedule =
    minimum === undefined
      ? []
      : [
          {
            keyHash: resourceKeyHash(ONE, frameworkTag("gas_schedule", "GasScheduleV2"), undefined),
            version: 0n,
            value: value(
              new BcsWriter().u64(9n).uleb(1).text("txn.min_price_per_gas_unit").u64(minimum).take(),
            ),
          },
        ];
  const config =
    options.isByUseCase === true
      ? [
          {
            keyHash: resourceKeyHash(ONE, frameworkTag("execution_config", "ExecutionConfig"), undefined),
            version: 0n,
            value: value(new BcsWriter().byteString(Uint8Array.of(4, 4, 0)).take()),
          },
        ]
      : [];
  await store.commit(
    {
      previous: undefined,
      position: {
        chainId: 4,
        version,
        timestampUsec: BigInt(blocks.length) - 1n,
        epoch: blocks.at(-1)?.epoch ?? 1n,
        blockHeight: BigInt(blocks.length) - 1n,
        oldestVersion: 0n,
        oldestBlockHeight: 0n,
        accumulator: { leafCount: version + 1n, frozen: [] },
        stateRoot: undefined,
        ...ALL_TRUSTED,
      },
      writes: [...schedule, ...config],
      blocks: starts,
      records,
      treeNodes: [],
    },
    { chainId: 4, genesisHash: ZERO },
  );
  return store;
}

async function estimate(store: Store, estimator = new GasPriceEstimator()): Promise<readonly bigint[]> {
  const view = await store.openView();
  try {
    const { deprioritized, market, prioritized } = await estimator.estimate(view);
    return [deprioritized, market, prioritized];
  } finally {
    view.release();
  }
}

const IDLE: TestBlock = { count: 2, price: 900n };
const FULL: TestBlock = { count: 250, price: 160n };
const HEAD: TestBlock = { count: 1, price: 1n };

function times<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}

describe("the price of gas", () => {
  it("is the minimum of the gas schedule while no block is full", async () => {
    expect(await estimate(await ledgerOf([...times(5, IDLE), HEAD]))).toEqual([100n, 100n, 150n]);
    expect(await estimate(await ledgerOf([...times(5, IDLE), HEAD], { minimum: 400n }))).toEqual([
      400n,
      400n,
      500n,
    ]);
    expect(await estimate(await ledgerOf([HEAD]))).toEqual([100n, 100n, 150n]);
  });

  it("is the bucket above the least price of full blocks", async () => {
    expect(await estimate(await ledgerOf([...times(11, FULL), HEAD]))).toEqual([300n, 300n, 500n]);
    // One block of the last ten that was not full sets the low price, and the median the market price.
    const mixed = [...times(6, FULL), ...times(4, IDLE), HEAD];
    expect(await estimate(await ledgerOf(mixed))).toEqual([100n, 300n, 500n]);
    const few = [FULL, ...times(9, IDLE), HEAD];
    expect(await estimate(await ledgerOf(few))).toEqual([100n, 100n, 500n]);
  });

  it("looks at blocks of the latest epoch only, and not at the latest block", async () => {
    const old = { ...FULL, epoch: 0n };
    expect(await estimate(await ledgerOf([...times(3, old), IDLE, FULL]))).toEqual([100n, 100n, 150n]);
  });

  it("does not count a block that one contract filled, where blocks are ordered by use case", async () => {
    const crowded = [...times(3, { ...FULL, contract: "0xcafe" }), HEAD];
    expect(await estimate(await ledgerOf(crowded, { isByUseCase: true }))).toEqual([100n, 100n, 150n]);
    expect(await estimate(await ledgerOf(crowded))).toEqual([300n, 300n, 500n]);
    expect(await estimate(await ledgerOf([...times(3, FULL), HEAD], { isByUseCase: true }))).toEqual([
      300n,
      300n,
      500n,
    ]);
  });

  it("is computed once for a block, and each block read once", async () => {
    const store = await ledgerOf([...times(3, FULL), HEAD]);
    const estimator = new GasPriceEstimator();
    const view = await store.openView();
    let reads = 0;
    const counted = new Proxy(view, {
      get: (target, name) => {
        const found = Reflect.get(target, name) as unknown;
        if (name !== "getRecords") return typeof found === "function" ? found.bind(target) : found;
        return (start: bigint, limit: number, maxBytes: number) => {
          // One record alone is read for the id of a block.
          if (limit > 1) reads++;
          return target.getRecords(start, limit, maxBytes);
        };
      },
    });
    const [first, second] = await Promise.all([estimator.estimate(counted), estimator.estimate(counted)]);
    expect([second, reads]).toEqual([first, 3]);
    view.release();
  });

  it("is not that of blocks of another history with the same versions and times", async () => {
    const estimator = new GasPriceEstimator();
    expect(await estimate(await ledgerOf([...times(11, FULL), HEAD]), estimator)).toEqual([300n, 300n, 500n]);
    const other = [...times(11, { ...FULL, price: 400n }), HEAD];
    expect(await estimate(await ledgerOf(other), estimator)).toEqual([500n, 500n, 1000n]);
  });
});
