// Every command. A run loads only the file that it needs: most of a start is loading. Names and summaries stand here, so
// that the program's help loads no command.
import { CodedError, errorText } from "../base/errors.ts";
import { READ_COMMANDS } from "../interface/routes.ts";
import type { Command, CommandRecord } from "./command.ts";

/** The files of commands. Each exports commands, or lists of them. */
const FILES = {
  backup: () => import("./commands/backup.ts"),
  balances: () => import("./commands/balances.ts"),
  check: () => import("./commands/check.ts"),
  close: () => import("./commands/close.ts"),
  completion: async () => [(await import("./help/completion.ts")).completionCommand(loadCommands)],
  doctor: () => import("./commands/doctor.ts"),
  encode: () => import("./commands/encode.ts"),
  export: () => import("./commands/export.ts"),
  health: () => import("./commands/health.ts"),
  history: () => import("./commands/history.ts"),
  info: () => import("./commands/info.ts"),
  items: () => import("./commands/items.ts"),
  prove: () => import("./commands/prove.ts"),
  reads: () => import("./commands/reads.ts"),
  relay: () => import("./commands/relay.ts"),
  rewind: () => import("./commands/rewind.ts"),
  start: () => import("./commands/start.ts"),
  statement: () => import("./commands/statement.ts"),
  status: () => import("./commands/status.ts"),
  trace: () => import("./commands/trace.ts"),
  verify: () => import("./commands/verify.ts"),
  view: () => import("./commands/view.ts"),
  watch: () => import("./commands/watch.ts"),
} as const;

const readSummaries = Object.fromEntries(
  Object.entries(READ_COMMANDS).map(([name, { summary }]) => [`reads/${name}` as const, summary]),
);

/** Summaries of the commands by file and name, in the order that help shows. */
const COMMANDS: Readonly<Record<`${keyof typeof FILES}/${string}`, string>> = {
  "start/start":
    "Run a node: a local chain, a network's genesis, a follower of full nodes, or a fork of a network",
  "verify/verify-genesis": "Compute a genesis file's waypoint and compare it with the published one",
  "balances/balance": "Print an account's balance of a coin or fungible asset",
  "balances/balances": "Print many balances, all at the same version",
  "balances/detail": "Print what an account's balance is made of, and the asset's name and decimals",
  "history/history": "Print every change of an account's balance between two versions or times",
  "balances/holdings": "Print every asset of an account with its balance, all at one version",
  "statement/statement": "Print a checked statement of an account's balance over a period",
  "close/close":
    "Write balances, statements and their proofs at the end of every day, the days missed included",
  "watch/watch":
    "Print a balance now and then each change of it; without operands, the latest block and then each new block",
  "relay/relay":
    "Send each event that fits a filter to a receiver, as a signed webhook, in order, until it is taken",
  "items/raw-item": "Print the stored bytes of one table item as hex",
  "items/raw-items": "Print the stored bytes of many table items as hex, all at the same version",
  "items/table-items": "Print the rows of a table, all at one version, or count them",
  ...readSummaries,
  "reads/table-item": "Print one table item, decoded, by its key in JSON",
  "view/view": "Print what a view function of any module returns, as a JSON array",
  "trace/trace": "Print every call of a transaction, committed or not: arguments, gas, items, events, faults",
  "reads/transaction": "Print one transaction by its version or its hash",
  "reads/transactions": "Print a page of transactions, or of those that an account sent, as a JSON array",
  "reads/block": "Print a block by its height or by a version in it",
  "reads/gas-price": "Print the estimated prices of a unit of gas",
  "prove/prove":
    "Write a proof of balances, a resource, a module, a table item, a transaction or a payment, which sextant verify-proof checks without a node",
  "verify/verify-proof": "Check a proof, offline, from a waypoint that you trust",
  "encode/encode": "Print the bytes to sign for a JSON transaction request as hex",
  "encode/explain": "Print what a transaction would do, before it is signed",
  "info/info": "Print what a node is: software version, chain, sync state, storage",
  "status/status": "Print the head of the ledger: version, block, epoch, age of the latest block",
  "health/health": "Ask the node on this machine whether it is healthy: exit code 0 if so, 1 if not",
  "doctor/doctor":
    "Look at this machine, a data directory, upstreams, proof sources and a cluster, and say what is wrong",
  "check/check":
    "Verify every row of a data directory: hashes, indexes, state root; or the index of a cluster",
  "backup/backup": "Back up a consistent snapshot of a data directory (lmdb engine), and check the copy",
  "backup/restore": "Check a backup and restore it into a new or empty data directory (lmdb engine)",
  "export/export":
    "Write a ledger as plain files in the layout of a network's backups, with proofs, or add to them what is new",
  "rewind/rewind":
    "Set a store back to an earlier version, and remove all later ones, after a waypoint showed that they are not the network's",
  "completion/completion": "Print the script that completes commands and options in a shell",
};

/** Summaries by name. */
export const SUMMARIES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(COMMANDS).map(([key, summary]) => [key.split("/")[1], summary]),
);

/** A part of the program cannot be loaded. The launcher reports the cause, as it does for the program's first part. */
export class LoadError extends CodedError<"load"> {
  constructor(cause: unknown) {
    super("load", errorText(cause), { cause });
  }
}

/** Loads a command that has a summary. */
export async function loadCommand(name: string): Promise<Command> {
  const file = Object.keys(COMMANDS)
    .find((key) => key.endsWith(`/${name}`))
    ?.split("/")[0];
  try {
    const exported = Object.values(await FILES[file as keyof typeof FILES]()).flat() as CommandRecord[];
    const found = exported.find((one) => typeof one === "object" && one.name === name);
    if (found === undefined) throw new Error(`${file} has no command ${name}`);
    return { ...found, summary: SUMMARIES[name] ?? "" };
  } catch (error) {
    throw new LoadError(error);
  }
}

/** Loads every command, in the order that help shows. */
export function loadCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.keys(SUMMARIES).map(loadCommand));
}
