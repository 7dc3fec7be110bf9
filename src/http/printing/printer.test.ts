// Transactions of every kind in JSON: random ones never fail, and known ones print as the reference does.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ChainRun } from "../../../test/support/chain-run.ts";
import { createTrackedChain } from "../../../test/support/expected-balances.ts";
import { anyRecord } from "../../../test/support/ledger-arbitraries.ts";
import { RUNS } from "../../../test/support/property.ts";
import { fromHex, toPrefixedHex } from "../../base/hex.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { type LedgerRecord, lookAtRecord, recordCodec } from "../../ledger/formats/record.ts";
import type { Transaction } from "../../ledger/formats/transaction.ts";
import type { ExecutionStatus } from "../../ledger/formats/transaction-info.ts";
import { StateTypes } from "../../ledger/items/state-types.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { parseAddress } from "../../move/address.ts";
import { ModuleCache } from "../../move/module-cache.ts";
import { createMemoryStore } from "../../store/memory/store.ts";
import type { TransactionAuthenticator } from "../../transaction/authenticator.ts";
import type { TransactionPayload } from "../../transaction/raw.ts";
import type { AnswerText } from "./answer-text.ts";
import { TransactionPrinter } from "./printer.ts";

const ZERO = new Uint8Array(32);
const ZERO_TEXT = toPrefixedHex(ZERO);
const KEY = new Uint8Array(32).fill(0xaa);
const SIGNATURE = new Uint8Array(64).fill(0xbb);
const ED25519 = { kind: "ed25519", publicKey: KEY, signature: SIGNATURE } as const;
const ED25519_JSON = {
  public_key: toPrefixedHex(KEY),
  signature: toPrefixedHex(SIGNATURE),
  type: "ed25519_signature",
};
const SENDER = parseAddress("0xc0ffee");
const TRANSFER: TransactionPayload = {
  kind: "entryFunction",
  entryFunction: {
    module: { address: parseAddress("0x1"), name: "aptos_account" },
    function: "transfer",
    typeArgs: [],
    args: [parseAddress("0xb0b"), bytes("e803000000000000")],
  },
};
const TRANSFER_JSON = {
  function: "0x1::aptos_account::transfer",
  type_arguments: [],
  arguments: ["0xb0b", "1000"],
  type: "entry_function_payload",
};

function bytes(hex: string): Uint8Array {
  return fromHex(hex) ?? ZERO;
}

function recordOf(transaction: Transaction, status: ExecutionStatus = { kind: "success" }): LedgerRecord {
  return {
    version: 3n,
    transaction,
    info: {
      kind: "v0",
      gasUsed: 7n,
      status,
      transactionHash: ZERO,
      eventRootHash: ZERO,
      stateChangeHash: ZERO,
      stateCheckpointHash: undefined,
      auxiliaryInfoHash: undefined,
    },
    events: [],
    accumulatorRoot: ZERO,
    changes: { kind: "v0", writes: [] },
  };
}

function userTransaction(
  payload: TransactionPayload,
  authenticator: TransactionAuthenticator = ED25519,
): Transaction & { kind: "user" } {
  const raw = {
    sender: SENDER,
    sequenceNumber: 9n,
    payload,
    maxGasAmount: 2000n,
    gasUnitPrice: 100n,
    expirationTimestampSecs: 2n ** 64n - 1n,
    chainId: 4,
  };
  return { kind: "user", transaction: { raw, authenticator } };
}

