// The first blocks of the test network: what each transaction writes and emits.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toHex } from "../../src/base/hex.ts";
import { finish } from "../../src/base/pieces.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { BcsReader } from "../../src/bcs/reader.ts";
import { decodePage } from "../../src/ledger/formats/record.ts";
import { transactionCodec } from "../../src/ledger/formats/transaction.ts";
import { loadConfig } from "../../src/vm/ledger/chain-config.ts";
import { execute } from "../../src/vm/transaction/execute.ts";
import { cachedProgram, Items, Tally, type Vectors, writeDifference } from "./vectors.ts";

const ADDRESS_BYTES = 32;

/** How many items there are, and how many bytes, as the chain counts them. */
function usageOf(items: Items): { readonly items: bigint; readonly bytes: bigint } {
  let [count, bytes] = [0n, 0n];
  for (const [key, { data }] of items.entries()) {
    const reader = new BcsReader(Buffer.from(key, "hex"));
    reader.uleb();
    reader.skip(ADDRESS_BYTES);
    count++;
    bytes += BigInt(ADDRESS_BYTES + reader.byteString().length + data.length);
  }
  return { items: count, bytes };
}

/** Undefined where the pages are not there: they are in a folder beside that of the machine's vectors. */
export function runTestnet(vectors: Vectors): Tally | undefined {
  const path = join(vectors.folder, "../testnet-pages/testnet-start0-limit4.page.bcs");
  if (!existsSync(path)) return undefined;
  const tally = new Tally("first blocks of the test network");
  const items = new Items();
  decodePage(readFileSync(path)).forEach((record, version) => {
    const transaction = decodeWith(transactionCodec, record.transaction);
    if (transaction.kind !== "genesis" && vectors.isWanted(transaction.kind)) {
      const { read } = items;
      const output = finish(
        execute(transaction, {
          areSignaturesValid: true,
          read,
          programs: cachedProgram,
          config: loadConfig((key) => read(key)?.data),
          usage: usageOf(items),
        }),
      );
      const differences: string[] = [];
      if (toHex(output.writeSet) !== toHex(record.changes))
        differences.push(writeDifference(output.writeSet, record.changes));
      if (output.events.map(toHex).join() !== record.events.map(toHex).join())
        differences.push(`${output.events.length} events, expected ${record.events.length}`);
      tally.add(`version ${version}, ${transaction.kind}`, differences);
    }
    items.apply(record.changes);
  });
  return tally;
}
