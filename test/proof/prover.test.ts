// Proofs made from the kept history hold for somebody who has the waypoint and nothing else.
import { describe, expect, it } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { type Asset, parseAsset } from "../../src/ledger/balances/asset.ts";
import { readBalance } from "../../src/ledger/balances/balance.ts";
import { readBalanceDetail } from "../../src/ledger/balances/balance-detail.ts";
import type { LedgerError } from "../../src/ledger/errors.ts";
import { contractEventCodec } from "../../src/ledger/formats/block-event.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import { decodeRecord } from "../../src/ledger/formats/record.ts";
import { readTableItem } from "../../src/ledger/items/table-item.ts";
import { type LedgerView, withView } from "../../src/ledger/view.ts";
import { computeWaypoint } from "../../src/ledger/waypoint.ts";
import { type Address, formatAddress, parseAddress } from "../../src/move/address.ts";
import { formatTypeTag } from "../../src/move/type-tag.ts";
import {
  decodeBundle,
  encodeBundle,
  type ProofBundle,
  type VerifiedProof,
  verifyBundle,
} from "../../src/proof/bundle.ts";
import { bundleToText, decodeBundleJson } from "../../src/proof/bundle-json.ts";
import { depositOf, depositStore, type ProvenDeposit } from "../../src/proof/claim.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";
import { balancesQuestion, type ProofOptions, type ProofQuestion } from "../../src/proof/question.ts";
import type { SideChange, Store } from "../../src/store/contract.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { rewindLedger } from "../../src/sync/maintenance/rewind.ts";
import { clearProofHistory } from "../../src/sync/proofs/proof-history.ts";
import { prove } from "../../src/sync/proofs/prover.ts";
import {
  epochEndRow,
  keepGenesisLedgerInfo,
  loadEpochEnd,
  loadNewestSigned,
  newestRow,
} from "../../src/sync/signatures/signed-rows.ts";
import { ChainRun } from "../support/chain-run.ts";

const COIN: Asset = parseAsset("0x1::aptos_coin::AptosCoin");
const NOBODY = parseAddress("0xdead");

async function begin(seed: string, window: string, store: Store = createMemoryStore()): Promise<ChainRun> {
  const chain = createLocalChain({ seed, epochTimeMs: 5000 });
  const run = await new ChainRun(chain, store, window).start();
  await keepGenesisLedgerInfo(run.store);
  return run;
}

async function ask(store: Store, question: ProofQuestion, options: ProofOptions = {}): Promise<ProofBundle> {
  const view = await store.openView();
  try {
    const made = await prove(store, view, question, options);
    const bytes = encodeBundle(made);
    const bundle = decodeBundle(bytes);
    expect(encodeBundle(bundle)).toEqual(bytes);
    expect(encodeBundle(decodeBundleJson(bundleToText(made)))).toEqual(bytes);
    return bundle;
  } finally {
    view.release();
  }
}

