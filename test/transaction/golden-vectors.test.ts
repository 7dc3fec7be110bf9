// The vectors under test/vectors, which the official SDK's classes made: proof without any folder beside the
// project that encoding gives the right bytes.
import { describe, expect, it } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { createNode } from "../../src/node.ts";
import { encodeSubmission } from "../../src/transaction/encode-submission.ts";
import {
  localChainVectors as localChain,
  typeVectors as types,
  typeVectorLoader,
} from "../support/golden-vectors.ts";

describe("golden vectors of made-up functions", () => {
  it.each(types.vectors)("encodes $name", async ({ request, chain_id: chainId, expected }) => {
    const body = Buffer.from(JSON.stringify(request));
    expect(toPrefixedHex(await encodeSubmission(body, { chainId, loadModule: typeVectorLoader }))).toBe(
      expected,
    );
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

  it("have every payload with a fee payer, known and not, with none to two signers", () => {
    const forms = types.vectors.flatMap(({ request: { payload, fee_payer, ...rest } }) =>
      fee_payer === undefined
        ? []
        : [payload.type, /^(0x)?0+$/.test(fee_payer) ? "open" : "known", rest.secondary_signers?.length].join(
            " ",
          ),
    );
    for (const payload of ["entry_function_payload", "script_payload", "multisig_payload"]) {
      for (const form of ["known ", "open ", "known 0", "known 1", "open 1"])
        expect(forms).toContain(`${payload} ${form}`);
    }
    expect(localChain.vectors.some(({ request }) => request.fee_payer !== undefined)).toBe(true);
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
