// `sextant start`: runs a node until a signal or a fault stops it.
import { existsSync } from "node:fs";
import { ConfigError } from "../../base/errors.ts";
import {
  createNode,
  FOLLOW_NUMBERS,
  type FollowOptions,
  HTTP_DEFAULTS,
  isTryAgainFault,
  LOCAL_CHAIN_NUMBERS,
  NODE_DEFAULTS,
  type Node,
} from "../../node.ts";
import { showCatchingUp } from "../catching-up.ts";
import { hasColours } from "../colour.ts";
import { type CommandContext, command, EXIT_FAILED, EXIT_OK, operandsOf } from "../command.ts";
import { checkFork, FORK_EXCLUDES, forkOf, forkOptions } from "../fork-options.ts";
import { httpOf, limitGroups, servingGroup } from "../http-options.ts";
import { Interrupted } from "../interrupt.ts";
import { startLiveLine } from "../live-line.ts";
import { createLogger, LOG_LEVELS } from "../log.ts";
import {
  bytesOption,
  choiceOption,
  durationOption,
  type Exclusion,
  grouped,
  integerOption,
  listOption,
  type Option,
  type OptionValues,
  switchOption,
  textOption,
  textOptionWithDefault,
  toNodeValues,
} from "../option.ts";
import { rewrittenLine, startProgress } from "../progress.ts";
import { proofsLine, startScreen } from "../start-screen.ts";
import { storeExclusions, storeOf, storeOptions } from "../store-options.ts";
import { checkInChild } from "./check.ts";

const followOptions = {
  upstream: listOption(
    "Full node to follow. The API key of the first goes in SEXTANT_UPSTREAM_API_KEY_1, and so on (or in SEXTANT_UPSTREAM_API_KEY if there is only one); it is sent as Authorization: Bearer, or in the header that SEXTANT_UPSTREAM_API_KEY_1_HEADER names, and never over plain http to another machine",
    "URL",
  ),
  agree: textOption(
    "Number of upstreams that must agree before a commit, such as 2/3 for two of three",
    "NEEDED/OF",
  ),
  "start-version": textOption(
    "Start at the block that holds this version, or at the latest block, and fetch older items on first use",
    "VERSION|latest",
  ),
  proofs: {
    ...listOption(
      "Source of ledger infos that validators signed, which prove the followed history from --waypoint on: a backup folder (file, http or https), a node's backup service, or a peer (/dns/HOST/tcp/PORT/noise-ik/KEY/handshake/0)",
      "URL",
    ),
    suffix: "" as const,
  },
  "proof-poll-time": durationOption(
    "Pause between two questions to a backup service; a backup folder gets 30 times that",
    FOLLOW_NUMBERS.proofPollTimeMs,
  ),
  "forward-submissions": switchOption("Hand submitted transactions on to the first upstream", false),
  "upstream-rate": integerOption(
    "Limit on requests per second to each upstream; 0 for no limit",
    "COUNT",
    FOLLOW_NUMBERS.upstreamRate,
  ),
  "open-block-records": integerOption(
    "Limit on records of a block whose end has not arrived yet; the node sets aside an upstream that sends more",
    "COUNT",
    FOLLOW_NUMBERS.openBlockRecords,
  ),
  "open-block": bytesOption(
    "Limit on the memory for a block whose end has not arrived yet, in bytes",
    FOLLOW_NUMBERS.openBlockBytes,
  ),
  "verifying-process": switchOption(
    "Verify all records in the node's own process: far behind, it then catches up more slowly, but needs no second process of up to 140 MiB",
    true,
  ),
  "poll-time": durationOption("Pause between two polls for new blocks", FOLLOW_NUMBERS.pollTimeMs),
  "ready-lag": durationOption(
    "Age of the ledger up to which the node is ready while it is not at the head; 0 to be ready only at the head",
    FOLLOW_NUMBERS.readyLagMs,
  ),
  "retry-time": durationOption(
    "Pause before the first retry of a faulty upstream; it grows with each fault",
    FOLLOW_NUMBERS.retryTimeMs,
  ),
  "give-up-time": durationOption(
    "Exit when the upstreams have all failed the checks, or disagreed, for this long; unreachable ones do not count",
    FOLLOW_NUMBERS.giveUpTimeMs,
  ),
};

