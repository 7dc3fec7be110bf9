// Checks package-lock.json: every package has a hash and comes from the registry, not from a URL, and every shipped
// package has an allowed licence. With --audit it also asks the registry for known vulnerabilities, and says so if the
// registry has no audit. Prints each problem and exits 1 if there is one.
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

/** Known vulnerabilities of level high and above in shipped packages; undefined if the registry has no audit. */
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
let vulnerabilities: number | undefined = 0;
if (process.argv.includes("--audit")) {
  vulnerabilities = audit();
  console.info(
    vulnerabilities === undefined
      ? "npm audit: skipped, the registry does not support it"
      : `npm audit: ${vulnerabilities} known vulnerabilities of level high or critical in shipped packages`,
  );
}
const isFine = problems.length === 0 && packages > 0 && shipped > 0 && (vulnerabilities ?? 0) === 0;
process.exitCode = isFine ? 0 : 1;
