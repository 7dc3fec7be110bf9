// Names and summaries of the commands, in the order that help shows. They stand apart from the commands, so that the
// program's help loads none of them.

export const SUMMARIES = {
  start: "Run a node: a local chain, a network's genesis, a follower of full nodes, or a fork of a network",
  "verify-genesis": "Compute a genesis file's waypoint and compare it with the published one",
  balance: "Print an account's balance of a coin or fungible asset",
  balances: "Print many balances, all at the same version",
  detail: "Print what an account's balance is made of, and the asset's name and decimals",
  history: "Print every change of an account's balance between two versions or times",
  holdings: "Print every asset of an account with its balance, all at one version",
  statement: "Print a checked statement of an account's balance over a period",
  watch:
    "Print a balance now and then each change of it; without operands, the latest block and then each new block",
  "raw-item": "Print the stored bytes of one table item as hex",
  "raw-items": "Print the stored bytes of many table items as hex, all at the same version",
  "table-items": "Print the rows of a table, all at one version, or count them",
  account: "Print the sequence number and authentication key of an account",
  resource: "Print one resource of an account, decoded",
  resources: "Print every resource of an account, one JSON object a line",
  module: "Print one module of an account with its ABI",
  modules: "Print every module of an account with its ABI, one JSON object a line",
  "table-item": "Print one table item, decoded, by its key in JSON",
  view: "Print what a view function of any module returns, as a JSON array",
  trace: "Print every call of a transaction, committed or not: arguments, gas, items, events, faults",
  transaction: "Print one transaction by its version or its hash",
  transactions: "Print a page of transactions, or of those that an account sent, as a JSON array",
  block: "Print a block by its height or by a version in it",
  "gas-price": "Print the estimated prices of a unit of gas",
  prove: "Write a proof of a balance or a table item, which sextant verify-proof checks without a node",
  "verify-proof": "Check a proof of a balance or a table item, offline, from a waypoint that you trust",
  encode: "Print the bytes to sign for a JSON transaction request as hex",
  explain: "Print what a transaction would do, before it is signed",
  info: "Print what a node is: software version, chain, sync state, storage",
  status: "Print the head of the ledger: version, block, epoch, age of the latest block",
  health: "Ask the node on this machine whether it is healthy: exit code 0 if so, 1 if not",
  doctor:
    "Look at this machine, a data directory, upstreams, proof sources and a cluster, and say what is wrong",
  check: "Verify every row of a data directory: hashes, indexes, state root; or the index of a cluster",
  backup: "Back up a consistent snapshot of a data directory (lmdb engine), and check the copy",
  restore: "Check a backup and restore it into a new or empty data directory (lmdb engine)",
  copy: "Copy a ledger into another data directory or a cluster, and verify it; resumes an interrupted copy",
  rewind:
    "Set a store back to an earlier version, and remove all later ones, after a waypoint showed that they are not the network's",
  completion: "Print the script that completes commands and options in a shell",
} as const;

export type CommandName = keyof typeof SUMMARIES;

export const COMMAND_NAMES = Object.keys(SUMMARIES) as readonly CommandName[];
