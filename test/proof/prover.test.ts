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
  BundleVerifier,
  decodeBundle,
  encodeBundle,
  type ProofBundle,
  type VerifiedProof,
} from "../../src/proof/bundle.ts";
import { bundleToText, decodeBundleJson } from "../../src/proof/bundle-json.ts";
import { depositOf, depositStore, type ProvenDeposit } from "../../src/proof/claim.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";
import { balancesQuestion, type ProofOptions, type ProofQuestion } from "../../src/proof/question.ts";
import type { SideChange, Store } from "../../src/store/contract.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { keepAccumulator } from "../../src/sync/maintenance/kept-accumulator.ts";
import { rewindLedger } from "../../src/sync/maintenance/rewind.ts";
import { AccumulatorNodes } from "../../src/sync/proofs/accumulator-nodes.ts";
import { clearProofHistory } from "../../src/sync/proofs/proof-history.ts";
import { prove } from "../../src/sync/proofs/prover.ts";
import { KEPT_ACCUMULATOR, SUBTREE } from "../../src/sync/side-rows.ts";
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

async function begin(seed: string, window: string, blocks = 0, store: Store = createMemoryStore()) {
  const chain = createLocalChain({ seed, epochTimeMs: 5000 });
  const run = await new ChainRun(chain, store, window).start();
  await keepGenesisLedgerInfo(run.store);
  for (let i = 0; i < blocks; i++) await run.step();
  return run;
}

async function ask(store: Store, question: ProofQuestion, options: ProofOptions = {}): Promise<ProofBundle> {
  const made = await withView(store.openView(), (view) => prove(store, view, question, options));
  const bytes = encodeBundle(made);
  const bundle = decodeBundle(bytes);
  expect(encodeBundle(bundle)).toEqual(bytes);
  expect(encodeBundle(decodeBundleJson(bundleToText(made)))).toEqual(bytes);
  return bundle;
}

/** What a proof from genesis on proves. */
async function proven(run: ChainRun, question: ProofQuestion, version?: bigint, store = run.store) {
  const { waypoint } = checkGenesis(run.chain.genesisBlob());
  const bundle = await ask(store, question, { version, fromWaypoint: waypoint });
  return new BundleVerifier(waypoint, fastestBls()).verify(bundle);
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
  return withView(store.openView(), async (view) => {
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
  });
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
  const block = await withView(store.openView(), (view) => view.getBlockByVersion(version));
  return block?.timestampUsec;
}

