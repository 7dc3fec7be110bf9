// The content of blocks: valid signatures, every form of transaction and change, and the expected balances.
import { createPublicKey, verify } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { equalBytes } from "../../src/base/bytes.ts";
import { toHex } from "../../src/base/hex.ts";
import { sha3Parts } from "../../src/base/sha3.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { type AssetName, assetText } from "../../src/chain/demo/assets.ts";
import type { DemoAccountName } from "../../src/chain/demo/demo-accounts.ts";
import { parseAsset } from "../../src/ledger/balances/asset.ts";
import { readBalance } from "../../src/ledger/balances/balance.ts";
import { type LedgerRecord, recordCodec } from "../../src/ledger/formats/record.ts";
import type { LedgerView } from "../../src/ledger/view.ts";
import { formatAddressLong } from "../../src/move/address.ts";
import { formatTypeTag } from "../../src/move/type-tag.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import type { AccountAuthenticator } from "../../src/transaction/authenticator.ts";
import { signingMessage } from "../../src/transaction/signing-message.ts";
import type { UserTransaction } from "../../src/transaction/user-transaction.ts";
import { ChainRun } from "../support/chain-run.ts";
import {
  createTrackedChain,
  type ExpectedBalances,
  feeStatementOf,
  readSupplies,
  type TrackedChain,
} from "../support/expected-balances.ts";

const BLOCKS = 220;
/** One more epoch than the first block's. */
const EPOCH_MS = 200_000;
const ASSETS: readonly AssetName[] = ["native", "gold", "shell"];
const SPKI_HEADER = Buffer.from("302a300506032b6570032100", "hex");

function isSigned(message: Uint8Array, proof: AccountAuthenticator, address: Uint8Array): boolean {
  if (proof.kind !== "ed25519") return false;
  const key = createPublicKey({
    key: Buffer.concat([SPKI_HEADER, proof.publicKey]),
    format: "der",
    type: "spki",
  });
  const owner = sha3Parts(proof.publicKey, Uint8Array.of(0));
  return equalBytes(owner, address) && verify(null, message, key, proof.signature);
}

function isFullySigned({ raw, authenticator }: UserTransaction): boolean {
  if (authenticator.kind === "ed25519") return isSigned(signingMessage(raw), authenticator, raw.sender);
  if (authenticator.kind !== "multiAgent" && authenticator.kind !== "feePayer") return false;
  const { sender, secondaryAddresses, secondarySigners } = authenticator;
  const payer = authenticator.kind === "feePayer" ? authenticator.feePayerAddress : undefined;
  const message = signingMessage(raw, secondaryAddresses, payer);
  return (
    isSigned(message, sender, raw.sender) &&
    (authenticator.kind === "multiAgent" || isSigned(message, authenticator.feePayer, payer!)) &&
    secondaryAddresses.length === secondarySigners.length &&
    secondarySigners.every((proof, i) => isSigned(message, proof, secondaryAddresses[i]!))
  );
}

/** Every difference between the balances in the state and the expected ones. */
async function differences(chain: TrackedChain, view: LedgerView): Promise<string[]> {
  const { items, expectedBalances } = chain;
  const { version } = view.position;
  const out: string[] = [];
  for (const [name, { address }] of Object.entries(items.demoAccounts)) {
    for (const asset of ASSETS) {
      const definition = items.assets[asset];
      const coin = expectedBalances.amount(name as DemoAccountName, asset, "coin");
      const store = expectedBalances.amount(name as DemoAccountName, asset, "store");
      const whole = await readBalance(view, address, parseAsset(assetText(definition)), version);
      const metadata = parseAsset(formatAddressLong(definition.metadata));
      const part = await readBalance(view, address, metadata, version);
      if (whole !== coin + store) out.push(`${version} ${name} ${asset}: ${whole}, expected ${coin + store}`);
      if (part !== store) out.push(`${version} ${name} ${asset} store: ${part}, expected ${store}`);
    }
  }
  return out;
}

