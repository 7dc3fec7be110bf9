// A value of the wrong type is refused by the name of its option, with what was expected; no option is forgotten.
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/base/errors.ts";
import { HTTP_NUMBERS } from "../../src/http/server.ts";
import { LOCAL_CHAIN_NUMBERS } from "../../src/node/block-maker.ts";
import { createNode } from "../../src/node/create-node.ts";
import { FOLLOW_NUMBERS } from "../../src/node/following.ts";
import { FORK_NUMBERS } from "../../src/node/forking.ts";
import { FRONTEND_NUMBERS } from "../../src/node/http-options.ts";
import {
  ACCOUNT_NAMES,
  NODE_NAMES,
  type OptionKind,
  PART_NAMES,
  STORE_NAMES,
} from "../../src/node/known-options.ts";

const WRONG = [5, Number.NaN, "", "x", true, null, 5n, {}, [], [5], [null], () => {}, new Uint8Array(3)];

/** A number is checked with its bounds. */
const NUMBER: OptionKind = { expected: "", fits: (value) => typeof value === "number" && value === 5 };

function numbers(settings: object): Record<string, OptionKind> {
  return Object.fromEntries(Object.keys(settings).map((name) => [name, NUMBER]));
}

const accountWith = (name: string, value: unknown): object => ({
  accounts: [{ address: "0x1", [name]: value }],
});
const TABLES: readonly [
  prefix: string,
  kinds: Readonly<Record<string, OptionKind>>,
  given: (name: string, value: unknown) => object,
][] = [
  ["", NODE_NAMES, (name, value) => ({ [name]: value })],
  ["http.", { ...PART_NAMES.http, ...numbers({ ...HTTP_NUMBERS, ...FRONTEND_NUMBERS }) }, within("http")],
  ["localChain.", { ...PART_NAMES.localChain, ...numbers(LOCAL_CHAIN_NUMBERS) }, within("localChain")],
  ["follow.", { ...PART_NAMES.follow, ...numbers(FOLLOW_NUMBERS) }, within("follow")],
  ["fork.", { ...PART_NAMES.fork, ...numbers(FORK_NUMBERS) }, within("fork")],
  ["accounts[0].", ACCOUNT_NAMES, accountWith],
  ["store.", STORE_NAMES.lmdb, within("store", { engine: "lmdb", path: "nowhere" })],
  ["store.", STORE_NAMES.cassandra, within("store", { engine: "cassandra", url: "127.0.0.1" })],
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
  const all = TABLES.flatMap(([prefix, kinds, given]) =>
    Object.entries(kinds).map(([name, kind]) => ({ option: `${prefix}${name}`, name, kind, given })),
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
