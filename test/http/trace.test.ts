// Traces of transactions: simulated ones, and committed ones on the state before them.
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createNode, type Node, type NodeOptions, type TraceAnswer } from "../../src/node.ts";
import { STATUS, VmError } from "../../src/vm/errors.ts";
import { LedgerTransactions } from "../../src/vm/ledger/ledger-transactions.ts";
import { hasShared, sharedPath } from "../support/shared.ts";

async function startNode(options: NodeOptions): Promise<Node> {
  const node = await createNode(options);
  onTestFinished(() => node.close());
  return node;
}

/** A chain with the framework of a network, where 0xb0b has coins. */
async function startChain(): Promise<Node> {
  const genesis = sharedPath("networks/devnet/genesis.blob");
  const node = await startNode({ genesis, localChain: {}, http: { port: 0 } });
  await node.mine(1);
  await node.fund("0xb0b", 500_000_000n);
  return node;
}

function callOf(called: string, args: readonly unknown[]) {
  return {
    sender: "0xb0b",
    sequence_number: "0",
    max_gas_amount: "2000000",
    gas_unit_price: "100",
    expiration_timestamp_secs: "32503680000",
    payload: { type: "entry_function_payload", function: called, type_arguments: [], arguments: args },
    signature: { type: "no_account_signature" },
  };
}

const TRANSFER = "0x1::aptos_account::transfer";

async function traceOf(node: Node, transaction: object): Promise<TraceAnswer> {
  const response = await fetch(`${node.url}/transactions/trace`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(transaction),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as TraceAnswer;
}

function called(trace: TraceAnswer, name: string) {
  const found = trace.calls.find((call) => call.function === name);
  if (found === undefined) throw new Error(`no call of ${name}`);
  return found;
}

it("of a transaction that takes longer than this node gives a run is refused with the reason", async () => {
  const node = await startNode({ localChain: {}, http: { port: 0 } });
  await node.mine(1);
  const slow = new VmError(STATUS.executionLimitReached, "it needs more than 5000 ms of work");
  vi.spyOn(LedgerTransactions.prototype, "execute").mockRejectedValueOnce(slow);
  const response = await fetch(`${node.url}/transactions/by_version/1/trace`);
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error_code: "invalid_input", message: expect.stringContaining("more than 5000 ms") },
  ]);
});

