// A local chain of several epochs with deletions, pruned, rewound and continued with other blocks: every kept block end
// proves random items and absences in whole bundles from the genesis waypoint, which say what the read says.
import { expect } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import { decodeRecord } from "../../src/ledger/formats/record.ts";
import { accessPathCodec, type StateKey, stateKeyHash } from "../../src/ledger/formats/state-key.ts";
import { stateValueData } from "../../src/ledger/formats/state-value.ts";
import { writeSetCodec } from "../../src/ledger/formats/write-set.ts";
import { findGroupMembers } from "../../src/ledger/items/resource-group.ts";
import { frameworkTag } from "../../src/ledger/items/resources.ts";
import { formatStructTag } from "../../src/move/type-tag.ts";
import { BundleVerifier, decodeBundle, encodeBundle } from "../../src/proof/bundle.ts";
import type { StateClaim } from "../../src/proof/claim.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";
import type { Store, StoreView } from "../../src/store/contract.ts";
import { keepAccumulator } from "../../src/sync/maintenance/kept-accumulator.ts";
import { rewindLedger } from "../../src/sync/maintenance/rewind.ts";
import { prove } from "../../src/sync/proofs/prover.ts";
import { keepGenesisLedgerInfo } from "../../src/sync/signatures/signed-rows.ts";
import { rememberingBls } from "../../src/verify/remembering-bls.ts";
import { pruneTo } from "../store/contract.ts";
import { ChainRun } from "./chain-run.ts";
import { createRandom } from "./synthetic-ledger.ts";

const signal = new AbortController().signal;
const MEMBER = "0x1::object::ObjectCore";
const MEMBER_TAG = frameworkTag("object", "ObjectCore");

/** The claim about an item; undefined for items that no claim is about. Of a group, a member that most have. */
function claimOf(key: StateKey): StateClaim | undefined {
  if (key.kind === "tableItem") return { kind: "tableItem", handle: key.handle, key: key.key };
  if (key.kind !== "accessPath") return undefined;
  const { address } = key;
  const path = decodeWith(accessPathCodec, key.path);
  if (path.kind === "code") return { kind: "module", address: path.module.address, name: path.module.name };
  const type = formatStructTag(path.struct);
  if (path.kind === "resource") return { kind: "resource", address, type, group: undefined };
  return { kind: "resource", address, type: MEMBER, group: type };
}

/** What the read says. */
async function valueAt(view: StoreView, key: StateKey, claim: StateClaim, version: bigint) {
  const [item] = await view.getItems([stateKeyHash(key)], version);
  const data = item?.value && stateValueData(item.value);
  if (claim.kind !== "resource" || claim.group === undefined) return data;
  return data && findGroupMembers(data, [MEMBER_TAG])?.[0];
}

/** Proves `count` items and absences at every kept block end, before and after pruning and rewinding. */
export async function tryProvenVersions(store: Store, count: number): Promise<void> {
  const seen = new Set<string>();
  const next = createRandom(count);
  const random = (below: number): number => next() % below;
  // Most epoch changes are the same in every bundle.
  const bls = rememberingBls(fastestBls());
  const chain = createLocalChain({ seed: "proven", epochTimeMs: 4000 });
  let run = await new ChainRun(chain, store, "all").start();
  await keepGenesisLedgerInfo(store);
  const { waypoint } = checkGenesis(chain.genesisBlob());
  const keys = new Map<string, StateKey>();
  const deleted = new Set<string>();
  const noteWrites = (records: readonly Uint8Array[]): void => {
    for (const record of records) {
      for (const [key, op] of decodeWith(writeSetCodec, decodeRecord(record).changes).writes) {
        keys.set(toHex(stateKeyHash(key)), key);
        if (op.kind.startsWith("deletion")) deleted.add(toHex(stateKeyHash(key)));
      }
    }
  };
  const grow = async (blocks: number): Promise<void> => noteWrites(await run.steps(blocks));
  /** An item that was written at some time, often one that was deleted, or a neighbour that was never written. */
  const draw = (): StateKey => {
    const names = [...(random(4) === 0 ? deleted : keys.keys())];
    const key = keys.get(names[random(names.length)] ?? "");
    if (key === undefined) throw new Error("no item was deleted");
    if (key.kind !== "tableItem" || random(3) > 0) return key;
    return { ...key, key: Uint8Array.of(...key.key, random(256)) };
  };
  const check = async (): Promise<bigint[]> => {
    const view = await store.openView();
    const { oldestVersion, blockHeight } = view.position;
    const ends: bigint[] = [];
    // Nodes keep no proofs of genesis: the waypoint names it.
    for (let height = blockHeight; height > 0n; height--) {
      const block = await view.getBlockByHeight(height);
      if (block === undefined || block.lastVersion < oldestVersion) break;
      ends.unshift(block.lastVersion);
    }
    for (const version of ends) {
      for (let i = 0; i < count; i++) {
        const key = draw();
        const claim = claimOf(key);
        if (claim === undefined) continue;
        const made = await prove(store, view, { kind: "state", claim }, { version, fromWaypoint: waypoint });
        const proven = new BundleVerifier(waypoint, bls).verify(decodeBundle(encodeBundle(made)));
        const value = await valueAt(view, key, claim, version);
        const said = "value" in proven.claim ? proven.claim.value : "another claim";
        expect([proven.ledgerVersion, said && Buffer.from(said)]).toEqual([
          version,
          value && Buffer.from(value),
        ]);
        seen.add(`${claim.kind} ${value === undefined ? "absent" : "present"}`);
        if (value === undefined && deleted.has(toHex(stateKeyHash(key)))) seen.add("deleted");
      }
    }
    view.release();
    return ends;
  };
  const atStart = await store.openView();
  noteWrites((await atStart.getRecords(0n, 1, 1 << 24)).map(({ bytes }) => bytes));
  atStart.release();
  await grow(14);
  const ends = await check();
  // Within an epoch, not at the end of one.
  const oldest = (ends[5] as bigint) + 1n;
  await keepAccumulator(store, oldest, signal);
  await pruneTo(store, oldest);
  let kept = await check();
  expect(kept).toEqual(ends.slice(6));
  for (const lateUsec of [300_000n, 700_000n]) {
    const to = kept.at(-3) as bigint;
    await rewindLedger({ store, to, signal, onProgress: () => {} });
    run = new ChainRun(chain, store, "all");
    run.lateUsec = lateUsec;
    kept = await check();
    expect(kept.at(-1)).toBe(to);
    await grow(5);
    kept = await check();
  }
  await store.close();
  const expected = ["deleted", "resource present", "tableItem absent", "tableItem present"];
  expect([...seen]).toEqual(expect.arrayContaining(expected));
}
