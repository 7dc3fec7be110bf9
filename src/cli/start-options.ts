// The options of `sextant start`: the flags of the node's tables, those that only the command line has, the rules between
// them, and how they become the node's options.
import { ConfigError } from "../base/errors.ts";
import {
  choiceOption,
  grouped,
  integerOption,
  type Option,
  type OptionRules,
  type OptionValues,
  pickOptions,
  switchOption,
  textOption,
  toNodeValues,
} from "../base/option.ts";
import {
  FOLLOW_TABLE,
  type FollowOptions,
  type ForkOptions,
  FRONTEND_NUMBERS,
  HTTP_TABLE,
  type HttpOptions,
  isSharedEngine,
  LOCAL_CHAIN_TABLE,
  NETWORK_NAMES,
  type Network,
  NODE_TABLE,
  type NodeOptions,
  parseOperand,
  readNetwork,
} from "../node.ts";
import { LOG_LEVELS } from "./log.ts";
import { storeOf, storeOptions, storeRules } from "./store-options.ts";

const storageFlags = pickOptions(NODE_TABLE.flags, ["read-only", "prune-window", "proof-window"]);
const originFlags = pickOptions(NODE_TABLE.flags, ["genesis", "waypoint"]);

const metricsPort = integerOption(
  "Serve /metrics on this port instead of the main one, or not at all",
  "PORT|off",
  {
    ...FRONTEND_NUMBERS.metricsPort,
    min: 1,
  },
);
const metricsPortOrOff: Option<number | "off" | undefined, ""> = {
  ...metricsPort,
  parse: (text) => (text === "off" ? text : metricsPort.parse(text)),
};

export const startOptions = {
  ...HTTP_TABLE.flags,
  ...grouped("Serving", {
    output: choiceOption(
      "Forms of responses to serve: JSON and BCS (all), or one of them; the other becomes 403",
      ["all", "json", "bcs"],
      "all",
    ),
    pages: choiceOption(
      "Pages for browsers: the console and the interactive API reference, plain pages, or none at /",
      ["console", "plain", "off"],
      "console",
    ),
    "metrics-port": metricsPortOrOff,
  }),
  ...grouped("Storage", {
    ...storeOptions,
    ...storageFlags,
    index: choiceOption(
      "Indexes to write: items, to list the balances of an account and the rows of a table; transactions, to find one by its hash or its sender",
      ["all", "items", "transactions", "off"],
      "all",
    ),
  }),
  ...grouped("Following", {
    network: textOption(
      `Network to follow, by name (${NETWORK_NAMES.join(", ")}) or by a JSON file of the same form: upstreams and their rate, chain id, waypoints, archive and backup folders, each unless you give your own. Prints what the node will ask`,
      "NAME|FILE",
    ),
  }),
  ...originFlags,
  ...FOLLOW_TABLE.flags,
  ...grouped("Local chain", {
    "local-chain": switchOption(
      "Make local blocks on top of --genesis; on by default without --genesis, --upstream and --read-only",
      false,
    ),
    fork: textOption(
      "Network to fork, by a full node of it: its state at --start-version or the latest version, which a data directory keeps, with local blocks on top; the key goes in SEXTANT_UPSTREAM_API_KEY",
      "URL",
    ),
    ...LOCAL_CHAIN_TABLE.flags,
  }),
  ...grouped("TLS", {
    "tls-cert": textOption(
      "Serve HTTPS with this certificate chain (PEM); the node reloads the file when it changes",
      "FILE",
    ),
    "tls-key": textOption("Private key of the certificate (PEM)", "FILE"),
  }),
  ...grouped("Logging", {
    "log-level": choiceOption("Least severe level to log", LOG_LEVELS, "info"),
    "log-format": choiceOption(
      "Log lines as JSON or readable text; auto is text on a terminal",
      ["auto", "json", "text"],
      "auto",
    ),
    config: textOption("YAML file with any of these options as keys, without the dashes", "FILE"),
  }),
};

export type StartValues = OptionValues<typeof startOptions>;
type StartOption = keyof typeof startOptions;

/** What `--upstream` can be given with, and nothing else but a fork its start. */
const FOLLOWING = ["agree", "proofs", "forward-submissions"] as const;
const ORIGINS = ["network", "genesis", "waypoint", "upstream", ...FOLLOWING, "local-chain"] as const;

