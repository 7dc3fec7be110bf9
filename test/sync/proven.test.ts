// A follower with proof sources: what validators signed proves its history, or refutes it.
import { describe, expect, it } from "vitest";
import { pause } from "../../src/base/wait.ts";
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
import { type Meddler, type Passing, startProxy } from "../support/proxy.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const COIN = "0x1::aptos_coin::AptosCoin";

const startOrigin = (blocks: number): Promise<Node> => startSignedChain("proven", blocks);

/** The same chain up to now, then another one: nobody serves signatures for it. */
async function startFork(
  sharedBlocks: number,
  blocks: number,
): Promise<{ readonly fork: Node; readonly shared: bigint }> {
  const fork = await startOrigin(sharedBlocks);
  const shared = await headOf(fork);
  const [account] = fork.guide()?.accounts ?? [];
  await fork.fund(account?.address ?? "", 1n);
  await produce(fork, blocks);
  return { fork, shared };
}

async function proxyTo(node: Node): Promise<Meddler> {
  return opened(await startProxy(node.proofUrl ?? ""));
}

describe("a follower with a proof source", () => {
  it("proves its history up to the head, in each answer, and goes on with the chain", async () => {
    const origin = await startOrigin(12);
    const follower = await followSigned({ truth: origin, proofs: [origin.proofUrl ?? ""] });
    const info = await untilLevel(follower, "proven", await headOf(origin));
    expect(info.proof_sources).toEqual([{ url: `${origin.proofUrl}/`, kind: "service", state: "ok" }]);
    expect(info.proven_version).toBe(info.ledger_version);
    expect(info.signed_version).toBe(info.ledger_version);

    const [account] = origin.guide()?.accounts ?? [];
    const balance = `${follower.url}/accounts/${account?.address}/balance/${COIN}`;
    expect((await fetch(balance)).headers.get("x-node-trust")).toBe("proven");
    const metrics = await (await fetch(new URL("/metrics", follower.url))).text();
    expect(metrics).toMatch(/^sextant_trust_level 4$/m);
    expect(metrics).toMatch(/^sextant_proofs_sources_ok 1$/m);
    expect(metrics).toMatch(new RegExp(`^sextant_proofs_proven_version ${info.ledger_version}$`, "m"));

    await produce(origin, 7);
    await untilLevel(follower, "proven", await headOf(origin));
    expect((await fetch(balance)).headers.get("x-node-trust")).toBe("proven");
  });

  it("that stops: the level stops rising, and nothing else", async () => {
    const origin = await startOrigin(8);
    const proxy = await proxyTo(origin);
    const follower = await followSigned({ truth: origin, proofs: [proxy.url] });
    const { ledger_version: proven } = await untilLevel(follower, "proven", await headOf(origin));
    proxy.meddle = (passing) => ({ ...passing, status: 500, body: Buffer.alloc(0) });
    await until(async () => (await infoOf(follower)).proof_sources[0]?.state === "resting");
    await produce(origin, 3);
    await untilLevel(follower, "chained", await headOf(origin));
    const at = async (version: string) =>
      (await fetch(`${follower.url}/accounts/0x1/balance/${COIN}?ledger_version=${version}`)).headers.get(
        "x-node-trust",
      );
    expect(await at(proven)).toBe("proven");
    expect(await at(`${await headOf(origin)}`)).toBe("chained");
    expect(await follower.unreadyReason()).toBeUndefined();
    proxy.meddle = (passing) => passing;
    await untilLevel(follower, "proven", await headOf(origin));
  });

  it("answers only what is proven if the operator asks for that, and always can", async () => {
    const origin = await startOrigin(8);
    const proxy = await proxyTo(origin);
    const follower = await followSigned({ truth: origin, proofs: [proxy.url], minTrust: "proven" });
    await untilLevel(follower, "proven", await headOf(origin));
    const balance = `${follower.url}/accounts/0x1/balance/${COIN}`;
    for (let i = 0; i < 12; i++) {
      await origin.produceBlock();
      for (let asked = 0; asked < 5; asked++) {
        const response = await fetch(balance);
        expect([response.status, response.headers.get("x-node-trust")]).toEqual([200, "proven"]);
      }
    }
    await untilLevel(follower, "proven", await headOf(origin));
    // Without signatures it stays where it is.
    proxy.meddle = (passing) => ({ ...passing, status: 500, body: Buffer.alloc(0) });
    await until(async () => (await infoOf(follower)).proof_sources[0]?.state === "resting");
    const proven = await headOf(follower);
    await produce(origin, 2);
    await until(async () => (await follower.info()).upstream_version !== undefined);
    expect(await headOf(follower)).toBe(proven);
    expect((await fetch(balance)).status).toBe(200);
    proxy.meddle = (passing) => passing;
    await untilLevel(follower, "proven", await headOf(origin));
  });

  it("commits nothing of an upstream below the signed version if the operator asks for what is proven", async () => {
    const origin = await startOrigin(11);
    const [line, proofs] = [opened(await startProxy(origin.url ?? "")), await proxyTo(origin)];
    const behind = await followSigned({ truth: origin, upstreams: [line.url] });
    const followed = (): Promise<unknown> =>
      until(async () => (await headOf(behind).catch(() => -1n)) === (await headOf(origin)));
    await followed();
    const upstreams = [behind.url ?? ""];
    const asked = { truth: origin, upstreams, proofs: [proofs.url], minTrust: "proven" };
    const follower = await followSigned(asked);
    const { ledger_version: proven } = await untilLevel(follower, "proven", await headOf(origin));
    const refuse = (passing: Passing): Passing => ({ ...passing, status: 500, body: Buffer.alloc(0) });
    // The upstream gets a block more, and the signatures lead to the block after it.
    proofs.meddle = refuse;
    await produce(origin, 1);
    await followed();
    line.meddle = refuse;
    await produce(origin, 1);
    const signed = await headOf(origin);
    proofs.meddle = (passing) => passing;
    await until(async () => (await infoOf(follower)).signed_version === `${signed}`);
    for (let look = 0; look < 20; look++) {
      await pause(10);
      expect(`${await headOf(follower)}`).toBe(proven);
    }
    line.meddle = (passing) => passing;
    await untilLevel(follower, "proven", signed);
  });

  it("that lies is set aside, raises nothing, and does not keep another one from it", async () => {
    const origin = await startOrigin(8);
    const proxy = await proxyTo(origin);
    // One bit of what the validators of the second epoch signed.
    proxy.meddle = (passing) => {
      if (!passing.path.startsWith("/epoch_ending")) return passing;
      const body = Buffer.from(passing.body);
      const second = 4 + body.readUInt32BE(0);
      const at = second + 4 + 60;
      body[at] = (body[at] ?? 0) ^ 1;
      return { ...passing, body };
    };
    const follower = await followSigned({ truth: origin, proofs: [proxy.url] });
    const info = await untilSetAside(follower);
    expect(info.proof_sources[0]?.last_fault).toMatch(/^signature: the signature is not by those/);
    await untilLevel(follower, "chained", await headOf(origin));
    expect((await infoOf(follower)).proven_version).toBeUndefined();
    await follower.close();

    const second = await followSigned({ truth: origin, proofs: [proxy.url, origin.proofUrl ?? ""] });
    await untilLevel(second, "proven", await headOf(origin));
  });

  it("asks only for news after a restart, and needs no source for what it knows", async () => {
    const origin = await startOrigin(20);
    const data = temporaryFolder();
    const first = await followSigned({ truth: origin, proofs: [origin.proofUrl ?? ""], data });
    await untilLevel(first, "proven", await headOf(origin));
    await first.close();

    const proxy = await proxyTo(origin);
    proxy.meddle = (passing) => ({ ...passing, status: 503, body: Buffer.alloc(0) });
    const second = await followSigned({ truth: origin, proofs: [proxy.url], data });
    await untilLevel(second, "proven", await headOf(origin));
    // Asked between two blocks, the latest signature may be the end of an epoch itself, and no end is asked for.
    await produce(origin, 12);
    proxy.meddle = (passing) => passing;
    await untilLevel(second, "proven", await headOf(origin));
    const asked = proxy.seen.filter((path) => path.includes("/epoch_ending_ledger_infos/"));
    expect(asked.length).toBeGreaterThan(0);
    for (const path of asked) expect(Number(/infos\/(\d+)\//.exec(path)?.[1])).toBeGreaterThan(3);
  });
});

describe("a validly hashed fork that nobody signed", () => {
  it("is refuted by the next signature, from the last proven version on", async () => {
    const origin = await startOrigin(8);
    const { fork, shared } = await startFork(8, 9);
    const follower = await followSigned({ truth: fork, proofs: [origin.proofUrl ?? ""] });
    await until(async () => (await infoOf(follower).catch(() => undefined))?.proven_version === `${shared}`);
    await until(async () => (await headOf(follower)) === (await headOf(fork)));
    expect((await infoOf(follower)).trust_level).toBe("chained");
    // Within one epoch.
    await produce(origin, 5);
    const info = await until(async () => {
      const now = await infoOf(follower);
      return now.refuted_from === undefined ? undefined : now;
    });
    expect(info.refuted_from).toBe(`${shared + 1n}`);
    expect(info.refutation).toMatch(
      /^this node's history from version \d+ on is not the network's: the validators of epoch \d+ signed version \d+ of another history$/,
    );
    expect((await fetch(`${follower.url}/accounts/0x1/balance/${COIN}`)).status).toBe(503);
    const old = await fetch(`${follower.url}/accounts/0x1/balance/${COIN}?ledger_version=${shared}`);
    expect([old.status, old.headers.get("x-node-trust")]).toEqual([200, "proven"]);
    expect((await infoOf(follower)).proof_sources[0]?.state).toBe("ok");
  });

  it("is refused where a signature is known first, and refuted once an upstream has the signed history", async () => {
    const origin = await startOrigin(18);
    const { fork, shared } = await startFork(8, 0);
    const begun = await headOf(fork);
    const data = temporaryFolder();
    const known = await followSigned({ truth: fork, proofs: [origin.proofUrl ?? ""], data });
    await until(async () => {
      const { signed_version } = await infoOf(known).catch(() => ({ signed_version: undefined }));
      return signed_version === `${await headOf(origin)}` && (await headOf(known)) === begun;
    });
    await produce(fork, 20);
    await until(async () => {
      const { upstreams = [] } = await known.info();
      return upstreams[0]?.state === "set_aside" && upstreams[0].last_fault?.includes("another history");
    });
    expect((await infoOf(known)).refuted_from).toBeUndefined();
    await known.close();
    const head = known.closedAt ?? 0n;
    expect(head).toBeLessThan(await headOf(origin));

    const again = await followSigned({ truth: origin, proofs: [origin.proofUrl ?? ""], data });
    const info = await until(async () => {
      const now = await infoOf(again);
      const isDone = now.refuted_from !== undefined || BigInt(now.ledger_version) > head;
      return isDone ? now : undefined;
    });
    // From the first version that differs: the first block after the shared ones begins alike.
    expect(head).toBeGreaterThan(shared);
    expect(BigInt(info.refuted_from ?? 0)).toBeGreaterThan(shared);
    expect(BigInt(info.refuted_from ?? 0)).toBeLessThanOrEqual(head);
    expect(info.refutation).toMatch(
      /confirms the history that .* serves, which differs from the one stored here/,
    );
  });
});
