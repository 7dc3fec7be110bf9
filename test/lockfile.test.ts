import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkLockfile, type LockedPackage, type Lockfile } from "../scripts/lockfile/check.ts";

const lockfile = JSON.parse(
  readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"),
) as Lockfile;
const PINO = "node_modules/pino";

function problemsWith(path: string, change: LockedPackage): readonly string[] {
  const changed = {
    ...lockfile,
    packages: { ...lockfile.packages, [path]: { ...lockfile.packages[path], ...change } },
  };
  return checkLockfile(changed, () => undefined).problems;
}

describe("the lockfile", () => {
  it("pins what is shipped, from the registry, under licences that may be shipped", () => {
    const report = checkLockfile(lockfile, () => undefined);
    expect(report.problems).toEqual([]);
    expect(report.shipped).toBeGreaterThan(10);
    for (const path of report.unpinned) expect(lockfile.packages[path]?.optional).toBe(true);
  });

  it.each<[string, string, LockedPackage]>([
    ["another address", PINO, { resolved: "https://evil.example/pino.tgz" }],
    ["no hash", PINO, { integrity: "" }],
    ["a weak hash", PINO, { integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }],
    ["another licence", PINO, { license: "AGPL-3.0" }],
    ["a link", PINO, { link: true }],
    ["a script at installation", PINO, { hasInstallScript: true }],
    ["a dependency by address", PINO, { dependencies: { x: "git+ssh://git@evil.example/x.git" } }],
    ["a dependency by path", PINO, { dependencies: { x: "file:../x" } }],
    ["a dependency by another name", PINO, { dependencies: { x: "npm:y@1.0.0" } }],
    ["a package under a hosting service's short name", "", { dependencies: { x: "someone/x" } }],
  ])("%s is found", (_, path, change) => {
    expect(problemsWith(path, change).length).toBeGreaterThan(0);
  });
});
