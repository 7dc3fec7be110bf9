// What an author of tests does with a chain, as calls with JSON: for tests in other languages, over the faucet's port.
import { ConfigError } from "../../base/errors.ts";
import { shortenText } from "../../base/texts/text.ts";
import type { JsonSchema } from "../../http/field.ts";
import { hoistNamed, named } from "../../http/schemas/named.ts";
import type { ChainAuthoring, ChainSnapshot, TableTypes } from "./test-authors.ts";

type Body = Readonly<Record<string, unknown>>;

const TEXT: JsonSchema = { type: "string" };
const DIGITS: JsonSchema = { type: "string", pattern: "^[0-9]+$" };
const HEX: JsonSchema = { type: "string", description: "In hex, with 0x." };
const ADDRESS: JsonSchema = {
  type: "string",
  description: "An address in hex, or its name on a local chain.",
};
/** The JSON of any value, null to remove it, or BCS in hex. */
const VALUE: JsonSchema = {
  nullable: true,
  description: "JSON by the type, BCS in hex, or null to remove it.",
};
/** No chain has a name or a type as long as that, and parsing one would hold the event loop. */
const MAX_TEXT_LENGTH = 16_384;
const SHORT: readonly unknown[] = [TEXT, DIGITS, ADDRESS];
const TIME: JsonSchema = { oneOf: [TEXT, { type: "integer" }] };
const BYTES: JsonSchema = { type: "string", format: "binary" };

function object(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", ...(required.length > 0 ? { required } : {}), properties };
}

const AUTHORED = { version: DIGITS, hash: TEXT };
const HEAD = named(
  "LedgerHead",
  object({
    chain_id: { type: "integer" },
    epoch: DIGITS,
    ledger_version: DIGITS,
    oldest_ledger_version: DIGITS,
    ledger_timestamp: { ...DIGITS, description: "In microseconds since 1970." },
    node_role: TEXT,
    oldest_block_height: DIGITS,
    block_height: DIGITS,
  }),
);
const TABLE_ITEM = { table_handle: TEXT, key: {}, value: VALUE, key_type: TEXT, value_type: TEXT };
const CALL = {
  address: ADDRESS,
  function: TEXT,
  type_arguments: { type: "array", items: TEXT },
  arguments: { type: "array", items: {} },
};
const KEPT = { snapshot: TEXT, version: DIGITS, timestamp_usec: DIGITS };

/** What each switch does, takes and answers. */
const DOCUMENTED = {
  set_balance: [
    "Sets what an account holds of an asset, and changes its supply by the difference",
    object({ address: ADDRESS, asset_type: TEXT, amount: DIGITS }),
    object(AUTHORED),
  ],
  impersonate: [
    "Calls an entry function as any account, without its signature and without gas",
    object(CALL, ["type_arguments", "arguments"]),
    object({ ...AUTHORED, success: { type: "boolean" }, vm_status: TEXT }),
  ],
  set_resource: [
    "Writes a resource of an account, or removes it",
    object({ address: ADDRESS, type: TEXT, data: VALUE }),
    object(AUTHORED),
  ],
  put_table_item: [
    "Writes an item of a table, or removes it: key and value as BCS in hex, or in JSON with both types",
    object(TABLE_ITEM, ["key_type", "value_type"]),
    object(AUTHORED),
  ],
  publish: [
    "Publishes a module at the address that it names, or replaces it",
    object({ bytecode: HEX }),
    object({ ...AUTHORED, modules: { type: "array", items: TEXT } }),
  ],
  mine: [
    "Makes blocks",
    object({ blocks: { type: "integer", minimum: 1, maximum: 100_000 } }, ["blocks"]),
    HEAD,
  ],
  set_time: ["Makes a block at a later time: RFC 3339, or Unix seconds", object({ time: TIME }), HEAD],
  advance_time: [
    "Makes a block this many milliseconds later",
    object({ ms: { type: "integer", minimum: 1 } }),
    HEAD,
  ],
  snapshot: ["Keeps the chain in memory as it is", undefined, object(KEPT)],
  revert: [
    "Puts the chain back to a snapshot: takes what the snapshot answered",
    object(KEPT, ["version", "timestamp_usec"]),
    HEAD,
  ],
  dump_state: [
    "The whole ledger of a local chain, or what a fork added, as a page of records in BCS",
    undefined,
    BYTES,
  ],
  load_state: ["Puts a dumped ledger in the place of the chain's in memory", BYTES, HEAD],
} as const satisfies Record<
  string,
  readonly [summary: string, body: JsonSchema | undefined, answer: JsonSchema]
