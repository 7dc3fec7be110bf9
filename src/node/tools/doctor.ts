// The checks of `sextant doctor`: the machine, the data directory, and the upstreams, proof sources and cluster that a node
// would use. They change nothing and check no signature; each finding is one line.
import { accessSync, constants, existsSync, readFileSync, type Stats, statfsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Asked, askOnce } from "../../base/ask-once.ts";
import { CodedError, ConfigError, errorText } from "../../base/errors.ts";
import { silentLogger } from "../../base/log.ts";
import { USEC_PER_MS } from "../../base/numbers.ts";
import { DAY_MS } from "../../base/settings.ts";
import { USER_AGENT } from "../../base/software-version.ts";
import { LATE, within } from "../../base/wait.ts";
import { urlTo } from "../../interface/route.ts";
import { ledgerInfoRoute } from "../../interface/routes.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { Position } from "../../ledger/position.ts";
import { withView } from "../../ledger/view.ts";
import { computeWaypoint, parseWaypoint } from "../../ledger/waypoint.ts";
import { openEnvironment } from "../../store/lmdb/environment.ts";
import { findHolder } from "../../store/lmdb/lease.ts";
import { decodePosition } from "../../store/lmdb/position-row.ts";
import { getRow } from "../../store/lmdb/sealed-rows.ts";
import { META } from "../../store/lmdb/tables.ts";
import { connectProofSource, parseProofTarget } from "../../sync/signatures/connect.ts";
import type { SignatureSource } from "../../sync/signatures/source.ts";
import { askInTime } from "../../sync/upstream/errors.ts";
import { createFolderUpstream, parseFolderUrl } from "../../sync/upstream/folder-upstream.ts";
import { parseUpstreamUrl } from "../../sync/upstream/rest-upstream.ts";
import { isSameWaypoint } from "../../sync/waypoints.ts";
import { openStore, type StoreOptions } from "../store-engines.ts";
import { type Network, readNetwork } from "./networks.ts";

export interface Finding {
  /** What was looked at. */
  readonly check: string;
  readonly level: "ok" | "warn" | "bad";
  /** What was found. */
  readonly text: string;
  /** What to do about it; only where something is to be done. */
  readonly advice?: string;
}

const ok = (check: string, text: string): Finding => ({ check, level: "ok", text });
const warn = (check: string, text: string, advice: string): Finding => ({
  check,
  level: "warn",
  text,
  advice,
});
const bad = (check: string, text: string, advice: string): Finding => ({
  check,
  level: "bad",
  text,
  advice,
});

/** What a node would use. */
export interface Examination {
  readonly store: StoreOptions;
  readonly maxConnections: number;
  /** By name or file. */
  readonly network: string | undefined;
  /** Those of the network if there are none. */
  readonly upstreams: readonly string[];
  readonly proofs: readonly string[];
  readonly waypoints: readonly string[];
  /** Longest wait for a response. */
  readonly askMs: number;
}

/** Time limits of one check, as multiples of the longest wait for a response: it may ask more than once. */
const CHECK_WAITS = 2;
const CLUSTER_WAITS = 6;

/** Looks at everything that a node would use. */
export async function examine({
  store,
  maxConnections,
  network: name,
  askMs,
  ...given
}: Examination): Promise<readonly Finding[]> {
  const checkMs = CHECK_WAITS * askMs;
  const findings: Finding[] = [...descriptorFindings(maxConnections)];
  const add = async (check: string, ms: number, find: Parameters<typeof findInTime>[2]): Promise<void> => {
    findings.push(...(await findInTime(check, ms, find)));
  };
  let storedChain: number | undefined;
  if (store.engine === "lmdb") {
    const { path } = store;
    await add("permissions", checkMs, () => permissionFindings(path));
    await add("disk", checkMs, () => diskFindings(path));
    await add("store", checkMs, async () => {
      const seen = await storeFindings(path, Date.now());
      storedChain = seen.chainId;
      return seen.findings;
    });
  }
  if (store.engine === "cassandra") await add("cluster", CLUSTER_WAITS * askMs, () => clusterFindings(store));
  const network = name === undefined ? undefined : readNetwork(name);
  if (name !== undefined && network !== undefined)
    findings.push(...networkFindings(name, network, Date.now()));
  const upstreams = given.upstreams.length > 0 ? given.upstreams : (network?.upstreams ?? []);
  const asking = { chainId: storedChain ?? network?.chainId, timeoutMs: askMs };
  // At once: one that hangs does not hold up the others.
  const asked = upstreams.map((url) =>
    findInTime(`upstream ${url}`, checkMs, () => upstreamFindings(url, asking)),
  );
  const proofs = given.proofs.length > 0 ? given.proofs : (network?.buckets ?? []);
  const sources = proofs.map((url) =>
    findInTime(`proofs ${url}`, checkMs, () => proofFindings(url, asking, given.waypoints)),
  );
  for (const found of await Promise.all([...asked, ...sources])) findings.push(...found);
  return findings;
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Waits for findings; one that says so if they take too long. */
export async function findInTime(
  check: string,
  ms: number,
  find: () => Promise<readonly Finding[]> | readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    const found = await within(ms, Promise.resolve().then(find));
    if (found !== LATE) return found;
    return [bad(check, `no result in ${ms / 1000} s`, "look whether the disk or the network hangs")];
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return [bad(check, text.split("\n")[0] ?? "", "see docs/operate.md")];
  }
}

