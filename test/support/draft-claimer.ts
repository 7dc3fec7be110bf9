// A program for tests: tries to open the draft of each directory named on its input, and prints `mine`, `locked` (by
// another process) or another error. It keeps the drafts it opened.
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
