// Native functions with modules of our own, with results worked out by hand, and the list of those that are missing.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseAbiType } from "../../scripts/local-chain-modules/notation.ts";
import { toHex } from "../../src/base/hex.ts";
import { finish } from "../../src/base/pieces.ts";
import { sha3 } from "../../src/base/sha3.ts";
import type { AbiType } from "../../src/move/abi.ts";
import { findNative, nativeNames } from "../../src/vm/native-table.ts";
import { CRYPTO_NATIVES } from "../../src/vm/natives/crypto/index.ts";
import type { NativeContext } from "../../src/vm/natives.ts";
import type { TransactionFacts } from "../../src/vm/session.ts";
import { byteVec, Ref, Struct, signerOf, type Value, Vec } from "../../src/vm/values.ts";
import { genesisModules } from "../support/genesis-modules.ts";
import { STRUCTS } from "../support/instruction-cases.ts";
import { loadedModule, moduleOf, outcomeOf, TestMachine } from "../support/machine.ts";
import { hasShared } from "../support/shared.ts";

const ONE = `${"0".repeat(63)}1`;
const AT = "ab".repeat(32);
const text = (value: string): Vec => byteVec(Buffer.from(value));
const string = (value: string): Struct => new Struct([text(value)]);
const ref = (value: Value): Ref => new Ref([value], 0);
const hashed = (...parts: readonly Uint8Array[]): string => toHex(sha3(Buffer.concat(parts)));
/** What the hash of the session and the first number of a counter give. */
const SESSION = new Uint8Array(32).fill(7);
const FACTS: TransactionFacts = {
  sender: AT,
  secondarySigners: [ONE],
  gasPayer: ONE,
  maxGasAmount: 5n,
  gasUnitPrice: 6n,
  entry: { address: ONE, module: "m", name: "f", typeArgs: ["u8"], args: [Uint8Array.of(1)] },
  transactionIndex: 3,
  sessionCounter: 2,
};

type Outcome = readonly Value[] | string;
/** Arguments, type arguments, results or a fault. */
type Case = readonly [args: readonly Value[], types: readonly string[], gives: Outcome];

const digest = (name: string) => createHash(name).update("abc").digest();
const entry = new Struct([
  ONE,
  string("m"),
  string("f"),
  new Vec("other", [string("u8")]),
  new Vec("other", [byteVec(Buffer.of(1))]),
]);
const aggregator = (): Ref => ref(new Struct([5n, 9n]));
const snapshot = (): Ref => ref(new Struct([5n]));

