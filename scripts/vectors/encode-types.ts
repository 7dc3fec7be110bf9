// Vectors of every argument type, type argument, payload kind and signer form. The functions are synthetic: each vector
// includes the signature of its function, and the file includes the structs.
import { type AccountAddress, MoveVector } from "@aptos-labs/ts-sdk";
import { SeededRandom } from "./random.ts";
import {
  address,
  KINDS,
  OBJECT_TYPE,
  optionOf,
  type Sample,
  samplesOf,
  smallAddress,
  structOf,
  variantOf,
  vectorOf,
} from "./samples.ts";
import {
  type Call,
  type EncodedRequest,
  type Envelope,
  encodedRequest,
  entryFunction,
  type Payload,
  script,
} from "./transaction.ts";

/** Signature of a synthetic function. */
interface Signature {
  readonly type_params: number;
  readonly params: readonly string[];
}

interface TypeVector extends EncodedRequest {
  readonly name: string;
  /** Signature of the called entry function, which has the vector's name. */
  readonly signature?: Signature;
}

const U64_MAX = 2n ** 64n - 1n;
const MODULE = "0xca11ed::vectors";
const POINT = `${MODULE}::Point`;
const SHAPE = `${MODULE}::Shape`;

/** Structs and enums of the synthetic module: fields by name, or variants with their fields. */
export const STRUCTS = {
  Marker: { type_params: 0, fields: { dummy_field: "bool" } },
  Point: { type_params: 0, fields: { x: "u64", y: "i64" } },
  Route: {
    type_params: 0,
    fields: {
      name: "0x1::string::String",
      stops: `vector<${POINT}>`,
      end: `0x1::option::Option<${POINT}>`,
      owner: OBJECT_TYPE,
    },
  },
  Pair: { type_params: 2, fields: { first: "T0", second: "T1" } },
  Shape: {
    type_params: 0,
    variants: { Dot: {}, Circle: { center: POINT, radius: "u32" }, Both: { _0: "u8", _1: "bool" } },
  },
  Choice: { type_params: 1, variants: { Nothing: {}, One: { value: "T0" }, Many: { values: "vector<T0>" } } },
} as const;

const random = new SeededRandom("types");
const vectors: TypeVector[] = [];

/** Adds a call of a function with the arguments and, by default, one signer. */
function call(
  name: string,
  args: readonly Sample[],
  options: {
    types?: readonly (string | readonly [string, string])[];
    params?: readonly string[];
    signers?: readonly string[];
    envelope?: Envelope;
  } = {},
): void {
  const { types = [], params = args.map(({ type }) => type), signers = ["&signer"] } = options;
  vectors.push({
    name,
    signature: { type_params: types.length, params: [...signers, ...params] },
    ...encodedRequest(entryFunction(`${MODULE}::${name}`, types, args), options.envelope ?? {}, random),
  });
}

function scalars(): void {
  for (const [name, kind] of KINDS) {
    const { type } = kind[0];
    call(name, kind);
    call(`vector_${name}`, [vectorOf(type, []), vectorOf(type, kind.slice(0, 1)), vectorOf(type, kind)]);
    call(`matrix_${name}`, [
      vectorOf(`vector<${type}>`, [vectorOf(type, kind.slice(0, 3)), vectorOf(type, [])]),
    ]);
    call(`option_${name}`, [optionOf(type), ...kind.slice(0, 3).map((item) => optionOf(type, item))]);
  }
}

/** A value of a random type, at most `depth` deep. */
function drawn(depth: number): Sample {
  const shape = depth === 0 ? 0 : random.below(4);
  if (shape === 0) return random.pick(random.pick([...KINDS.values()]));
  const inner = drawn(depth - 1);
  if (shape === 1) return optionOf(inner.type, random.below(3) === 0 ? undefined : inner);
  return vectorOf(
    inner.type,
    Array.from({ length: random.below(4) }, () => inner),
  );
}

