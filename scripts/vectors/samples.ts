// Argument values in two forms: as classes of the official SDK, which give the bytes, and as JSON to send.
import {
  AccountAddress,
  Bool,
  type EntryFunctionArgument,
  I8,
  I16,
  I32,
  I64,
  I128,
  I256,
  MoveOption,
  MoveString,
  MoveVector,
  Serializable,
  type Serializer,
  U8,
  U16,
  U32,
  U64,
  U128,
  U256,
} from "@aptos-labs/ts-sdk";
import { SeededRandom } from "./random.ts";

export type SdkValue = Serializable & EntryFunctionArgument;

/** One value of a Move type. */
export interface Sample {
  readonly type: string;
  readonly sdk: SdkValue;
  /** The JSON inside another value; a top-level object differs, see `topLevelJson`. */
  readonly json: unknown;
}

/** Values of one type, including its limits. */
export type Kind = readonly [Sample, ...Sample[]];

const random = new SeededRandom("samples");

export const OBJECT_TYPE = "0x1::object::Object<0x1::fungible_asset::Metadata>";

const SMALL_INTEGERS = { u8: U8, u16: U16, u32: U32, i8: I8, i16: I16, i32: I32 } as const;
const LARGE_INTEGERS = { u64: U64, u128: U128, u256: U256, i64: I64, i128: I128, i256: I256 } as const;

/** Both limits, the values next to zero, and a random value. */
function integerValues(type: string): bigint[] {
  const bits = Number(type.slice(1));
  const drawn = random.bits(bits);
  return type.startsWith("u")
    ? [0n, 1n, 2n ** BigInt(bits) - 1n, drawn]
    : [-(2n ** BigInt(bits - 1)), -1n, 0n, 1n, 2n ** BigInt(bits - 1) - 1n, BigInt.asIntN(bits, drawn)];
}

function kind(type: string, values: readonly (readonly [sdk: SdkValue, json: unknown])[]): Kind {
  const [first, ...rest] = values.map(([sdk, json]): Sample => ({ type, sdk, json }));
  if (first === undefined) throw new Error(`no values of ${type}`);
  return [first, ...rest];
}

/** An address as clients write it: short, long, without prefix, in capitals. */
export function addressText(address: AccountAddress, form: number): string {
  const long = address.toStringLong();
  const short = `0x${long.slice(2).replace(/^0{1,63}/, "")}`;
  return [short, long, long.slice(2), `0x${long.slice(2).toUpperCase()}`, short.slice(2)][form % 5] ?? long;
}

export function address(bytes: Uint8Array): AccountAddress {
  return new AccountAddress(bytes);
}

/** An address whose leading bytes are zero. */
export function smallAddress(value: number): AccountAddress {
  return AccountAddress.from(`0x${value.toString(16)}`, { maxMissingChars: 63 });
}

const ADDRESSES = [
  smallAddress(0),
  smallAddress(1),
  address(new Uint8Array(32).fill(255)),
  smallAddress(0xcafe),
  address(random.bytes(32)),
];

const STRINGS = [
  "",
  "a",
  "näme – 名前 – \u{1f9ed}",
  'quote " back \\ slash / tab \t line \n nul \0',
  "x".repeat(127),
  "y".repeat(128),
];

const BYTES = [0, 1, 127, 128].map((length) => random.bytes(length));

/** Every type without items or fields, and `vector<u8>`, whose JSON is a hex string. */
export const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  [
    "bool",
    kind("bool", [
      [new Bool(false), false],
      [new Bool(true), true],
    ]),
  ],
  ...Object.entries(SMALL_INTEGERS).map(([type, Sdk]): [string, Kind] => [
    type,
    kind(
      type,
      integerValues(type).map((value) => [new Sdk(Number(value)), Number(value)]),
    ),
  ]),
  ...Object.entries(LARGE_INTEGERS).map(([type, Sdk]): [string, Kind] => [
    type,
    kind(
      type,
      integerValues(type).map((value) => [new Sdk(value), `${value}`]),
    ),
  ]),
  [
    "address",
    kind(
      "address",
      ADDRESSES.map((one, index) => [one, addressText(one, index)]),
    ),
  ],
  [
    "string",
    kind(
      "0x1::string::String",
      STRINGS.map((text) => [new MoveString(text), text]),
    ),
  ],
  [
    "bytes",
    kind(
      "vector<u8>",
      BYTES.map((bytes, index) => [
        MoveVector.U8(bytes),
        `${index % 2 === 0 ? "0x" : ""}${Buffer.from(bytes).toString("hex")}`,
      ]),
    ),
  ],
  [
    "object",
    kind(
      OBJECT_TYPE,
      ADDRESSES.map((one, index) => [one, { inner: addressText(one, index + 1) }]),
    ),
  ],
]);

/** The values of a kind. */
export function samplesOf(name: string): Kind {
  const found = KINDS.get(name);
  if (found === undefined) throw new Error(`no kind ${name}`);
  return found;
}

/** JSON of a value as a whole argument. */
export function topLevelJson({ type, json }: Sample): unknown {
  return type.startsWith("0x1::object::Object<") ? (json as { inner: string }).inner : json;
}

function itemsJson(type: string, items: readonly Sample[]): unknown {
  if (type !== "u8") return items.map(({ json }) => json);
  return `0x${Buffer.from(items.map(({ json }) => json as number)).toString("hex")}`;
}

/** A vector of values of `type`. */
export function vectorOf(type: string, items: readonly Sample[]): Sample {
  return {
    type: `vector<${type}>`,
    sdk: new MoveVector(items.map(({ sdk }) => sdk)),
    json: itemsJson(type, items),
  };
}

/** An option of `type`; none if there is no item. */
export function optionOf(type: string, item?: Sample): Sample {
  return {
    type: `0x1::option::Option<${type}>`,
    sdk: new MoveOption(item?.sdk ?? null),
    json: { vec: itemsJson(type, item === undefined ? [] : [item]) },
  };
}

/** The fields in order, after the variant number of an enum. */
class FieldValues extends Serializable implements EntryFunctionArgument {
  readonly #fields: readonly Serializable[];
  readonly #variant: number | undefined;

  constructor(fields: readonly Serializable[], variant?: number) {
    super();
    this.#fields = fields;
    this.#variant = variant;
  }

  serialize(serializer: Serializer): void {
    if (this.#variant !== undefined) serializer.serializeU32AsUleb128(this.#variant);
    for (const field of this.#fields) serializer.serialize(field);
  }

  serializeForEntryFunction(serializer: Serializer): void {
    serializer.serializeBytes(this.bcsToBytes());
  }
}

type Fields = Readonly<Record<string, Sample>>;

function fieldsJson(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, { json }]) => [name, json]));
}

/** A struct with its fields in declaration order. */
export function structOf(type: string, fields: Fields): Sample {
  const sdk = new FieldValues(Object.values(fields).map((field) => field.sdk));
  return { type, sdk, json: fieldsJson(fields) };
}

/** A variant of an enum. */
export function variantOf(type: string, index: number, name: string, fields: Fields): Sample {
  const values = Object.values(fields).map((field) => field.sdk);
  return { type, sdk: new FieldValues(values, index), json: { [name]: fieldsJson(fields) } };
}
