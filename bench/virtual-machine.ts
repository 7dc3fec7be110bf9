// The virtual machine: plain instructions in a loop of our own, transfers through devnet's framework, and a view function
// against the balance rule on the same node. The last two need the shared networks.
import { Items } from "../scripts/vm/vectors.ts";
import { toHex } from "../src/base/hex.ts";
import { finish } from "../src/base/pieces.ts";
import { encodeWith } from "../src/bcs/codec.ts";
import { u64 } from "../src/bcs/scalars.ts";
import { pathTo } from "../src/interface/route.ts";
import { balanceRoute } from "../src/interface/routes.ts";
import { checkGenesis } from "../src/ledger/formats/genesis.ts";
import { FRAMEWORK, parseAddress } from "../src/move/address.ts";
import type { UserTransaction } from "../src/transaction/user-transaction.ts";
import { loadConfig } from "../src/vm/ledger/chain-config.ts";
import { type LoadedModule, SharedCode } from "../src/vm/linker.ts";
import { Programs } from "../src/vm/programs.ts";
import { moduleStateKey } from "../src/vm/state.ts";
import { execute } from "../src/vm/transaction/execute.ts";
import { functionOf, moduleOf, TestMachine } from "../test/support/machine.ts";
import { hasShared, sharedBytes, sharedPath } from "../test/support/shared.ts";
import { type BenchOptions, type BenchRow, compare, withDirectory } from "./harness.ts";
import { CONNECTIONS, roundLoad, takeSample } from "./http.ts";
import { runLoad } from "./load.ts";
import type { BenchRequest } from "./requests.ts";
import { startNode } from "./servers.ts";

const COIN = "0x1::aptos_coin::AptosCoin";
/** An account that has coins at genesis. */
const OWNER = "0xa550c18";
const INSTRUCTIONS_PER_TURN = 13;
const LEAST_INSTRUCTIONS = 20_000_000;
const LEAST_TRANSFERS = 400;
const MOST_OVER_BALANCE = 5;
const WARM_UP = 20_000;

/** The sum of the numbers below the parameter. */
const LOOP = moduleOf({
  functions: [
    functionOf(
      "sum",
      "fn(u64):(u64)",
      `load u64 0; store local 1; load u64 0; store local 2; again:;
       copy local 1; copy local 0; lt; branch if false out;
       copy local 2; copy local 1; add; store local 2;
       copy local 1; load u64 1; add; store local 1; branch again; out:; copy local 2; ret`,
      { locals: ["u64", "u64"] },
    ),
  ],
});

/** How often a second of processor time has room for the work. */
function perCpuSecond(count: number, work: () => void): number {
  const started = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(started);
  return (1e6 * count) / (user + system);
}

function runInstructions(turns: number): number {
  const machine = new TestMachine([LOOP], {
    maxGas: 1e9,
    schedule: { version: 43, prices: new Map([["instr.add", 1]]) },
  });
  return perCpuSecond(INSTRUCTIONS_PER_TURN * turns, () => {
    const [sum] = machine.call("0xcafe::m::sum", [BigInt(turns)]);
    if (sum !== (BigInt(turns) * BigInt(turns - 1)) / 2n) throw new Error("the machine adds wrongly");
  });
}

function transferOf(sender: string): UserTransaction {
  return {
    raw: {
      sender: parseAddress(sender),
      sequenceNumber: 0n,
      payload: {
        kind: "entryFunction",
        entryFunction: {
          module: { address: FRAMEWORK, name: "aptos_account" },
          function: "transfer",
          typeArgs: [],
          args: [parseAddress(`0x${"b0b".padStart(64, "0")}`), encodeWith(u64, 1000n)],
        },
      },
      maxGasAmount: 200_000n,
      gasUnitPrice: 100n,
      expirationTimestampSecs: 32_503_680_000n,
      chainId: 0,
    },
    authenticator: { kind: "singleSender", sender: { kind: "none" } },
  } as unknown as UserTransaction;
}