/** Cases by module and name; each has a session of its own. */
const CASES: Readonly<Record<string, readonly Case[]>> = {
  "bcs::to_bytes": [
    [[ref(new Struct([1n, true]))], ["0xcafe::m::Pair"], [byteVec(Buffer.of(1, 0, 0, 0, 0, 0, 0, 0, 1))]],
  ],
  "bcs::serialized_size": [[[ref(text("abc"))], ["vector<u8>"], [4n]]],
  "bcs::constant_serialized_size": [
    [[], ["0xcafe::m::Pair"], [new Struct([9n], 1)]],
    [[], ["vector<u8>"], [new Struct([], 0)]],
  ],
  "hash::sha2_256": [[[text("abc")], [], [byteVec(digest("sha256"))]]],
  "hash::sha3_256": [[[text("abc")], [], [byteVec(digest("sha3-256"))]]],
  "string::internal_check_utf8": [
    [[ref(text("é"))], [], [true]],
    [[ref(byteVec(Buffer.of(0xc3)))], [], [false]],
  ],
  "string::internal_is_char_boundary": [
    [[ref(text("é")), 0n], [], [true]],
    [[ref(text("é")), 1n], [], [false]],
    [[ref(text("é")), 2n], [], [true]],
    [[ref(text("é")), 3n], [], [false]],
  ],
  "string::internal_sub_string": [
    [[ref(text("abcd")), 1n, 3n], [], [text("bc")]],
    [[ref(text("abcd")), 3n, 1n], [], "4016:1"],
  ],
  "string::internal_index_of": [
    [[ref(text("abcd")), ref(text("cd"))], [], [2n]],
    [[ref(text("abcd")), ref(text("x"))], [], [4n]],
  ],
  "signer::borrow_address": [[[ref(signerOf(AT))], [], [new Ref([AT], 0)]]],
  "cmp::compare": [
    [[ref(1n), ref(2n)], ["u64"], [new Struct([], 0)]],
    [[ref(text("b")), ref(text("b"))], ["vector<u8>"], [new Struct([], 1)]],
    [[ref(text("b")), ref(text("ab"))], ["vector<u8>"], [new Struct([], 2)]],
  ],
  "vector::move_range": [[[ref(text("abc")), 1n, 5n, ref(text("")), 0n], ["u8"], "4016:1"]],
  "mem::swap": [[[ref(1n), ref(2n)], ["u64"], []]],
  "aptos_hash::sip_hash": [[[text("")], [], [0x1e924b9d737700d7n]]],
  "aptos_hash::keccak256": [
    [
      [text("")],
      [],
      [byteVec(Buffer.from("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470", "hex"))],
    ],
  ],
  "aptos_hash::sha2_512_internal": [[[text("abc")], [], [byteVec(digest("sha512"))]]],
  "aptos_hash::sha3_512_internal": [[[text("abc")], [], [byteVec(digest("sha3-512"))]]],
  "aptos_hash::ripemd160_internal": [
    [[text("abc")], [], [byteVec(Buffer.from("8eb208f7e05d987a9b044a8e98c6b087f15a0bfc", "hex"))]],
  ],
  "aptos_hash::blake2b_256_internal": [
    [
      [text("")],
      [],
      [byteVec(Buffer.from("0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8", "hex"))],
    ],
  ],
  "type_info::type_of": [
    [[], ["0xcafe::m::Box<u8>"], [new Struct([`${"0".repeat(60)}cafe`, text("m"), text("Box<u8>")])]],
    [[], ["u8"], "4016:1"],
  ],
  "type_info::type_name": [[[], ["vector<0xcafe::m::Box<u8>>"], [string("vector<0xcafe::m::Box<u8>>")]]],
  "type_info::chain_id_internal": [[[], [], [4]]],
  "from_bcs::from_bytes": [
    [[byteVec(Buffer.of(2, 0))], ["u16"], [2]],
    [[byteVec(Buffer.of(2))], ["u16"], "4016:65537"],
  ],
  "util::from_bytes": [[[byteVec(Buffer.of(2, 0))], ["u16"], [2]]],
  "table::new_table_handle": [[[], ["u8", "u8"], [hashed(SESSION, Buffer.alloc(4))]]],
  "table::add_box": [[[ref(new Struct([AT])), 1, new Struct([2])], ["u8", "u8", "0xcafe::m::Maybe<u8>"], []]],
  "table::borrow_box": [[[ref(new Struct([AT])), 1], ["u8", "u8", "u8"], "4016:25863"]],
  "table::borrow_box_mut": [[[ref(new Struct([AT])), 1], ["u8", "u8", "u8"], "4016:25863"]],
  "table::contains_box": [[[ref(new Struct([AT])), 1], ["u8", "u8", "u8"], [false]]],
  "table::remove_box": [[[ref(new Struct([AT])), 1], ["u8", "u8", "u8"], "4016:25863"]],
  "table::destroy_empty_box": [[[ref(new Struct([AT]))], ["u8", "u8", "u8"], []]],
  "table::drop_unchecked_box": [[[new Struct([AT])], ["u8", "u8", "u8"], []]],
  "event::write_to_event_store": [
    [[byteVec(Buffer.alloc(40)), 0n, 1n], ["u64"], []],
    [[byteVec(Buffer.alloc(39)), 0n, 1n], ["u64"], "2010"],
  ],
  "event::write_module_event_to_store": [[[1n], ["u64"], "2009"]],
  ...Object.fromEntries(
    ["create_signer", "account", "genesis"].map((name) => [
      `${name}::create_signer`,
      [[[AT], [], [signerOf(AT)]]] satisfies Case[],
    ]),
  ),
  "account::create_address": [
    [[byteVec(Buffer.alloc(32, 0xab))], [], [AT]],
    [[byteVec(Buffer.alloc(31))], [], "4016:2"],
  ],
  "object::exists_at": [[[AT], ["0xcafe::m::Coin"], [false]]],
  "object::create_user_derived_object_address_impl": [
    [[AT, ONE], [], [hashed(Buffer.from(AT, "hex"), Buffer.from(ONE, "hex"), Buffer.of(0xfc))]],
  ],
  "transaction_context::get_txn_hash": [[[], [], [byteVec(SESSION)]]],
  "transaction_context::get_script_hash": [[[], [], [byteVec(Buffer.of(1, 2))]]],
  "transaction_context::generate_unique_address": [
    [[], [], [hashed(SESSION, Buffer.of(1, 0, 0, 0, 0, 0, 0, 0), Buffer.of(0xfb))]],
  ],
  "transaction_context::sender_internal": [[[], [], [AT]]],
  "transaction_context::secondary_signers_internal": [[[], [], [new Vec("address", [ONE])]]],
  "transaction_context::gas_payer_internal": [[[], [], [ONE]]],
  "transaction_context::max_gas_amount_internal": [[[], [], [5n]]],
  "transaction_context::gas_unit_price_internal": [[[], [], [6n]]],
  "transaction_context::chain_id_internal": [[[], [], [4]]],
  "transaction_context::entry_function_payload_internal": [[[], [], [new Struct([entry], 1)]]],
  "transaction_context::multisig_payload_internal": [[[], [], [new Struct([], 0)]]],
  "transaction_context::monotonically_increasing_counter_internal": [
    [[1n], [], [(1n << 56n) | (3n << 24n) | (2n << 16n) | 1n]],
  ],
  "transaction_context::monotonically_increasing_counter_internal_for_test_only": [[[], [], [1n]]],
  "function_info::is_identifier": [
    [[ref(text("a_1"))], [], [true]],
    [[ref(text("1a"))], [], [false]],
  ],
  "state_storage::get_state_storage_usage_only_at_epoch_beginning": [[[], [], [new Struct([0n, 0n])]]],
  "randomness::fetch_and_increment_txn_counter": [[[], [], "4016:1"]],
  "randomness::is_unbiasable": [[[], [], [false]]],
  "debug::native_print": [[[text("x")], [], []]],
  "debug::native_stack_trace": [[[], [], [string("")]]],
  "debug::print": [[[ref(1n)], ["u64"], []]],
  "debug::print_stack_trace": [[[], [], []]],
  "permissioned_signer::is_permissioned_signer_impl": [[[ref(signerOf(AT))], [], [false]]],
  "permissioned_signer::permission_address": [
    [[ref(new Struct([AT, ONE], 1))], [], [ONE]],
    [[ref(signerOf(AT))], [], "4016:3"],
  ],
  "permissioned_signer::signer_from_permissioned_handle_impl": [[[AT, ONE], [], [new Struct([AT, ONE], 1)]]],
  "consensus_config::validator_txn_enabled_internal": [
    [[byteVec(Buffer.of(2, 1))], [], [true]],
    [[byteVec(Buffer.of(1, 1))], [], [false]],
  ],
  "aggregator_v2::create_aggregator": [
    [[9n], ["u64"], [new Struct([0n, 9n])]],
    [[9n], ["u8"], "4016:196615"],
  ],
  "aggregator_v2::create_unbounded_aggregator": [[[], ["u64"], [new Struct([0n, 2n ** 64n - 1n])]]],
  "aggregator_v2::try_add": [
    [[aggregator(), 4n], ["u64"], [true]],
    [[aggregator(), 5n], ["u64"], [false]],
  ],
  "aggregator_v2::try_sub": [
    [[aggregator(), 5n], ["u64"], [true]],
    [[aggregator(), 6n], ["u64"], [false]],
  ],
  "aggregator_v2::is_at_least_impl": [
    [[aggregator(), 5n], ["u64"], [true]],
    [[aggregator(), 6n], ["u64"], [false]],
  ],
  "aggregator_v2::read": [[[aggregator()], ["u64"], [5n]]],
  "aggregator_v2::snapshot": [[[aggregator()], ["u64"], [new Struct([5n])]]],
  "aggregator_v2::create_snapshot": [[[8n], ["u64"], [new Struct([8n])]]],
  "aggregator_v2::copy_snapshot": [[[snapshot()], ["u64"], "4016:196617"]],
  "aggregator_v2::string_concat": [[[string(""), snapshot(), string("")], ["u64"], "4016:196617"]],
  "aggregator_v2::read_snapshot": [[[snapshot()], ["u64"], [5n]]],
  // A derived text takes at least 22 bytes: itself with its length, and padding with its length.
  "aggregator_v2::create_derived_string": [
    [[string("ab")], [], [new Struct([string("ab"), new Vec("u8", Array<Value>(18).fill(0))])]],
  ],
  "aggregator_v2::read_derived_string": [[[ref(new Struct([string("ab"), text("")]))], [], [string("ab")]]],
  "aggregator_v2::derive_string_concat": [
    [
      [string("<"), snapshot(), string(">")],
      ["u64"],
      [new Struct([string("<5>"), new Vec("u8", Array<Value>(19).fill(0))])],
    ],
  ],
  "string_utils::native_format": [
    [
      [ref(new Struct([1n, true])), true, false, true, true],
      ["0xcafe::m::Pair"],
      [string("0xcafe::m::Pair { a: 1u64, b: true }")],
    ],
    [[ref(text("ab")), false, false, true, false], ["vector<u8>"], [string("0x6162")]],
  ],
  "string_utils::native_format_list": [[[ref(text("{")), ref(new Struct([]))], ["u8"], "4016:2"]],
};