const hasWorkers = ["workers", (workers: unknown) => workers !== 0] as const;
const isUnshared = ["store", (store: unknown) => !isSharedEngine(store)] as const;

function isFollowing(values: Readonly<Record<string, unknown>>): boolean {
  return values.network !== undefined || (Array.isArray(values.upstream) && values.upstream.length > 0);
}

function needs(options: readonly StartOption[], other: StartOption) {
  return {
    options,
    isMet: (values: Readonly<Record<string, unknown>>) => values[other] !== undefined,
    needs: `--${other}`,
  };
}

export const startRules: OptionRules<StartOption> = {
  exclusions: [
    ...storeRules.exclusions,
    { one: isUnshared, others: ["read-only"], refusal: ": no other process can write a store in memory" },
    {
      one: "read-only",
      others: [...ORIGINS, "start-version", "fork", "blocks"],
      refusal: ": a node that only reads (--read-only) writes no records",
    },
    {
      one: "fork",
      others: ORIGINS,
      refusal: ": a fork (--fork) begins with the state of its network, so it takes none",
    },
    {
      one: "fork",
      others: [hasWorkers],
      refusal: ": expected 0, because a fork (--fork) reads its network in one process",
    },
    {
      one: isUnshared,
      others: [hasWorkers],
      refusal: ": expected 0, because other processes cannot read a store in memory",
    },
    {
      one: "upstream",
      others: ["local-chain"],
      refusal: ": a node that follows (--upstream) makes no blocks",
    },
    {
      one: "network",
      others: ["local-chain"],
      refusal: ": a node that follows (--network) makes no blocks",
    },
    { one: "local-chain", others: [...FOLLOWING, "start-version"] },
    {
      one: "genesis",
      others: ["start-version"],
      refusal: ": expected no --genesis, which starts the ledger at version 0",
    },
    {
      one: "start-version",
      others: [hasWorkers],
      refusal: ": expected 0, because one process fetches the items of a ledger with --start-version",
    },
  ],
  requirements: [
    ...storeRules.requirements,
    { options: FOLLOWING, isMet: isFollowing, needs: "--upstream or --network" },
    {
      options: ["start-version"],
      isMet: (values) => isFollowing(values) || values.fork !== undefined,
      needs: "--upstream, --network or --fork",
    },
    {
      options: ["waypoint"],
      isMet: (values) => values.genesis !== undefined || isFollowing(values),
      needs: "--genesis, --upstream or --network",
    },
    {
      options: ["proofs"],
      isMet: ({ waypoint, network }) =>
        network !== undefined || (Array.isArray(waypoint) && waypoint.length > 0),
      needs: "--waypoint: signatures lead from a waypoint to the present",
    },
    needs(["trust-proxy"], "rate-limit"),
    needs(["tls-cert"], "tls-key"),
    needs(["tls-key"], "tls-cert"),
  ],
};

/** A key and its header. Only from the environment: every user of the machine can see flags. */
function apiKeyFrom(name: string, headerName: string): FollowOptions["apiKey"] {
  const { [name]: value, [headerName]: header } = process.env;
  if (value === undefined || value === "") return undefined;
  if (header !== undefined && !/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(header)) {
    throw new ConfigError(`${headerName}: expected the name of a header`);
  }
  if (!/^[\x21-\x7e]{1,4096}$/.test(value)) {
    throw new ConfigError(`${name}: expected visible ASCII characters`);
  }
  return { value, header: header?.toLowerCase() };
}

/** The only upstream's key, or one for each, numbered from 1 in the order of the upstreams. */
function apiKeys(upstreams: number): Pick<FollowOptions, "apiKey" | "apiKeys"> {
  const prefix = "SEXTANT_UPSTREAM_API_KEY";
  for (const name of Object.keys(process.env)) {
    const number = /^SEXTANT_UPSTREAM_API_KEY_(\d+)(_HEADER)?$/.exec(name)?.[1];
    if (number === undefined || (Number(number) >= 1 && Number(number) <= upstreams)) continue;
    throw new ConfigError(`${name}: expected a number from 1 to ${upstreams}, one per upstream`);
  }
  return {
    apiKey: apiKeyFrom(prefix, `${prefix}_HEADER`),
    apiKeys: Array.from({ length: upstreams }, (_, i) =>
      apiKeyFrom(`${prefix}_${i + 1}`, `${prefix}_${i + 1}_HEADER`),
    ),
  };
}

