// The data directory: permissions, owner, disk space, and what the store in it says of itself.
import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CodedError } from "../../base/errors.ts";
import { USEC_PER_MS } from "../../base/numbers.ts";
import { lookAtData, type StoreLook } from "../../node.ts";
import { bad, bytesText, type Finding, ok, warn } from "./finding.ts";

/** The directory itself, or the nearest above it that exists. */
function nearestExisting(path: string): string {
  const absolute = resolve(path);
  return existsSync(absolute) || dirname(absolute) === absolute
    ? absolute
    : nearestExisting(dirname(absolute));
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function ownerText({ uid }: Stats): string {
  return `owned by user ${uid}, this process is user ${process.getuid?.()}`;
}

export function permissionFindings(path: string): readonly Finding[] {
  const check = "permissions";
  if (!existsSync(path)) {
    const above = nearestExisting(path);
    return isAllowed(above, constants.W_OK | constants.X_OK)
      ? [ok(check, `${path} does not exist; the first start makes it`)]
      : [
          bad(
            check,
            `${path} does not exist and cannot be made: ${above} is not writable`,
            "make it, owned by the node's user",
          ),
        ];
  }
  if (!statSync(path).isDirectory()) {
    return [bad(check, `${path} is not a directory`, "name another with --data")];
  }
  const findings: Finding[] = [];
  for (const name of ["", "data.mdb", "lock.mdb"]) {
    const file = name === "" ? path : join(path, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    const needed = constants.R_OK | constants.W_OK | (stats.isDirectory() ? constants.X_OK : 0);
    if (!isAllowed(file, needed)) {
      const advice = "start the node as its owner, or change the owner";
      findings.push(bad(check, `${file} is not readable and writable (${ownerText(stats)})`, advice));
    } else if ((stats.mode & 0o077) !== 0) {
      const mode = (stats.mode & 0o777).toString(8);
      const advice = `chmod ${stats.isDirectory() ? "700" : "600"} ${file}`;
      findings.push(warn(check, `other users may reach ${file} (mode ${mode})`, advice));
    }
  }
  return findings.length > 0 ? findings : [ok(check, `${path} belongs to this user only`)];
}

/** The store keeps this much free; see store/lmdb/files.ts. */
const LEAST_FREE_BYTES = 64 << 20;
const COMFORT_BYTES = 1 << 30;
const LEAST_INODES = 100;

export function diskFindings(path: string): readonly Finding[] {
  const place = nearestExisting(path);
  const { bavail, bsize, blocks, files, ffree } = statfsSync(place);
  const findings: Finding[] = [];
  const free = bavail * bsize;
  const text = `${bytesText(free)} free at ${place}`;
  const advice = "free space, or move the data directory";
  // A file system without accounting reports zero.
  if (blocks === 0) findings.push(ok("disk", `${place} does not report its free space`));
  else if (free < LEAST_FREE_BYTES) findings.push(bad("disk", text, advice));
  else if (free < COMFORT_BYTES) findings.push(warn("disk", text, advice));
  else findings.push(ok("disk", text));
  if (files > 0 && ffree < LEAST_INODES) {
    findings.push(bad("inodes", `${ffree} of ${files} are free at ${place}`, "remove small files there"));
  }
  return findings;
}

/** Newer blocks than this machine's clock: the clock is behind. */
const LEDGER_SKEW_MS = 5000;

/** What is known of the store, for the checks that compare with it. */
export interface SeenStore {
  readonly findings: readonly Finding[];
  readonly look: StoreLook | undefined;
}

export async function storeFindings(path: string, nowMs: number): Promise<SeenStore> {
  const check = "store";
  let look: StoreLook;
  try {
    look = await lookAtData(path);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    if (error.code === "absent") {
      return { look: undefined, findings: [ok(check, "there is none yet; the first start makes it")] };
    }
    const advice =
      error.code === "format"
        ? "use the version of Sextant that wrote it, or follow or restore into a new directory"
        : "restore a backup: docs/operate.md";
    return { look: undefined, findings: [bad(check, error.message, advice)] };
  }
  return {
    look,
    findings: [ledgerFinding(look), ...lockFindings(look), ...clockFindings(look, nowMs)],
  };
}

function ledgerFinding({ bytes, ledger }: StoreLook): Finding {
  if (ledger === undefined) return ok("store", "empty");
  return ok("store", `chain ${ledger.chainId}, version ${ledger.version}, ${bytesText(bytes)}`);
}

function lockFindings({ writer }: StoreLook): Finding[] {
  if (writer === undefined) return [ok("lock", "no process writes to the store")];
  const advice = "a second node on this directory would be refused; use --read-only to read along";
  return [warn("lock", `process ${writer.pid} writes to the store`, advice)];
}

function clockFindings({ ledger }: StoreLook, nowMs: number): Finding[] {
  if (ledger === undefined) return [];
  const aheadMs = Number(ledger.timestampUsec / USEC_PER_MS) - nowMs;
  if (aheadMs <= LEDGER_SKEW_MS) return [];
  const text = `this machine's clock is ${Math.round(aheadMs / 1000)} s behind the newest block of the store`;
  return [bad("clock", text, "set the clock (chrony, systemd-timesyncd)")];
}
