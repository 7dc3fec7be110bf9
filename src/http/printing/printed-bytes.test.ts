// What is printed of transactions stays the same to the byte: digests of the texts of known ledgers, and of records that a
// fixed seed makes.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChainRun } from "../../../test/support/chain-run.ts";
import { createTrackedChain } from "../../../test/support/expected-balances.ts";
import { anyRecord } from "../../../test/support/ledger-arbitraries.ts";
import { hasShared, sharedBytes } from "../../../test/support/shared.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { decodePage, lookAtRecord, recordCodec } from "../../ledger/formats/record.ts";
import { StateTypes } from "../../ledger/items/state-types.ts";
import type { StoredRecord } from "../../ledger/view.ts";
import { withView } from "../../ledger/view.ts";
import { ModuleCache } from "../../move/module-cache.ts";
import { createMemoryStore } from "../../store/memory/store.ts";
import type { AnswerText } from "./answer-text.ts";
import { RecordsPrinter } from "./records-text.ts";

const BLOCKS = 40;
const SAMPLES = 600;

function startChain(genesis?: Uint8Array): Promise<ChainRun> {
  return new ChainRun(createTrackedChain({ seed: "printed" }), createMemoryStore()).start(genesis);
}

/** Digest of what is printed of records, one after the other, and of the events of each. */
function digestOf({ store }: ChainRun, records?: readonly StoredRecord[]): Promise<string> {
  const types = new StateTypes(new ModuleCache());
  const digest = createHash("sha256");
  const add = async (text: AnswerText): Promise<void> => {
    const printed = await text.finish();
    digest.update(`${Buffer.byteLength(printed)}:`).update(printed);
  };
  return withView(store.openView(), async (view) => {
    const printer = new RecordsPrinter(types, view);
    for (const record of records ?? (await view.getRecords(0n, 10_000, 1 << 28))) {
      await add(await printer.print(record));
      for (const event of await printer.printEventsOf(lookAtRecord(record.bytes), () => "")) await add(event);
    }
    return digest.digest("hex");
  });
}

describe("printed transactions are to the byte what they were", () => {
  it("of a local chain with its genesis", async () => {
    const run = await startChain();
    for (let i = 0; i < BLOCKS; i++) await run.step();
    expect(await digestOf(run)).toBe("6f682b840f5dbe519305603f79fd299640680190ec7c948e934b7aed71fe709a");
  });

  it("of records of every form", async () => {
    const records = fc.sample(anyRecord, { seed: 36, numRuns: SAMPLES });
    const stored = records.map((record) => ({
      version: record.version,
      bytes: encodeWith(recordCodec, record),
    }));
    expect(await digestOf(await startChain(), stored)).toBe(
      "9f3b4d2b3c78d4641d172c84948c89260c8f56156223afd19632fc0a047305a9",
    );
  });

  it.skipIf(!hasShared)("of the first versions of a test network", async () => {
    const [genesis, ...records] = decodePage(
      sharedBytes("vectors/testnet-pages/testnet-start0-limit4.page.bcs"),
    );
    const run = await startChain(genesis?.transaction);
    await run.append(records.map(({ bytes }) => bytes));
    expect(await digestOf(run)).toBe("38878655c93134959c7d979cc0b05570f8660a12f299cb959a6be5a8dfcd9854");
  });
});
