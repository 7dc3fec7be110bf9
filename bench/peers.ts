// Comparison with today's alternatives: the same balance from PostgreSQL behind a bare node:http server, and the same
// transfer built and serialized by the official SDK in process.
import {
  AccountAddress,
  ChainId,
  EntryFunction,
  generateSigningMessageForTransaction,
  RawTransaction,
  SimpleTransaction,
  TransactionPayloadEntryFunction,
  U64,
} from "@aptos-labs/ts-sdk";
import { createNode } from "../src/node.ts";
import { type DataSet, itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, compare } from "./harness.ts";
import { compareServers, roundLoad, takeSample, warmUp } from "./http.ts";
import { borrowPostgres, type Cluster, startPostgres } from "./postgres.ts";
import { latestBalances, transferRequest } from "./requests.ts";
import { type BenchServer, forkServer, recordResponse, startStatic } from "./servers.ts";

/** The row of a PostgreSQL that somebody runs. */
export const POSTGRES_BY_CLOCK = "balance, latest, over your PostgreSQL behind node:http, by the clock";

/** Rows of the alternatives. */
export async function benchmarkPeers(options: BenchOptions): Promise<readonly BenchRow[]> {
  return [...(await compareWithPostgres(options)), await compareWithSdk(options)];
}

/** The row of a temporary PostgreSQL, or of a running one, whose processor time nobody can tell: by the clock. */
export async function compareWithPostgres(options: BenchOptions): Promise<BenchRow[]> {
  const set = await itemsDataSet(Math.max(10_000, 1_000_000 * options.scale));
  const { postgres: url } = options;
  if (url !== undefined) {
    const table = await borrowPostgres(url, set);
    try {
      return [await comparePostgresServer(set, [url, table.name], undefined, options)];
    } finally {
      await table.drop();
    }
  }
  const cluster = await startPostgres(set);
  if ("missing" in cluster) {
    console.error(`skipped: balance against PostgreSQL: ${cluster.missing}`);
    return [];
  }
  try {
    return [await comparePostgresServer(set, [cluster.socketFolder, "balances"], cluster, options)];
  } finally {
    await cluster.stop();
  }
}

async function comparePostgresServer(
  set: DataSet,
  args: readonly string[],
  cluster: Cluster | undefined,
  options: BenchOptions,
): Promise<BenchRow> {
  const node = await startStatic(set);
  const { server, send } = await forkServer("./postgres-server.ts", args);
  const peer: BenchServer = {
    ...server,
    cpuMicros: async () => (await server.cpuMicros()) + ((await cluster?.cpuMicros()) ?? 0),
  };
  try {
    const requests = latestBalances(set);
    const [first] = requests;
    if (first === undefined) throw new Error("no requests");
    await send({ response: await recordResponse(node, first) });
    for (const request of requests.slice(0, 20)) {
      const responses = await Promise.all([node, peer].map((target) => recordResponse(target, request)));
      if (responses[0]?.body !== responses[1]?.body) throw new Error(`${request.path}: the bodies differ`);
    }
    await warmUp(node, requests, options);
    const load = roundLoad(options);
    if (cluster === undefined) {
      const side = (of: BenchServer) => async (): Promise<number> =>
        (await takeSample(of, requests, load)).rate;
      const sides = { ours: side(node), base: side(peer) };
      return await compare(POSTGRES_BY_CLOCK, sides, { unit: "requests/s", basis: "clock" });
    }
    return await compareServers(
      "balance, latest, over PostgreSQL by primary key behind node:http",
      { ours: node, base: peer },
      requests,
      { load, target: { min: 2 }, headline: true },
    );
  } finally {
    await server.stop();
    await node.stop();
  }
}

async function compareWithSdk(options: BenchOptions): Promise<BenchRow> {
  const node = await createNode();
  try {
    const count = options.quick ? 2000 : 20_000;
    const chain = new ChainId((await node.ledgerInfo()).chain_id);
    const requests = Array.from({ length: 1000 }, (_, i) => transferRequest(i, i + 1, i));
    const texts = requests.map((request) => JSON.stringify(request));
    const perCpuSecond = (started: NodeJS.CpuUsage): number => {
      const { user, system } = process.cpuUsage(started);
      return (1e6 * count) / (user + system);
    };
    const bySdk = (i: number): Uint8Array => {
      const request = requests[i % requests.length] as SdkTransfer;
      const [to = "", amount = ""] = request.payload.arguments;
      const call = EntryFunction.build(
        "0x1::aptos_account",
        "transfer",
        [],
        [AccountAddress.from(to), new U64(BigInt(amount))],
      );
      const raw = new RawTransaction(
        AccountAddress.from(request.sender),
        BigInt(request.sequence_number),
        new TransactionPayloadEntryFunction(call),
        BigInt(request.max_gas_amount),
        BigInt(request.gas_unit_price),
        BigInt(request.expiration_timestamp_secs),
        chain,
      );
      return generateSigningMessageForTransaction(new SimpleTransaction(raw));
    };
    const same = Buffer.from(await node.encodeSubmission(texts[7] ?? "")).equals(bySdk(7));
    if (!same) throw new Error("the SDK encodes the transfer to other bytes");
    return await compare(
      "transfer from JSON to bytes to sign, in process, over the SDK's own classes",
      {
        ours: async () => {
          const started = process.cpuUsage();
          for (let i = 0; i < count; i++) await node.encodeSubmission(texts[i % texts.length] ?? "");
          return perCpuSecond(started);
        },
        base: () => {
          const started = process.cpuUsage();
          for (let i = 0; i < count; i++) bySdk(i);
          return perCpuSecond(started);
        },
      },
      { unit: "transfers per CPU second", headline: true },
    );
  } finally {
    await node.close();
  }
}

interface SdkTransfer {
  readonly sender: string;
  readonly sequence_number: string;
  readonly max_gas_amount: string;
  readonly gas_unit_price: string;
  readonly expiration_timestamp_secs: string;
  readonly payload: { readonly arguments: readonly string[] };
}
