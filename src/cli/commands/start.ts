// `sextant start`: runs a node until it is told to stop.
import { existsSync } from "node:fs";
import { CodedError, ConfigError } from "../../base/errors.ts";
import { createNode, type FollowOptions, isHeaderBrand, type Node } from "../../node.ts";
import { type CommandContext, command, EXIT_FAILED, EXIT_OK } from "../command.ts";
import { guideLines } from "../guide.ts";
import { Interrupted } from "../interrupt.ts";
import { limitOptions, limitsOf } from "../limits.ts";
import { createLogger, LOG_LEVELS } from "../log.ts";
import {
  choiceOption,
  durationOption,
  type Exclusion,
  integerOption,
  listOption,
  type OptionValues,
  optionalIntegerOption,
  switchOption,
  textOption,
  textOptionWithDefault,
} from "../option.ts";
import { startProgress } from "../progress.ts";
import { operandsOf } from "../source.ts";
import { storeExclusions, storeOf, storeOptions } from "../store-options.ts";
import { checkApart } from "./check.ts";

const options = {
  host: textOptionWithDefault("Address to listen on", "HOST", "127.0.0.1"),
  port: integerOption("Port to listen on; 0 takes a free one", "PORT", {
    min: 0,
    max: 65_535,
    fallback: 8080,
  }),
  ...storeOptions,
  "read-only": switchOption(
    "Answer from a store that another process writes, and write nothing; waits for a store that is not there yet",
    false,
  ),
  genesis: textOption("Genesis file of the network to serve", "FILE"),
  waypoint: listOption(
    "Published waypoint: one of version 0 must match the genesis, a later one the history followed",
    "VERSION:HASH",
  ),
  upstream: listOption(
    "Full node to follow; SEXTANT_UPSTREAM_API_KEY holds a key for it, SEXTANT_UPSTREAM_API_KEY_HEADER the header to send it in instead of Authorization: Bearer",
    "URL",
  ),
  agree: textOption("Commit only what this many of the upstreams say alike, such as 2/3", "NEEDED/OF"),
  "start-version": textOption(
    "Start following at the block of a version, or at latest, and fetch older items on first use",
    "VERSION|latest",
  ),
  "pass-through": switchOption("Hand requests that are not served here to the first upstream", false),
  "upstream-rate": integerOption("Requests per second to each upstream; 0 for no cap", "COUNT", {
    min: 0,
    max: 100_000,
    fallback: 50,
  }),
  "poll-time": durationOption("poll-time", "Pause between questions at the head", 500),
  "retry-time": durationOption(
    "retry-time",
    "First pause before an upstream that was set aside is asked again",
    1000,
  ),
  "give-up-time": durationOption(
    "give-up-time",
    "Exit after nothing that can be verified came from any upstream for this long",
    900_000,
  ),
  "local-chain": switchOption("Make blocks on top of --genesis (always so without --genesis)", false),
  seed: textOptionWithDefault("Seed of the local chain", "TEXT", "sextant"),
  "block-time": durationOption(
    "block-time",
    "Time between blocks of the local chain; 0 makes them as fast as it can",
    1000,
  ),
  blocks: optionalIntegerOption("Stop making blocks after this many; the node goes on serving", "COUNT", {
    min: 0,
    max: 1_000_000_000,
  }),
  "prune-window": textOptionWithDefault(
    "History to keep: a time (24h, 30d), a count of versions, or off",
    "WINDOW",
    "24h",
  ),
  "header-brand": listOption("Brand in ledger header names, X-BRAND-… (default NODE)", "BRAND"),
  workers: integerOption(
    "Processes that answer requests beside the one that writes the store; with 0 that one answers itself",
    "COUNT",
    { min: 0, max: 64, fallback: 0 },
  ),
  encode: switchOption("Switch encode_submission and explain_submission off", true),
  "json-output": switchOption("Switch JSON answers off", true),
  "bcs-output": switchOption("Switch BCS answers off", true),
  "start-page": switchOption("Switch the page at / off", true),
  metrics: switchOption("Switch /metrics off", true),
  "metrics-port": optionalIntegerOption("Serve /metrics on this port instead of the main one", "PORT", {
    min: 1,
    max: 65_535,
  }),
  "body-limit": integerOption("Largest request body in bytes", "BYTES", {
    min: 1024,
    max: 1_073_741_824,
    fallback: 8 * 1024 * 1024,
  }),
  ...limitOptions,
  "max-lag": durationOption(
    "max-lag",
    "Refuse reads, and be not ready, once the ledger's time is older than this; 0 for no limit",
    0,
  ),
  "archive-url": textOption("Archive node that 410 answers name", "URL", (text) =>
    /^https?:\/\//.test(text) && URL.canParse(text) ? undefined : "an absolute http or https URL",
  ),
  check: choiceOption(
    "What to verify of the data directory before serving: its head (quick) or all of it (full)",
    ["quick", "full"],
    "quick",
  ),
  "log-level": choiceOption("Least severe level to log", LOG_LEVELS, "info"),
  "log-format": choiceOption("Log lines as JSON or readable text", ["auto", "json", "text"], "auto"),
  config: textOption("YAML file with any of these options as keys", "FILE"),
};

