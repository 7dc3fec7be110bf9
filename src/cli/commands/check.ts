// `sextant check`: verifies every row of a data directory, or the index of a ledger in a cluster.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { childFlags } from "../../base/child-flags.ts";
import { switchOption, textOption, textOptionWithDefault } from "../../base/option.ts";
import {
  type CassandraOptions,
  checkClusterData,
  checkData,
  type IndexReport,
  type StoreReport,
} from "../../node.ts";
import { type CommandContext, command, EXIT_FAILED, EXIT_OK, operandsOf } from "../command.ts";
import { interruptible } from "../interrupt.ts";
import { startParts } from "../progress.ts";
import {
  CLUSTER_NAMES,
  clusterOf,
  clusterOptions,
  clusterRules,
  DEFAULT_DATA,
  directoryOf,
} from "../store-options.ts";
import { alignedLines } from "./info.ts";

function reportFields(report: StoreReport): Readonly<Record<string, unknown>> {
  return {
    chain_id: report.chainId,
    ledger_version: `${report.version}`,
    oldest_ledger_version: `${report.oldestVersion}`,
    records: report.records,
    records_anchored: report.recordsAnchored,
    writes_compared: report.writes,
    items: report.items,
    values: report.values,
    blocks: report.blocks,
    tree_nodes: report.treeNodes,
    index_rows: report.indexRows,
    rows_not_yet_pruned: report.leftovers,
    faults: report.faults,
    verdict: report.faults === 0 ? "sound" : "damaged",
  };
}

async function checkHere(data: string, asJson: boolean, context: CommandContext): Promise<number> {
  const progress = startParts();
  const onProgress = (done: number, total: number): void => progress.update("rows", done, total);
  const report = await interruptible((signal) => checkData(data, onProgress, signal));
  progress.finish();
  const fields = reportFields(report);
  if (asJson) context.out(JSON.stringify({ ...fields, findings: report.findings }));
  else for (const line of alignedLines(fields)) context.out(line);
  for (const finding of report.findings) context.err(`damaged: ${finding}`);
  return report.faults === 0 ? EXIT_OK : EXIT_FAILED;
}

function indexFields(report: IndexReport): Readonly<Record<string, unknown>> {
  return {
    chain_id: report.chainId,
    ledger_version: `${report.version}`,
    oldest_ledger_version: `${report.oldestVersion}`,
    checked: "the index only",
    indexed_to: report.indexedTo === undefined ? "none" : `${report.indexedTo}`,
    index_rows: report.indexRows,
    index_rows_without_item: report.withoutItem,
    faults: report.faults,
    verdict: report.faults === 0 ? "sound" : "damaged",
  };
}

async function checkCluster(
  store: CassandraOptions,
  asJson: boolean,
  context: CommandContext,
): Promise<number> {
  const report = await interruptible((signal) => checkClusterData(store, signal));
  const { findings, leftovers } = report;
  const fields = indexFields(report);
  if (asJson) context.out(JSON.stringify({ ...fields, leftovers, findings }));
  else for (const line of alignedLines(fields)) context.out(line);
  for (const text of leftovers) context.err(`left over: ${text}`);
  for (const finding of findings) context.err(`damaged: ${finding}`);
  return report.faults === 0 ? EXIT_OK : EXIT_FAILED;
}

/**
 * Runs the check in a child process, because reading a badly damaged file can crash. The child stops when the channel
 * to this process closes, so it never outlives this process.
 */
export async function checkInChild(
  data: string,
  flags: readonly string[],
  context: CommandContext,
): Promise<number> {
  const [, program = ""] = process.argv;
  const nodeFlags = childFlags(process.execArgv, { entry: program }, process.env.NODE_OPTIONS);
  const args = [...nodeFlags, program, "check", "--in-process", "--data", data, ...flags];
  return interruptible(async (stop) => {
    // The flags say everything: the child must not warn of this process's variables again.
    const variables = Object.entries(process.env).filter(([name]) => !name.startsWith("SEXTANT_"));
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: { ...Object.fromEntries(variables), SEXTANT_LOG_LEVEL: process.env.SEXTANT_LOG_LEVEL },
    });
    // Not "close": node does not emit it after this side disconnected.
    const exited = once(child, "exit");
    stop.addEventListener("abort", () => {
      if (child.connected) child.disconnect();
    });
    const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null];
    stop.throwIfAborted();
    if (code !== null) return code;
    context.err(`damaged: the file cannot be read: the check crashed with ${signal}`);
    return EXIT_FAILED;
  });
}

export const checkCommand = command({
  name: "check",
  operands: "",
  options: {
    data: textOptionWithDefault("Data directory to check; a node may be writing to it", "DIR", DEFAULT_DATA),
    "store-url": textOption(
      "Check the index of the ledger in this cluster instead: cassandra://HOST[:PORT][,HOST…]/KEYSPACE[/LEDGER]",
      "URL",
    ),
    ...clusterOptions,
    json: switchOption("Print a JSON object", false),
    "in-process": switchOption(
      "Check in this process instead of a child process; a badly damaged file may crash it",
      false,
    ),
  },
  exclusions: [{ one: "store-url", others: ["data", "in-process"] }, ...clusterRules.exclusions],
  requirements: [
    { options: CLUSTER_NAMES, isMet: (values) => values["store-url"] !== undefined, needs: "--store-url" },
    ...clusterRules.requirements,
  ],
  examples: [
    "sextant check",
    "sextant check --data /var/lib/sextant --json",
    "sextant check --store-url cassandra://10.0.0.1/sextant",
  ],
  run: (values, operands, context) => {
    operandsOf(operands, []);
    const { "store-url": url } = values;
    if (url !== undefined) return checkCluster(clusterOf(url, values), values.json, context);
    const data = directoryOf("data", values.data);
    if (values["in-process"]) return checkHere(data, values.json, context);
    return checkInChild(data, values.json ? ["--json"] : [], context);
  },
});
