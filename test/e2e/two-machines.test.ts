// Two machines on one network file system: the first is a process with another boot id in another PID namespace. It
// shares this machine's kernel, but locks of a process of another boot are ignored.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { canUnshare } from "../support/pid-namespace.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { AS_BUILT } from "../support/typescript.ts";

const holder = fileURLToPath(new URL("../support/store-holder.ts", import.meta.url));

describe.skipIf(!canUnshare())("a store that another machine writes", () => {
  it("keeps its writer while the heartbeat advances, and is taken over when it stops", async () => {
    const folder = temporaryFolder();
    const [path, boot] = [join(folder, "store"), join(folder, "boot")];
    writeFileSync(boot, "11111111-2222-3333-4444-555555555555\n");
    const script = 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"';
    const command = [process.execPath, ...AS_BUILT, holder, path];
    const args = [
      "--mount",
      "--pid",
      "--fork",
      "--kill-child",
      "--mount-proc",
      "bash",
      "-c",
      script,
      boot,
      ...command,
    ];
    const child = spawn("unshare", args, { stdio: ["ignore", "pipe", "inherit"] });
    await once(createInterface({ input: child.stdout }), "line");

    await expect(openLmdbStore({ path, sharing: { isShared: true } })).rejects.toMatchObject({
      code: "locked",
      message: expect.stringMatching("another machine writes"),
    });
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    const store = await openLmdbStore({ path, sharing: { isShared: true, pause: async () => {} } });
    expect(existsSync(join(path, "heartbeat"))).toBe(true);
    await store.close();
    expect(existsSync(join(path, "heartbeat"))).toBe(false);
  });
});
