// Requests with known answers, encoded against the modules of a real genesis.
import { beforeAll, describe, expect, it } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { JsonError } from "../../src/json/errors.ts";
import type { ModuleLoader } from "../../src/move/abi.ts";
import { createParameterLayout } from "../../src/move/layout.ts";
import { encodeSubmission } from "../../src/transaction/encode-submission.ts";
import { TransactionError } from "../../src/transaction/errors.ts";
import { ONE, structType } from "../support/abi.ts";
import { genesisLoader } from "../support/genesis-modules.ts";
import { hasShared, sharedJson } from "../support/shared.ts";

interface GoodVector {
  readonly name: string;
  readonly request: unknown;
  readonly expected: string;
}

interface BadVector {
  readonly name: string;
  readonly request?: unknown;
  readonly raw_body?: string;
  readonly status: number;
  readonly error_code: string;
}

/** Cases about the HTTP request around the body, which are no business of the encoder. */
const ABOUT_HTTP: ReadonlyMap<string, string> = new Map([
  ["golden_content_type_invalid", "content type"],
  ["content_type_text_plain", "content type"],
]);

const DEVNET = 243;

function bodyOf(vector: { readonly request?: unknown; readonly raw_body?: string }): Uint8Array {
  return Buffer.from(vector.raw_body ?? JSON.stringify(vector.request), "utf8");
}

/** Status and code that the error stands for over HTTP. */
function answerOf(error: unknown): { status: number; error_code: string } {
  if (error instanceof JsonError) return { status: 400, error_code: "web_framework_error" };
  if (!(error instanceof TransactionError)) throw error;
  return { status: 400, error_code: error.code === "request" ? "web_framework_error" : "invalid_input" };
}

describe.skipIf(!hasShared)("encodeSubmission on old and new frameworks", () => {
  it("gives the same bytes for a call that both know", async () => {
    const request = {
      sender: "0xa",
      sequence_number: "1",
      max_gas_amount: "2",
      gas_unit_price: "3",
      expiration_timestamp_secs: "4",
      payload: {
        type: "entry_function_payload",
        function: "0x3::token::create_collection_script",
        type_arguments: [],
        arguments: ["näme", "", "u\n", "5", [true, false, true]],
      },
    };
    const messages = (["devnet", "mainnet"] as const).map((network) =>
      encodeSubmission(bodyOf({ request }), { chainId: 1, loadModule: genesisLoader(network) }),
    );
    const [devnet, mainnet] = await Promise.all(messages);
    expect(toPrefixedHex(mainnet!)).toBe(toPrefixedHex(devnet!));
    expect(toPrefixedHex(mainnet!)).toContain("0506056ec3a46d650100");
  });

  it("gives an Option the same layout as a struct and as an enum", async () => {
    const option = structType("option", "Option", [{ kind: "u64" }]);
    for (const [network, isEnum] of [
      ["mainnet", false],
      ["devnet", true],
    ] as const) {
      const loadModule = genesisLoader(network);
      const definition = (await loadModule({ address: ONE, name: "option" }))!.structs[0]!;
      expect(definition.variants !== undefined).toBe(isEnum);
      expect(await createParameterLayout(option, loadModule)).toEqual({
        kind: "option",
        item: { kind: "u64" },
      });
    }
  });
});

describe.skipIf(!hasShared)("encodeSubmission on the devnet genesis", () => {
  const good = hasShared ? sharedJson<GoodVector[]>("vectors/encode-devnet.json") : [];
  const bad = hasShared ? sharedJson<BadVector[]>("vectors/encode-errors.json") : [];
  let loadModule: ModuleLoader;

  beforeAll(() => {
    loadModule = genesisLoader("devnet");
  });

  it("has vectors", () => {
    expect(good.length).toBe(149);
    expect(bad.length).toBe(61);
    expect(bad.filter(({ name }) => ABOUT_HTTP.has(name)).length).toBe(ABOUT_HTTP.size);
  });

  it.each(good)("encodes $name", async (vector) => {
    const message = await encodeSubmission(bodyOf(vector), { chainId: DEVNET, loadModule });
    expect(toPrefixedHex(message)).toBe(vector.expected);
  });

  it.each(bad.filter(({ name }) => !ABOUT_HTTP.has(name)))("refuses $name", async (vector) => {
    const encoding = async () => encodeSubmission(bodyOf(vector), { chainId: DEVNET, loadModule });
    const error = await encoding().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeDefined();
    expect(answerOf(error)).toEqual({ status: vector.status, error_code: vector.error_code });
  });
});
