// What an author of tests does with a chain, as calls with JSON: for tests in other languages, over the faucet's port.
import { ConfigError } from "../../base/errors.ts";
import type { ChainAuthoring, ChainSnapshot, TableTypes } from "./test-authors.ts";

type Body = Readonly<Record<string, unknown>>;

/** By their names in the path. Each throws CodedError. */
export type Switches = Readonly<Record<string, (body: Body, signal: AbortSignal) => Promise<object>>>;

/** The oldest ones are forgotten for the next. */
const MAX_SNAPSHOTS = 100;
const MAX_SNAPSHOT_MIB = 256;

/** A member that the call itself checks: it knows what it takes. */
function text(body: Body, name: string): string {
  return body[name] as string;
}

function amountOf({ amount }: Body): bigint {
  if (typeof amount !== "string" || !/^\d{1,20}$/.test(amount))
    throw new ConfigError(`amount: expected digits in a string, got ${JSON.stringify(amount)}`);
  return BigInt(amount);
}

/** The snapshots of other processes, by names that count them. */
class NamedSnapshots {
  readonly #maxMib: number;
  readonly #kept = new Map<string, ChainSnapshot>();
  #made = 0;
  #bytes = 0;

  constructor(maxMib: number) {
    this.#maxMib = maxMib;
  }

  /** Returns the name. The newest snapshot is kept, however large it is. */
  keep(snapshot: ChainSnapshot): string {
    const name = `${++this.#made}`;
    this.#kept.set(name, snapshot);
    this.#bytes += snapshot.bytes;
    for (const [oldest, { bytes }] of this.#kept) {
      if (oldest === name || (this.#kept.size <= MAX_SNAPSHOTS && this.#bytes <= this.#maxMib << 20)) break;
      this.#kept.delete(oldest);
      this.#bytes -= bytes;
    }
    return name;
  }

  /** Throws ConfigError for a name of none. */
  find(name: unknown): ChainSnapshot {
    const found = this.#kept.get(name as string);
    if (found !== undefined) return found;
    const isForgotten =
      typeof name === "string" && /^[1-9]\d{0,14}$/.test(name) && Number(name) <= this.#made;
    throw new ConfigError(
      isForgotten
        ? `snapshot: ${name} is forgotten: a node keeps the last ${MAX_SNAPSHOTS}, and at most ${this.#maxMib} MiB of them`
        : `snapshot: expected one that this node made, got ${JSON.stringify(name)}`,
    );
  }
}

export function createSwitches(authors: ChainAuthoring, maxSnapshotMib = MAX_SNAPSHOT_MIB): Switches {
  const snapshots = new NamedSnapshots(maxSnapshotMib);
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
    set_resource: (body) => {
      const { address, type, data } = body;
      // A body without the member may be a mistake; a removal must be asked for.
      if (data === undefined) throw new ConfigError("data: expected an object, hex with 0x, or null");
      return authors.setResource(
        address as string,
        type as string,
        (data ?? undefined) as object | undefined,
      );
    },
    put_table_item: (body) => {
      const { key, value, key_type: keyType, value_type: valueType } = body;
      const isTyped = keyType !== undefined || valueType !== undefined;
      const types = isTyped ? ({ keyType, valueType } as TableTypes) : undefined;
      return authors.putTableItem(text(body, "table_handle"), key, value ?? undefined, types);
    },
    publish: (body) => {
      const bytecode = text(body, "bytecode");
      // A folder is for callers in the process: this port reads no files.
      if (typeof bytecode !== "string" || !bytecode.startsWith("0x"))
        throw new ConfigError("bytecode: expected hex with 0x");
      return authors.publish(bytecode);
    },
    mine: ({ blocks }, signal) => authors.mine(blocks as number | undefined, { signal }),
    set_time: (body) => authors.setTime(text(body, "time")),
    advance_time: ({ ms }) => authors.advanceTime(ms as number),
    snapshot: async () => {
      const snapshot = await authors.snapshot();
      const { version, timestampUsec: timestamp_usec } = snapshot;
      return { snapshot: snapshots.keep(snapshot), version, timestamp_usec };
    },
    dump_state: () => authors.dumpState(),
    load_state: ({ bytes }) => authors.loadState(bytes as Uint8Array),
    revert: async ({ snapshot }) => authors.revert(snapshots.find(snapshot)),
  };
}
