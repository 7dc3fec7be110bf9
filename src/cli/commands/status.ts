// `sextant status`: the ledger's head and its age.
import { USEC_PER_MS } from "../../base/numbers.ts";
import { switchOption } from "../../base/option.ts";
import { questionCommand } from "../question-command.ts";
import { sourceOptions } from "../source/options.ts";
import { printFields } from "./info.ts";

interface LedgerAnswer {
  readonly chain_id: number;
  readonly ledger_version: string;
  readonly oldest_ledger_version: string;
  readonly block_height: string;
  readonly epoch: string;
  readonly ledger_timestamp: string;
}

interface UpstreamAnswer {
  readonly url: string;
  readonly kind?: string;
  readonly state: string;
  readonly version?: string;
  readonly last_fault?: string;
}

/** What a fork forks, and what keeps it from reading it; none for other nodes. */
function forkLines({ fork, fork_fault }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...(fork === undefined ? {} : { fork }), ...(fork_fault === undefined ? {} : { fork_fault }) };
}

/** Fields of a follower; none for other nodes. */
function followLines(info: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (info.sync_mode !== "follow") return {};
  const shown: Record<string, unknown> = {};
  const keys = ["sync_reason", "upstream_version", "versions_behind", "versions_ahead"];
  for (const key of [...keys, "proven_version", "signed_version", "signed_epoch", "lazy_fills"]) {
    if (info[key] !== undefined) shown[key] = info[key];
  }
  const upstreams = Array.isArray(info.upstreams) ? (info.upstreams as UpstreamAnswer[]) : [];
  upstreams.forEach(({ url, state, version, last_fault }, i) => {
    const at = version === undefined ? "" : ` at ${version}`;
    shown[`upstream_${i + 1}`] = `${url} ${state}${at}${last_fault === undefined ? "" : ` (${last_fault})`}`;
  });
  const sources = Array.isArray(info.proof_sources) ? (info.proof_sources as UpstreamAnswer[]) : [];
  sources.forEach(({ url, kind, state, last_fault }, i) => {
    const what = kind === undefined ? "" : ` (${kind})`;
    shown[`proof_source_${i + 1}`] =
      `${url}${what} ${state}${last_fault === undefined ? "" : ` (${last_fault})`}`;
  });
  return shown;
}

interface TrustRangeAnswer {
  readonly first_version: string;
  readonly last_version: string;
  readonly level: string;
}

/** What each range of versions rests on, where they differ, and why a part is not served. */
function trustLines(info: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const ranges = Array.isArray(info.trust_ranges) ? (info.trust_ranges as TrustRangeAnswer[]) : [];
  const shown: Record<string, unknown> = {};
  if (ranges.length > 1) {
    ranges.forEach(({ first_version, last_version, level }, i) => {
      shown[`trust_range_${i + 1}`] = `${level} from ${first_version} to ${last_version}`;
    });
  }
  if (info.refutation !== undefined) shown.refutation = info.refutation;
  return shown;
}

export const statusCommand = questionCommand({
  name: "status",
  operands: [],
  options: { ...sourceOptions, json: switchOption("Print a JSON object", false) },
  examples: ["sextant status", "sextant status --data ./data --json"],
  answer: async ({ source, values, context }) => {
    const info = JSON.parse(await source.info()) as Record<string, unknown>;
    const { sync_mode, sync_state, state_version, state_items } = info;
    if (state_version !== undefined) {
      const fetched = { sync_mode, sync_state, state_version, state_items };
      printFields({ ...fetched, ...followLines(info) }, values.json, context);
      return;
    }
    // One answer for all lines. Other software has its head in `GET /v1`, whose error also says why there is none.
    const ledger = (
      info.ledger_timestamp === undefined
        ? JSON.parse(await source.ledger())
        : { ...info, chain_id: info.chain_id_number }
    ) as LedgerAnswer;
    const blockTimeMs = Number(BigInt(ledger.ledger_timestamp) / USEC_PER_MS);
    const status = {
      chain_id: ledger.chain_id,
      sync_mode,
      sync_state,
      trust_level: info.trust_level,
      ...trustLines(info),
      ...forkLines(info),
      ...followLines(info),
      ledger_version: ledger.ledger_version,
      oldest_ledger_version: ledger.oldest_ledger_version,
      block_height: ledger.block_height,
      epoch: ledger.epoch,
      latest_block_time: new Date(blockTimeMs).toISOString(),
      latest_block_age_seconds: Math.max(0, Math.round((Date.now() - blockTimeMs) / 1000)),
    };
    printFields(status, values.json, context);
  },
});