function nested(): void {
  const u64 = samplesOf("u64");
  let deep = vectorOf("u64", u64);
  for (let depth = 1; depth < 8; depth++) deep = vectorOf(deep.type, [deep]);
  call("vector_eight_deep", [deep]);
  call("option_in_option", [
    optionOf("0x1::option::Option<u64>", optionOf("u64")),
    optionOf("0x1::option::Option<u64>", optionOf("u64", u64[2])),
  ]);
  call("vector_of_200", [
    vectorOf(
      "u16",
      Array.from({ length: 200 }, () => random.pick(samplesOf("u16"))),
    ),
  ]);
  for (let i = 0; i < 16; i++) call(`drawn_${i}`, [drawn(3), drawn(4)]);
}

function point(index: number): Sample {
  const [x, y] = [samplesOf("u64"), samplesOf("i64")];
  return structOf(POINT, { x: x[index % x.length] ?? x[0], y: y[index % y.length] ?? y[0] });
}

function pair(first: Sample, second: Sample): Sample {
  return structOf(`${MODULE}::Pair<${first.type}, ${second.type}>`, { first, second });
}

function structs(): void {
  const name = random.pick(samplesOf("string"));
  const owner = random.pick(samplesOf("object"));
  const flag = random.pick(samplesOf("bool"));
  const route = structOf(`${MODULE}::Route`, {
    name,
    stops: vectorOf(POINT, [point(0), point(1)]),
    end: optionOf(POINT, point(2)),
    owner,
  });
  const circle = variantOf(SHAPE, 1, "Circle", { center: point(3), radius: samplesOf("u32")[0] });
  const both = variantOf(SHAPE, 2, "Both", { _0: samplesOf("u8")[0], _1: flag });
  call("struct_marker", [structOf(`${MODULE}::Marker`, { dummy_field: flag })]);
  call("struct_point", [point(0), point(2), vectorOf(POINT, [point(1), point(4)])]);
  call("struct_members_in_any_order", [
    {
      ...point(2),
      json: { more: [1], ...Object.fromEntries(Object.entries(point(2).json as object).reverse()) },
    },
  ]);
  call("struct_route", [route, optionOf(route.type, route)]);
  call("struct_pair", [pair(point(1), name), pair(pair(flag, owner), vectorOf("bool", [flag]))]);
  call("enum_shape", [variantOf(SHAPE, 0, "Dot", {}), circle, both, vectorOf(SHAPE, [both, circle])]);
  const choice = `${MODULE}::Choice<${POINT}>`;
  call("enum_choice", [
    variantOf(choice, 0, "Nothing", {}),
    variantOf(choice, 1, "One", { value: point(0) }),
    variantOf(choice, 2, "Many", { values: vectorOf(POINT, [point(1)]) }),
  ]);
}

const COIN = "0x1::aptos_coin::AptosCoin";
const FULL_ADDRESS = `0x${"c0ffee".padStart(64, "a")}`;

/** Type arguments of each kind: the text to send, and the canonical text if it differs. */
const TYPE_ARGUMENTS: readonly (string | readonly [string, string])[] = [
  ..."bool u8 u16 u32 u64 u128 u256 address signer".split(" "),
  "vector<u8>",
  "vector<vector<address>>",
  `${"vector<".repeat(8)}u8${">".repeat(8)}`,
  COIN,
  OBJECT_TYPE,
  `${FULL_ADDRESS}::module_1::Struct_2`,
  "0xdead::not::There<0xdead::not::Here, u8>",
  "0x1::a::A<0x1::b::B<0x1::c::C<0x1::d::D<signer>>>>",
  [" 0x1::pair::Pair< u8 ,vector<bool>,\t> ", "0x1::pair::Pair<u8, vector<bool>>"],
  ["0x0001::aptos_coin::AptosCoin", COIN],
  ["0X1::aptos_coin::AptosCoin<>", COIN],
];

