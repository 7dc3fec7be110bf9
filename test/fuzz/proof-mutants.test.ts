// Bundles of every kind, changed in every way that a generator finds: none proves another statement, and each refusal is a
// ProofError. SEXTANT_RUNS=100000 tries as many of each kind.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { equalBytes } from "../../src/base/bytes.ts";
import { takeTurn } from "../../src/base/wait.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { parseAsset } from "../../src/ledger/balances/asset.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import { decodeRecord } from "../../src/ledger/formats/record.ts";
import { formatWaypoint } from "../../src/ledger/waypoint.ts";
import { FRAMEWORK, parseAddress } from "../../src/move/address.ts";
import {
  decodeBundle,
  encodeBundle,
  hashOfClaim,
  MAX_POINTS,
  type Point,
  type ProofBundle,
  type ProvenLedger,
} from "../../src/proof/bundle.ts";
import { bundleToText, decodeBundleJson } from "../../src/proof/bundle-json.ts";
import { ProofError } from "../../src/proof/errors.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";
import { balancesQuestion, type ProofQuestion } from "../../src/proof/question.ts";
import type { StateItems } from "../../src/proof/state-proof.ts";
import { verifyProofWith } from "../../src/proof/verify-proof.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { prove } from "../../src/sync/proofs/prover.ts";
import { keepGenesisLedgerInfo } from "../../src/sync/signatures/signed-rows.ts";
import { rememberingBls } from "../../src/verify/remembering-bls.ts";
import { ChainRun } from "../support/chain-run.ts";
import { RUNS } from "../support/property.ts";

// Mutants have nearly all signatures in common, whose checks take most of the time.
const bls = rememberingBls(fastestBls());
const KINDS = [
  "balance",
  "balances",
  "table item",
  "absent item",
  "resource",
  "absent member of a group",
  "module",
  "transaction",
  "block end",
  "event",
  "receipt",
] as const;
const bundles = new Map<string, ProofBundle>();
let waypoint: string;

beforeAll(async () => {
  const chain = createLocalChain({ seed: "mutants", epochTimeMs: 2000 });
  const run = await new ChainRun(chain, createMemoryStore(), "1h").start();
  const { store } = run;
  await keepGenesisLedgerInfo(store);
  for (let i = 0; i < 8; i++) await run.step();
  const { waypoint: fromWaypoint } = checkGenesis(chain.genesisBlob());
  waypoint = formatWaypoint(fromWaypoint);
  const view = await store.openView();
  const block = await view.getBlockByHeight(view.position.blockHeight - 1n);
  const [owner, other] = Object.values(chain.items.demoAccounts).map(({ address }) => address);
  const nobody = parseAddress("0xdead");
  const [coin, asset] = [parseAsset("0x1::aptos_coin::AptosCoin"), parseAsset("0xa")];
  const state = (claim: Extract<ProofQuestion, { kind: "state" }>["claim"]) =>
    ({ kind: "state", claim }) as const;
  const handle = chain.items.tableHandles.prices;
  const records = (await view.getRecords(1n, 1000, 1 << 24)).map(({ bytes }) => decodeRecord(bytes));
  const sent = records.find(({ userChainId, events }) => userChainId !== undefined && events.length > 2);
  if (sent === undefined || owner === undefined || other === undefined || block === undefined)
    throw new Error("no ledger");
  const [version, lastVersion] = [sent.version, block.lastVersion];
  const questions: Readonly<Record<(typeof KINDS)[number], ProofQuestion>> = {
    balance: balancesQuestion([{ address: owner, asset: coin }], false),
    balances: balancesQuestion(
      [owner, other, nobody].flatMap((address) => [coin, asset].map((one) => ({ address, asset: one }))),
      true,
    ),
    "table item": state({ kind: "tableItem", handle, key: Buffer.from("03415054", "hex") }),
    "absent item": state({ kind: "tableItem", handle, key: Uint8Array.of(9) }),
    resource: state({
      kind: "resource",
      address: FRAMEWORK,
      type: "0x1::chain_id::ChainId",
      group: undefined,
    }),
    "absent member of a group": state({
      kind: "resource",
      address: nobody,
      type: "0x1::fungible_asset::Metadata",
      group: "0x1::object::ObjectGroup",
    }),
    module: state({ kind: "module", address: FRAMEWORK, name: "coin" }),
    transaction: { kind: "transaction", version },
    "block end": { kind: "transaction", version: lastVersion },
    event: { kind: "event", version, index: BigInt(sent.events.length - 1) },
    receipt: { kind: "event", version, index: 1n },
  };
  for (const [kind, question] of Object.entries(questions)) {
    const when = question.kind === "state" ? { version: lastVersion } : {};
    // From the epoch before, because checks of signatures take most of the time.
    bundles.set(kind, await prove(store, view, question, { ...when, fromWaypoint }));
  }
  view.release();
});

