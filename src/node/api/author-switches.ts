// What an author of tests does with a chain, as calls with JSON: for tests in other languages, over the faucet's port.
import { ConfigError } from "../../base/errors.ts";
import type { ChainAuthoring, ChainSnapshot } from "./test-authors.ts";

type Body = Readonly<Record<string, unknown>>;

/** By their names in the path. Each throws CodedError. */
export type Switches = Readonly<Record<string, (body: Body) => Promise<object>>>;

/** The oldest one is forgotten for the next. */
const MAX_SNAPSHOTS = 100;

/** A member that the call itself checks: it knows what it takes. */
function text(body: Body, name: string): string {
  return body[name] as string;
}

function amountOf({ amount }: Body): bigint {
  if (typeof amount !== "string" || !/^\d{1,20}$/.test(amount))
    throw new ConfigError(`amount: expected digits in a string, got ${JSON.stringify(amount)}`);
  return BigInt(amount);
}

export function createSwitches(authors: ChainAuthoring): Switches {
  const snapshots = new Map<string, ChainSnapshot>();
  let made = 0;
  return {
    set_balance: (body) =>
      authors.setBalance(text(body, "address"), text(body, "asset_type"), amountOf(body)),
    impersonate: async (body) => {
      const { function: called, type_arguments, arguments: args } = body;
      const call = { function: called, typeArguments: type_arguments, arguments: args };
      const { vmStatus: vm_status, ...done } = await authors.impersonate(
        text(body, "address"),
        call as Parameters<ChainAuthoring["impersonate"]>[1],
      );
      return { ...done, vm_status };
    },
    put_table_item: (body) =>
      authors.putTableItem(text(body, "table_handle"), text(body, "key"), text(body, "value") ?? undefined),
    publish: (body) => {
      const bytecode = text(body, "bytecode");
      // A folder is for callers in the process: this port reads no files.
      if (typeof bytecode !== "string" || !bytecode.startsWith("0x"))
        throw new ConfigError("bytecode: expected hex with 0x");
      return authors.publish(bytecode);
    },
    mine: ({ blocks }) => authors.mine(blocks as number | undefined),
    set_time: (body) => authors.setTime(text(body, "time")),
    advance_time: ({ ms }) => authors.advanceTime(ms as number),
    snapshot: async () => {
      const snapshot = await authors.snapshot();
      const [oldest] = snapshots.keys();
      if (snapshots.size === MAX_SNAPSHOTS && oldest !== undefined) snapshots.delete(oldest);
      const name = `${++made}`;
      snapshots.set(name, snapshot);
      return { snapshot: name, version: snapshot.version, timestamp_usec: snapshot.timestampUsec };
    },
    revert: (body) => {
      const found = snapshots.get(text(body, "snapshot"));
      if (found === undefined) throw new ConfigError("snapshot: expected one that this node made and keeps");
      return authors.revert(found);
    },
  };
}
