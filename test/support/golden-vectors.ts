// The vectors under test/vectors, and a loader of the modules that the made-up functions among them need.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAbiType } from "../../scripts/local-chain-modules/notation.ts";
import type { FieldAbi, FunctionAbi, ModuleLoader, StructAbi } from "../../src/move/abi.ts";
import { parseAddress } from "../../src/move/address.ts";
import { frameworkModules, functionAbi, loaderOf, moduleAbi, ONE, structAbi } from "./abi.ts";

interface GoldenRequest {
  readonly payload: { readonly type: string; readonly transaction_payload?: { readonly type: string } };
  readonly replay_protection_nonce?: string;
  readonly secondary_signers?: readonly string[];
  readonly fee_payer?: string;
}

interface GoldenVector {
  readonly name: string;
  readonly signature?: { readonly type_params: number; readonly params: readonly string[] };
  readonly chain_id: number;
  readonly request: GoldenRequest;
  readonly expected: string;
}

type Fields = Readonly<Record<string, string>>;

interface VectorFile {
  readonly command: string;
  readonly sdk: string;
  readonly structs?: Readonly<
    Record<string, { type_params: number; fields?: Fields; variants?: Readonly<Record<string, Fields>> }>
  >;
  readonly vectors: readonly GoldenVector[];
}

/** Where the vectors are. */
const VECTORS_FOLDER: string = fileURLToPath(new URL("../vectors", import.meta.url));

function read(name: string): VectorFile {
  return JSON.parse(readFileSync(join(VECTORS_FOLDER, name), "utf8")) as VectorFile;
}

/** Calls of made-up functions. */
export const typeVectors: VectorFile = read("encode-types.json");
/** Calls of functions that every local chain has. */
export const localChainVectors: VectorFile = read("encode-local-chain.json");

const fieldAbis = (fields: Fields): FieldAbi[] =>
  Object.entries(fields).map(([name, type]) => ({ name, type: parseAbiType(type) }));

const structs: StructAbi[] = Object.entries(typeVectors.structs ?? {}).map(
  ([name, { type_params, ...parts }]) =>
    structAbi(name, type_params, {
      fields: fieldAbis(parts.fields ?? {}),
      variants:
        parts.variants &&
        Object.entries(parts.variants).map(([variant, fields]) => ({
          name: variant,
          fields: fieldAbis(fields),
        })),
    }),
);

const functions: FunctionAbi[] = typeVectors.vectors.flatMap(({ name, signature }) =>
  signature === undefined
    ? []
    : functionAbi(name, signature.params.map(parseAbiType), {
        typeParams: Array.from({ length: signature.type_params }, () => []),
      }),
);

/** Loads the modules of the made-up functions. */
export const typeVectorLoader: ModuleLoader = loaderOf([
  ...frameworkModules(),
  moduleAbi(ONE, "fungible_asset", { structs: [structAbi("Metadata", 0, {})] }),
  moduleAbi(parseAddress("0xca11ed"), "vectors", { functions, structs }),
]);