/** A port beside the main one: the node starts without it if it is taken. */
function portOption(help: string, fallback: number): Option<number | undefined, ""> {
  const { parse } = integerOption(help, "PORT", LOCAL_CHAIN_NUMBERS.faucetPort);
  return {
    help: `${help}; 0 picks a free one, off starts none; one that is taken is told and left out`,
    placeholder: "PORT|off",
    repeatable: false,
    parse: (text) => (text === "off" ? undefined : parse(text)),
    fallback,
    suffix: "",
  };
}

const localChainOptions = {
  seed: textOptionWithDefault(
    "Seed of the local chain's accounts and transactions",
    "TEXT",
    NODE_DEFAULTS.seed,
  ),
  "block-time": durationOption("Time between blocks of the local chain; 0 for as fast as possible", {
    ...LOCAL_CHAIN_NUMBERS.blockTimeMs,
    fallback: 1000,
  }),
  "epoch-time": durationOption(
    "Time between changes of the local chain's validators (default 10m, or that of the stored chain)",
    LOCAL_CHAIN_NUMBERS.epochTimeMs,
  ),
  traffic: switchOption(
    "Make no random transactions of the demo accounts, so that their sequence numbers and balances are yours alone",
    true,
  ),
  "faucet-port": portOption("Port of the local chain's faucet", 8081),
  "status-port": portOption(
    "Port of the processor status that the official TypeScript SDK asks for after funding",
    8090,
  ),
  blocks: integerOption(
    "Stop making blocks after this many, and keep serving (default no limit)",
    "COUNT",
    LOCAL_CHAIN_NUMBERS.blocks,
  ),
};

const options = {
  ...servingGroup,
  ...grouped("Storage", {
    ...storeOptions,
    "read-only": switchOption(
      "Serve a store that another process writes, and write nothing; if there is no store yet, wait for it",
      false,
    ),
    "prune-window": textOptionWithDefault(
      "History to keep: a time (24h, 30d), a number of versions, or off to keep all",
      "WINDOW",
      NODE_DEFAULTS.pruneWindow,
    ),
    "proof-window": textOption(
      "How far back proofs can be made: a time, a number of versions, or off (default 10m on a local chain and with --proofs, else off)",
      "WINDOW",
    ),
    index: switchOption(
      "Write no index; without it, the node cannot list the balances of an account or the rows of a table",
      true,
    ),
    "transaction-index": switchOption(
      "Write no index of transactions; without it, the node cannot find a transaction by its hash or its sender",
      true,
    ),
    check: choiceOption(
      "Verify the store's head (quick) or every row (full, lmdb only) before serving",
      ["quick", "full"],
      "quick",
    ),
  }),
  ...grouped("Following", {
    genesis: textOption("Genesis file of the network to serve", "FILE"),
    waypoint: listOption(
      "Published waypoint to check: version 0 against the genesis, later versions against the followed history",
      "VERSION:HASH",
    ),
    ...followOptions,
  }),
  ...grouped("Local chain", {
    "local-chain": switchOption(
      "Make local blocks on top of --genesis; on by default without --genesis, --upstream and --read-only",
      false,
    ),
    ...forkOptions,
    ...localChainOptions,
  }),
  ...limitGroups,
  ...grouped("Logging", {
    "log-level": choiceOption("Least severe level to log", LOG_LEVELS, "info"),
    "log-format": choiceOption(
      "Log lines as JSON or readable text; auto is text on a terminal",
      ["auto", "json", "text"],
      "auto",
    ),
    "log-requests": switchOption(
      "Log a line for each request: method, path, status, milliseconds, bytes, request id",
      HTTP_DEFAULTS.logRequests,
    ),
    config: textOption("YAML file with any of these options as keys, without the dashes", "FILE"),
  }),
};

type StartValues = OptionValues<typeof options>;

/** Options that need --upstream. */
const FOLLOWING = ["upstream", "agree", "start-version", "proofs", "forward-submissions"] as const;

const isFullCheck = ["check", (check: unknown) => check === "full"] as const;
const hasWorkers = ["workers", (workers: unknown) => workers !== 0] as const;
const isInMemory = ["store", (store: unknown) => store === "memory"] as const;

