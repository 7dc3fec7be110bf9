// The machine: Node, memory, file descriptors.
import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { bad, bytesText, type Finding, ok, warn } from "./finding.ts";

/** Ends of the maintenance of Node's even releases, by its published schedule. */
const NODE_ENDS: Readonly<Record<number, string>> = { 20: "2026-04-30", 22: "2027-04-30", 24: "2028-04-30" };
const LEAST_NODE = [20, 19] as const;

export function nodeFindings(version: string, now: Date): readonly Finding[] {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  const advice = "install a supported LTS release of Node";
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
    return [bad("node", `Node ${version}, at least ${LEAST_NODE.join(".")} is needed`, advice)];
  }
  if (major % 2 === 1) return [warn("node", `Node ${version} is no LTS release`, advice)];
  const end = NODE_ENDS[major];
  if (end !== undefined && now.getTime() > Date.parse(end)) {
    return [warn("node", `Node ${version} gets no security fixes since ${end}`, advice)];
  }
  return [ok("node", `Node ${version}`)];
}

/** A node under full load stays below this. */
const USUAL_BYTES = 200 << 20;

export function memoryFindings(
  totalBytes: number = totalmem(),
  limitBytes: number | undefined = process.constrainedMemory?.(),
): readonly Finding[] {
  // Without a limit node reports zero, or more than the machine has.
  const isLimited = limitBytes !== undefined && limitBytes > 0 && limitBytes < totalBytes;
  const bytes = isLimited ? limitBytes : totalBytes;
  const text = `${bytesText(bytes)}${isLimited ? " (limit of the control group)" : ""}`;
  const needed = `a node under full load takes up to ${bytesText(USUAL_BYTES)}`;
  if (bytes < USUAL_BYTES) return [bad("memory", `${text}: ${needed}`, "raise the limit")];
  if (bytes < 2 * USUAL_BYTES) return [warn("memory", `${text}: ${needed}`, "raise the limit")];
  return [ok("memory", text)];
}

/** Descriptors for everything but clients: the store, logs, upstreams, the cluster. */
const OWN_DESCRIPTORS = 100;

function descriptorLimit(): number | undefined {
  try {
    const line = /^Max open files +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return line?.[1] === "unlimited" ? Number.POSITIVE_INFINITY : Number(line?.[1]);
  } catch {
    return undefined;
  }
}

export function descriptorFindings(
  connections: number,
  limit: number | undefined = descriptorLimit(),
): readonly Finding[] {
  if (limit === undefined) return [];
  const needed = connections + OWN_DESCRIPTORS;
  const advice = `set LimitNOFILE (systemd) or ulimit -n to ${needed} or more`;
  const text = `${limit} open files allowed`;
  if (limit < 2 * OWN_DESCRIPTORS) return [bad("files", text, advice)];
  if (limit < needed) {
    const more = `fewer than --max-connections (${connections}) and ${OWN_DESCRIPTORS} for the node itself`;
    return [warn("files", `${text}, ${more}`, `${advice}, or lower --max-connections`)];
  }
  return [ok("files", text)];
}
