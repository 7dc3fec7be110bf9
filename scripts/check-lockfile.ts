// Looks at package-lock.json: every package must be pinned by a hash and come from the registry, by no address of
// its own, and what is shipped must have a licence that may be shipped. With --audit it asks the registry for known
// holes too, and says so where the registry cannot be asked. Exits 1 and names each that is not so.
//   npx tsx scripts/check-lockfile.ts [--audit]
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { checkLockfile, type Lockfile } from "./lockfile/check.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, "utf8");
const licenceOf = (path: string): unknown =>
  (JSON.parse(read(`${path}/package.json`)) as { license?: unknown }).license;

interface Audit {
  readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> };
}

/** Known holes of level high and above in what is shipped; undefined where the registry does not say. */
function audit(): number | undefined {
  const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--audit-level=high", "--json"], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, npm_config_audit: "true" },
  });
  const found = (JSON.parse(stdout || "{}") as Audit).metadata?.vulnerabilities;
  return found === undefined ? undefined : (found.high ?? 0) + (found.critical ?? 0);
}

const report = checkLockfile(JSON.parse(read("package-lock.json")) as Lockfile, licenceOf);
const { problems, packages, shipped, unpinned } = report;
for (const problem of problems) console.error(problem);
console.info(`${packages} packages in the lockfile, ${shipped} of them shipped: ${problems.length} problems`);
if (unpinned.length > 0) console.info(`${unpinned.length} optional builds for other systems carry no hash`);
let holes: number | undefined = 0;
if (process.argv.includes("--audit")) {
  holes = audit();
  console.info(
    holes === undefined
      ? "npm audit: skipped, the registry does not answer it"
      : `npm audit: ${holes} known holes of level high or critical in what is shipped`,
  );
}
const isFine = problems.length === 0 && packages > 0 && shipped > 0 && (holes ?? 0) === 0;
process.exitCode = isFine ? 0 : 1;