const exclusions: readonly Exclusion<keyof typeof options>[] = [
  ...storeExclusions,
  { one: isInMemory, others: [hasWorkers] },
  { one: ["store", (store) => store !== "lmdb"], others: [isFullCheck] },
  {
    one: "read-only",
    others: ["genesis", "waypoint", ...FOLLOWING, "local-chain", "fork", "blocks", isFullCheck, isInMemory],
  },
  { one: "fork", others: [...FORK_EXCLUDES, hasWorkers] },
  { one: "local-chain", others: FOLLOWING },
  { one: "start-version", others: ["genesis", hasWorkers] },
];

/** Options that --read-only excludes. */
const WRITING = ["genesis", "waypoint", "upstream", "proofs", "local-chain", "fork", "blocks"] as const;

function checkReadOnly(values: StartValues): void {
  if (!values["read-only"]) return;
  if (values.store === "memory")
    throw new ConfigError("--read-only: no other process can write a store in memory");
  for (const name of WRITING) {
    const value = values[name];
    if (value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)) {
      throw new ConfigError(`--${name}: a node that only reads (--read-only) writes no records`);
    }
  }
  if (values.check === "full")
    throw new ConfigError("--check full: expected a node that writes; with --read-only use sextant check");
}

function checkCombination(values: StartValues): void {
  checkReadOnly(values);
  checkFork(values);
  if (values.check === "full" && values.store !== "lmdb") {
    throw new ConfigError(`--check full: serves the lmdb engine, not ${values.store}`);
  }
  const isFollowing = values.upstream.length > 0;
  if (values.waypoint.length > 0 && values.genesis === undefined && !isFollowing) {
    throw new ConfigError("--waypoint needs --genesis or --upstream");
  }
  if (values.waypoint.length > 1 && !isFollowing)
    throw new ConfigError("--waypoint: expected one, unless --upstream is given");
  for (const name of ["agree", "start-version"] as const) {
    if (values[name] !== undefined && !isFollowing) throw new ConfigError(`--${name} needs --upstream`);
  }
  if (values.proofs.length > 0 && !isFollowing) throw new ConfigError("--proofs needs --upstream");
  if (values.proofs.length > 0 && values.waypoint.length === 0) {
    throw new ConfigError("--proofs needs --waypoint: signatures lead from a waypoint to the present");
  }
  if (values["forward-submissions"] && !isFollowing)
    throw new ConfigError("--forward-submissions needs --upstream");
  if (isFollowing && values["local-chain"])
    throw new ConfigError("--local-chain: a node that follows (--upstream) makes no blocks");
  if (values.genesis !== undefined && values["start-version"] !== undefined) {
    throw new ConfigError("--start-version: expected no --genesis, which starts the ledger at version 0");
  }
}

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

function startNode(values: StartValues): Promise<Node> {
  const human = values["log-format"] === "auto" ? process.stderr.isTTY : values["log-format"] === "text";
  const isFollowing = values.upstream.length > 0;
  const readOnly = values["read-only"];
  const isLocal = !readOnly && !isFollowing && (values.genesis === undefined || values["local-chain"]);
  const progress =
    isLocal && values["block-time"] === 0 && values.blocks !== undefined
      ? startProgress("blocks", values.blocks)
      : undefined;
  const logger = createLogger(values["log-level"], human ? "text" : "json");
  return createNode({
    store: storeOf(values),
    readOnly,
    pruneWindow: values["prune-window"],
    proofWindow: values["proof-window"],
    index: values.index,
    transactionIndex: values["transaction-index"],
    logger,
    http: { ...httpOf(values), logRequests: values["log-requests"] },
    genesis: values.genesis,
    waypoint: values.waypoint,
    fork: forkOf(values, () => {
      const { apiKey, apiKeys: [numbered] = [] } = apiKeys(1);
      return numbered ?? apiKey;
    }),
    follow: isFollowing
      ? {
          ...toNodeValues(followOptions, values),
          ...apiKeys(values.upstream.length),
          onProgress: showCatchingUp({ logger, isSilent: values["log-level"] === "silent" }),
        }
      : undefined,
    localChain: isLocal
      ? {
          ...toNodeValues(localChainOptions, values),
          onBlock: (made) => {
            progress?.update(made);
            if (made === values.blocks) progress?.finish();
          },
        }
      : undefined,
  });
}