/** Executes transfers on devnet's genesis, each on the same state, with the modules in memory as in a block. */
function transfersOnDevnet(): (count: number) => number {
  const { writes, chainId } = checkGenesis(sharedBytes("networks/devnet/genesis.blob"));
  const items = new Items();
  for (const { key, value } of writes) if (value !== undefined) items.set(toHex(key), value);
  const { read } = items;
  const programs = new Programs();
  const known = new Map<string, LoadedModule | undefined>();
  const transaction = transferOf(OWNER);
  const options = {
    read,
    programs: (key: string, bytes: Uint8Array) => finish(programs.get(key, bytes)),
    modules: (address: string, name: string) => {
      const key = `${address}::${name}`;
      if (!known.has(key)) {
        const item = read(moduleStateKey(address, name));
        known.set(key, item && finish(programs.get(key, item.data)));
      }
      return known.get(key);
    },
    config: loadConfig((key) => read(key)?.data),
    shared: new SharedCode(),
    areSignaturesValid: true,
    isOwners: true,
  };
  const signed = { ...transaction, raw: { ...transaction.raw, chainId } };
  return (count) =>
    perCpuSecond(count, () => {
      for (let i = 0; i < count; i++) {
        const { status, discardCode } = finish(execute({ kind: "user", transaction: signed }, options));
        if (status?.kind !== "success")
          throw new Error(`a transfer failed: ${JSON.stringify(status)} ${discardCode}`);
      }
    });
}

async function viewOverBalance(options: BenchOptions): Promise<BenchRow> {
  return withDirectory(async (data) => {
    const genesis = sharedPath("networks/devnet/genesis.blob");
    const node = await startNode(["--data", data, "--genesis", genesis, "--prune-window", "off"]);
    try {
      const call = { function: "0x1::coin::balance", type_arguments: [COIN], arguments: [OWNER] };
      const views: readonly BenchRequest[] = [
        {
          method: "POST",
          path: "/v1/view",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(call),
        },
      ];
      const balances: readonly BenchRequest[] = [
        { method: "GET", path: pathTo(balanceRoute, { address: OWNER, asset_type: COIN }), headers: {} },
      ];
      // A number of requests, not a time: on a busy machine the code would not be compiled yet.
      for (const requests of [balances, views])
        await runLoad({
          url: node.url,
          requests,
          connections: CONNECTIONS,
          seconds: 60,
          requestCount: WARM_UP,
        });
      const side = (requests: readonly BenchRequest[]) => async (): Promise<number> =>
        1e6 / (await takeSample(node, requests, roundLoad(options))).perCpuSecond;
      return await compare(
        "view 0x1::coin::balance of devnet's framework, over the balance",
        { ours: side(views), base: side(balances) },
        { unit: "µs of CPU time", target: { max: MOST_OVER_BALANCE }, budget: 5 },
      );
    } finally {
      await node.stop();
    }
  });
}

/** Rows of the virtual machine. */
export async function benchmarkVirtualMachine(options: BenchOptions): Promise<readonly BenchRow[]> {
  const turns = options.quick ? 100_000 : 500_000;
  const rows = [
    await compare(
      "plain instructions per CPU second, over 20 million",
      { ours: () => runInstructions(turns), base: () => LEAST_INSTRUCTIONS },
      { unit: "instructions per CPU second", target: { min: 1 } },
    ),
  ];
  if (!hasShared) {
    console.log("no shared networks: without devnet's framework, its transfers and views are not measured");
    return rows;
  }
  const transfers = transfersOnDevnet();
  const count = options.quick ? 100 : 400;
  rows.push(
    await compare(
      "transfers through devnet's framework per CPU second, over 400",
      { ours: () => transfers(count), base: () => LEAST_TRANSFERS },
      { unit: "transfers per CPU second", target: { min: 1 } },
    ),
    await viewOverBalance(options),
  );
  return rows;
}
