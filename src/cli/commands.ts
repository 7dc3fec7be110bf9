// Where each command is. A run loads only the command that it needs: most of a start is loading.
import { CodedError, errorText } from "../base/errors.ts";
import type { Command } from "./command.ts";
import { COMMAND_NAMES, type CommandName } from "./summaries.ts";

const LOADERS: Readonly<Record<CommandName, () => Promise<Command>>> = {
  start: async () => (await import("./commands/start.ts")).startCommand,
  "verify-genesis": async () => (await import("./commands/verify.ts")).verifyGenesisCommand,
  balance: async () => (await import("./commands/balances.ts")).balanceCommand,
  balances: async () => (await import("./commands/balances.ts")).balancesCommand,
  detail: async () => (await import("./commands/balances.ts")).detailCommand,
  history: async () => (await import("./commands/history.ts")).historyCommand,
  holdings: async () => (await import("./commands/balances.ts")).holdingsCommand,
  statement: async () => (await import("./commands/statement.ts")).statementCommand,
  watch: async () => (await import("./commands/watch.ts")).watchCommand,
  "raw-item": async () => (await import("./commands/items.ts")).rawItemCommand,
  "raw-items": async () => (await import("./commands/items.ts")).rawItemsCommand,
  "table-items": async () => (await import("./commands/items.ts")).tableItemsCommand,
  account: async () => (await import("./commands/reads.ts")).accountCommand,
  resource: async () => (await import("./commands/reads.ts")).resourceCommand,
  resources: async () => (await import("./commands/reads.ts")).resourcesCommand,
  module: async () => (await import("./commands/reads.ts")).moduleCommand,
  modules: async () => (await import("./commands/reads.ts")).modulesCommand,
  "table-item": async () => (await import("./commands/reads.ts")).tableItemCommand,
  transaction: async () => (await import("./commands/reads.ts")).transactionCommand,
  transactions: async () => (await import("./commands/reads.ts")).transactionsCommand,
  block: async () => (await import("./commands/reads.ts")).blockCommand,
  "gas-price": async () => (await import("./commands/reads.ts")).gasPriceCommand,
  view: async () => (await import("./commands/view.ts")).viewCommand,
  trace: async () => (await import("./commands/trace.ts")).traceCommand,
  prove: async () => (await import("./commands/prove.ts")).proveCommand,
  "verify-proof": async () => (await import("./commands/verify.ts")).verifyProofCommand,
  encode: async () => (await import("./commands/encode.ts")).encodeCommand,
  explain: async () => (await import("./commands/encode.ts")).explainCommand,
  info: async () => (await import("./commands/info.ts")).infoCommand,
  status: async () => (await import("./commands/status.ts")).statusCommand,
  health: async () => (await import("./commands/health.ts")).healthCommand,
  doctor: async () => (await import("./commands/doctor.ts")).doctorCommand,
  check: async () => (await import("./commands/check.ts")).checkCommand,
  backup: async () => (await import("./commands/backup.ts")).backupCommand,
  restore: async () => (await import("./commands/backup.ts")).restoreCommand,
  copy: async () => (await import("./commands/copy.ts")).copyCommand,
  rewind: async () => (await import("./commands/rewind.ts")).rewindCommand,
  completion: async () => (await import("./help/completion.ts")).completionCommand(loadCommands),
};

/** A part of the program cannot be loaded. The launcher reports the cause, as it does for the program's first part. */
export class LoadError extends CodedError<"load"> {
  constructor(cause: unknown) {
    super("load", errorText(cause), { cause });
  }
}

export async function loadCommand(name: CommandName): Promise<Command> {
  try {
    return await LOADERS[name]();
  } catch (error) {
    throw new LoadError(error);
  }
}

/** Loads every command, in the order that help shows. */
export function loadCommands(): Promise<readonly Command[]> {
  return Promise.all(COMMAND_NAMES.map(loadCommand));
}
