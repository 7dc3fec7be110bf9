// The vectors under test/vectors, which the official SDK's classes made: proof without any folder beside the
// project that encoding gives the right bytes.
import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parseAbiType } from "../../scripts/local-chain-modules/notation.ts";
import { toPrefixedHex } from "../../src/base/hex.ts";
import type { FieldAbi, FunctionAbi, StructAbi } from "../../src/move/abi.ts";
import { parseAddress } from "../../src/move/address.ts";
import { createNode } from "../../src/node.ts";
import { encodeSubmission } from "../../src/transaction/encode-submission.ts";
import { frameworkModules, functionAbi, loaderOf, moduleAbi, ONE, structAbi } from "../support/abi.ts";
import { temporaryFolder } from "../support/temporary.ts";

interface Request {
  readonly payload: { readonly type: string; readonly transaction_payload?: { readonly type: string } };
  readonly replay_protection_nonce?: string;
  readonly secondary_signers?: readonly string[];
}

interface Vector {
  readonly name: string;
  readonly signature?: { readonly type_params: number; readonly params: readonly string[] };
  readonly chain_id: number;
  readonly request: Request;
  readonly expected: string;
}

type Fields = Readonly<Record<string, string>>;

interface VectorFile {
  readonly command: string;
  readonly sdk: string;
  readonly structs?: Readonly<
    Record<string, { type_params: number; fields?: Fields; variants?: Readonly<Record<string, Fields>> }>
  >;
  readonly vectors: readonly Vector[];
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "test/vectors");
const script = join(root, "scripts/make-vectors.ts");

function read(name: string): VectorFile {
  return JSON.parse(readFileSync(join(folder, name), "utf8")) as VectorFile;
}

const types = read("encode-types.json");
const localChain = read("encode-local-chain.json");

const fieldAbis = (fields: Fields): FieldAbi[] =>
  Object.entries(fields).map(([name, type]) => ({ name, type: parseAbiType(type) }));

const structs: StructAbi[] = Object.entries(types.structs ?? {}).map(([name, { type_params, ...parts }]) =>
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

const functions: FunctionAbi[] = types.vectors.flatMap(({ name, signature }) =>
  signature === undefined
    ? []
    : functionAbi(name, signature.params.map(parseAbiType), {
        typeParams: Array.from({ length: signature.type_params }, () => []),
      }),
);

describe("golden vectors of made-up functions", () => {
  const loadModule = loaderOf([
    ...frameworkModules(),
    moduleAbi(ONE, "fungible_asset", { structs: [structAbi("Metadata", 0, {})] }),
    moduleAbi(parseAddress("0xca11ed"), "vectors", { functions, structs }),
  ]);

  it.each(types.vectors)("encodes $name", async ({ request, chain_id: chainId, expected }) => {
    const body = Buffer.from(JSON.stringify(request));
    expect(toPrefixedHex(await encodeSubmission(body, { chainId, loadModule }))).toBe(expected);
  });

  it("take every argument type, alone and in vectors and options", () => {
    const params = new Set(types.vectors.flatMap(({ signature }) => signature?.params ?? []));
    const integers = ["8", "16", "32", "64", "128", "256"].flatMap((bits) => [`u${bits}`, `i${bits}`]);
    const object = "0x1::object::Object<0x1::fungible_asset::Metadata>";
    for (const type of [...integers, "bool", "address", "0x1::string::String", "vector<u8>", object]) {
      for (const param of [
        type,
        `vector<${type}>`,
        `vector<vector<${type}>>`,
        `0x1::option::Option<${type}>`,
      ])
        expect(params).toContain(param);
    }
    for (const param of ["T0", "T1", "vector<T0>", "0x1::option::Option<T0>", "0x1::object::Object<T0>"])
      expect(params).toContain(param);
  });

  it("have every payload with and without a nonce, and none to four signers", () => {
    const forms = types.vectors.map(({ request }) =>
      [
        request.payload.type,
        request.payload.transaction_payload?.type,
        request.replay_protection_nonce === undefined ? "" : "nonce",
        request.secondary_signers?.length,
      ].join(" "),
    );
    const payloads = [
      "entry_function_payload ",
      "script_payload ",
      "multisig_payload ",
      "multisig_payload entry_function_payload",
    ];
    for (const payload of payloads) {
      for (const nonce of ["", "nonce"])
        for (const signers of ["", 0, 1, 3]) expect(forms).toContain(`${payload} ${nonce} ${signers}`);
    }
    expect(forms).toContain("multisig_payload script_payload nonce 1");
    expect(new Set(types.vectors.map((vector) => vector.chain_id)).size).toBeGreaterThan(5);
  });
});

describe("golden vectors of the framework", () => {
  it("are what the local chain encodes", async () => {
    const node = await createNode();
    const { chain_id: chainId } = await node.ledgerInfo();
    expect(localChain.vectors.length).toBeGreaterThan(30);
    for (const { name, request, chain_id, expected } of localChain.vectors) {
      expect(chain_id).toBe(chainId);
      expect(toPrefixedHex(await node.encodeSubmission(request)), name).toBe(expected);
    }
    await node.close();
  });
});

describe("the script that makes golden vectors", () => {
  const run = promisify(execFile);
  const check = (...args: string[]) =>
    run(process.execPath, ["--import", "tsx", script, "--check", ...args], { cwd: root });

  it("makes the committed files again, with the command and the version that stand in them", async () => {
    await check();
    const { scripts, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
      devDependencies: Record<string, string>;
    };
    expect(scripts.vectors).toBe("tsx scripts/make-vectors.ts");
    for (const { command, sdk } of [types, localChain]) {
      expect(command).toBe("npm run vectors");
      expect(sdk).toBe(`@aptos-labs/ts-sdk ${devDependencies["@aptos-labs/ts-sdk"]}`);
    }
  });

  it("finds a changed byte", async () => {
    const copy = join(temporaryFolder(), "vectors");
    cpSync(folder, copy, { recursive: true });
    await check("--folder", copy);
    const path = join(copy, "encode-types.json");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(/"expected":"0xb5e9/, '"expected":"0xb5e8'));
    await expect(check("--folder", copy)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("encode-types.json differs") as string,
    });
  });

  it("uses nothing of src, so the encoder cannot confirm itself", () => {
    const parts = readdirSync(join(root, "scripts/vectors")).map((name) =>
      join(root, "scripts/vectors", name),
    );
    expect(parts.length).toBeGreaterThan(3);
    for (const path of [script, ...parts]) {
      const imports = readFileSync(path, "utf8").match(/(?:from|import) "[^"]+"/g) ?? [];
      expect(imports.length).toBeGreaterThan(0);
      for (const line of imports) expect(line).toMatch(/"(node:|@aptos-labs\/ts-sdk"|\.\/)/);
    }
  });

  it("keeps the files small", () => {
    const sizes = readdirSync(folder).map((name) => readFileSync(join(folder, name)).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000);
  });
});