describe("blocks of the local chain", () => {
  const chain = createTrackedChain({ seed: "content", epochTimeMs: EPOCH_MS });
  const run = new ChainRun(chain, createMemoryStore());
  const records: LedgerRecord[] = [];
  const found: string[] = [];

  const users = (): { record: LedgerRecord; transaction: UserTransaction }[] =>
    records.flatMap((record) =>
      record.transaction.kind === "user" ? [{ record, transaction: record.transaction.transaction }] : [],
    );

  beforeAll(async () => {
    await run.start();
    for (let height = 1; height <= BLOCKS; height++) {
      for (const bytes of await run.step()) records.push(decodeWith(recordCodec, bytes));
      if (height % 25 !== 0 && height > 10) continue;
      const view = await run.store.openView();
      found.push(...(await differences(chain, view)));
      view.release();
    }
  });

  it("have valid signatures of their senders over the signing message", () => {
    const unsigned = users().filter(({ transaction }) => !isFullySigned(transaction));
    expect(users().length).toBeGreaterThan(BLOCKS);
    expect(unsigned).toEqual([]);
  });

  it("fail the check with a wrong signature", () => {
    const { transaction } = users()[0]!;
    const raw = { ...transaction.raw, sequenceNumber: transaction.raw.sequenceNumber + 1n };
    expect(isFullySigned({ ...transaction, raw })).toBe(false);
  });

  it("leave the expected balances, in total and by store", () => {
    expect(chain.expectedBalances.height).toBe(BigInt(BLOCKS));
    expect(found).toEqual([]);
  });

  it("burn nothing but fees, and supplies equal the sum of all balances", async () => {
    const view = await run.store.openView();
    const supplyOf = await readSupplies(chain, view);
    for (const asset of ASSETS) {
      const parts = asset === "shell" ? (["store"] as const) : (["coin", "store"] as const);
      for (const part of parts) expect(supplyOf(asset, part)).toBe(chain.expectedBalances.total(asset, part));
    }
    view.release();
    const fees = users().reduce((sum, { record, transaction }) => {
      const { refund } = feeStatementOf(record.events);
      return sum + record.info.gasUsed * transaction.raw.gasUnitPrice - refund;
    }, 0n);
    const fresh = createTrackedChain({ seed: "content", epochTimeMs: EPOCH_MS });
    fresh.genesisBlob();
    for (const asset of ASSETS) {
      const total = (expected: ExpectedBalances) =>
        expected.total(asset, "coin") + expected.total(asset, "store");
      expect(total(fresh.expectedBalances) - total(chain.expectedBalances)).toBe(
        asset === "native" ? fees : 0n,
      );
    }
  });

  it("keep a balance above 2^53 and one near 2^64", () => {
    expect(chain.expectedBalances.amount("gus", "native", "store")).toBeGreaterThan(2n ** 53n);
    expect(chain.expectedBalances.amount("gus", "shell", "store")).toBeGreaterThan(2n ** 64n - 2n ** 34n);
  });

  it("hold every form of transaction", () => {
    const kinds = new Set(records.map(({ transaction }) => printKind(transaction)));
    expect([...kinds].sort()).toEqual([
      "blockEpilogue v0",
      "blockEpilogue v1",
      "blockMetadata",
      "blockMetadata without a proposer",
      "stateCheckpoint",
      "user ed25519 entryFunction",
      "user ed25519 payload",
      "user ed25519 script",
      "user feePayer payload",
      "user multiAgent entryFunction",
    ]);
  });

  it("make every kind of change", () => {
    const ops = new Set(records.flatMap(({ changes }) => changes.writes.map(([, op]) => op.kind)));
    expect([...ops].sort()).toEqual([
      "creationWithMetadata",
      "deletionWithMetadata",
      "modification",
      "modificationWithMetadata",
    ]);
  });

  it("end user transactions with the fee statement, and failed ones emit nothing else", () => {
    for (const { record } of users()) {
      const last = record.events.at(-1);
      expect(last?.kind).toBe("v2");
      expect(last && formatTypeTag(last.type)).toBe("0x1::transaction_fee::FeeStatement");
    }
    const failed = users().filter(({ record }) => record.info.status.kind === "moveAbort");
    expect(failed.length).toBeGreaterThan(3);
    for (const { record } of failed) expect(record.events).toHaveLength(1);
  });

  it("end the first epoch with the first block and later epochs by time", () => {
    const ends = records.filter(({ events }) =>
      events.some((event) => formatTypeTag(event.type) === "0x1::reconfiguration::NewEpochEvent"),
    );
    expect(ends.map(({ version }) => version).at(0)).toBe(1n);
    expect(ends).toHaveLength(2);
    for (const { info } of ends) expect(info.stateCheckpointHash).toBeDefined();
  });

  it("create, empty and delete an account again and again", async () => {
    const { account } = chain.items.accounts.hana;
    const view = await run.store.openView();
    const history = await view.getHistory(account.keyHash, {
      from: 0n,
      to: view.position.version,
      limit: 10_000,
    });
    view.release();
    expect(history.filter(({ value }) => value === undefined).length).toBeGreaterThan(5);
    expect(history.filter(({ value }) => value !== undefined).length).toBeGreaterThan(5);
  });

  it("create, change and delete table items under the keys of the guide", async () => {
    const view = await run.store.openView();
    for (const items of [chain.items.prices, chain.items.orders]) {
      const histories = await Promise.all(
        items.map(({ keyHash }) =>
          view.getHistory(keyHash, { from: 0n, to: view.position.version, limit: 10_000 }),
        ),
      );
      const writes = histories.flat();
      expect(writes.some(({ value }) => value === undefined)).toBe(true);
      expect(histories.every((history) => history.length > 1)).toBe(true);
    }
    view.release();
    const { tables } = chain.guide();
    expect(tables.map(({ keys }) => keys.length)).toEqual([
      chain.items.prices.length,
      chain.items.orders.length,
    ]);
    const first = chain.items.prices[0]!.key;
    expect(first.kind === "tableItem" && `0x${toHex(first.key)}`).toBe(tables[0]?.keys[0]?.key);
    expect(first.kind === "tableItem" && `0x${toHex(first.handle)}`).toBe(tables[0]?.handle);
  });
});

function printKind(transaction: LedgerRecord["transaction"]): string {
  switch (transaction.kind) {
    case "user": {
      const { raw, authenticator } = transaction.transaction;
      return `user ${authenticator.kind} ${raw.payload.kind}`;
    }
    case "blockEpilogue":
      return `blockEpilogue ${transaction.epilogue.kind}`;
    case "blockMetadata":
      return transaction.block.proposer.every((byte) => byte === 0)
        ? "blockMetadata without a proposer"
        : "blockMetadata";
    default:
      return transaction.kind;
  }
}
