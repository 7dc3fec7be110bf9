// A process that replicates the records of a file into each store that it is told, and says how fast it was.
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { decodePage } from "../src/ledger/record.ts";
import { measureReplication } from "./replication.ts";

const records = decodePage(readFileSync(process.argv[2] ?? "")).map(({ bytes }) => Uint8Array.from(bytes));

process.on("message", (path: string) => {
  void measureReplication(path, records).then(async (measured) => {
    await rm(path, { recursive: true });
    process.send?.(measured);
  });
});
