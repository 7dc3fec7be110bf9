// A value of the wrong type is refused by the name of its option, with what was expected; no option is forgotten.
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/base/errors.ts";
import type { ValueKind } from "../../src/base/option.ts";
import { createNode } from "../../src/node/create-node.ts";
import { CASSANDRA_TABLE } from "../../src/node/engines/cassandra.ts";
import { lmdbEngine } from "../../src/node/engines/lmdb.ts";
import { FOLLOW_TABLE } from "../../src/node/options/follow-options.ts";
import { HTTP_TABLE } from "../../src/node/options/http-options.ts";
import { FORK_TABLE, LOCAL_CHAIN_TABLE } from "../../src/node/options/local-chain-options.ts";
import { ACCOUNT_TABLE, NODE_TABLE } from "../../src/node/options/node-options.ts";
import { type OptionTable, valueKinds } from "../../src/node/options/option-table.ts";

const WRONG = [5, Number.NaN, "", "x", true, null, 5n, {}, [], [5], [null], () => {}, new Uint8Array(3)];

/** A number is checked with its bounds. */
const BOUNDED: ValueKind = { expected: "", fits: (value) => typeof value === "number" && value === 5 };

/** What each option of a table takes. */
function kindsOf(table: OptionTable): Readonly<Record<string, ValueKind>> {
  const numbers = Object.keys(table.numbers).map((name) => [name, BOUNDED]);
  return { ...valueKinds(table), ...Object.fromEntries(numbers) };
}

const accountWith = (name: string, value: unknown): object => ({
  accounts: [{ address: "0x1", [name]: value }],
});
const TABLES: readonly [
  prefix: string,
  table: OptionTable,
  given: (name: string, value: unknown) => object,
][] = [
  ["", NODE_TABLE, (name, value) => ({ [name]: value })],
  ["http.", HTTP_TABLE, within("http")],
  ["localChain.", LOCAL_CHAIN_TABLE, within("localChain")],
  ["follow.", FOLLOW_TABLE, within("follow")],
  ["fork.", FORK_TABLE, within("fork")],
  ["accounts[0].", ACCOUNT_TABLE, accountWith],
  ["store.", lmdbEngine.table, within("store", { engine: "lmdb", path: "nowhere" })],
  ["store.", CASSANDRA_TABLE, within("store", { engine: "cassandra", url: "127.0.0.1" })],
];

function within(part: string, others: object = {}) {
  return (name: string, value: unknown): object => ({ [part]: { ...others, [name]: value } });
}

async function refusal(options: unknown): Promise<unknown> {
  return createNode(options as object).then(
    async (node) => {
      await node.close();
      return "no error";
    },
    (error: unknown) => error,
  );
}

describe("a value of the wrong type", () => {
  const all = TABLES.flatMap(([prefix, table, given]) =>
    Object.entries(kindsOf(table)).map(([name, kind]) => ({ option: `${prefix}${name}`, name, kind, given })),
  );

  it.each(all)("of $option is refused by its name", async ({ option, name, kind, given }) => {
    const wrong = WRONG.filter((value) => !kind.fits(value));
    expect(wrong.length).toBeGreaterThan(0);
    for (const value of wrong) {
      const error = await refusal(given(name, value));
      expect(error).toBeInstanceOf(ConfigError);
      expect((error as Error).message).toMatch(/: expected /);
      expect((error as Error).message.startsWith(`${option}: `)).toBe(true);
    }
  });

  it("in the place of all options", async () => {
    for (const value of [5, null, "data", []]) {
      const error = await refusal(value);
      expect(error).toBeInstanceOf(ConfigError);
      expect((error as Error).message).toMatch(/^options: expected an object, got /);
    }
  });
});