/** Natives that need a framework or a chain around them; recorded runs of the network cover them. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...["aggregator::add", "aggregator::sub", "aggregator::read", "aggregator::destroy"],
  "aggregator_factory::new_aggregator",
  ...["function_info::check_dispatch_type_compatibility_impl", "function_info::load_function_impl"],
  ...["code::request_publish", "code::request_publish_with_allowed_deps"],
  ...["withdraw", "deposit", "derived_balance", "derived_supply"].map(
    (one) => `dispatchable_fungible_asset::dispatchable_${one}`,
  ),
  "account_abstraction::dispatchable_authenticate",
]);

function callNative(name: string, args: readonly Value[], types: readonly AbiType[]): unknown {
  const { linker, session } = new TestMachine([moduleOf({ structs: STRUCTS })], { facts: FACTS });
  const context = { linker, session, meter: linker.meter, callers: () => [] } as unknown as NativeContext;
  return outcomeOf(() => {
    const result = findNative(`${ONE}::${name}`)?.(context, args, types);
    return result !== undefined && "next" in result ? finish(result) : result;
  });
}

const DOCUMENTED = readFileSync(new URL("../../docs/views.md", import.meta.url), "utf8");

describe("natives", () => {
  it.each(Object.entries(CASES).flatMap(([name, cases]) => cases.map((one, i) => [name, i, one] as const)))(
    "%s, case %i",
    (name, _, [args, types, gives]) => {
      expect(callNative(name, args, types.map(parseAbiType))).toEqual(gives);
    },
  );

  it("of cryptography are loaded by the modules that have them", () => {
    for (const name of Object.keys(CRYPTO_NATIVES)) {
      const [native] = Object.keys(CRYPTO_NATIVES[name] ?? {});
      expect(findNative(`${ONE}::${name}::${native}`)).toBe(CRYPTO_NATIVES[name]?.[native ?? ""]);
    }
  });

  it("all have a case, are cryptography, or need a chain", () => {
    const names = nativeNames().map((name) => name.slice(ONE.length + 2));
    const isCrypto = (name: string): boolean => CRYPTO_NATIVES[name.split("::")[0] ?? ""] !== undefined;
    const known = (name: string): boolean =>
      CASES[name] !== undefined || ELSEWHERE.has(name) || isCrypto(name);
    expect(names.filter((name) => !known(name))).toEqual([]);
    expect([...Object.keys(CASES), ...ELSEWHERE].filter((name) => !names.includes(name))).toEqual([]);
  });

  it.skipIf(!hasShared)("that networks declare and the machine lacks are in the docs", () => {
    const missing = new Set<string>();
    for (const network of ["devnet", "mainnet"] as const)
      for (const bytes of genesisModules(network).values()) {
        const { key, program } = loadedModule(bytes);
        for (const { body, name } of program.functions)
          if (body === undefined && findNative(`${key}::${name}`) === undefined)
            missing.add(`${key.replace(/^0+/, "0x")}::${name}`);
      }
    // The table writes the module once for each row.
    const listed = [...DOCUMENTED.matchAll(/^\| (`0x\w+::\w+::.*?) \|/gm)].flatMap(([, row = ""]) => {
      const [first = "", ...rest] = [...row.matchAll(/`([^`]+)`/g)].map(([, one = ""]) => one);
      return [first, ...rest.map((one) => `${first.slice(0, first.lastIndexOf("::"))}::${one}`)];
    });
    expect(listed.sort()).toEqual([...missing].sort());
  });
});