/** What a proof proves; undefined if it is refused. */
function statement(proof: Uint8Array | string): unknown {
  try {
    return verifyProofWith(bls, proof, waypoint);
  } catch (error) {
    if (error instanceof ProofError) return undefined;
    throw error;
  }
}

/** Numbers from which a change is drawn. */
type Draw = readonly [what: number, a: number, b: number, c: number];
const anyDraw = fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat());

const at = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;

/** Bytes with one replaced, put in or left out, two parts exchanged, or the end cut off. */
function changeBytes(bytes: Uint8Array, [what, a, b, c]: Draw): Uint8Array {
  if (bytes.length === 0) return Uint8Array.of(c & 0xff);
  const place = a % bytes.length;
  const [head, tail] = [bytes.subarray(0, place), bytes.subarray(place)];
  const changes = [
    () => Buffer.concat([head, Uint8Array.of((tail[0] ?? 0) ^ (1 << (b & 7))), tail.subarray(1)]),
    () => Buffer.concat([head, Uint8Array.of(b & 0xff), tail.subarray(1)]),
    () => Buffer.concat([head, Uint8Array.of(b & 0xff), tail]),
    () => Buffer.concat([head, tail.subarray(1 + (b % 40))]),
    () => Buffer.concat([head, tail.subarray(32, 64), tail.subarray(0, 32), tail.subarray(64)]),
    () => head,
  ];
  return new Uint8Array(at(changes, what)());
}

/** A list with an item changed, left out, repeated or exchanged with another one. */
function changeList<T>(list: readonly T[], [what, a, b]: Draw, change: (item: T) => T): T[] {
  if (list.length === 0) return [];
  const [i, j] = [a % list.length, b % list.length];
  const item = list[i] as T;
  const changes = [
    () => list.with(i, change(item)),
    () => list.toSpliced(i, 1),
    () => list.toSpliced(i, 0, item),
    () => list.with(i, list[j] as T).with(j, item),
    () => list.with(i, list[j] as T),
  ];
  return at(changes, what)();
}

function changeState(state: StateItems, [what, a, b, c]: Draw): StateItems {
  const next: Draw = [a, b, c, what];
  const changes: readonly (() => Partial<StateItems>)[] = [
    () => ({
      values: changeList(state.values, next, (value) =>
        value === undefined ? Uint8Array.of(0, 0) : undefined,
      ),
    }),
    () => ({ values: changeList(state.values, next, (value) => value && changeBytes(value, next)) }),
    () => ({ nodes: changeBytes(state.nodes, next) }),
    () => ({ nodes: state.nodes.with(a % state.nodes.length, b % 5) }),
    () => ({ hashes: changeList(state.hashes, next, (hash) => changeBytes(hash, [0, b, c, 0])) }),
  ];
  return { ...state, ...at(changes, what)() };
}

function changePoint(point: Point, [what, a, b, c]: Draw): Point {
  const next: Draw = [a, b, c, what];
  const changes: readonly (() => Partial<Point>)[] = [
    () => ({ version: point.version + BigInt((a % 5) - 2) }),
    () => ({ siblings: changeList(point.siblings, next, (hash) => changeBytes(hash, [0, b, c, 0])) }),
    () => ({
      transaction: point.transaction === undefined ? point.info : changeBytes(point.transaction, next),
    }),
    () => ({ transaction: undefined }),
    () => ({
      eventSiblings:
        point.eventSiblings === undefined ? [] : changeList(point.eventSiblings, next, (hash) => hash),
    }),
    () => ({ state: point.state && changeState(point.state, next) }),
    () => ({ state: undefined }),
  ];
  return { ...point, ...at(changes, what)() };
}

type SignedLedger = Extract<ProvenLedger, { readonly kind: "signed" }>;

/** A ledger with a change of epoch left out, repeated or moved, or in the place of the last signature or of it. */
function changeLedger(ledger: ProvenLedger, [what, a, b, c]: Draw): ProvenLedger {
  if (ledger.kind !== "signed") return { kind: "above" };
  const { epochChanges, last } = ledger;
  const changes: readonly (() => Partial<SignedLedger>)[] = [
    () => ({ epochChanges: changeList(epochChanges, [a, b, c, what], () => last) }),
    () => ({ last: epochChanges[a % epochChanges.length] ?? last }),
    () => ({ epochChanges: [...epochChanges, last] }),
  ];
  return { ...ledger, ...at(changes, what)() };
}

