// The chain of the benchmarks has the shape that the sheet of facts gives, and a follower can tell it from a false one.
import { beforeAll, describe, expect, it } from "vitest";
import { writeBase } from "../../bench/mainnet/base.ts";
import { BASE, BLOCK_USEC, type ChainShape, DAYS, MainnetChain, START } from "../../bench/mainnet/chain.ts";
import { ITEMS_PER_ACCOUNT } from "../../bench/mainnet/state.ts";
import { silentLogger } from "../../src/base/log.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { decodeRecord, recordCodec } from "../../src/ledger/formats/record.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";

const ACCOUNTS = 50;

async function newStore(accounts = ACCOUNTS) {
  const store = createMemoryStore();
  const items = await writeBase(store, accounts);
  return { store, items };
}

async function makeBlocks(shape: Partial<ChainShape>, count: number): Promise<Uint8Array[][]> {
  const { accounts } = { accounts: ACCOUNTS, ...shape };
  const { store } = await newStore(accounts);
  const all = { seed: "shape", ...DAYS.week, ...shape, accounts };
  const chain = new MainnetChain(all, (keys) => store.getTreeNodes(keys));
  const blocks: Uint8Array[][] = [];
  for (let i = 0; i < count; i++) blocks.push([...(await chain.nextBlock())]);
  return blocks;
}

function committerOf(store: ReturnType<typeof createMemoryStore>): Committer {
  const committer = new Committer({ store, logger: silentLogger });
  committer.startAt(BASE);
  return committer;
}

const average = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

describe.each(Object.keys(DAYS) as (keyof typeof DAYS)[])(
  "a chain shaped like mainnet on the day of the %s",
  (day) => {
    let blocks: Uint8Array[][] = [];
    beforeAll(async () => {
      blocks = await makeBlocks({ ...DAYS[day], accounts: 1000 }, day === "week" ? 100 : 16);
    });

    it("has 3.2 kB and seven writes a version, and a version every few milliseconds", () => {
      const records = blocks.flat().map(decodeRecord);
      expect(average(records.map(({ bytes }) => bytes.length))).toBeGreaterThan(3000);
      expect(average(records.map(({ bytes }) => bytes.length))).toBeLessThan(3500);
      expect(average(records.map(({ writes }) => writes.length))).toBeCloseTo(7, 0);
      const perSecond = (records.length / blocks.length) * (1e6 / Number(BLOCK_USEC));
      expect(perSecond / (day === "week" ? 220 : 1420)).toBeCloseTo(1, 1);
    });

    it("has a prologue with the performance of 138 validators in each block, and an epilogue", () => {
      for (const block of blocks) {
        const [first, ...rest] = block.map((bytes) => decodeWith(recordCodec, bytes).transaction.kind);
        expect([first, rest.at(-1)]).toEqual(["blockMetadata", "blockEpilogue"]);
        const written = decodeRecord(block[0] as Uint8Array).writes.map(({ value }) => value?.length ?? 0);
        expect(Math.max(...written)).toBeGreaterThan(138 * 16);
      }
    });

    it("has failed transactions, creations and deletions among the others", () => {
      const records = blocks.flat().map((bytes) => decodeWith(recordCodec, bytes));
      const ops = records.flatMap(({ changes }) => changes.writes.map(([, op]) => op.kind));
      expect(new Set(records.map(({ info }) => info.status.kind))).toEqual(new Set(["success", "moveAbort"]));
      expect(ops).toEqual(expect.arrayContaining(["creationWithMetadata", "deletionWithMetadata"]));
    });
  },
);

describe("a follower of a chain shaped like mainnet", () => {
  it("accepts it on a state of many items, through the end of an epoch, and has its root", async () => {
    const blocks = await makeBlocks({ blocksToEpochEnd: 5 }, 12);
    const { store, items } = await newStore();
    expect(items).toBeGreaterThan(ACCOUNTS * ITEMS_PER_ACCOUNT);
    const position = await committerOf(store).append(blocks.flat());
    expect(position?.version).toBe(START.version + BigInt(blocks.flat().length) - 1n);
    expect(position?.epoch).toBe(START.epoch + 1n);
    expect(blocks[4]).toHaveLength(1);
    const claimed = decodeRecord(blocks.flat().at(-1) as Uint8Array).info.stateCheckpointHash;
    expect(position?.stateRoot).toEqual(claimed);
  });

  it("refuses it after any changed byte, and on another state", async () => {
    const [block = []] = await makeBlocks({}, 1);
    const { store } = await newStore();
    const committer = committerOf(store);
    for (const [which, record] of block.entries()) {
      // Of the version, the transaction, the events, and the last write.
      for (const at of [0, 40, Math.floor(record.length / 2), record.length - 1]) {
        const lie = Uint8Array.from(record);
        lie[at] = (lie[at] ?? 0) ^ 1;
        await expect(committer.append(block.with(which, lie)), `${which}, ${at}`).rejects.toThrow();
      }
    }
    expect(await committer.append(block)).toMatchObject({ blockHeight: START.height + 1n });
    const { store: other } = await newStore(ACCOUNTS + 1);
    await expect(committerOf(other).append(block)).rejects.toThrow("state checkpoint hash");
  });

  it("gets the same records for the same seed, and others for another", async () => {
    const made = await Promise.all(["a", "a", "b"].map((seed) => makeBlocks({ seed }, 3)));
    expect(made[0]).toEqual(made[1]);
    expect(made[0]).not.toEqual(made[2]);
  });
});