>;

/** By their names in the path. Each throws CodedError. */
export type Switches = Readonly<
  Record<keyof typeof DOCUMENTED, (body: Body, signal: AbortSignal) => Promise<object>>
>;

const REFUSAL = named("Refusal", object({ message: TEXT, error_code: TEXT }));

function contentOf(schema: JsonSchema): JsonSchema {
  return { [schema === BYTES ? "application/octet-stream" : "application/json"]: { schema } };
}

/** The OpenAPI document of the switches, which are on the faucet's port. */
export function switchesDocument(): object {
  const refused = (description: string): JsonSchema => ({ description, content: contentOf(REFUSAL) });
  const paths = Object.entries(DOCUMENTED).map(([name, [summary, body, answer]]) => [
    `/chain/${name}`,
    {
      post: {
        operationId: name,
        summary,
        ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body) } }),
        responses: {
          200: { description: "It is done, and committed.", content: contentOf(answer) },
          400: refused("The request or the chain does not allow it: the message says why."),
          403: refused(
            "The node is on an address that other machines reach, or a page of another machine asks.",
          ),
          429: refused("Too many requests wait."),
          503: refused("The chain makes no blocks just now."),
        },
      },
    },
  ]);
  const schemas: Record<string, unknown> = {};
  return {
    openapi: "3.0.3",
    info: {
      title: "Sextant: switches of a local chain or a fork",
      version: "1.0.0",
      description:
        "For authors of tests: changes of a chain that no account signs. Only on a loopback address.",
    },
    servers: [{ url: "/", description: "The faucet's port." }],
    paths: hoistNamed(Object.fromEntries(paths), schemas),
    components: { schemas },
  };
}

/** The oldest ones are forgotten for the next. */
const MAX_SNAPSHOTS = 100;
const MAX_SNAPSHOT_MIB = 256;

/** Throws ConfigError for a member that a switch does not have, and for one that it misses. */
function assertMembers(name: keyof Switches, body: Body): void {
  const schema: JsonSchema | undefined = DOCUMENTED[name][1];
  if (schema === BYTES) return;
  const properties = (schema?.properties ?? {}) as Body;
  for (const [member, given] of Object.entries(body)) {
    if (!Object.hasOwn(properties, member)) {
      const known = Object.keys(properties).join(", ") || "nothing";
      throw new ConfigError(`${shortenText(member)}: unknown; ${name} takes ${known}`);
    }
    if (!SHORT.includes(properties[member]) || typeof given !== "string") continue;
    if (given.length > MAX_TEXT_LENGTH)
      throw new ConfigError(`${member}: expected at most ${MAX_TEXT_LENGTH} characters, got ${given.length}`);
  }
  for (const member of (schema?.required ?? []) as readonly string[])
    if (body[member] === undefined) throw new ConfigError(`${member}: it is missing`);
}

/** A member that the call itself checks: it knows what it takes. */
function text(body: Body, name: string): string {
  return body[name] as string;
}

function amountOf({ amount }: Body): bigint {
  if (typeof amount !== "string" || !/^\d{1,20}$/.test(amount))
    throw new ConfigError(`amount: expected digits in a string, got ${shortenText(JSON.stringify(amount))}`);
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
        : `snapshot: expected one that this node made, got ${shortenText(JSON.stringify(name))}`,
    );
  }
}

export function createSwitches(authors: ChainAuthoring, maxSnapshotMib = MAX_SNAPSHOT_MIB): Switches {
  const snapshots = new NamedSnapshots(maxSnapshotMib);
  const switches: Switches = {
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
    set_time: (body) => authors.setTime(body.time as string | number),
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
  const checked = Object.entries(switches).map(([name, run]): [string, typeof run] => [
    name,
    async (body, signal) => {
      assertMembers(name as keyof Switches, body);
      return run(body, signal);
    },
  ]);
  return Object.fromEntries(checked) as Switches;
}
