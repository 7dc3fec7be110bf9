// A complete replica: a node that starts in the middle with the whole state, every range of it proven, and recomputes every
// state root from then on.
import { describe, expect, it } from "vitest";
import type { Node } from "../../src/node.ts";
import {
  followSigned,
  headOf,
  infoOf,
  opened,
  produce,
  startSignedChain,
  untilLevel,
  untilSetAside,
} from "../support/proving.ts";
import { flipped, type Meddle, startProxy } from "../support/proxy.ts";

const startOrigin = (blocks = 33): Promise<Node> => startSignedChain("whole-state", blocks);

const replicate = (truth: Node, proofs: readonly string[] = [truth.proofUrl ?? ""]): Promise<Node> =>
  followSigned({ truth, startVersion: "latest", state: "whole", proofs });

async function ask(node: Node, path: string): Promise<readonly [status: number, text: string]> {
  const response = await fetch(`${node.url}/${path}`);
  return [response.status, await response.text()];
}

/** Answers of both nodes about every account, at the head and at an older version that both have. */
async function assertSameAnswers(origin: Node, replica: Node): Promise<void> {
  const { oldest_ledger_version: oldest, ledger_version: latest } = await infoOf(replica);
  for (const { address } of origin.guide()?.accounts ?? []) {
    for (const path of ["balances", "resources", "modules", "balance/0x1::aptos_coin::AptosCoin"]) {
      for (const version of [oldest, latest]) {
        const question = `accounts/${address}/${path}?ledger_version=${version}`;
        expect([question, ...(await ask(replica, question))]).toEqual([
          question,
          ...(await ask(origin, question)),
        ]);
      }
    }
  }
}

describe("a complete replica", () => {
  it("has every item of the state, proven, and recomputes each state root", async () => {
    const origin = await startOrigin();
    const replica = await replicate(origin);
    const info = await untilLevel(replica, "proven", await headOf(origin));
    expect(info.weakest_trust_level).toBe("proven");
    expect(BigInt(info.oldest_ledger_version)).toBeGreaterThan(20n);
    expect(info.lazy_fills_by_level).toBeUndefined();
    await assertSameAnswers(origin, replica);
    await produce(origin, 8);
    await untilLevel(replica, "proven", await headOf(origin));
    await assertSameAnswers(origin, replica);
    const [path] = [`accounts/0x1/resource/0x1::coin::CoinInfo%3C0x1::aptos_coin::AptosCoin%3E/proof`];
    expect((await ask(replica, path ?? ""))[0]).toBe((await ask(origin, path ?? ""))[0]);
  });

  /** Records of a chunk, each with its length before it. */
  const recordsOf = (body: Buffer): Buffer[] => {
    const found: Buffer[] = [];
    for (let at = 0; at < body.length; ) {
      const end = at + 4 + body.readUInt32BE(at);
      found.push(body.subarray(at, end));
      at = end;
    }
    return found;
  };
  const changed =
    (change: (records: Buffer[]) => Buffer[]): Meddle =>
    (passing) => ({ ...passing, body: Buffer.concat(change(recordsOf(Buffer.from(passing.body)))) });

  it.each<[string, string, Meddle]>([
    ["the last item", "/state_snapshot_chunk", flipped(-1)],
    ["the order of items", "/state_snapshot_chunk", changed((all) => all.reverse())],
    ["an item that it leaves out", "/state_snapshot_chunk", changed((all) => all.toSpliced(1, 1))],
    ["an item twice", "/state_snapshot_chunk", changed((all) => [...all.slice(0, 1), ...all])],
    ["the end of the state", "/state_snapshot_chunk", changed((all) => all.slice(0, 5))],
    ["all items", "/state_snapshot_chunk", changed(() => [])],
    ["siblings", "/state_range_proof", flipped(-1)],
  ])("refuses a source that lies about %s, names it, and takes another", async (_, path, lie) => {
    const origin = await startOrigin();
    const proxy = opened(await startProxy(origin.proofUrl ?? ""));
    const isAll = (passing: { path: string }): boolean => /chunk\/\d+\/\d+\/1000$/.test(passing.path);
    proxy.meddle = (passing, response) =>
      passing.path.startsWith(path) && (isAll(passing) || path.endsWith("proof"))
        ? lie(passing, response)
        : passing;
    const alone = await replicate(origin, [proxy.url]);
    const [source] = (await untilSetAside(alone)).proof_sources;
    expect(new URL(source?.url ?? "").port).toBe(new URL(proxy.url).port);
    expect((await infoOf(alone)).ledger_version).toBeUndefined();
    const second = await replicate(origin, [proxy.url, origin.proofUrl ?? ""]);
    await untilLevel(second, "proven", await headOf(origin));
    await assertSameAnswers(origin, second);
  });
});