type StartValues = OptionValues<typeof options>;

/** What only a node that follows takes. */
const FOLLOWING = ["upstream", "agree", "start-version", "pass-through"] as const;

const isFullCheck = ["check", (check: unknown) => check === "full"] as const;
const hasWorkers = ["workers", (workers: unknown) => workers !== 0] as const;
const isInMemory = ["store", (store: unknown) => store === "memory"] as const;

const exclusions: readonly Exclusion<keyof typeof options>[] = [
  ...storeExclusions,
  { one: isInMemory, others: [hasWorkers] },
  { one: ["store", (store) => store !== "lmdb"], others: [isFullCheck] },
  {
    one: "read-only",
    others: ["genesis", "waypoint", ...FOLLOWING, "local-chain", "blocks", isFullCheck, isInMemory],
  },
  { one: "local-chain", others: FOLLOWING },
  { one: "start-version", others: ["genesis", hasWorkers] },
];

/** Options that say what to write; one who only reads can have none of them. */
const WRITING = ["genesis", "waypoint", "upstream", "local-chain", "blocks"] as const;

function checkReadOnly(values: StartValues): void {
  if (!values["read-only"]) return;
  if (values.store === "memory") throw new ConfigError("--read-only: a store in memory has no other writer");
  for (const name of WRITING) {
    const value = values[name];
    if (value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)) {
      throw new ConfigError(`--${name}: a node that only reads (--read-only) takes nothing in`);
    }
  }
  if (values.check === "full")
    throw new ConfigError("--check full needs a node that writes: use sextant check");
}

function checkCombination(values: StartValues): void {
  checkReadOnly(values);
  if (values.check === "full" && values.store !== "lmdb") {
    throw new ConfigError("--check full: only a data directory can be walked");
  }
  const isFollowing = values.upstream.length > 0;
  if (values.waypoint.length > 0 && values.genesis === undefined && !isFollowing) {
    throw new ConfigError("--waypoint needs --genesis or --upstream");
  }
  if (values.waypoint.length > 1 && !isFollowing)
    throw new ConfigError("--waypoint: one is enough without --upstream");
  for (const name of ["agree", "start-version"] as const) {
    if (values[name] !== undefined && !isFollowing) throw new ConfigError(`--${name} needs --upstream`);
  }
  if (values["pass-through"] && !isFollowing) throw new ConfigError("--pass-through needs --upstream");
  if (isFollowing && values["local-chain"])
    throw new ConfigError("--local-chain: a node that follows makes no blocks");
  if (values.genesis !== undefined && values["start-version"] !== undefined) {
    throw new ConfigError("--start-version: a genesis file is where a ledger starts already");
  }
  for (const brand of values["header-brand"]) {
    if (!isHeaderBrand(brand)) {
      throw new ConfigError(
        `--header-brand: expected letters, digits and dashes, got ${JSON.stringify(brand)}`,
      );
    }
  }
}

/** The key comes from the environment only: flags can be seen by every user of the machine. */
function apiKey(): FollowOptions["apiKey"] {
  const { SEXTANT_UPSTREAM_API_KEY: value, SEXTANT_UPSTREAM_API_KEY_HEADER: header } = process.env;
  if (value === undefined || value === "") return undefined;
  if (header !== undefined && !/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(header)) {
    throw new ConfigError("SEXTANT_UPSTREAM_API_KEY_HEADER: expected the name of a header");
  }
  if (!/^[\x21-\x7e]{1,4096}$/.test(value)) {
    throw new ConfigError("SEXTANT_UPSTREAM_API_KEY: expected visible ASCII characters");
  }
  return { value, ...(header === undefined ? {} : { header: header.toLowerCase() }) };
}

function followOptions(values: StartValues): FollowOptions {
  const key = apiKey();
  return {
    upstreams: values.upstream,
    requestsPerSecond: values["upstream-rate"],
    pollMs: values["poll-time"],
    retryMs: values["retry-time"],
    faultAfterMs: values["give-up-time"],
    passThrough: values["pass-through"],
    ...(values.agree === undefined ? {} : { agree: values.agree }),
    ...(values["start-version"] === undefined ? {} : { startVersion: values["start-version"] }),
    ...(key === undefined ? {} : { apiKey: key }),
  };
}

