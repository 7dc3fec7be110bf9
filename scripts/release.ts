// Makes a release: checks, moves the changelog's heading, sets the version everywhere, commits and tags. It neither
// pushes nor publishes; it prints the commands for that.
//   npm run release -- patch|minor|major|X.Y.Z [--dry-run] [--no-checks]
// --dry-run checks and shows what would change. --no-checks: `.ci/run` has passed on this commit.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT, run } from "./package/tools.ts";
import { nextVersion, type Released, release } from "./release/steps.ts";

const USAGE = "usage: npm run release -- patch|minor|major|X.Y.Z [--dry-run] [--no-checks]";
/** The parts of `.ci/run` that take seconds. */
const CHECKS = ["lint", "types", "docs:check", "lockfile:check", "knip", "words"];

function git(...args: string[]): string {
  return run("git", args, { cwd: ROOT }).trim();
}

function assertReady(version: string): void {
  const changed = git("status", "--porcelain");
  if (changed !== "") throw new Error(`expected a clean working tree, but there are changes:\n${changed}`);
  if (git("branch", "--show-current") === "") throw new Error("expected a branch, but HEAD is detached");
  if (git("tag", "--list", `v${version}`) !== "") throw new Error(`the tag v${version} is there already`);
}

function runChecks(): void {
  for (const name of CHECKS) {
    console.log(`npm run ${name}`);
    run("npm", ["run", "--silent", name], { cwd: ROOT });
  }
  console.log("npm run package:check -- --quick");
  run("npm", ["run", "--silent", "package:check", "--", "--quick"], { cwd: ROOT });
}

/** Writes the files, regenerates the pages and commits; after a failure the files are as before. */
function commit(version: string, { files }: Released): void {
  try {
    for (const [path, text] of files) writeFileSync(join(ROOT, path), text);
    run("npm", ["run", "--silent", "docs"], { cwd: ROOT });
    git("commit", "--quiet", "--all", "--message", `Release ${version}`);
  } catch (error) {
    git("checkout", "--quiet", "--", ".");
    throw error;
  }
  git("tag", "--annotate", `v${version}`, "--message", `Release ${version}`);
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      "dry-run": { type: "boolean", default: false },
      "no-checks": { type: "boolean", default: false },
    },
  });
  const [step] = positionals;
  if (step === undefined || positionals.length > 1) throw new Error(USAGE);
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    version: string;
    repository?: unknown;
  };
  const version = nextVersion(manifest.version, step);
  assertReady(version);
  const tracked = git("ls-files").split("\n");
  const released = release({
    from: manifest.version,
    to: version,
    date: new Date().toISOString().slice(0, 10),
    files: tracked,
    read: (path) => readFileSync(join(ROOT, path), "utf8"),
  });
  if (!values["no-checks"]) runChecks();
  console.log(`${manifest.version} -> ${version}`);
  for (const [path] of released.files) console.log(`changes  ${path}`);
  for (const place of released.left) console.log(`names ${manifest.version}, left as it is: ${place}`);
  if (manifest.repository === undefined) {
    console.log("package.json names no repository: npm refuses to publish with provenance without it");
  }
  if (values["dry-run"]) {
    console.log("dry run: nothing was changed");
    return;
  }
  commit(version, released);
  console.log(`committed and tagged v${version}. If .ci/run passes on it:`);
  console.log("  git push --follow-tags");
  console.log(
    "  npm publish      in a CI job that has an identity token: the package is published with provenance",
  );
}

try {
  main();
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