/** A bundle with a part changed, or replaced by that of a bundle of another kind. */
function changeBundle(bundle: ProofBundle, [what, a, b, c]: Draw): ProofBundle {
  const next: Draw = [a, b, c, what];
  const other = at([...bundles.values()], a);
  const { claim } = bundle;
  const changes: readonly (() => Partial<ProofBundle>)[] = [
    () => ({ points: changeList(bundle.points, next, (point) => changePoint(point, next)) }),
    () => ({ points: bundle.points.with(a % bundle.points.length, changePoint(at(bundle.points, a), next)) }),
    () => ({ points: changeList([...bundle.points, ...other.points], next, (point) => point) }),
    () => ({ claim: other.claim }),
    () => ({ claim: "time" in claim ? { ...claim, time: b % 2 === 0 ? undefined : BigInt(c) } : claim }),
    () => ({ claim: "store" in claim ? { ...claim, store: undefined } : claim }),
    () => ({
      claim: "version" in claim ? { ...claim, version: claim.version + BigInt((b % 5) - 2) } : claim,
    }),
    () => ({ ledger: other.ledger }),
    () => ({ ledger: changeLedger(bundle.ledger, next) }),
  ];
  const changed = { ...bundle, ...at(changes, what)() };
  // A forger changes the hash with the claim.
  return { ...changed, claimHash: hashOfClaim(changed.claim) };
}

/** Tries RUNS draws, and lets the test runner have a turn now and then. */
async function tryDraws(attempt: (isText: boolean, draw: Draw) => void): Promise<void> {
  let tried = 0;
  const property = fc.asyncProperty(fc.boolean(), anyDraw, async (isText, draw) => {
    attempt(isText, draw);
    if (++tried % 1000 === 0) await takeTurn();
  });
  await fc.assert(property, { numRuns: RUNS });
}

describe.each(KINDS)("a proof of kind: %s", { timeout: 600_000 + 20 * RUNS }, (kind) => {
  it("proves nothing else with bytes changed, in BCS and JSON", async () => {
    const bundle = bundles.get(kind) as ProofBundle;
    const [bytes, text] = [encodeBundle(bundle), Buffer.from(bundleToText(bundle))];
    const proven = statement(bytes);
    expect([proven, statement(text)]).toEqual([expect.anything(), proven]);
    await tryDraws((isText, draw) => {
      const form = isText ? text : bytes;
      const changed = changeBytes(form, draw);
      if (!equalBytes(changed, form)) expect(statement(changed)).toBe(undefined);
    });
  });

  it("proves nothing else with parts changed, in BCS and JSON", async () => {
    const bundle = bundles.get(kind) as ProofBundle;
    const bytes = encodeBundle(bundle);
    const proven = statement(bytes);
    await tryDraws((isText, draw) => {
      const changed = changeBundle(bundle, draw);
      const encoded = encodeBundle(changed);
      if (equalBytes(encoded, bytes)) return;
      const text = isText ? bundleToText(changed) : undefined;
      const found = statement(text ?? encoded);
      // Less may be proven: without the time, the next block or the owner of a store. Never something else.
      if (found !== undefined) expect(proven).toMatchObject(lessOf(found, changed, bundle));
      // More points than any claim needs are not read.
      if (changed.points.length > MAX_POINTS) return expect(found).toBe(undefined);
      const decoded = text === undefined ? decodeBundle(encoded) : decodeBundleJson(text);
      expect(equalBytes(encodeBundle(decoded), encoded)).toBe(true);
    });
  });
});

/** A statement that a changed bundle still proves, without the parts that its owner may leave out. */
function lessOf(found: unknown, changed: ProofBundle, bundle: ProofBundle): object {
  const isOther = [...bundles.values()].some(
    (one) => one !== bundle && Buffer.compare(encodeBundle(one), encodeBundle(changed)) === 0,
  );
  // A bundle of another kind, put together from its own parts.
  if (isOther) return {};
  const kept = Object.entries(found as object).filter(([, value]) => value !== undefined);
  const { claim, ...rest } = Object.fromEntries(kept) as { readonly claim: object };
  const claimed = Object.entries(claim).filter(([, value]) => value !== undefined);
  return { ...rest, claim: Object.fromEntries(claimed) };
}