describe("proofs", () => {
  it("of every block end inside the window hold from the genesis waypoint, for items that are there and others", async () => {
    const run = await begin("proofs", "8s", 50);
    const questions = questionsOf(run);
    const [ends, outside] = [await lastEnds(run.store, 8), (await lastEnds(run.store, 45)).slice(42)];
    for (const [i, version] of ends.entries()) {
      for (const question of questions.filter((_, q) => (q + i) % 8 === 0)) {
        const found = await proven(run, question, version);
        expect(found.ledgerVersion).toBe(version);
        expect(found.timestampUsec).toBe(await timeAt(run.store, version));
        expect(found.nextTimestampUsec).toBe(await timeAt(run.store, version + 1n));
        expect(claimed(found)).toEqual(await answer(run.store, question, version));
      }
    }
    for (const version of outside)
      await expect(proven(run, questions[0] as ProofQuestion, version)).rejects.toThrow("is outside of");
    const [latest = 0n] = ends;
    const bundle = await ask(run.store, questions[0] as ProofQuestion);
    expect(bundle.points.map(({ version }) => version)).toEqual([latest]);
    // Without a waypoint the proof begins at the end of the epoch before.
    const before = await loadEpochEnd(run.store, (await run.position()).epoch - 1n);
    if (before === undefined) throw new Error("no epoch before");
    new BundleVerifier(computeWaypoint(before.ledgerInfo), fastestBls()).verify(bundle);
  });

  it("of every transaction and every event hold, with the time of their block", async () => {
    const run = await begin("records", "1h", 6);
    const view = await run.store.openView();
    const records = await view.getRecords(1n, 1000, 1 << 24);
    const deposits: ProvenDeposit[] = [];
    const types = new Set<string>();
    for (const { version, bytes } of records) {
      const { events, info } = decodeRecord(bytes);
      const time = await timeAt(run.store, version);
      const { claim, timestampUsec } = await proven(run, { kind: "transaction", version });
      if (claim.kind !== "transaction") throw new Error("another claim");
      expect([claim.hash, timestampUsec]).toEqual([toPrefixedHex(info.transactionHash), time]);
      types.add(claim.transactionType);
      for (const [index, event] of events.entries()) {
        const { claim, timestampUsec } = await proven(run, { kind: "event", version, index: BigInt(index) });
        if (claim.kind !== "event") throw new Error("another claim");
        const { type, data } = decodeWith(contractEventCodec, event);
        expect([claim.type, claim.data, timestampUsec]).toEqual([formatTypeTag(type), data, time]);
        if (claim.deposit !== undefined) deposits.push(claim.deposit);
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

  it("of transactions hold where the versions before are pruned, or were never here", async () => {
    const run = await begin("pruned", "1s", 70);
    const { store } = run;
    const [last = 0n] = (await lastEnds(store, 25)).slice(-1);
    const floor = last + 1n;
    const refused = (version: bigint) =>
      expect(proven(run, { kind: "transaction", version })).rejects.toThrow(`version ${version} is outside`);
    await store.writeSide({ sideRows: [SUBTREE.removal(7, 0n)] });
    await refused(140n);
    await withView(store.openView(), async (view) => {
      for (let next = floor - 17n; next <= floor; next++) {
        await keepAccumulator(store, next, new AbortController().signal);
        const before = await KEPT_ACCUMULATOR.load(store);
        // A ledger that ends before what is kept has less of its subtrees.
        for (let lastVersion = next - 9n; lastVersion < next; lastVersion++) {
          const plain = { store, view, lastVersion, missingSubtree: "recompute" } as const;
          const nodes = [plain, { ...plain, before }].map((options) => new AccumulatorNodes(options));
          const [expected, found] = await Promise.all(nodes.map((one) => one.siblings(lastVersion - 5n)));
          expect(found).toEqual(expected);
        }
      }
    });
    while (!(await store.prune(floor, 1000)).done);
    for (let version = floor; version < floor + 12n; version++)
      expect((await proven(run, { kind: "transaction", version })).ledgerVersion).toBe(version);
    // The pruner has begun to remove all of them.
    await keepAccumulator(store, floor + 60n, new AbortController().signal);
    await refused(floor);
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
      const { fungible } = await withView(run.store.openView(), (view) =>
        readBalanceDetail(view, parseAddress(account), parseAsset(asset), view.position.version),
      );
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
    const run = await begin("refused", "1m", 12);
    const [question] = questionsOf(run);
    if (question === undefined) throw new Error("no question");
    const { version, epoch } = await run.position();
    await expect(ask(run.store, question, { version: version - 1n })).rejects.toThrow(
      /expected the last version of a block, \d+ or \d+, got/,
    );
    await expect(proven(run, question, version + 1n)).rejects.toThrow("is above the latest version");
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
    for (const version of await lastEnds(follower.store, 33)) {
      const found = await proven(origin, question, version, follower.store);
      expect(found.signedVersion >= version).toBe(true);
      expect(claimed(found)).toEqual(await answer(follower.store, question, version));
    }
  });

  it("are made again after a rewind and after another program wrote blocks", async () => {
    const run = await begin("rewound", "1h", 8);
    const { version: to } = await run.position();
    for (let i = 0; i < 5; i++) await run.step();
    await rewindLedger({ store: run.store, to, onProgress: () => {}, signal: new AbortController().signal });
    const questions = questionsOf(run);
    const check = async (again: ChainRun, count: number): Promise<void> => {
      for (const version of await lastEnds(again.store, count)) {
        for (const question of questions.filter((_, i) => i % 5 === 0)) {
          const found = await proven(again, question, version);
          expect(claimed(found)).toEqual(await answer(again.store, question, version));
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
    await expect(proven(run, questions[0] as ProofQuestion, before)).rejects.toThrow("is outside of");
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
        const run = await begin("beside", "1h", 3);
        const { store } = run;
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
        const { version } = await run.position();
        const question = { kind: "transaction", version: version - 1n } as const;
        await proven(run, question, undefined, disturbed).catch(({ code }: LedgerError) => codes.add(code));
        isDisturbed = reads >= at;
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
    const run = await begin("clean", "5s", 0, watched);
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