async function positionText(node: Node): Promise<string> {
  const { chain_id, ledger_version, oldest_ledger_version } = await node.ledgerInfo();
  const { fork } = await node.info();
  const label = fork === undefined ? "" : `, ${fork}`;
  return `chain ${chain_id}, version ${ledger_version}, oldest ${oldest_ledger_version}${label}`;
}

/** Says that the node listens, if it is not ready yet, and then shows the start screen. False if the node ended before. */
async function announce(node: Node, context: CommandContext): Promise<boolean> {
  const reason = await node.unreadyReason();
  if (reason !== undefined) {
    context.out(`sextant is listening: ${node.url} (not ready: ${reason})`);
    // A fault or a signal ends the command.
    const isReady = await node.untilReady().then(
      () => true,
      () => false,
    );
    if (!isReady) return false;
  }
  const { environment } = context;
  const isColoured = hasColours(process.stdout, environment);
  const { proofUrl } = node;
  const proofs = proofUrl && (await proofsLine(proofUrl));
  context.out(startScreen(node, { position: await positionText(node), proofs, isColoured, environment }));
  return true;
}

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** `stopped` resolves at the first SIGTERM or SIGINT, unless `ignore` was called before. */
function stopSignal(): { readonly stopped: Promise<void>; readonly ignore: () => void } {
  let stop = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  return {
    stopped,
    ignore: () => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
    },
  };
}

/** Runs the full check; returns an exit code if it failed or was interrupted, undefined if the node may start. */
async function checkFirst(data: string, context: CommandContext): Promise<number | undefined> {
  try {
    const code = await checkInChild(data, [], context);
    return code === EXIT_OK ? undefined : code;
  } catch (error) {
    if (error instanceof Interrupted) return EXIT_OK;
    throw error;
  }
}

export { options as startOptions };

export const startCommand = command({
  name: "start",
  operands: "",
  options,
  mainOptions: [
    "data",
    "store",
    "host",
    "port",
    "genesis",
    "waypoint",
    "upstream",
    "block-time",
    "prune-window",
    "config",
  ],
  exclusions,
  examples: [
    "sextant start",
    "sextant start --port 0 --data ./scratch --block-time 200ms --prune-window 10m",
    'sextant start --genesis genesis.blob --waypoint "$(cat waypoint.txt)"',
    "sextant start --upstream http://127.0.0.1:8080 --data ./replica --port 8082",
    "sextant start --upstream https://node.example --start-version latest --data ./network",
    "sextant start --fork https://node.example --data ./fork",
    "sextant start --store cassandra --store-url cassandra://10.0.0.1,10.0.0.2,10.0.0.3/sextant",
    "sextant start --store cassandra --store-url cassandra://10.0.0.1,10.0.0.2,10.0.0.3/sextant --read-only",
    "sextant start --config /etc/sextant.yaml",
  ],
  run: async (values, operands, context) => {
    operandsOf(operands, []);
    checkCombination(values);
    const store = storeOf(values);
    const stop = stopSignal();
    try {
      if (values.check === "full" && store.engine === "lmdb" && existsSync(store.path)) {
        const code = await checkFirst(store.path, context);
        if (code !== undefined) return code;
      }
      const node = await startNode(values);
      const ended = Promise.race([stop.stopped.then(() => undefined), node.faulted]);
      let endLiveLine = (): void => {};
      const announced = announce(node, context).then((isReady) => {
        if (isReady) endLiveLine = startLiveLine(node, process.stderr);
      });
      await Promise.race([ended, announced]);
      const fault = await ended;
      endLiveLine();
      await node.close();
      // Progress of a follower may stand on the last line.
      if (process.stderr.isTTY) process.stderr.write(rewrittenLine(""));
      if (node.closedAt !== undefined) context.out(`sextant stopped at version ${node.closedAt}`);
      if (isTryAgainFault(fault)) throw fault;
      return fault === undefined ? EXIT_OK : EXIT_FAILED;
    } finally {
      stop.ignore();
    }
  },
});
