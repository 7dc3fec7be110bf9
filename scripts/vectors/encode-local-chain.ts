// Vectors of calls of framework functions, which every local chain has.
import { SeededRandom } from "./random.ts";
import { optionOf, type Sample, samplesOf, smallAddress, vectorOf } from "./samples.ts";
import {
  type EncodedRequest,
  type Envelope,
  encodedRequest,
  entryFunction,
  type Payload,
} from "./transaction.ts";

const random = new SeededRandom("local chain");

function one(kind: string): Sample {
  return random.pick(samplesOf(kind));
}

function some(kind: string, count: number): Sample {
  return vectorOf(
    one(kind).type,
    Array.from({ length: count }, () => one(kind)),
  );
}

const COIN = "0x1::aptos_coin::AptosCoin";
const METADATA = "0x1::fungible_asset::Metadata";
const TOKEN = "0x4::token::Token";

/** Function, type arguments, arguments. */
const CALLS: readonly (readonly [string, readonly string[], readonly Sample[]])[] = [
  ["0x1::aptos_account::create_account", [], [one("address")]],
  ["0x1::aptos_account::transfer", [], [one("address"), one("u64")]],
  ["0x1::aptos_account::transfer_coins", [COIN], [one("address"), one("u64")]],
  ["0x1::aptos_account::batch_transfer", [], [some("address", 3), some("u64", 3)]],
  [
    "0x1::aptos_account::batch_transfer_fungible_assets",
    [],
    [one("object"), some("address", 0), some("u64", 0)],
  ],
  ["0x1::aptos_account::set_allow_direct_coin_transfers", [], [one("bool")]],
  [
    "0x1::account::rotate_authentication_key",
    [],
    [one("u8"), one("bytes"), one("u8"), one("bytes"), one("bytes"), one("bytes")],
  ],
  ["0x1::coin::transfer", ["0xdead::coin::Gold<u8, vector<address>>"], [one("address"), one("u64")]],
  ["0x1::coin::migrate_coin_store_to_fungible_store", [COIN], [some("address", 2)]],
  ["0x1::managed_coin::initialize", [COIN], [one("bytes"), one("bytes"), one("u8"), one("bool")]],
  ["0x1::object::transfer", [TOKEN], [one("object"), one("address")]],
  ["0x1::object::transfer_to_object", [TOKEN, METADATA], [one("object"), one("object")]],
  ["0x1::primary_fungible_store::transfer", [METADATA], [one("object"), one("address"), one("u64")]],
  ["0x1::code::publish_package_txn", [], [one("bytes"), some("bytes", 3)]],
  [
    "0x1::multisig_account::create_with_owners_and_timelock",
    [],
    [
      some("address", 2),
      one("u64"),
      some("string", 2),
      some("bytes", 2),
      optionOf("u64", one("u64")),
      optionOf("u64"),
    ],
  ],
  ["0x1::vesting::set_management_role", [], [one("address"), one("string"), one("address")]],
  [
    "0x3::token::create_collection_script",
    [],
    [one("string"), one("string"), one("string"), one("u64"), some("bool", 3)],
  ],
  [
    "0x3::token_transfers::offer_script",
    [],
    [one("address"), one("address"), one("string"), one("string"), one("u64"), one("u64")],
  ],
  [
    "0x4::aptos_token::mint",
    [],
    [
      one("string"),
      one("string"),
      one("string"),
      one("string"),
      some("string", 2),
      some("string", 2),
      some("bytes", 2),
    ],
  ],
  ...["bool", "u8", "u16", "u32", "u64", "u128", "u256", "address", "string", "bytes"].map((kind) => {
    const value = one(kind);
    return [
      "0x4::aptos_token::add_typed_property",
      [TOKEN, value.type],
      [one("object"), one("string"), value],
    ] as const;
  }),
];

const vectors: (EncodedRequest & { readonly name: string })[] = [];

function add(name: string, payload: Payload, envelope: Envelope = {}): void {
  vectors.push({ name, ...encodedRequest(payload, envelope, random) });
}

for (const [index, [id, types, args]] of CALLS.entries()) {
  const sent = entryFunction(id, types, args);
  const name = `${index} ${id}`;
  if (index % 3 === 0) add(name, sent);
  else if (index % 3 === 1) add(`${name} with a nonce`, sent, { nonce: random.bits(64) });
  else add(`${name} by a multisig account`, { multisig: smallAddress(0x5a + index), call: sent });
}
const direct = entryFunction(
  "0x3::token::direct_transfer_script",
  [],
  [one("address"), one("string"), one("string"), one("u64"), one("u64")],
);
add("direct_transfer_script by two signers", direct, { secondary: [smallAddress(0xb0b)] });
add("direct_transfer_script by two signers with a nonce", direct, {
  secondary: [smallAddress(1)],
  nonce: 7n,
});
add("what a multisig account stored", { multisig: smallAddress(0x5a) });
const sponsored = entryFunction("0x1::aptos_account::transfer", [], [one("address"), one("u64")]);
add("transfer with a fee payer", sponsored, { feePayer: smallAddress(0xfee) });
add("transfer with a fee payer who is not known yet", sponsored, { feePayer: smallAddress(0) });
add("direct_transfer_script by two signers with a fee payer", direct, {
  secondary: [smallAddress(0xb0b)],
  feePayer: smallAddress(0xfee),
});

/** The local chain's id is 4. */
export const LOCAL_CHAIN_VECTORS: typeof vectors = vectors;