describe("transactions in JSON", () => {
  const run = new ChainRun(createTrackedChain({ seed: "printer" }), createMemoryStore());
  let view: LedgerView;
  let printer: TransactionPrinter;

  beforeAll(async () => {
    await run.start();
    view = await run.store.openView();
    printer = new TransactionPrinter(new StateTypes(new ModuleCache()), view);
    return () => view.release();
  });

  async function textOf(text: Promise<AnswerText>): Promise<string> {
    return `${Buffer.from(await (await text).finish())}`;
  }

  async function print(record: LedgerRecord): Promise<Record<string, unknown>> {
    const text = await textOf(printer.print(lookAtRecord(encodeWith(recordCodec, record)), 5n));
    return JSON.parse(text) as Record<string, unknown>;
  }

  it("are valid JSON with a type, whatever they hold", async () => {
    await fc.assert(
      fc.asyncProperty(anyRecord, async (record) => {
        const json = await print(record);
        expect(json).toMatchObject({
          version: `${record.version}`,
          type: expect.stringMatching(/_transaction$/),
        });
      }),
      { numRuns: Math.min(RUNS, 300) },
    );
  });

  it("have the members of the reference in its order", async () => {
    const text = await textOf(
      printer.print(lookAtRecord(encodeWith(recordCodec, recordOf(userTransaction(TRANSFER)))), 5n),
    );
    expect(text).toBe(
      JSON.stringify({
        version: "3",
        hash: ZERO_TEXT,
        state_change_hash: ZERO_TEXT,
        event_root_hash: ZERO_TEXT,
        state_checkpoint_hash: null,
        gas_used: "7",
        success: true,
        vm_status: "Executed successfully",
        accumulator_root_hash: ZERO_TEXT,
        changes: [],
        sender: "0xc0ffee",
        sequence_number: "9",
        max_gas_amount: "2000",
        gas_unit_price: "100",
        expiration_timestamp_secs: "18446744073709551615",
        payload: TRANSFER_JSON,
        signature: ED25519_JSON,
        replay_protection_nonce: null,
        events: [],
        timestamp: "5",
        type: "user_transaction",
      }),
    );
  });

  it("have hex for all arguments where one does not decode", async () => {
    const { entryFunction } = TRANSFER;
    const args = [parseAddress("0xb0b"), bytes("e8")];
    const json = await print(
      recordOf(userTransaction({ kind: "entryFunction", entryFunction: { ...entryFunction, args } })),
    );
    expect(json.payload).toMatchObject({ arguments: [`0x${"0b0b".padStart(64, "0")}`, "0xe8"] });
  });

  it("have the payload of each newer form under its older name, and the nonce", async () => {
    const executable = { kind: "entryFunction", entryFunction: TRANSFER.entryFunction } as const;
    const orderless = (multisigAddress: typeof SENDER | undefined): TransactionPayload => ({
      kind: "payload",
      payload: {
        kind: "v1",
        executable,
        extraConfig: { kind: "v1", multisigAddress, replayProtectionNonce: 77n },
      },
    });
    expect(await print(recordOf(userTransaction(orderless(undefined))))).toMatchObject({
      payload: TRANSFER_JSON,
      replay_protection_nonce: "77",
    });
    const multisig = {
      multisig_address: "0xc0ffee",
      transaction_payload: TRANSFER_JSON,
      type: "multisig_payload",
    };
    expect(await print(recordOf(userTransaction(orderless(SENDER))))).toMatchObject({ payload: multisig });
    const old = { kind: "multisig", multisigAddress: SENDER, transactionPayload: executable } as const;
    expect(await print(recordOf(userTransaction(old)))).toMatchObject({ payload: multisig });
    expect(await print(recordOf(userTransaction({ ...old, transactionPayload: undefined })))).toMatchObject({
      payload: { ...multisig, transaction_payload: null },
    });
  });

  it("have signatures of every kind", async () => {
    const many = {
      publicKey: bytes(`${"aa".repeat(64)}02`),
      signature: bytes(`${"bb".repeat(128)}c0000000`),
    };
    const single = {
      kind: "singleKey",
      publicKey: { kind: "secp256k1", publicKey: bytes("04") },
      signature: { kind: "secp256k1", signature: bytes("05") },
    } as const;
    const key = (hex: string, type: string): object => ({ value: hex, type });
    const cases: readonly (readonly [TransactionAuthenticator, object])[] = [
      [ED25519, ED25519_JSON],
      [
        { kind: "multiEd25519", ...many },
        {
          public_keys: [toPrefixedHex(KEY), toPrefixedHex(KEY)],
          signatures: [toPrefixedHex(SIGNATURE), toPrefixedHex(SIGNATURE)],
          threshold: 2,
          bitmap: "0xc0000000",
          type: "multi_ed25519_signature",
        },
      ],
      [
        { kind: "singleSender", sender: single },
        {
          public_key: key("0x04", "secp256k1_ecdsa"),
          signature: key("0x05", "secp256k1_ecdsa"),
          type: "single_sender",
        },
      ],
      [
        {
          kind: "singleSender",
          sender: {
            kind: "multiKey",
            publicKeys: [single.publicKey, { kind: "ed25519", publicKey: KEY }],
            signaturesRequired: 1,
            signatures: [{ kind: "ed25519", signature: SIGNATURE }],
            bitmap: bytes("40000000"),
          },
        },
        {
          public_keys: [key("0x04", "secp256k1_ecdsa"), key(toPrefixedHex(KEY), "ed25519")],
          signatures: [{ index: 1, signature: key(toPrefixedHex(SIGNATURE), "ed25519") }],
          signatures_required: 1,
          type: "single_sender",
        },
      ],
      [
        {
          kind: "feePayer",
          sender: ED25519,
          secondaryAddresses: [SENDER],
          secondarySigners: [single],
          feePayerAddress: parseAddress("0xfee"),
          feePayer: { kind: "none" },
        },
        {
          sender: ED25519_JSON,
          secondary_signer_addresses: ["0xc0ffee"],
          secondary_signers: [
            {
              public_key: key("0x04", "secp256k1_ecdsa"),
              signature: key("0x05", "secp256k1_ecdsa"),
              type: "single_key_signature",
            },
          ],
          fee_payer_address: "0xfee",
          fee_payer_signer: { type: "no_account_signature" },
          type: "fee_payer_signature",
        },
      ],
    ];
    for (const [authenticator, expected] of cases) {
      const { signature } = await print(recordOf(userTransaction(TRANSFER, authenticator)));
      expect(signature).toEqual(expected);
    }
  });

  it.each<[ExecutionStatus, string]>([
    [{ kind: "outOfGas" }, "Out of gas"],
    [
      {
        kind: "moveAbort",
        location: { kind: "module", module: { address: SENDER, name: "shop" } },
        code: 0x10006n,
        info: undefined,
      },
      "Move abort in 0xc0ffee::shop: 0x10006",
    ],
    [{ kind: "moveAbort", location: { kind: "script" }, code: 1n, info: undefined }, "Move abort: code 0x1"],
    [
      { kind: "executionFailure", location: { kind: "script" }, function: 0, codeOffset: 12 },
      "Execution failed in script at code offset 12",
    ],
    [
      {
        kind: "executionFailure",
        location: { kind: "module", module: { address: SENDER, name: "shop" } },
        function: 3,
        codeOffset: 1,
      },
      "Execution failed in 0xc0ffee::shop::<#3 function> at code offset 1",
    ],
    [{ kind: "miscellaneous", statusCode: 4016n }, "ABORTED"],
    [
      { kind: "miscellaneous", statusCode: undefined },
      "Execution failed with miscellaneous error and no status code",
    ],
  ])("say how they ended: %#", async (status, text) => {
    expect(await print(recordOf(userTransaction(TRANSFER), status))).toMatchObject({
      success: false,
      vm_status: text,
    });
  });

  it("print those of validators, with u64 as numbers where the reference does", async () => {
    const update = recordOf({
      kind: "validator",
      transaction: {
        kind: "jwkUpdate",
        issuer: new TextEncoder().encode("https://issuer"),
        version: 2n ** 63n,
        jwks: [],
        signature: { bitmask: bytes("a0"), signature: undefined },
      },
    });
    const text = await textOf(printer.print(lookAtRecord(encodeWith(recordCodec, update)), 5n));
    expect(text).toContain('"version":9223372036854775808,');
    expect(text).toContain('"multi_sig":{"signer_indices":[0,2],"sig":null}');
    expect(text).toMatch(
      /"validator_transaction_type":"observed_jwk_update","type":"validator_transaction"}$/,
    );
    const end = { kind: "v0", gasLimitReached: true, outputLimitReached: false } as const;
    const epilogue = recordOf({
      kind: "blockEpilogue",
      epilogue: {
        kind: "v0",
        blockId: ZERO,
        endInfo: { ...end, gasUnits: 2n ** 63n, approximateOutputBytes: 1n },
      },
    });
    expect(await textOf(printer.print(lookAtRecord(encodeWith(recordCodec, epilogue)), 5n))).toMatch(
      /"block_effective_block_gas_units":9223372036854775808,"block_approx_output_size":1},"type":"block_epilogue_transaction"}$/,
    );
  });

  it("that wait have their hash and no info", async () => {
    const { transaction } = userTransaction(TRANSFER);
    expect(JSON.parse(await textOf(printer.printPending(transaction, KEY)))).toEqual({
      hash: toPrefixedHex(KEY),
      sender: "0xc0ffee",
      sequence_number: "9",
      max_gas_amount: "2000",
      gas_unit_price: "100",
      expiration_timestamp_secs: "18446744073709551615",
      payload: TRANSFER_JSON,
      signature: ED25519_JSON,
      replay_protection_nonce: null,
      type: "pending_transaction",
    });
  });
});
