// View calls: values or fault, and gas.
import { toHex } from "../../src/base/hex.ts";
import { STATUS_NAMES } from "../../src/http/printing/status-names.ts";
import { parseAddress } from "../../src/move/address.ts";
import { parseTypeTag } from "../../src/move/type-text.ts";
import { createType } from "../../src/transaction/requests/type-arguments.ts";
import { STATUS, VmError } from "../../src/vm/errors.ts";
import { loadConfig } from "../../src/vm/ledger/chain-config.ts";
import { ViewRun } from "../../src/vm/ledger/view-run.ts";
import { DecodedItems } from "../../src/vm/session.ts";
import { cachedProgram, fromHex, type Items, Tally, type Vectors } from "./vectors.ts";

interface ViewVector {
  readonly state: string;
  readonly function: string;
  readonly type_args: readonly string[];
  readonly args: readonly string[];
  readonly result: { readonly values?: readonly string[]; readonly error?: string };
  readonly gas_used: number;
}

const MAX_GAS = 2_000_000;

function stateAfter(vectors: Vectors, name: string): Items {
  const items = vectors.genesis();
  interface Line {
    readonly apply?: string | null;
    readonly result?: { readonly write_set: string | null };
  }
  for (const { apply, result } of vectors.lines<Line>(name))
    items.apply(fromHex(apply ?? result?.write_set ?? ""));
  return items;
}

/** Kind, place and code of a fault, from the text of the reference. */
function answerOf(text: string): string {
  const abort = /location: ([0-9a-f]+)::(\w+), code: (\d+)/.exec(text);
  if (abort !== null) return `abort ${abort[3]} ${abort[1]}::${abort[2]}`;
  return /Some\((\w+)\)\)$/.exec(text)?.[1] ?? text;
}

export function runViews(vectors: Vectors): Tally {
  // With what one view decoded for the next, as in a node.
  const known = (items: Items) => ({ items, decoded: new DecodedItems() });
  const states: Readonly<Record<string, ReturnType<typeof known>>> = {
    genesis: known(vectors.genesis()),
    after: known(stateAfter(vectors, "transactions.jsonl")),
    "after second": known(stateAfter(vectors, "transactions-2.jsonl")),
  };
  const tally = new Tally("views");
  for (const vector of vectors.lines<ViewVector>("views.jsonl")) {
    if (!vectors.isWanted(vector.function)) continue;
    const state = states[vector.state];
    if (state === undefined) throw new Error(`no state ${vector.state}`);
    const { items, decoded } = state;
    const read = (key: Uint8Array): Uint8Array | undefined => items.read(key)?.data;
    const run = new ViewRun({
      read,
      programs: cachedProgram,
      config: loadConfig(read),
      maxGas: MAX_GAS,
      decoded,
    });
    const got = call(run, vector);
    const { values, error } = vector.result;
    const wanted = error === undefined ? (values ?? []).join() : answerOf(error);
    const differences = got === wanted ? [] : [`${got.slice(0, 200)}, expected ${wanted.slice(0, 200)}`];
    if (run.gasUsed !== vector.gas_used) differences.push(`gas ${run.gasUsed}, expected ${vector.gas_used}`);
    tally.add(`${vector.function}<${vector.type_args.join()}>(${vector.args.join()})`, differences);
  }
  return tally;
}

function call(run: ViewRun, { function: called, type_args, args }: ViewVector): string {
  const [address = "", module = "", name = ""] = called.split("::");
  try {
    const { values } = run.call({
      address: toHex(parseAddress(address)),
      module,
      name,
      typeArgs: type_args.map((text) => createType(parseTypeTag(text))),
      args: args.map(fromHex),
    });
    return values.map(toHex).join();
  } catch (error) {
    if (!(error instanceof VmError)) throw error;
    return error.status === STATUS.aborted
      ? `abort ${error.subStatus} ${error.location}`
      : (STATUS_NAMES.get(error.status) ?? `${error.status}`);
  }
}