/** Descriptors for everything but clients: the store, logs, upstreams, the cluster. */
const OWN_DESCRIPTORS = 100;

function descriptorLimit(): number | undefined {
  try {
    const line = /^Max open files {1,20}(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
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

function permissionFindings(path: string): readonly Finding[] {
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

function diskFindings(path: string): readonly Finding[] {
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

interface StoreLook {
  /** Size of the data file. */
  readonly bytes: number;
  /** Undefined before the first commit. */
  readonly ledger: Position | undefined;
  /** The living process that has the right to write. */
  readonly writer: { readonly pid: number } | undefined;
}

/** Looks into a directory. Throws StoreError: `absent` if it holds no store, others if it cannot be used. */
export async function lookAtData(path: string): Promise<StoreLook> {
  const environment = await openEnvironment({ path, readOnly: true });
  try {
    const row = getRow(environment.tables.meta, META.position);
    return {
      bytes: statSync(join(environment.path, "data.mdb")).size,
      ledger: row === undefined ? undefined : decodePosition(row),
      writer: findHolder(environment),
    };
  } finally {
    await environment.close();
  }
}

/** What is found in a data directory, and the chain that it holds. */
async function storeFindings(
  path: string,
  nowMs: number,
): Promise<{ readonly findings: readonly Finding[]; readonly chainId?: number | undefined }> {
  const check = "store";
  let look: StoreLook;
  try {
    look = await lookAtData(path);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    if (error.code === "absent")
      return { findings: [ok(check, "there is none yet; the first start makes it")] };
    const advice =
      error.code === "format"
        ? "use the version of Sextant that wrote it, or follow or restore into a new directory"
        : "restore a backup: docs/operate.md";
    return { findings: [bad(check, error.message, advice)] };
  }
  const findings = [ledgerFinding(look), ...lockFindings(look), ...clockFindings(look, nowMs)];
  return { findings, chainId: look.ledger?.chainId };
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

/** Largest response that is read. */
const MAX_RESPONSE_BYTES = 256 * 1024;

interface Answer {
  readonly status: number;
  /** Of its JSON object; none if it is something else. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** From the Date header, in whole seconds. */
  readonly dateMs: number | undefined;
  readonly tookMs: number;
}

/** Asks for a JSON object. Undefined if there is no response in time; throws if there is none, or one too large. */
async function ask(url: string, timeoutMs: number): Promise<Answer | undefined> {
  const started = performance.now();
  const signal = AbortSignal.timeout(timeoutMs);
  let asked: Asked;
  try {
    asked = await askOnce(url, { signal, maxBytes: MAX_RESPONSE_BYTES, checksCertificate: true });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
  const tookMs = performance.now() - started;
  let fields: unknown;
  try {
    fields = JSON.parse(asked.body);
  } catch {
    fields = undefined;
  }
  const dateMs = Date.parse(asked.date ?? "");
  return {
    status: asked.status,
    fields: typeof fields === "object" && fields !== null ? (fields as Record<string, unknown>) : {},
    dateMs: Number.isNaN(dateMs) ? undefined : dateMs,
    tookMs,
  };
}

/** An anchor says nothing about the history since: signatures or upstreams must. */
const OLD_ANCHOR_DAYS = 365;

/** How old the addresses of a network are, and its newest anchor. */
function networkFindings(
  name: string,
  { asOf, chainId, waypoints = [] }: Network,
  nowMs: number,
): readonly Finding[] {
  const check = `network ${name}`;
  const daysSince = (day: string): number => Math.floor((nowMs - Date.parse(day)) / DAY_MS);
  const chain = chainId === undefined ? "any chain id" : `chain ${chainId}`;
  const known = `${chain}, addresses as of ${asOf}, ${daysSince(asOf)} days ago`;
  const newest = [...waypoints].sort((a, b) => (a.published < b.published ? 1 : -1))[0];
  if (newest === undefined) {
    return [warn(check, `${known}; no anchor`, "the node can only say what its upstreams say")];
  }
  const age = daysSince(newest.published);
  const [version] = newest.waypoint.split(":");
  const text = `${known}; newest anchor version ${version}, published ${newest.published}, ${age} days ago`;
  if (age <= OLD_ANCHOR_DAYS) return [ok(check, text)];
  return [warn(check, text, "give a newer --waypoint from a source that you trust, if there is one")];
}

const SKEW_WARN_MS = 5000;
const SKEW_BAD_MS = 60_000;
/** An upstream whose newest block is older is itself behind. */
const STALE_MS = 5 * 60_000;

/** A source that is asked, where the chain is known. */
interface Asking {
  readonly chainId: number | undefined;
  readonly timeoutMs: number;
}

async function upstreamFindings(text: string, asking: Asking): Promise<readonly Finding[]> {
  if (text.startsWith("file:") || text.startsWith("backup+")) return folderFindings(text, asking);
  const { chainId, timeoutMs } = asking;
  const base = parseUpstreamUrl(text).href;
  const check = `upstream ${base}`;
  const unreachable = (reason: string): readonly Finding[] => [
    bad(check, `cannot be reached: ${reason}`, "check the URL, the network and the firewall"),
  ];
  let answer: Answer | undefined;
  try {
    answer = await ask(urlTo(base, ledgerInfoRoute), timeoutMs);
  } catch (error) {
    return unreachable(errorText(error));
  }
  if (answer === undefined) return unreachable(`no response within ${timeoutMs / 1000} s`);
  const { status, fields, tookMs, dateMs } = answer;
  if (status !== 200 || typeof fields.chain_id !== "number") {
    const advice = status === 401 || status === 403 ? "set SEXTANT_UPSTREAM_API_KEY" : "check the URL";
    return [bad(check, `is no full node: status ${status}, no chain id`, advice)];
  }
  const findings: Finding[] = [];
  if (chainId !== undefined && fields.chain_id !== chainId) {
    const text = `serves chain ${fields.chain_id}, expected chain ${chainId}`;
    findings.push(bad(check, text, "name an upstream of that chain, or another --data"));
  }
  const behindMs = Date.now() - Number(fields.ledger_timestamp) / 1000;
  if (behindMs > STALE_MS) {
    const text = `its newest block is ${Math.round(behindMs / 60_000)} min old`;
    findings.push(warn(check, text, "name another upstream, or check this machine's clock"));
  }
  if (findings.length === 0) {
    const range = `versions ${fields.oldest_ledger_version} to ${fields.ledger_version}`;
    findings.push(ok(check, `chain ${fields.chain_id}, ${range}, ${Math.round(tookMs)} ms`));
  }
  return [...findings, ...skewFindings(base, dateMs, Date.now())];
}

const NEVER = new AbortController().signal;

/** A backup folder as an upstream. */
function folderFindings(url: string, { chainId, timeoutMs }: Asking): Promise<readonly Finding[]> {
  const check = `upstream ${url}`;
  return sourceFindings(check, async () => {
    const target = parseFolderUrl(url);
    if (target === undefined) throw new ConfigError(`upstream: expected the URL of a folder, got ${url}`);
    // A chain id that nobody knows would be read from the first chunk.
    const connection = { userAgent: USER_AGENT, chainId: () => chainId ?? 0 };
    const upstream = createFolderUpstream(target, {
      ...connection,
      checkSigned: async () => {},
      listAgeMs: timeoutMs,
    });
    const source = connectProofSource(parseProofTarget(url.replace(/^backup\+/, "")), connection);
    try {
      return await askInTime(timeoutMs, NEVER, async (signal) => {
        const { oldestVersion, version } = await upstream.getHead(signal);
        const newest = await (await source.states(signal))?.newestState(version, signal);
        const state = newest === undefined ? "no state" : `newest state ${newest}`;
        return [ok(check, `a backup folder, versions ${oldestVersion} to ${version}, ${state}`)];
      });
    } finally {
      upstream.close();
      source.close();
    }
  });
}

/** What a source is, how far it says it reaches, and whether it has what waypoints name. */
function proofFindings(
  url: string,
  { chainId, timeoutMs }: Asking,
  waypoints: readonly string[],
): Promise<readonly Finding[]> {
  const check = `proofs ${url}`;
  return sourceFindings(check, async () => {
    const connection = { userAgent: USER_AGENT, chainId: () => chainId };
    const source = connectProofSource(parseProofTarget(url), connection);
    try {
      return await askInTime(timeoutMs, NEVER, async (signal) => {
        const lastEpoch = await source.lastEpoch(signal);
        const known = lastEpoch === undefined ? "without ended epochs" : `epochs up to ${lastEpoch}`;
        const what = source.kind === "peer" ? "peer" : `backup ${source.kind ?? "folder"}`;
        const text = `a ${what}, ${known} (their signatures are checked when the node runs)`;
        const findings = [ok(check, text)];
        for (const waypoint of new Set(waypoints))
          findings.push(await waypointFinding(check, source, waypoint, signal));
        return findings;
      });
    } finally {
      source.close();
    }
  });
}

/** Whether a source has the ledger info that a waypoint names. Throws LedgerError for a text that is no waypoint. */
async function waypointFinding(
  check: string,
  source: SignatureSource,
  text: string,
  signal: AbortSignal,
): Promise<Finding> {
  const waypoint = parseWaypoint(text);
  const epoch = await source.findEpochEnd(waypoint.version, signal);
  const ends = epoch === undefined ? undefined : source.epochEnds(epoch, signal);
  const end = (await ends?.next())?.value;
  await ends?.return(undefined);
  const advice = "compare the waypoint with its source, or name another source of proofs";
  if (!end) return bad(check, `has no epoch that ends where waypoint ${text} does`, advice);
  return isSameWaypoint(computeWaypoint(end.ledgerInfo), waypoint)
    ? ok(check, `has what waypoint ${text} names`)
    : bad(check, `has another ledger info than waypoint ${text} names`, advice);
}

/** What is found at a source, or why nothing is. */
async function sourceFindings(
  check: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const advice =
      error.code === "config" || error.code === "unreachable"
        ? "check the URL, the network and the firewall"
        : "name the root of a backup folder, or a node's backup service";
    return [bad(check, error.message, advice)];
  }
}

function skewFindings(base: string, dateMs: number | undefined, nowMs: number): Finding[] {
  if (dateMs === undefined) return [];
  const skewMs = nowMs - dateMs;
  const text = `this machine's clock is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? "ahead of" : "behind"} that of ${base}`;
  const advice = "set the clock (chrony, systemd-timesyncd)";
  if (Math.abs(skewMs) > SKEW_BAD_MS) return [bad("clock", text, advice)];
  if (Math.abs(skewMs) > SKEW_WARN_MS) return [warn("clock", text, advice)];
  return [ok("clock", `agrees with ${base}`)];
}

async function clusterFindings(options: StoreOptions): Promise<readonly Finding[]> {
  const check = "cluster";
  const started = performance.now();
  try {
    const opening = { readOnly: true, genesis: undefined, logger: silentLogger };
    const { store } = await openStore(options, opening);
    const took = `${Math.round(performance.now() - started)} ms to connect`;
    try {
      const { chainId, version } = await withView(store.openView(), ({ position }) => position);
      return [ok(check, `chain ${chainId}, version ${version}, ${took}`)];
    } catch (error) {
      if (!(error instanceof LedgerError && error.code === "no_ledger")) throw error;
      return [ok(check, `its tables are there, without a ledger, ${took}`)];
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    if (error.code === "absent") {
      return [ok(check, "reachable, without a ledger; the first start makes its tables")];
    }
    const advice =
      error.code === "config" ? "see above" : "check the hosts in --store-url, and nodetool status";
    return [bad(check, error.message, advice)];
  }
}