function httpOf(values: StartValues): HttpOptions {
  const { output, pages, "metrics-port": port, "tls-cert": certFile, "tls-key": keyFile } = values;
  return {
    ...toNodeValues(HTTP_TABLE.flags, values),
    bcsOutput: output !== "json",
    jsonOutput: output !== "bcs",
    startPage: pages !== "off",
    console: pages !== "plain",
    metrics: port !== "off",
    metricsPort: port === "off" ? undefined : port,
    tls: certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : undefined,
  };
}

function forkOf(values: StartValues): ForkOptions | undefined {
  const { fork: url, "start-version": start } = values;
  if (url === undefined) return undefined;
  const { apiKey, apiKeys: [numbered] = [] } = apiKeys(1);
  return {
    url,
    version:
      start === undefined || start === "latest"
        ? undefined
        : parseOperand("version", "--start-version", start),
    upstreamRate: values["upstream-rate"],
    apiKey: numbered ?? apiKey,
  };
}

/** What a network stands for, where the operator gave nothing else. */
function filledFrom(network: Network, given: StartValues): StartValues {
  const { upstreams, archiveUrl, buckets = [], waypoints = [] } = network;
  const start = given["start-version"] ?? (given.genesis === undefined ? network.startVersion : undefined);
  const isWhole = start === undefined;
  const orElse = (list: readonly string[], others: readonly string[]): readonly string[] =>
    list.length > 0 ? list : others;
  // Upstreams of a network prune: only an archive has the first versions, and only a whole ledger or state can use the buckets.
  const proofs = orElse(given.proofs, isWhole || given.state === "whole" ? buckets : []);
  const anchors = isWhole || proofs.length > 0 ? waypoints.map(({ waypoint }) => waypoint) : [];
  return {
    ...given,
    upstream: orElse(given.upstream, isWhole && archiveUrl ? [archiveUrl, ...upstreams] : upstreams),
    proofs,
    waypoint: [...new Set([...given.waypoint, ...anchors])],
    "start-version": start,
    "upstream-rate": given["upstream-rate"] ?? network.upstreamRate,
    "archive-url": given["archive-url"] ?? archiveUrl,
  };
}

/** What a node with `--network` will ask, a line each. */
export function networkLines(name: string, { follow, http, waypoint = [] }: NodeOptions): readonly string[] {
  const { upstreams = [], proofs = [], chainId, upstreamRate } = follow ?? {};
  const rate = upstreamRate === undefined ? "" : `, at most ${upstreamRate} requests per second`;
  return [
    `network ${name}${chainId === undefined ? "" : `, chain ${chainId}`}: the node will ask`,
    ...upstreams.map((url) => `  upstream  ${url}${rate}`),
    ...proofs.map((url) => `  proofs    ${url}`),
    ...(proofs.length + [waypoint].flat().length > 0
      ? []
      : ["  and takes their word: the network's waypoints and buckets count with --genesis or --proofs"]),
    ...[waypoint].flat().map((text) => `  and expects waypoint ${text}`),
    ...(http?.archiveUrl === undefined
      ? []
      : [`  and names ${http.archiveUrl} to clients for pruned versions`]),
  ];
}

/** The node's options, without callbacks and logger. Throws ConfigError. */
export function nodeOptionsOf(given: StartValues): NodeOptions {
  const network = given.network === undefined ? undefined : readNetwork(given.network);
  const values = network === undefined ? given : filledFrom(network, given);
  const { index, upstream, genesis, waypoint } = values;
  const follows = upstream.length > 0;
  if (waypoint.length > 1 && !follows)
    throw new ConfigError("--waypoint: expected one, unless --upstream is given");
  const isLocal = !values["read-only"] && !follows && (genesis === undefined || values["local-chain"]);
  return {
    store: storeOf(values),
    ...toNodeValues(storageFlags, values),
    ...toNodeValues(originFlags, values),
    index: index === "all" || index === "items",
    transactionIndex: index === "all" || index === "transactions",
    http: httpOf(values),
    fork: forkOf(values),
    follow: follows
      ? {
          ...toNodeValues(FOLLOW_TABLE.flags, values),
          ...apiKeys(upstream.length),
          chainId: network?.chainId,
        }
      : undefined,
    localChain: isLocal ? toNodeValues(LOCAL_CHAIN_TABLE.flags, values) : undefined,
  };
}
