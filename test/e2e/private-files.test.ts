// What a node and its backups write is for their own user alone, also where the umask would let everyone read.
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder();

/** Modes of a directory and of the files in it, by name. */
function modesIn(path: string): Record<string, string> {
  const names = [".", ...readdirSync(path)];
  const modeOf = (name: string): string => (statSync(join(path, name)).mode & 0o777).toString(8);
  return Object.fromEntries(names.map((name) => [name, modeOf(name)]));
}

describe.skipIf(process.platform === "win32")("files of a store under umask 0", () => {
  let umask = 0;
  beforeAll(() => {
    umask = process.umask(0);
  });
  afterAll(() => {
    process.umask(umask);
  });

  it("are private: the store, its backup and what is restored from it", async () => {
    const paths = { data: join(folder, "data"), backup: join(folder, "backup"), back: join(folder, "back") };
    const node = await startProgram(["--data", paths.data, "--blocks", "2", "--block-time", "0"]);
    await node.stop();
    await runProgram(["backup", "--data", paths.data, "--to", paths.backup]);
    await runProgram(["restore", "--from", paths.backup, "--data", paths.back]);
    expect(modesIn(paths.data)).toEqual({ ".": "700", "data.mdb": "600", "lock.mdb": "600" });
    expect(modesIn(paths.backup)).toEqual({ ".": "700", "backup.json": "600", "data.mdb": "600" });
    // A reader makes the lock file that a restored store lacks.
    await runProgram(["status", "--data", paths.back]);
    expect(modesIn(paths.back)).toEqual({ ".": "700", "data.mdb": "600", "lock.mdb": "600" });
  });

  it("keep the modes that an operator gave them", async () => {
    const data = join(folder, "opened");
    mkdirSync(data);
    chmodSync(data, 0o750);
    const args = ["--data", data, "--blocks", "1", "--block-time", "0"];
    await (await startProgram(args)).stop();
    chmodSync(join(data, "data.mdb"), 0o640);
    await (await startProgram(args)).stop();
    expect(modesIn(data)).toEqual({ ".": "750", "data.mdb": "640", "lock.mdb": "600" });
  });
});