/** A view that reads the records of now, whatever became of its history. */
function withRecordsOfNow(store: Store, view: LedgerView): LedgerView {
  const getRecords: LedgerView["getRecords"] = (...range) =>
    withView(store.openView(), (now) => now.getRecords(...range));
  return new Proxy(view, {
    get(target, name) {
      if (name === "getRecords") return getRecords;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

function questionsOf(run: ChainRun): ProofQuestion[] {
  const { items } = run.chain;
  const owners: Address[] = [...Object.values(items.demoAccounts).map(({ address }) => address), NOBODY];
  const assets = [
    COIN,
    ...Object.values(items.assets).map(({ metadata }) =>
      parseAsset(`0x${Buffer.from(metadata).toString("hex")}`),
    ),
  ];
  return [
    ...owners.flatMap((address) => assets.map((asset) => balancesQuestion([{ address, asset }], false))),
    balancesQuestion(
      owners.flatMap((address) => assets.map((asset) => ({ address, asset }))),
      true,
    ),
    ...["0x03415054", "0x05534845", "0x0b"].map((digits): ProofQuestion => {
      const key = Buffer.from(digits.slice(2), "hex");
      const claim = { kind: "tableItem", handle: items.tableHandles.prices, key } as const;
      return { kind: "state", claim };
    }),
  ];
}

/** What the node itself answers. */
async function answer(store: Store, question: ProofQuestion, version: bigint): Promise<unknown> {
  const view = await store.openView();
  try {
    if (question.kind !== "state") throw new Error("not about the state");
    const { claim } = question;
    if (claim.kind === "tableItem") {
      const item = await readTableItem(view, claim.handle, claim.key, version);
      return item && Buffer.from(item).toString("hex");
    }
    if (claim.kind !== "balances") throw new Error("another claim");
    const amounts: bigint[] = [];
    for (const { address, amounts: asked } of claim.accounts) {
      for (const { asset } of asked) {
        amounts.push(await readBalance(view, address, parseAsset(claim.assets[asset] ?? ""), version));
      }
    }
    return amounts;
  } finally {
    view.release();
  }
}

function claimed({ claim }: VerifiedProof): unknown {
  if (claim.kind === "balances") {
    return claim.accounts.flatMap(({ balances }) => balances.map(({ balance }) => balance));
  }
  return "value" in claim ? claim.value && Buffer.from(claim.value).toString("hex") : undefined;
}

/** Block ends of the last blocks. */
async function lastEnds(store: Store, count: number): Promise<bigint[]> {
  const view = await store.openView();
  const ends: bigint[] = [];
  for (let height = view.position.blockHeight; ends.length < count && height > 0n; height--) {
    const block = await view.getBlockByHeight(height);
    if (block !== undefined) ends.push(block.lastVersion);
  }
  view.release();
  return ends;
}

/** Time of the block of a version; undefined above the latest. */
async function timeAt(store: Store, version: bigint): Promise<bigint | undefined> {
  const view = await store.openView();
  const block = await view.getBlockByVersion(version);
  view.release();
  return block?.timestampUsec;
}

describe("proofs", () => {
  it("of every block end inside the window hold from the genesis waypoint, for items that are there and others", async () => {
    const run = await begin("proofs", "8s");
    for (let i = 0; i < 50; i++) await run.step();
    const fromWaypoint = checkGenesis(run.chain.genesisBlob()).waypoint;
    const questions = questionsOf(run);
    const [ends, outside] = [await lastEnds(run.store, 8), (await lastEnds(run.store, 45)).slice(42)];
    for (const [i, version] of ends.entries()) {
      for (const question of questions.filter((_, q) => (q + i) % 8 === 0)) {
        const bundle = await ask(run.store, question, { version, fromWaypoint });
        const proven = verifyBundle(bundle, fromWaypoint, fastestBls());
        expect(proven.ledgerVersion).toBe(version);
        expect(proven.timestampUsec).toBe(await timeAt(run.store, version));
        expect(proven.nextTimestampUsec).toBe(await timeAt(run.store, version + 1n));
        expect(claimed(proven)).toEqual(await answer(run.store, question, version));
      }
    }
    for (const version of outside) {
      await expect(ask(run.store, questions[0] as ProofQuestion, { version })).rejects.toMatchObject({
        code: "version_pruned",
      });
    }
    const [latest = 0n] = ends;
    const bundle = await ask(run.store, questions[0] as ProofQuestion);
    expect(bundle.points.map(({ version }) => version)).toEqual([latest]);
    // Without a waypoint the proof begins at the end of the epoch before.
    const before = await loadEpochEnd(run.store, (await run.position()).epoch - 1n);
    if (before === undefined) throw new Error("no epoch before");
    verifyBundle(bundle, computeWaypoint(before.ledgerInfo), fastestBls());
  });

  it("of every transaction and every event hold, with the time of their block", async () => {
    const run = await begin("records", "1h");
    for (let i = 0; i < 6; i++) await run.step();
    const fromWaypoint = checkGenesis(run.chain.genesisBlob()).waypoint;
    const verify = async (question: ProofQuestion): Promise<VerifiedProof> =>
      verifyBundle(await ask(run.store, question, { fromWaypoint }), fromWaypoint, fastestBls());
    const view = await run.store.openView();
    const records = await view.getRecords(1n, 1000, 1 << 24);
    const deposits: ProvenDeposit[] = [];
    const types = new Set<string>();
    for (const { version, bytes } of records) {
      const { events, info } = decodeRecord(bytes);
      const time = await timeAt(run.store, version);
      const { claim, timestampUsec } = await verify({ kind: "transaction", version });
      if (claim.kind !== "transaction") throw new Error("another claim");
      expect([claim.hash, timestampUsec]).toEqual([toPrefixedHex(info.transactionHash), time]);
      types.add(claim.transactionType);
      for (const [index, event] of events.entries()) {
        const proven = await verify({ kind: "event", version, index: BigInt(index) });
        if (proven.claim.kind !== "event") throw new Error("another claim");
        const { type, data } = decodeWith(contractEventCodec, event);
        expect([proven.claim.type, proven.claim.data, proven.timestampUsec]).toEqual([
          formatTypeTag(type),
          data,
          time,
        ]);
        if (proven.claim.deposit !== undefined) deposits.push(proven.claim.deposit);
      }
    }
    view.release();
    expect([...types]).toEqual(expect.arrayContaining(["user", "blockMetadata"]));
    const accounts = Object.values(run.chain.items.demoAccounts).map(({ address }) => formatAddress(address));
    const paid = deposits.filter(({ account, asset }) => accounts.includes(account) && asset === "0xa");
    expect(paid.length).toBeGreaterThan(0);
    const none = { kind: "event", version: 1n, index: 99n } as const;
    await expect(ask(run.store, none)).rejects.toThrow("event: version 1 has");
  });

  it("of a deposit name its account also after the store was deleted", async () => {
    const run = await begin("deleted", "1h");
    const accounts = new Map<string, ProvenDeposit | undefined>();
    const depositsFrom = async (first: bigint): Promise<Map<string, ProvenDeposit | undefined>> => {
      const found: typeof accounts = new Map();
      const view = await run.store.openView();
      for (const { version, bytes } of await view.getRecords(first, 1000, 1 << 24)) {
        for (const [index, event] of decodeRecord(bytes).events.entries()) {
          if (depositStore(decodeWith(contractEventCodec, event)) === undefined) continue;
          const { claim } = await ask(run.store, { kind: "event", version, index: BigInt(index) });
          if (claim.kind !== "event") throw new Error("another claim");
          found.set(`${version}:${index}`, depositOf(decodeWith(contractEventCodec, event), claim.store));
        }
      }
      view.release();
      return found;
    };
    const exists = async ({ account, asset = "" }: ProvenDeposit): Promise<boolean> => {
      const view = await run.store.openView();
      const { fungible } = await readBalanceDetail(
        view,
        parseAddress(account),
        parseAsset(asset),
        view.position.version,
      );
      view.release();
      return fungible?.exists === true;
    };
    let gone = 0;
    while (gone === 0) {
      const { version } = await run.position();
      await run.step();
      for (const [event, deposit] of await depositsFrom(version + 1n)) accounts.set(event, deposit);
      for (const deposit of accounts.values()) {
        if (deposit !== undefined && !(await exists(deposit))) gone++;
      }
    }
    expect(await depositsFrom(1n)).toEqual(accounts);
  });

  it("name what is wrong with a version or a waypoint", async () => {
    const run = await begin("refused", "1m");
    for (let i = 0; i < 12; i++) await run.step();
    const [question] = questionsOf(run);
    if (question === undefined) throw new Error("no question");
    const { version, epoch } = await run.position();
    await expect(ask(run.store, question, { version: version - 1n })).rejects.toThrow(
      /expected the last version of a block, \d+ or \d+, got/,
    );
    await expect(ask(run.store, question, { version: version + 1n })).rejects.toMatchObject({
      code: "version_not_found",
    });
    const [, end = 0n] = await lastEnds(run.store, 2);
    const fromWaypoint = { version: end, hash: new Uint8Array(32) };
    await expect(ask(run.store, question, { fromWaypoint })).rejects.toThrow(
      `from_waypoint: expected the waypoint of an epoch's end that this node knows, before epoch ${epoch}`,
    );
  });

  it("cannot be made without signatures", async () => {
    const chain = createLocalChain({ seed: "unsigned" });
    const run = await new ChainRun(chain, createMemoryStore(), "1m").start();
    await run.append(await run.make());
    const [question] = questionsOf(run);
    await expect(ask(run.store, question as ProofQuestion)).rejects.toMatchObject({ code: "no_signatures" });
  });

  it("of a follower rest on a later signature of the same epoch, over any number of versions", async () => {
    const origin = await begin("origin", "1h");
    const chain = createLocalChain({ seed: "origin", epochTimeMs: 5000 });
    const follower = await new ChainRun(chain, createMemoryStore(), "1h").start();
    const records: Uint8Array[] = [];
    for (let i = 0; i < 34; i++) records.push(...(await origin.step()));
    // Pages cut blocks, and hold several.
    for (let at = 0; at < records.length; at += 50) await follower.append(records.slice(at, at + 50));
    const { version: latest } = await follower.position();
    expect(latest).toBe((await origin.position()).version);
    const [question] = questionsOf(origin);
    if (question === undefined) throw new Error("no question");
    const newest = await loadNewestSigned(origin.store);
    if (newest === undefined) throw new Error("nothing is signed");
    await follower.store.writeSide({ sideRows: [newestRow({ ...newest, isOwn: false })] });
    for (let epoch = 0n; epoch < newest.signed.ledgerInfo.epoch; epoch++) {
      const end = await loadEpochEnd(origin.store, epoch);
      if (end === undefined) throw new Error(`no end of epoch ${epoch}`);
      await follower.store.writeSide({ sideRows: [epochEndRow(end)] });
    }
    const fromWaypoint = checkGenesis(origin.chain.genesisBlob()).waypoint;
    for (const version of await lastEnds(follower.store, 33)) {
      const bundle = await ask(follower.store, question, { version, fromWaypoint });
      const proven = verifyBundle(bundle, fromWaypoint, fastestBls());
      expect(proven.signedVersion >= version).toBe(true);
      expect(claimed(proven)).toEqual(await answer(follower.store, question, version));
    }
  });

  it("are made again after a rewind and after another program wrote blocks", async () => {
    const run = await begin("rewound", "1h");
    for (let i = 0; i < 8; i++) await run.step();
    const { version: to } = await run.position();
    for (let i = 0; i < 5; i++) await run.step();
    await rewindLedger({ store: run.store, to, onProgress: () => {}, signal: new AbortController().signal });
    const fromWaypoint = checkGenesis(run.chain.genesisBlob()).waypoint;
    const questions = questionsOf(run);
    const check = async (again: ChainRun, count: number): Promise<void> => {
      for (const version of await lastEnds(again.store, count)) {
        for (const question of questions.filter((_, i) => i % 5 === 0)) {
          const bundle = await ask(again.store, question, { version, fromWaypoint });
          const proven = verifyBundle(bundle, fromWaypoint, fastestBls());
          expect(claimed(proven)).toEqual(await answer(again.store, question, version));
        }
      }
    };
    const again = new ChainRun(run.chain, run.store, "1h");
    again.lateUsec = 300_000n;
    for (let i = 0; i < 4; i++) await again.step();
    await check(again, 10);
    const plain = new ChainRun(run.chain, run.store);
    for (let i = 0; i < 3; i++) await plain.step();
    const last = new ChainRun(run.chain, run.store, "1h");
    for (let i = 0; i < 3; i++) await last.step();
    await check(last, 3);
    const [, , , before = 0n] = await lastEnds(run.store, 4);
    await expect(ask(run.store, questions[0] as ProofQuestion, { version: before })).rejects.toMatchObject({
      code: "version_pruned",
    });
  });

  it.each([
    ["of a snapshot", false],
    // As in a cluster.
    ["of now", true],
  ])(
    "are of one history, or are refused, where the ledger goes back and on meanwhile: records %s",
    async (_, isLive) => {
      const codes = new Set<string>();
      for (let at = 1, isDisturbed = true; isDisturbed; at++) {
        const run = await begin("beside", "1h");
        const { store } = run;
        for (let i = 0; i < 3; i++) await run.step();
        const { version: to } = await run.position();
        for (let i = 0; i < 2; i++) await run.step();
        let reads = 0;
        const other = async (): Promise<void> => {
          await rewindLedger({ store, to, onProgress: () => {}, signal: new AbortController().signal });
          const again = new ChainRun(run.chain, store, "1h");
          again.lateUsec = 300_000n;
          for (let i = 0; i < 3; i++) await again.step();
        };
        const disturbed = {
          openView: async () => (isLive ? withRecordsOfNow(store, await store.openView()) : store.openView()),
          openRawView: () => store.openRawView(),
          getTreeNodes: (keys) => store.getTreeNodes(keys),
          getSideRows: async (keys) => {
            if (++reads === at) await other();
            return store.getSideRows(keys);
          },
        } as Store;
        const fromWaypoint = checkGenesis(run.chain.genesisBlob()).waypoint;
        const { version } = await run.position();
        const question = { kind: "transaction", version: version - 1n } as const;
        const made = await ask(disturbed, question, { fromWaypoint }).catch((error: unknown) => error);
        isDisturbed = reads >= at;
        if (made instanceof Error) codes.add((made as LedgerError).code);
        else verifyBundle(made as ProofBundle, fromWaypoint, fastestBls());
      }
      expect([...codes]).toEqual(["unavailable"]);
    },
  );

  it("leave no rows behind when their history goes", async () => {
    const store = createMemoryStore();
    const keys = new Set<string>();
    const watched: Store = Object.assign(Object.create(store) as Store, {
      commit: async (...args: Parameters<Store["commit"]>) => {
        note(args[0].sideRows ?? []);
        await store.commit(...args);
      },
      writeSide: async (change: SideChange) => {
        note(change.sideRows);
        await store.writeSide(change);
      },
    });
    // Methods of the store use its private fields.
    for (const name of ["openView", "openRawView", "getTreeNodes", "getSideRows", "rewind"] as const) {
      Object.assign(watched, { [name]: (store[name] as (...args: unknown[]) => unknown).bind(store) });
    }
    Object.defineProperty(watched, "identity", { get: () => store.identity });
    const note = (rows: SideChange["sideRows"]): void => {
      for (const { key, value } of rows) {
        const name = Buffer.from(key).toString("hex");
        // Logs of nodes and block ends; ends of epochs and subtrees of the accumulator stay for good.
        if (key[0] !== 11 && !(key[0] === 7 && [6, 7].includes(key[1] ?? 0))) continue;
        if (value === undefined) keys.delete(name);
        else keys.add(name);
      }
    };
    const run = await begin("clean", "5s", watched);
    let most = 0;
    for (let i = 0; i < 90; i++) {
      await run.step();
      if (i === 40) most = keys.size;
    }
    // The window holds the same number of blocks all the time.
    expect(keys.size).toBeLessThan(2 * most);
    expect(keys.size).toBeGreaterThan(20);
    await clearProofHistory(watched);
    expect([...keys]).toEqual([]);
  });
});
