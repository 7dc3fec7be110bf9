// The interface modules: two parsers read their bytes, and their signatures match a network's framework.
import { readFileSync } from "node:fs";
import { deserialize, serialize } from "@mysten/move-bytecode-template";
import { describe, expect, it } from "vitest";
import { assembleDemo, renderModuleBytes } from "../../scripts/local-chain-modules/assemble.ts";
import { toHex } from "../../src/base/hex.ts";
import { demoModuleCode, frameworkModules } from "../../src/chain/genesis.ts";
import type { FunctionAbi, StructAbi } from "../../src/move/abi.ts";
import { parseAddress } from "../../src/move/address.ts";
import { readModule } from "../../src/move/bytecode/reader.ts";
import { genesisModules } from "../support/genesis-modules.ts";
import { hasShared } from "../support/shared.ts";

const DEMO = parseAddress("0xd3e0");
const framework = frameworkModules();

/** Functions that users encode first. */
const WANTED = [
  "aptos_account::transfer",
  "aptos_account::transfer_coins",
  "aptos_account::batch_transfer",
  "aptos_account::batch_transfer_coins",
  "aptos_account::create_account",
  "aptos_account::transfer_fungible_assets",
  "coin::transfer",
  "primary_fungible_store::transfer",
  "object::transfer",
  "object::transfer_call",
  "multisig_account::create",
  "multisig_account::create_with_owners",
  "multisig_account::create_transaction",
  "multisig_account::approve_transaction",
  "multisig_account::reject_transaction",
  "multisig_account::vote_transaction",
  "code::publish_package_txn",
  "resource_account::create_resource_account",
  "aptos_governance::vote",
  "aptos_governance::partial_vote",
  "aptos_governance::create_proposal_v2",
  "stake::add_stake",
  "delegation_pool::add_stake",
  "delegation_pool::unlock",
  "account::rotate_authentication_key",
  "managed_coin::register",
  "token::create_collection_script",
  "aptos_token::mint",
];

/** Drops what only newer formats contain. */
function printStruct({ name, abilities, typeParams, fields }: StructAbi) {
  return { name, abilities, typeParams, fields };
}

describe("modules of the local chain", () => {
  it("are up to date with their texts; otherwise run npm run modules", () => {
    const path = new URL("../../src/chain/module-bytes.ts", import.meta.url);
    expect(readFileSync(path, "utf8")).toBe(renderModuleBytes());
  });

  it("include the demo module, for any address", () => {
    for (const address of ["0xd3e0", `0x${"5a".repeat(32)}`].map(parseAddress)) {
      expect(toHex(demoModuleCode(address))).toBe(toHex(assembleDemo(address).bytes));
    }
  });

  it("have the functions that users encode first", () => {
    const functions = new Set(
      framework.flatMap(({ name, bytes }) =>
        readModule(bytes)
          .functions.filter(({ isEntry }) => isEntry)
          .map((fun) => `${name}::${fun.name}`),
      ),
    );
    expect(WANTED.filter((name) => !functions.has(name))).toEqual([]);
  });

  it.each(framework.map(({ name, bytes }) => [name, bytes] as const))(
    "%s parses with an independent parser, which writes the same bytes",
    (name, bytes) => {
      const tables = deserialize(bytes) as { readonly identifiers: readonly string[] };
      expect(tables.identifiers).toContain(name);
      expect(toHex(serialize(tables))).toBe(toHex(bytes));
    },
  );

  it.skipIf(!hasShared)("has the signatures that a network's framework has", () => {
    const real = genesisModules("devnet");
    let compared = 0;
    for (const { address, name, bytes } of framework) {
      const found = real.get(`${toHex(address)}::${name}`);
      expect(found, name).toBeDefined();
      const theirs = readModule(found!);
      for (const fun of readModule(bytes).functions) {
        const their: FunctionAbi | undefined = theirs.functions.find((one) => one.name === fun.name);
        expect(fun, `${name}::${fun.name}`).toEqual(their);
        compared++;
      }
      for (const struct of readModule(bytes).structs) {
        // Enums on the network, structs here: those of options have the same bytes, and a replay protector is never stored.
        if (name === "option" || struct.name === "ReplayProtector") continue;
        const their = theirs.structs.find((one) => one.name === struct.name);
        expect(printStruct(struct), `${name}::${struct.name}`).toEqual(their && printStruct(their));
        expect(struct.groupMemberOf).toBe(their?.groupMemberOf);
        expect(struct.groupScope).toBe(their?.groupScope);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(300);
  });

  it("have a demo module with one entry function for each parameter type", () => {
    const demo = readModule(demoModuleCode(DEMO));
    const names = demo.functions.filter(({ isEntry }) => isEntry).map(({ name }) => name);
    for (const bits of [8, 16, 32, 64, 128, 256]) {
      expect(names).toContain(`take_u${bits}`);
      expect(names).toContain(`take_i${bits}`);
    }
    expect(demo.structs.filter(({ variants }) => variants !== undefined).map(({ name }) => name)).toEqual([
      "Shape",
      "Choice",
    ]);
    const types = new Set(demo.functions.flatMap(({ params }) => params.map(({ kind }) => kind)));
    for (const kind of ["bool", "address", "vector", "struct", "parameter"]) expect(types).toContain(kind);
  });
});
