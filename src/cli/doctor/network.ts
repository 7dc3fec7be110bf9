// What the node needs of the network: its port, its upstreams, its cluster.
import { createServer } from "node:net";
import { CodedError, errorText } from "../../base/errors.ts";
import { urlTo } from "../../interface/route.ts";
import { infoRoute, ledgerInfoRoute } from "../../interface/routes.ts";
import { lookAtCluster, lookAtProofs, parseUpstreamUrl, type StoreOptions } from "../../node.ts";
import { type Asked, askOnce } from "../ask-once.ts";
import { bad, type Finding, ok, warn } from "./finding.ts";

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
async function ask(
  url: string,
  timeoutMs: number,
  { checksCertificate = true }: { readonly checksCertificate?: boolean } = {},
): Promise<Answer | undefined> {
  const started = performance.now();
  const signal = AbortSignal.timeout(timeoutMs);
  let asked: Asked;
  try {
    asked = await askOnce(url, { signal, maxBytes: MAX_RESPONSE_BYTES, checksCertificate });
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

/** Asks the program that has a port for its info: without TLS and, if that is no HTTP, with TLS. */
async function askOccupant(
  host: string,
  port: number,
  timeoutMs: number,
): Promise<Pick<Answer, "fields"> | undefined> {
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const authority = `${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
  try {
    return await ask(urlTo(`http://${authority}/v1`, infoRoute), timeoutMs);
  } catch {
    // The certificate names the host that clients know, and the request has no secret.
    const secure = ask(urlTo(`https://${authority}/v1`, infoRoute), timeoutMs, { checksCertificate: false });
    return (await secure.catch(() => undefined)) ?? { fields: {} };
  }
}

export async function portFindings(
  host: string,
  port: number,
  timeoutMs: number,
): Promise<readonly Finding[]> {
  const check = "port";
  if (port === 0) return [ok(check, "the system picks a free one")];
  const server = createServer();
  const fault = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once("error", resolve);
    server.listen({ host, port, exclusive: true }, () => resolve(undefined));
  });
  if (fault === undefined) {
    await new Promise((resolve) => server.close(resolve));
    return [ok(check, `${host}:${port} is free`)];
  }
  if (fault.code === "EADDRINUSE") {
    const answer = await askOccupant(host, port, timeoutMs);
    if (answer === undefined) {
      const text = `${host}:${port} is taken, and does not respond within ${timeoutMs / 1000} s`;
      return [bad(check, text, "stop the program that has it, choose another --port, or raise --timeout")];
    }
    if (answer.fields.software === "sextant") {
      const version = answer.fields.sextant_version;
      return [
        ok(check, `a Sextant node (${version}) serves on ${host}:${port}; another needs a port of its own`),
      ];
    }
    return [bad(check, `${host}:${port} is taken by another program`, "stop it, or choose another --port")];
  }
  const advice =
    fault.code === "EACCES"
      ? "choose a port of 1024 or more, or give the unit CAP_NET_BIND_SERVICE"
      : "choose another --host";
  return [bad(check, `cannot listen on ${host}:${port}: ${fault.code ?? fault.message}`, advice)];
}

const SKEW_WARN_MS = 5000;
const SKEW_BAD_MS = 60_000;
/** An upstream whose newest block is older is itself behind. */
const STALE_MS = 5 * 60_000;

export async function upstreamFindings(
  text: string,
  chainId: number | undefined,
  now: () => number,
  timeoutMs: number,
): Promise<readonly Finding[]> {
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
    const text = `serves chain ${fields.chain_id}, the store has chain ${chainId}`;
    findings.push(bad(check, text, "name an upstream of that chain, or another --data"));
  }
  const behindMs = now() - Number(fields.ledger_timestamp) / 1000;
  if (behindMs > STALE_MS) {
    const text = `its newest block is ${Math.round(behindMs / 60_000)} min old`;
    findings.push(warn(check, text, "name another upstream, or check this machine's clock"));
  }
  if (findings.length === 0) {
    const range = `versions ${fields.oldest_ledger_version} to ${fields.ledger_version}`;
    findings.push(ok(check, `chain ${fields.chain_id}, ${range}, ${Math.round(tookMs)} ms`));
  }
  return [...findings, ...skewFindings(base, dateMs, now())];
}

export async function proofFindings(
  text: string,
  chainId: number | undefined,
  timeoutMs: number,
): Promise<readonly Finding[]> {
  const check = `proofs ${text}`;
  try {
    const { kind, lastEpoch } = await lookAtProofs(text, chainId, timeoutMs);
    const known = lastEpoch === undefined ? "without ended epochs" : `epochs up to ${lastEpoch}`;
    return [
      ok(
        check,
        `a ${kind === "peer" ? kind : `backup ${kind}`}, ${known} (their signatures are checked when the node runs)`,
      ),
    ];
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

export async function clusterFindings(store: StoreOptions): Promise<readonly Finding[]> {
  const check = "cluster";
  const started = performance.now();
  try {
    const { ledger } = await lookAtCluster(store);
    const took = `${Math.round(performance.now() - started)} ms to connect`;
    if (ledger === undefined) return [ok(check, `its tables are there, without a ledger, ${took}`)];
    return [ok(check, `chain ${ledger.chainId}, version ${ledger.version}, ${took}`)];
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
