// `sextant start`: runs a node until a signal or a fault stops it.
import { createNode, isTryAgainFault, type Node, type NodeOptions } from "../../node.ts";
import { hasColours } from "../colour.ts";
import { type CommandContext, command, EXIT_FAILED, EXIT_OK, operandsOf } from "../command.ts";
import { createLogger } from "../log.ts";
import { rewrittenLine, showCatchingUp, startLiveLine, startParts } from "../progress.ts";
import { networkLines, nodeOptionsOf, type StartValues, startOptions, startRules } from "../start-options.ts";
import { proofsLine, startScreen } from "../start-screen.ts";

function startNode(values: StartValues, options: NodeOptions, signal: AbortSignal): Promise<Node> {
  const human = values["log-format"] === "auto" ? process.stderr.isTTY : values["log-format"] === "text";
  const logger = createLogger(values["log-level"], human ? "text" : "json");
  const { follow, localChain } = options;
  const { blocks } = values;
  const progress = localChain?.blockTimeMs === 0 && blocks !== undefined ? startParts() : undefined;
  const parts: NodeOptions = {
    ...options,
    logger,
    follow: follow && {
      ...follow,
      onProgress: showCatchingUp({ logger, isSilent: values["log-level"] === "silent" }),
    },
    localChain: localChain && {
      ...localChain,
      onBlock: (made) => {
        progress?.update("blocks", made, blocks ?? 0);
        if (made === blocks) progress?.finish();
      },
    },
  };
  return createNode(parts, signal);
}

async function positionText(node: Node): Promise<string> {
  const { chain_id, ledger_version, oldest_ledger_version } = await node.ledgerInfo();
  const { fork } = await node.info();
  const label = fork === undefined ? "" : `, ${fork}`;
  return `chain ${chain_id}, version ${ledger_version}, oldest ${oldest_ledger_version}${label}`;
}

/** Says that the node listens, if it is not ready yet, and then shows the start screen. False if the node ended before. */
async function announce(node: Node, hasConsole: boolean, context: CommandContext): Promise<boolean> {
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
  const position = await positionText(node);
  context.out(startScreen(node, { position, hasConsole, proofs, isColoured, environment }));
  return true;
}

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** `signal` aborts at the first SIGTERM or SIGINT, unless `ignore` was called before. */
function stopSignal(): { readonly signal: AbortSignal; readonly ignore: () => void } {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  for (const signal of STOP_SIGNALS) {
    const launchers = process.listeners(signal);
    // Before the launcher's listener goes: with none, Node loses a signal that came while the program was loaded.
    process.once(signal, stop);
    for (const listener of launchers) process.off(signal, listener);
  }
  // Node would open a port for debuggers.
  process.on("SIGUSR1", () => {});
  return {
    signal: stopping.signal,
    ignore: () => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
    },
  };
}

export const startCommand = command({
  name: "start",
  operands: "",
  options: startOptions,
  headings: ["Serving", "Limits", "Storage", "Following", "Local chain", "TLS", "Logging"],
  mainOptions: [
    "data",
    "store",
    "host",
    "port",
    "network",
    "genesis",
    "upstream",
    "block-time",
    "prune-window",
    "config",
  ],
  ...startRules,
  examples: [
    "sextant start",
    "sextant start --port 0 --data ./scratch --block-time 200ms --prune-window 10m",
    'sextant start --genesis genesis.blob --waypoint "$(cat waypoint.txt)"',
    "sextant start --upstream http://127.0.0.1:8080 --data ./replica --port 8082",
    "sextant start --upstream https://node.example --start-version latest --data ./network",
    "sextant start --network mainnet --data ./mainnet",
    "sextant start --fork https://node.example --data ./fork",
    "sextant start --store cassandra --store-url cassandra://10.0.0.1,10.0.0.2,10.0.0.3/sextant",
    "sextant start --store cassandra --store-url cassandra://10.0.0.1,10.0.0.2,10.0.0.3/sextant --read-only",
    "sextant start --config /etc/sextant.yaml",
  ],
  run: async (values, operands, context) => {
    operandsOf(operands, []);
    const stop = stopSignal();
    try {
      const options = nodeOptionsOf(values);
      if (values.network !== undefined)
        for (const line of networkLines(values.network, options)) context.out(line);
      const node = await startNode(values, options, stop.signal);
      const stopped = new Promise<void>((resolve) => {
        stop.signal.addEventListener("abort", () => resolve());
      });
      const ended = Promise.race([stopped.then(() => undefined), node.faulted]);
      let endLiveLine = (): void => {};
      const announced = announce(node, values.pages === "console", context).then((isReady) => {
        if (isReady) endLiveLine = startLiveLine(node, process.stderr);
      });
      // A node whose start screen fails still drains, and releases its store.
      const fault = await Promise.race([ended, announced.then(() => ended)]).finally(() => {
        endLiveLine();
        return node.close();
      });
      // Progress of a follower may stand on the last line.
      if (process.stderr.isTTY) process.stderr.write(rewrittenLine(""));
      if (node.closedAt !== undefined) context.out(`sextant stopped at version ${node.closedAt}`);
      if (isTryAgainFault(fault)) throw fault;
      return fault === undefined ? EXIT_OK : EXIT_FAILED;
    } catch (error) {
      if (!stop.signal.aborted || error !== stop.signal.reason) throw error;
      return EXIT_OK;
    } finally {
      stop.ignore();
    }
  },
});
