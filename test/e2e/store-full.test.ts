// A store on a full disk reports `full` and keeps every version committed before.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { checkView } from "../support/check-store.ts";
import { endWithTest } from "../support/children.ts";
import { SyntheticLedger } from "../support/synthetic-ledger.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { AS_BUILT } from "../support/typescript.ts";

const [SEED, KEYS] = [4, 40];
const writer = fileURLToPath(new URL("../support/store-writer.ts", import.meta.url));

it("reports a full disk and keeps every version committed before", async () => {
  const path = temporaryFolder();
  // A limit on file size simulates a full disk; its signal is ignored.
  const script = `trap "" XFSZ; ulimit -f 500; exec "$@"`;
  const program = [process.execPath, ...AS_BUILT, writer, path, `${SEED}`, `${KEYS}`, "100000"];
  const child = endWithTest(
    spawn("bash", ["-c", script, "bash", ...program], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  const ended = once(child, "exit");
  let committed = -1n;
  let failed = "";
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, rest = ""] = line.split(" ");
    if (what === "commit") committed = BigInt(rest);
    if (what === "fail") failed = rest;
  }
  await ended;
  expect(failed).toBe("full");
  expect(committed).toBeGreaterThan(100n);
  const store = await openLmdbStore({ path });
  const view = await store.openView();
  expect(view.position.version).toBe(committed);
  await checkView(view, new SyntheticLedger(SEED, KEYS), committed);
  view.release();
  await store.close();
});