function startNode(values: StartValues): Promise<Node> {
  const human = values["log-format"] === "auto" ? process.stderr.isTTY : values["log-format"] === "text";
  const isFollowing = values.upstream.length > 0;
  const readOnly = values["read-only"];
  const isLocal = !readOnly && !isFollowing && (values.genesis === undefined || values["local-chain"]);
  const progress =
    isLocal && values["block-time"] === 0 && values.blocks !== undefined
      ? startProgress("blocks", values.blocks)
      : undefined;
  return createNode({
    ...storeOf(values),
    ...(readOnly ? { readOnly } : {}),
    pruneWindow: values["prune-window"],
    logger: createLogger(values["log-level"], human ? "text" : "json"),
    http: {
      host: values.host,
      port: values.port,
      headerBrands: values["header-brand"].length === 0 ? ["NODE"] : values["header-brand"],
      encode: values.encode,
      jsonOutput: values["json-output"],
      bcsOutput: values["bcs-output"],
      startPage: values["start-page"],
      metrics: values.metrics,
      bodyLimitBytes: values["body-limit"],
      ...(values["max-lag"] === 0 ? {} : { maxLagMs: values["max-lag"] }),
      ...limitsOf(values),
      workers: values.workers,
      ...(values["metrics-port"] === undefined ? {} : { metricsPort: values["metrics-port"] }),
      ...(values["archive-url"] === undefined ? {} : { archiveUrl: values["archive-url"] }),
    },
    ...(values.genesis === undefined ? {} : { genesis: values.genesis }),
    ...(values.waypoint.length === 0 ? {} : { waypoint: values.waypoint }),
    ...(isFollowing ? { follow: followOptions(values) } : {}),
    ...(isLocal
      ? {
          localChain: {
            seed: values.seed,
            blockTimeMs: values["block-time"],
            ...(values.blocks === undefined ? {} : { blocks: values.blocks }),
            ...(progress === undefined
              ? {}
              : {
                  onBlock: (done: number) => {
                    progress.update(done);
                    if (done === values.blocks) progress.finish();
                  },
                }),
          },
        }
      : {}),
  });
}

async function placeOf(node: Node): Promise<string> {
  try {
    const { chain_id, ledger_version, oldest_ledger_version } = await node.ledgerInfo();
    return `chain ${chain_id}, version ${ledger_version}, oldest ${oldest_ledger_version}`;
  } catch (error) {
    if (error instanceof CodedError && error.code === "no_ledger") return "no ledger yet: waiting for one";
    throw error;
  }
}

/** Resolves when the process is told to stop; listens from the call on. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGTERM", () => resolve());
    process.once("SIGINT", () => resolve());
  });
}

/** The exit code where the check says no or the process is told to stop; undefined where the node may start. */
async function checkFirst(data: string, context: CommandContext): Promise<number | undefined> {
  try {
    const code = await checkApart(data, [], context);
    return code === EXIT_OK ? undefined : code;
  } catch (error) {
    if (error instanceof Interrupted) return EXIT_OK;
    throw error;
  }
}

export const startCommand = command({
  name: "start",
  summary: "Run a node: a local chain, a network's genesis, or a follower of full nodes",
  operands: "",
  options,
  exclusions,
  examples: [
    "sextant start",
    "sextant start --port 0 --data ./scratch --block-time 200ms --prune-window 10m",
    'sextant start --genesis genesis.blob --waypoint "$(cat waypoint.txt)"',
    "sextant start --upstream http://127.0.0.1:8080 --data ./replica --port 8081",
    "sextant start --upstream https://node.example --start-version latest --data ./network",
    "sextant start --store cassandra --store-url cassandra://10.0.0.1,10.0.0.2,10.0.0.3/sextant",
    "sextant start --store cassandra --store-url cassandra://10.0.0.1,10.0.0.2,10.0.0.3/sextant --read-only",
    "sextant start --config /etc/sextant.yaml",
  ],
  run: async (values, operands, context) => {
    operandsOf(operands, []);
    checkCombination(values);
    const { data } = storeOf(values);
    const stopped = stopSignal();
    if (values.check === "full" && data !== undefined && existsSync(data)) {
      const code = await checkFirst(data, context);
      if (code !== undefined) return code;
    }
    const node = await startNode(values);
    context.out([`sextant is ready: ${node.url} (${await placeOf(node)})`, ...guideLines(node)].join("\n"));
    const code = await Promise.race([stopped.then(() => EXIT_OK), node.faulted.then(() => EXIT_FAILED)]);
    await node.close();
    return code;
  },
});
