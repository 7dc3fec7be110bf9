// The image of a backup is a snapshot, however much another process writes and prunes before its last page is read.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openImage } from "../../src/store/lmdb/backup.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { checkView } from "../support/check-store.ts";
import { endWithTest } from "../support/children.ts";
import { SyntheticLedger } from "../support/synthetic-ledger.ts";
import { AS_BUILT } from "../support/typescript.ts";
import { until } from "../support/until.ts";

const [SEED, KEYS, KEEP] = [78, 16, 40];
const HEAD_BYTES = 2 * 4096;
/** Commits while one image is read: enough to reuse every free page. */
const COMMITS = 60;
const IMAGES = 3;
const writer = fileURLToPath(new URL("../support/store-writer.ts", import.meta.url));

it("is of one moment, whatever is written and pruned while it is read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sextant-image-"));
  const path = join(folder, "live");
  await mkdir(path);
  const args = [...AS_BUILT, writer, path, `${SEED}`, `${KEYS}`, `${KEEP}`];
  const child = endWithTest(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }));
  const ended = once(child, "exit");
  const seen = { committed: -1n, commits: 0, prunes: 0 };
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [what, version = ""] = line.split(" ");
    if (what === "prune") seen.prunes++;
    if (what !== "commit") return;
    seen.commits++;
    seen.committed = BigInt(version);
  });
  try {
    await until(() => seen.prunes > 5);
    for (let images = 0; images < IMAGES; images++) {
      const before = seen.committed;
      const image = await openImage(path);
      const copy = join(folder, `copy-${images}`);
      await mkdir(copy);
      const head = await image.read(0, HEAD_BYTES);
      const { commits, prunes } = seen;
      await until(() => seen.commits > commits + COMMITS && seen.prunes > prunes + COMMITS / 2);
      const after = seen.committed;
      const rest = await image.read(HEAD_BYTES, image.bytes - HEAD_BYTES);
      await image.close();
      await writeFile(join(copy, "data.mdb"), Buffer.concat([head, rest]));
      const store = await openLmdbStore({ path: copy, readOnly: true });
      const view = await store.openView();
      const { version } = view.position;
      expect(version).toBeGreaterThanOrEqual(before);
      expect(version).toBeLessThan(after);
      await checkView(view, new SyntheticLedger(SEED, KEYS), version);
      view.release();
      await store.close();
    }
  } finally {
    child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true });
  }
});