function generics(): void {
  for (const [index, type] of TYPE_ARGUMENTS.entries()) call(`type_${index}`, [], { types: [type] });
  call("types_all", [], { types: TYPE_ARGUMENTS });
  for (const [name, kind] of KINDS) {
    // Type text has no signed integers.
    if (name.startsWith("i")) continue;
    const { type } = kind[0];
    const inVector = vectorOf(type, kind.slice(0, 3));
    const inOption = optionOf(type, kind[0]);
    call(`generic_${name}`, [kind[0], inVector, inOption], {
      types: [type],
      params: ["T0", "vector<T0>", "0x1::option::Option<T0>"],
    });
  }
  const object: Sample = {
    ...samplesOf("object")[0],
    type: "0x1::object::Object<0xdead::not::There>",
  };
  call("generic_object_type", [object], {
    types: ["0xdead::not::There"],
    params: ["0x1::object::Object<T0>"],
  });
  const [number, text] = [samplesOf("u64")[0], random.pick(samplesOf("string"))];
  call("generic_swapped", [text, number, pair(number, text)], {
    types: ["u64", "0x1::string::String", "u8"],
    params: ["T1", "T0", `${MODULE}::Pair<T0, T1>`],
  });
  call("generic_struct", [point(1), vectorOf(POINT, [point(0)])], {
    types: [POINT],
    params: ["T0", "vector<T0>"],
  });
  const choice = variantOf(`${MODULE}::Choice<u8>`, 2, "Many", {
    values: vectorOf("u8", samplesOf("u8")),
  });
  call("generic_enum", [choice], { types: ["u8"], params: [`${MODULE}::Choice<T0>`] });
}

/** Type tokens of the binary format. */
const TOKENS: Readonly<Record<string, string>> = {
  bool: "01",
  u8: "02",
  u64: "03",
  u128: "04",
  address: "05",
  bytes: "0a02",
  u16: "0d",
  u32: "0e",
  u256: "0f",
  i8: "11",
  i16: "12",
  i32: "13",
  i64: "14",
  i128: "15",
  i256: "16",
};

/** A script of format 9 that returns at once, with two signatures: its parameters, and an empty one for its locals. */
function scriptCode(tokens: readonly string[], typeParams = 0): Uint8Array {
  const byte = (value: number): string => value.toString(16).padStart(2, "0");
  const signatures = `${byte(tokens.length)}${tokens.join("")}00`;
  const tail = `${byte(typeParams)}${"00".repeat(typeParams)}0001010102`;
  return Buffer.from(`a11ceb0b09000000010500${byte(signatures.length / 2)}${signatures}${tail}`, "hex");
}

function addScript(name: string, sent: Call, envelope: Envelope = {}): void {
  vectors.push({ name, ...encodedRequest(sent, envelope, random) });
}

const SIGNER_TOKEN = "060c";

function scripts(): void {
  addScript("script_empty", script(scriptCode([]), [], []));
  for (const [name, token] of Object.entries(TOKENS)) {
    const kind = samplesOf(name);
    const tokens = [SIGNER_TOKEN, ...kind.map(() => token)];
    addScript(`script_${name}`, script(scriptCode(tokens), [], kind));
    if (name.startsWith("i")) continue;
    const { type } = kind[0];
    addScript(`script_generic_${name}`, script(scriptCode(["0900"], 1), [type], kind.slice(-1)));
  }
  const bytes: Sample = { ...vectorOf("u8", samplesOf("u8")), type: "vector<T0>" };
  addScript(
    "script_generic_vector",
    script(scriptCode(["0a0900", "0901"], 2), ["u8", "u16"], [bytes, samplesOf("u16")[0]]),
  );
  addScript("script_types", script(scriptCode([], 2), [COIN, "vector<signer>"], []));
  // The chain accepts empty bytes as an empty vector of any type.
  const none: Sample = { type: "vector<u64>", sdk: MoveVector.U8([]), json: [] };
  addScript("script_empty_vector", script(scriptCode(["0a03"]), [], [none]));
  const object = samplesOf("object")[0];
  const abi = {
    name: "main",
    visibility: "public",
    is_entry: true,
    is_view: false,
    generic_type_params: [],
    params: ["&signer", OBJECT_TYPE, "u64"],
    return: [],
  };
  addScript("script_described", script(scriptCode([]), [], [object, samplesOf("u64")[0]], abi));
}

function distinctAddresses(count: number): AccountAddress[] {
  return Array.from({ length: count }, (_, index) =>
    index % 3 === 2 ? smallAddress(index) : address(random.bytes(32)),
  );
}

