// A program for tests: for each directory named on its input it tries to open the draft there, and says whether it has
// it (`mine`), another process has it (`locked`), or something else was in the way. What it has it keeps.
import { createInterface } from "node:readline";
import { openDraft } from "../../src/store/lmdb/backup.ts";

process.stdout.write("ready\n");
for await (const path of createInterface({ input: process.stdin })) {
  const answer = await openDraft(path).then(
    () => "mine",
    (error: unknown) => String(error instanceof Error ? Reflect.get(error, "code") : error),
  );
  process.stdout.write(`${answer}\n`);
}
