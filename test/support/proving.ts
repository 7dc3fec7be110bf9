// Local chains that serve signatures, and followers that prove their history by them; all of them close with the test.
import { onTestFinished } from "vitest";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { until } from "./until.ts";

export function opened<T extends { close(): Promise<unknown> }>(one: T): T {
  onTestFinished(async () => void (await one.close()));
  return one;
}

export async function produce(node: Node, blocks: number): Promise<void> {
  for (let i = 0; i < blocks; i++) await node.produceBlock();
}

/** A chain whose epochs end every few blocks. Two of one seed with as many blocks are the same. */
export async function startSignedChain(seed: string, blocks: number): Promise<Node> {
  const node = opened(
    await createNode({
      http: { port: 0, proofPort: 0 },
      localChain: { seed, epochTimeMs: 5_000 },
      pruneWindow: "off",
    }),
  );
  await produce(node, blocks);
  return node;
}

interface Follow extends Partial<NonNullable<NodeOptions["follow"]>> {
  /** Follows this chain, unless `upstreams` says otherwise, from its genesis waypoint. */
  readonly truth: Node;
  readonly data?: string;
  readonly minTrust?: string;
}

export async function followSigned({ truth, data, minTrust, ...more }: Follow): Promise<Node> {
  return opened(
    await createNode({
      data,
      waypoint: (await infoOf(truth)).genesis_waypoint,
      pruneWindow: "off",
      http: { port: 0, minTrust },
      follow: {
        upstreams: [truth.url ?? ""],
        pollTimeMs: 10,
        proofPollTimeMs: 10,
        upstreamRate: 0,
        retryTimeMs: 10,
        ...more,
      },
    }),
  );
}

interface SourceStatus {
  readonly url: string;
  readonly state: string;
  readonly kind?: string;
  readonly last_fault?: string;
}

interface Info {
  readonly trust_level: string;
  readonly weakest_trust_level: string;
  readonly genesis_waypoint: string;
  readonly ledger_version: string;
  readonly oldest_ledger_version: string;
  readonly sync_state: string;
  readonly sync_reason?: string;
  readonly lazy_fills_by_level?: Readonly<Record<string, number>>;
  readonly proven_version?: string;
  readonly signed_version?: string;
  readonly refuted_from?: string;
  readonly refutation?: string;
  readonly upstreams: readonly SourceStatus[];
  readonly proof_sources: readonly SourceStatus[];
}

/** As HTTP shows it: decimal texts. */
export async function infoOf(node: Node): Promise<Info> {
  const asText = (_: string, one: unknown): unknown => (typeof one === "bigint" ? `${one}` : one);
  return JSON.parse(JSON.stringify(await node.info(), asText)) as Info;
}

export const headOf = async (node: Node): Promise<bigint> => BigInt((await node.ledgerInfo()).ledger_version);

export const untilLevel = (node: Node, level: string, version: bigint): Promise<Info> =>
  until(async () => {
    const info = await infoOf(node).catch(() => undefined);
    return info?.trust_level === level && BigInt(info.ledger_version) >= version ? info : undefined;
  });

/** Waits until the first proof source is set aside. */
export const untilSetAside = (node: Node): Promise<Info> =>
  until(async () => {
    const info = await infoOf(node).catch(() => undefined);
    return info?.proof_sources?.[0]?.state === "set_aside" ? info : undefined;
  });
