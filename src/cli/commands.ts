// Every command, in the order that help shows.
import type { Command } from "./command.ts";
import { accountCommand } from "./commands/account.ts";
import { backupCommand } from "./commands/backup.ts";
import { balanceCommand } from "./commands/balance.ts";
import { balancesCommand } from "./commands/balances.ts";
import { blockCommand } from "./commands/block.ts";
import { checkCommand } from "./commands/check.ts";
import { completionCommand } from "./commands/completion.ts";
import { copyCommand } from "./commands/copy.ts";
import { detailCommand } from "./commands/detail.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { encodeCommand } from "./commands/encode.ts";
import { explainCommand } from "./commands/explain.ts";
import { gasPriceCommand } from "./commands/gas-price.ts";
import { healthCommand } from "./commands/health.ts";
import { historyCommand } from "./commands/history.ts";
import { holdingsCommand } from "./commands/holdings.ts";
import { infoCommand } from "./commands/info.ts";
import { moduleCommand } from "./commands/module.ts";
import { modulesCommand } from "./commands/modules.ts";
import { proveCommand } from "./commands/prove.ts";
import { rawItemCommand } from "./commands/raw-item.ts";
import { rawItemsCommand } from "./commands/raw-items.ts";
import { resourceCommand } from "./commands/resource.ts";
import { resourcesCommand } from "./commands/resources.ts";
import { restoreCommand } from "./commands/restore.ts";
import { rewindCommand } from "./commands/rewind.ts";
import { startCommand } from "./commands/start.ts";
import { statementCommand } from "./commands/statement.ts";
import { statusCommand } from "./commands/status.ts";
import { tableItemCommand } from "./commands/table-item.ts";
import { tableItemsCommand } from "./commands/table-items.ts";
import { transactionCommand } from "./commands/transaction.ts";
import { transactionsCommand } from "./commands/transactions.ts";
import { verifyGenesisCommand } from "./commands/verify-genesis.ts";
import { verifyProofCommand } from "./commands/verify-proof.ts";
import { watchCommand } from "./commands/watch.ts";

/** The commands of the program. */
export const commands: readonly Command[] = [
  startCommand,
  verifyGenesisCommand,
  balanceCommand,
  balancesCommand,
  detailCommand,
  historyCommand,
  holdingsCommand,
  statementCommand,
  watchCommand,
  rawItemCommand,
  rawItemsCommand,
  tableItemsCommand,
  accountCommand,
  resourceCommand,
  resourcesCommand,
  moduleCommand,
  modulesCommand,
  tableItemCommand,
  transactionCommand,
  transactionsCommand,
  blockCommand,
  gasPriceCommand,
  proveCommand,
  verifyProofCommand,
  encodeCommand,
  explainCommand,
  infoCommand,
  statusCommand,
  healthCommand,
  doctorCommand,
  checkCommand,
  backupCommand,
  restoreCommand,
  copyCommand,
  rewindCommand,
  completionCommand(() => commands),
];