describe.skipIf(!hasShared)("a trace", () => {
  it("tells the calls of a simulated transaction, which costs what it costs untraced", async () => {
    const node = await startChain();
    const transaction = callOf(TRANSFER, ["0xcafe", "1000"]);
    const trace = await traceOf(node, transaction);
    const { gasUsed } = await node.simulate(transaction);
    expect(trace).toMatchObject({ success: true, gas_used: `${gasUsed}`, omitted_calls: "0" });
    expect(trace.fault).toBeUndefined();
    expect(called(trace, TRANSFER)).toMatchObject({
      depth: 0,
      arguments: [
        { type: "&signer", value: "0xb0b" },
        { type: "address", value: "0xcafe" },
        { type: "u64", value: "1000" },
      ],
      aborted: false,
    });
    const withdraw = called(trace, "0x1::fungible_asset::unchecked_withdraw");
    const store = { kind: "resource", key: "0x1::fungible_asset::FungibleStore" };
    expect(withdraw).toMatchObject({ depth: 1, writes: [{ ...store, owner: withdraw.arguments[0]?.value }] });
    expect(called(trace, "0x1::event::emit")).toMatchObject({
      depth: 2,
      type_arguments: ["0x1::fungible_asset::Withdraw"],
      events: [{ type: "0x1::fungible_asset::Withdraw", value: { amount: "1000" } }],
    });
    // A call costs what its own calls cost, and more.
    const all = Number(called(trace, TRANSFER).gas_used);
    const parts = trace.calls.slice(trace.calls.indexOf(called(trace, TRANSFER)) + 1);
    const inner = parts.slice(
      0,
      parts.findIndex(({ depth }) => depth === 0),
    );
    const sum = inner.filter(({ depth }) => depth === 1).reduce((gas, one) => gas + Number(one.gas_used), 0);
    expect(sum).toBeGreaterThan(0);
    expect(all).toBeGreaterThan(sum);
    expect(all / Number(trace.gas_scaling)).toBeLessThan(Number(gasUsed));
  });

  it("tells where a call aborts, with the name and the text of the abort", async () => {
    const node = await startChain();
    const trace = await node.trace(callOf(TRANSFER, ["0xcafe", "600000000"]));
    expect(trace).toMatchObject({
      success: false,
      vm_status: expect.stringContaining("EINSUFFICIENT_BALANCE"),
      fault: {
        status: "ABORTED",
        location: "0x1::fungible_asset",
        function: "unchecked_withdraw",
        code_offset: expect.any(Number),
        abort_code: "65540",
        reason_name: "EINSUFFICIENT_BALANCE",
        description: "Insufficient balance to withdraw or transfer.",
      },
    });
    const aborted = trace.calls.filter((call) => call.aborted).map((call) => call.function);
    expect(aborted).toEqual([TRANSFER, "0x1::fungible_asset::unchecked_withdraw"]);
    // A fault outside of calls: of a package that does not parse.
    const module = "0x0102030405";
    const metadata = `0x016101${"00".repeat(10)}01016d${"00".repeat(5)}`;
    const broken = await node.trace(callOf("0x1::code::publish_package_txn", [metadata, [module]]));
    expect(broken).toMatchObject({
      success: false,
      fault: { status: "CODE_DESERIALIZATION_ERROR", description: expect.stringContaining("does not parse") },
    });
    // Aborts with 7.
    const bytecode = "0xa11ceb0b060000000105000100000000020607000000000000002700".slice(0, -2);
    const script = { type: "script_payload", code: { bytecode }, type_arguments: [], arguments: [] };
    expect(await node.trace({ ...callOf(TRANSFER, []), payload: script })).toMatchObject({
      success: false,
      fault: { status: "ABORTED", location: "script", abort_code: "7" },
    });
    // What the chain does not take is told, too.
    const late = await node.trace({ ...callOf(TRANSFER, ["0xcafe", "1"]), sequence_number: "7" });
    expect(late).toMatchObject({
      success: false,
      vm_status: "SEQUENCE_NUMBER_TOO_NEW",
      fault: { location: "0x1::transaction_validation", abort_code: "66539" },
    });
  });

  it("tells the calls of committed transactions, as long as the state before them is kept", async () => {
    const node = await startChain();
    const transfer = { function: TRANSFER, arguments: ["0xcafe", 1_000n] };
    const { version } = await node.impersonate("0xb0b", transfer);
    await node.impersonate("0xb0b", { ...transfer, arguments: ["0xcafe", 499_999_000n] });
    const { version: failed } = await node.impersonate("0xb0b", transfer);
    const ask = async (which: bigint) => {
      const response = await fetch(`${node.url}/transactions/by_version/${which}/trace`);
      return { status: response.status, body: (await response.json()) as TraceAnswer };
    };
    const first = await ask(version);
    expect(first.body).toMatchObject({ version: `${version}`, matches_ledger: true, success: true });
    expect(called(first.body, TRANSFER).arguments).toMatchObject([{}, {}, { value: "1000" }]);
    expect((await ask(failed)).body).toMatchObject({
      matches_ledger: true,
      success: false,
      fault: { reason_name: "EINSUFFICIENT_BALANCE" },
    });
    const { body: block } = await ask((await node.block({ version }))?.firstVersion ?? 0n);
    expect(block.matches_ledger).toBe(true);
    expect(block.calls[0]?.function).toBe("0x1::block::block_prologue");
    // A fork fetches what the run reads.
    const fork = await startNode({ fork: { url: node.url ?? "", upstreamRate: 0 }, localChain: {} });
    const { version: forked } = await fork.impersonate("0xcafe", { ...transfer, arguments: ["0xb0b", 7n] });
    expect(await fork.trace(forked)).toMatchObject({ matches_ledger: true, success: true });
    expect(await ask(0n)).toMatchObject({ status: 410, body: { error_code: "version_pruned" } });
    expect(await ask(1000n)).toMatchObject({ status: 404, body: { error_code: "transaction_not_found" } });
  });

  it("is cut where it is long, and says so", async () => {
    const node = await startChain();
    const receivers = Array.from({ length: 60 }, (_, i) => `0xcafe${i}`);
    const amounts = receivers.map(() => "1");
    const long = await node.trace(callOf("0x1::aptos_account::batch_transfer", [receivers, amounts]));
    expect(long.success).toBe(true);
    expect(long.calls).toHaveLength(1000);
    expect(Number(long.omitted_calls)).toBeGreaterThan(0);
    // The outermost call began before the cut and ended after it.
    const all = called(long, "0x1::aptos_account::batch_transfer");
    const gas = long.calls
      .filter(({ depth }) => depth === 1)
      .reduce((sum, one) => sum + Number(one.gas_used), 0);
    expect(Number(all.gas_used)).toBeGreaterThan(gas);
    const publish = callOf("0x1::code::publish_package_txn", [`0x${"00".repeat(20_000)}`, []]);
    const { calls } = await node.trace(publish);
    expect(calls.find(({ function: name }) => name.endsWith("publish_package_txn"))?.arguments).toEqual([
      { type: "&signer", value: "0xb0b" },
      { type: "vector<u8>", omitted: true },
      { type: "vector<vector<u8>>", value: [] },
    ]);
  });
});

it("has no calls on a local chain, whose framework has no code", async () => {
  const node = await startNode({ localChain: {}, http: { port: 0 } });
  const { ledger_version: version } = await node.mine(1);
  expect(await node.trace(version)).toMatchObject({ success: true, calls: [], omitted_calls: "0" });
  const anna = node.guide()?.accounts[0]?.address ?? "";
  const transaction = { ...callOf(TRANSFER, ["0xcafe", "1"]), sender: anna };
  expect(await traceOf(node, transaction)).toMatchObject({ calls: [] });
});
