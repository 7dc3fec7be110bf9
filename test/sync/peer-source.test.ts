// A peer as a proof source, against a listener of our own.

import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { computeWaypoint } from "../../src/ledger/waypoint.ts";
import type { SignedLedgerInfo } from "../../src/proof/ledger-info.ts";
import { connectProofSource, parseProofTarget } from "../../src/sync/signatures/connect.ts";
import { type PeerContent, startPeer } from "../support/peer-listener.ts";
import { epochEnd, keepSignatures, keptEpochs, latestOf, signedHistory } from "../support/signed-history.ts";
import { until } from "../support/until.ts";

const CHAIN_ID = 4;
const history = signedHistory(7);

async function peerWith(change: Partial<PeerContent> = {}) {
  const content: PeerContent = {
    ends: history.ends,
    latest: latestOf(8n, 4n),
    chainId: CHAIN_ID,
    limit: 200,
    ...change,
  };
  const peer = await startPeer(content);
  onTestFinished(() => peer.close());
  return { peer, content };
}

function keep(address: string, waypoint = history.waypoint) {
  const options = { userAgent: "test", chainId: () => CHAIN_ID };
  return keepSignatures(connectProofSource(parseProofTarget(address), options), { waypoint });
}

describe("a peer", () => {
  it("leads to the latest ledger info, is asked whether it lives, and only for news", async () => {
    const { peer, content } = await peerWith();
    const { judged, chain, store, keeper } = await keep(peer.address);
    expect(await judged()).toMatchObject({ state: "ok", kind: "peer" });
    expect(chain.latest?.ledgerInfo.version).toBe(74n);
    expect(await keptEpochs(store)).toHaveLength(8);
    await until(() => peer.asked.includes("pong 0101020304"));
    content.ends = [...history.ends, epochEnd(8n)];
    content.latest = latestOf(9n, 2n);
    await until(() => chain.latest?.ledgerInfo.version === 82n);
    expect(peer.asked).toContain("epochEnds 8 8");
    // A cut connection is made again.
    peer.cut();
    content.latest = latestOf(9n, 5n);
    await until(() => chain.latest?.ledgerInfo.version === 85n);
    expect(keeper.receivedBytes).toBeGreaterThan(1000);
  });

  it("may cut its answers, and send them in fragments", async () => {
    const { peer } = await peerWith({ limit: 3, fragmentBytes: 500 });
    const { judged, chain } = await keep(peer.address);
    expect(await judged()).toMatchObject({ state: "ok" });
    expect(chain.epoch).toBe(8n);
  });

  it("finds the epoch of a later waypoint", async () => {
    const { peer } = await peerWith();
    const fifth = history.ends[5] as SignedLedgerInfo;
    const { judged, store } = await keep(peer.address, computeWaypoint(fifth.ledgerInfo));
    await judged();
    expect(await keptEpochs(store)).toEqual([5n, 6n, 7n]);
  });

  const changed = (at: number) => (honest: Uint8Array) => honest.with(at, (honest[at] ?? 0) ^ 1);
  const flood = Buffer.alloc(8);
  flood.writeUInt32BE(0x7fffffff);
  it.each<[string, Partial<PeerContent>, string, RegExp]>([
    ["is of another chain", { chainId: 5 }, "set_aside", /expected chain 4, the peer serves 5/],
    [
      "gives a forged end of an epoch",
      { ends: history.ends.with(4, epochEnd(4n, [2, 3])) },
      "set_aside",
      /^quorum: /,
    ],
    ["gives a forged latest ledger info", { latest: latestOf(8n, 4n, [0]) }, "set_aside", /^quorum: /],
    [
      "leaves epochs out",
      { ends: history.ends.with(3, history.ends[4]!) },
      "set_aside",
      /^gap: expected the end of epoch 3/,
    ],
    ["gives no ends", { limit: 0 }, "set_aside", /^gap: asked for the ends of epochs 0 to 7, got 0/],
    ["answers another question", { answer: changed(3) }, "resting", /another question/],
    ["refuses", { answer: () => Uint8Array.of(1, 1, 1, 0) }, "resting", /refuses the question \(invalid\)/],
    [
      "sends answers that do not decode",
      { answer: (honest) => honest.subarray(0, 20) },
      "set_aside",
      /does not decode/,
    ],
    [
      "sends a frame that is too long",
      { noise: flood },
      "set_aside",
      /a frame of 2147483647 bytes is too long/,
    ],
  ])("that %s is dealt with", async (_, change, state, fault) => {
    const { peer } = await peerWith(change);
    const { judged } = await keep(peer.address);
    const status = await judged();
    expect(status.fault).toMatch(fault);
    expect(status.state).toBe(state);
  });

  it("without the key of its address, or that is no peer, is not believed", async () => {
    const { peer } = await peerWith();
    const other = peer.address.replace(/noise-ik\/[0-9a-f]{64}/, `noise-ik/${"09".repeat(32)}`);
    expect(await (await keep(other)).judged()).toMatchObject({ state: "resting" });
    const mute = createServer((socket) => {
      socket.on("error", () => {}).resume();
      socket.end(Buffer.alloc(48, 1));
    });
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => new Promise((resolve) => mute.close(() => resolve())));
    const { port } = mute.address() as AddressInfo;
    const status = await (await keep(peer.address.replace(/tcp\/\d+/, `tcp/${port}`))).judged();
    expect(status).toMatchObject({
      state: "set_aside",
      fault: expect.stringMatching(/does not have the key of its address/),
    });
  });
});