/** Every payload kind with and without a nonce, by every number of secondary signers, on several chains. */
function envelopes(): void {
  const chainIds = [1, 2, 4, 127, 128, 243, 255];
  const multisig = address(random.bytes(32));
  const args = (): Sample[] => [random.pick(samplesOf("address")), random.pick(samplesOf("u64"))];
  const inScript = (signers: number): Call =>
    script(scriptCode([...Array<string>(signers).fill(SIGNER_TOKEN), "05", "03"]), [], args());
  for (const nonce of [undefined, 0n, U64_MAX]) {
    for (const others of [undefined, 0, 1, 3]) {
      const envelope: Envelope = {
        chainId: chainIds[vectors.length % chainIds.length] ?? 1,
        ...(nonce === undefined ? {} : { nonce }),
        ...(others === undefined ? {} : { secondary: distinctAddresses(others) }),
      };
      const signers = 1 + (others ?? 0);
      const suffix = `${nonce === undefined ? "" : `_nonce_${nonce}`}${others === undefined ? "" : `_signers_${signers}`}`;
      const add = (kind: string, payload: Payload, params?: readonly string[]): void => {
        vectors.push({
          name: `${kind}${suffix}`,
          ...(params && { signature: { type_params: 0, params: [...params, "address", "u64"] } }),
          ...encodedRequest(payload, envelope, random),
        });
      };
      const named = (kind: string): Call => entryFunction(`${MODULE}::${kind}${suffix}`, [], args());
      add("entry", named("entry"), Array<string>(signers).fill("&signer"));
      add("no_signer", named("no_signer"), []);
      add("script", inScript(signers));
      add("multisig", { multisig, call: named("multisig") }, ["signer"]);
      add("multisig_stored", { multisig });
      // Without a nonce the SDK has no class for it.
      if (nonce !== undefined) add("multisig_script", { multisig, call: inScript(1) });
    }
  }
}

function bounds(): void {
  const low: Envelope = { sequenceNumber: 0n, maxGas: 0n, gasPrice: 0n, expiration: 0n };
  const high: Envelope = { sequenceNumber: U64_MAX, maxGas: U64_MAX, gasPrice: U64_MAX, expiration: U64_MAX };
  call("all_zero", [], { envelope: { ...low, chainId: 1 } });
  call("all_max", [], { envelope: { ...high, chainId: 255 } });
  call(
    "digits",
    ["0", "+0", "000", "+000"].map((json) => ({ ...samplesOf("u64")[0], json })),
  );
  call("signers_32", [], {
    signers: Array<string>(32).fill("&signer"),
    envelope: { secondary: distinctAddresses(31) },
  });
  call(
    "arguments_130",
    Array.from({ length: 130 }, () => random.pick(samplesOf("u8"))),
  );
}

/** Every payload kind with a fee payer: known, not known yet, and one that signs in another role too. */
function feePayers(): void {
  const payer = address(random.bytes(32));
  const open = smallAddress(0);
  const other = smallAddress(0xb0b);
  for (const [name, envelope] of [
    ["known", { feePayer: payer }],
    ["open", { feePayer: open, nonce: 7n }],
    ["known_signers_1", { feePayer: payer, secondary: [] }],
    ["known_signers_2", { feePayer: payer, secondary: [other], nonce: 7n }],
    ["open_signers_2", { feePayer: open, secondary: [other] }],
    ["also_second_signer", { feePayer: other, secondary: [other] }],
  ] as const) {
    const count = "secondary" in envelope ? 1 + envelope.secondary.length : 1;
    call(`fee_payer_${name}`, [], { signers: Array<string>(count).fill("&signer"), envelope });
    const code = scriptCode(Array<string>(count).fill(SIGNER_TOKEN));
    addScript(`fee_payer_script_${name}`, script(code, [], []), envelope);
    vectors.push({
      name: `fee_payer_multisig_${name}`,
      ...encodedRequest({ multisig: smallAddress(0x5a) }, envelope, random),
    });
  }
}

scalars();
nested();
structs();
generics();
scripts();
envelopes();
bounds();
feePayers();

if (new Set(vectors.map(({ name }) => name)).size !== vectors.length)
  throw new Error("two vectors of one name");

export const TYPE_VECTORS: readonly TypeVector[] = vectors;
