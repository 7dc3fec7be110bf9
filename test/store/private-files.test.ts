import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDirectory } from "../../src/store/lmdb/files.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder();

describe("a directory of a store", () => {
  it("is made with its parents, for its own user alone, and may be there", () => {
    const path = join(folder, "a", "b", "c");
    makeDirectory(path);
    makeDirectory(path);
    expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it("where a file is, is refused", () => {
    writeFileSync(join(folder, "file"), "");
    expect(() => makeDirectory(join(folder, "file"))).toThrow("EEXIST");
    expect(() => makeDirectory(join(folder, "file", "below"))).toThrow("ENOTDIR");
  });

  it.skipIf(!existsSync("/proc/self"))("where a file system has no place for it, is refused at once", () => {
    expect(() => makeDirectory("/proc/sextant/data")).toThrow("ENOENT");
  });
});
