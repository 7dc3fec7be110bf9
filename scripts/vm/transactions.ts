// Transactions: status, gas, write set and events of each, one after the other on a state that follows the vectors.
import { toHex } from "../../src/base/hex.ts";
import { finish } from "../../src/base/pieces.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { areSignaturesValid } from "../../src/chain/submission/signatures.ts";
import { type Transaction, transactionCodec } from "../../src/ledger/formats/transaction.ts";
import { SubmissionError } from "../../src/transaction/submission-error.ts";
import { loadConfig } from "../../src/vm/ledger/chain-config.ts";
import { execute } from "../../src/vm/transaction/execute.ts";
import { encodeStatus } from "../../src/vm/transaction/status.ts";
import { cachedProgram, fromHex, Items, Tally, type Vectors, writeDifference } from "./vectors.ts";

/** What a transaction gave. */
interface Result {
  readonly status: { readonly keep?: string; readonly bcs?: string; readonly code?: number };
  readonly gas_used: number;
  readonly write_set: string | null;
  readonly events: readonly string[] | null;
}

interface TransactionVector {
  readonly index: number;
  readonly name: string;
  readonly group: string;
  readonly transaction: string;
  readonly transaction_index: number | null;
  /** Given in place of all others for a transaction that is kept back. */
  readonly apply?: string | null;
  readonly result: Result;
}

interface MainnetVectors {
  readonly code: readonly (readonly [string, string])[];
  readonly transactions: readonly {
    readonly version: string;
    readonly state: readonly (readonly [string, string])[];
    readonly transaction: string;
    readonly this_vm: { readonly with_code_of_all: Result };
  }[];
}

async function isSigned(transaction: Transaction): Promise<boolean> {
  if (transaction.kind !== "user") return true;
  try {
    return await areSignaturesValid(transaction.transaction);
  } catch (error) {
    // A scheme that this project does not check.
    if (error instanceof SubmissionError) return true;
    throw error;
  }
}

async function compare(
  bytes: string,
  items: Items,
  { status, gas_used, write_set, events }: Result,
  transactionIndex?: number,
): Promise<string[]> {
  const transaction = decodeWith(transactionCodec, fromHex(bytes));
  const { read } = items;
  const options = {
    read,
    programs: cachedProgram,
    config: loadConfig((key) => read(key)?.data),
    transactionIndex,
    areSignaturesValid: await isSigned(transaction),
  };
  const output = finish(execute(transaction, options));
  const differences: string[] = [];
  const got =
    output.status === undefined ? `discard ${output.discardCode}` : toHex(encodeStatus(output.status));
  const wanted = status.bcs ?? `discard ${status.code}`;
  if (got !== wanted) differences.push(`status ${got}, expected ${wanted} ${status.keep ?? ""}`);
  if (output.gasUsed !== gas_used) differences.push(`gas ${output.gasUsed}, expected ${gas_used}`);
  const writes = (write_set ?? "") === "" ? "0000" : (write_set ?? "");
  if (toHex(output.writeSet) !== writes) differences.push(writeDifference(output.writeSet, fromHex(writes)));
  if (output.events.map(toHex).join() !== (events ?? []).join())
    differences.push(`${output.events.length} events, expected ${(events ?? []).length}`);
  return differences;
}

export async function runTransactions(vectors: Vectors, name: string): Promise<Tally> {
  const items = vectors.genesis();
  const tally = new Tally(name);
  for (const vector of vectors.lines<TransactionVector>(name)) {
    const { index, group, result, transaction, transaction_index } = vector;
    if (vector.apply !== undefined) {
      items.apply(fromHex(vector.apply ?? ""));
      continue;
    }
    if (vectors.isWanted(vector.name, group)) {
      const differences = await compare(transaction, items, result, transaction_index ?? undefined);
      tally.add(`${index} [${group}] ${vector.name}`, differences, group);
    }
    items.apply(fromHex(result.write_set ?? ""));
  }
  return tally;
}

/** Five transactions of the main network, with the state that each needs. */
export async function runMainnet(vectors: Vectors): Promise<Tally> {
  const { code, transactions } = vectors.json<MainnetVectors>("mainnet-10m.json");
  const tally = new Tally("mainnet-10m");
  for (const { version, state, transaction, this_vm } of transactions) {
    if (!vectors.isWanted(version)) continue;
    const items = new Items();
    for (const [key, value] of [...code, ...state]) items.set(key, fromHex(value));
    tally.add(version, await compare(transaction, items, this_vm.with_code_of_all));
  }
  return tally;
}
