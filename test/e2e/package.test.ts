// The package: what it does without its optional driver, and how a release of it is made. `npm run package:check` tries
// the packed file with package managers.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/documentation.ts";
import { temporaryFolder } from "../support/temporary.ts";

const execute = promisify(execFile);

/** Links every installed package but one. */
function linkPackages(folder: string, without?: string): void {
  mkdirSync(join(folder, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name === without) continue;
    symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  }
}

it("says how to install the Cassandra driver where it is missing", async () => {
  const folder = temporaryFolder();
  for (const name of ["bin", "dist", "package.json"]) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  linkPackages(folder, "cassandra-driver");
  const url = "cassandra://127.0.0.1:1/sextant";
  for (const more of [[], ["--read-only"]]) {
    const args = ["start", "--store", "cassandra", "--store-url", url, ...more];
    await expect(execute(process.execPath, [join(folder, "bin/sextant.js"), ...args])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^sextant: [^\n]*npm install cassandra-driver[^\n]*\n$/) as string,
    });
  }
});

it("installs without a build, a compiler or a download of its own", () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
    dependencies: Record<string, string>;
  };
  for (const name of ["preinstall", "install", "postinstall", "prepare"]) {
    expect(manifest.scripts).not.toHaveProperty(name);
  }
  expect(manifest.dependencies).not.toHaveProperty("cassandra-driver");
});

describe("npm run release", () => {
  /** A clone of the last commit, with the scripts as they are now, and its own commit of both. */
  async function clone(): Promise<{ folder: string; git: (...args: string[]) => Promise<string> }> {
    const folder = join(temporaryFolder(), "clone");
    await execute("git", ["clone", "--quiet", "--no-hardlinks", "--depth", "1", `file://${ROOT}`, folder]);
    const git = async (...args: string[]): Promise<string> =>
      (await execute("git", ["-C", folder, ...args])).stdout.trim();
    await git("config", "user.name", "Test");
    await git("config", "user.email", "test@example.com");
    await git("checkout", "--quiet", "-B", "main");
    for (const name of ["scripts", "src", "docs", "package.json", "package-lock.json", "tsconfig.json"]) {
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    }
    await git("add", "--all");
    await git("commit", "--quiet", "--allow-empty", "--message", "As it is now");
    linkPackages(folder);
    return { folder, git };
  }

  it("checks first, changes nothing in a dry run, then commits and tags", async () => {
    const { folder, git } = await clone();
    const release = (...args: string[]) =>
      execute(process.execPath, ["--import", "tsx", "scripts/release.ts", ...args], { cwd: folder });
    const read = (name: string): string => readFileSync(join(folder, name), "utf8");
    const { version } = JSON.parse(read("package.json")) as { version: string };
    const [major, minor] = version.split(".").map(Number);
    const next = `${major}.${(minor ?? 0) + 1}.0`;
    const head = await git("rev-parse", "HEAD");

    await expect(release("sideways")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("expected patch, minor, major or X.Y.Z, got sideways") as string,
    });
    await expect(release(version)).rejects.toMatchObject({
      stderr: expect.stringContaining(`expected a version above ${version}`) as string,
    });
    writeFileSync(join(folder, "note.txt"), "left over");
    await expect(release("minor")).rejects.toMatchObject({
      stderr: expect.stringContaining("expected a clean working tree") as string,
    });
    await git("clean", "--quiet", "--force", "note.txt");

    const dry = await release("minor", "--no-checks", "--dry-run");
    expect(dry.stdout).toContain(`${version} -> ${next}`);
    expect(await git("status", "--porcelain")).toBe("");
    expect(await git("rev-parse", "HEAD")).toBe(head);

    const { stdout } = await release("minor", "--no-checks");
    expect(stdout).toContain("npm publish");
    expect(await git("status", "--porcelain")).toBe("");
    expect(await git("log", "-1", "--format=%s")).toBe(`Release ${next}`);
    expect(await git("rev-parse", `v${next}^{commit}`)).toBe(await git("rev-parse", "HEAD"));
    expect(JSON.parse(read("package.json"))).toMatchObject({ version: next });
    expect(JSON.parse(read("package-lock.json"))).toMatchObject({
      version: next,
      packages: { "": { version: next } },
    });
    expect(read("README.md")).toContain(`"sextant_version":"${next}"`);
    expect(read("CHANGELOG.md")).toMatch(
      new RegExp(`^## Unreleased\\n\\n## ${next} \\(\\d{4}-\\d\\d-\\d\\d\\)\\n`, "m"),
    );
    // Nothing is left to release.
    await expect(release("minor", "--no-checks")).rejects.toMatchObject({
      stderr: expect.stringContaining("nothing is listed") as string,
    });
  });
});
