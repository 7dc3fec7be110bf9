// The bounds of a trace: whatever one call reads, writes and emits, the answer is short and its printing takes turns.
import { expect, it } from "vitest";
import { ChainRun } from "../../../test/support/chain-run.ts";
import { createTrackedChain } from "../../../test/support/expected-balances.ts";
import { functionOf, moduleOf, TestMachine } from "../../../test/support/machine.ts";
import { Slices } from "../../base/wait.ts";
import { StateTypes } from "../../ledger/items/state-types.ts";
import type { AbiType } from "../../move/abi.ts";
import { parseAddress } from "../../move/address.ts";
import { ModuleCache } from "../../move/module-cache.ts";
import type { TracedCall } from "../../node.ts";
import { createMemoryStore } from "../../store/memory/store.ts";
import { CallTrace } from "./call-trace.ts";
import { StoredValuePrinter } from "./move-json.ts";

const MAX_CHARACTERS = 4 << 20;
const CAFE = parseAddress("0xcafe");

class CountedSlices extends Slices {
  pauses = 0;
  override pause(): Promise<void> | undefined {
    this.pauses++;
    return super.pause();
  }
}

function structOf(name: string, typeArgs: readonly AbiType[] = []): AbiType {
  return { kind: "struct", address: CAFE, module: "m", name, typeArgs };
}

/** The first call does all of it, the second one nothing. */
async function traceOf(work: (machine: TestMachine, trace: CallTrace) => void) {
  const run = new ChainRun(createTrackedChain({ seed: "trace" }), createMemoryStore());
  await run.start();
  const view = await run.store.openView();
  const functions = [functionOf("f", "fn():()", "ret"), functionOf("g", "fn(u8,&u64)", "ret")];
  const machine = new TestMachine([moduleOf({ functions })]);
  const { linker, session } = machine;
  const callee = linker.functionIn(linker.module(`${"0".repeat(60)}cafe`, "m"), "f", []);
  const trace = new CallTrace();
  trace.begin();
  trace.enter(callee, [], session);
  work(machine, trace);
  trace.leave(session);
  trace.enter(callee, [], session);
  trace.leave(session);
  const slices = new CountedSlices();
  const printer = new StoredValuePrinter(new StateTypes(new ModuleCache()), view, 0n, slices);
  const text = await (await trace.print(printer, async () => undefined)).finish();
  view.release();
  const printed = JSON.parse(`{${Buffer.from(text as string).toString()}}`) as {
    readonly calls: readonly TracedCall[];
    readonly omitted_calls: string;
  };
  return { ...printed, length: text.length, pauses: slices.pauses };
}

it("is at most 4 MiB long, counts what is left out, and takes turns within a call", async () => {
  const name = "A".repeat(250);
  const type = structOf(
    name,
    Array.from({ length: 30 }, () => structOf(name)),
  );
  const event = { guid: undefined, sequenceNumber: 0n, type, data: Uint8Array.of(1) };
  const { calls, omitted_calls, length, pauses } = await traceOf(({ session }) => {
    for (let i = 0; i < 100_000; i++) session.events.push(event);
  });
  expect(length).toBeLessThan(MAX_CHARACTERS + 1000);
  const [{ events = [], omitted = "" } = {}] = calls;
  expect(events.length).toBeGreaterThan(400);
  expect(events.length + Number(omitted)).toBe(100_000);
  expect({ calls: calls.length, omitted_calls }).toEqual({ calls: 1, omitted_calls: "1" });
  expect(pauses).toBeGreaterThanOrEqual(events.length);
});

it("keeps a thousand events and a thousand items, and has room for the next call", async () => {
  const event = {
    guid: undefined,
    sequenceNumber: 0n,
    type: { kind: "u64" },
    data: new Uint8Array(8),
  } as const;
  const { calls, omitted_calls } = await traceOf(({ session }) => {
    for (let i = 0; i < 3000; i++) {
      session.events.push(event);
      const slot = session.tableItem("0".repeat(64), Buffer.from(`${i}`), { kind: "u64" }, () => {});
      if (i % 2 === 1) slot.put(7n);
    }
  });
  const [first, second] = calls;
  expect(first).toMatchObject({ omitted: "4000", events: { length: 1000 }, reads: { length: 1000 } });
  expect(first?.writes).toEqual(first?.reads.filter((_, i) => i % 2 === 1));
  expect(second).toMatchObject({ events: [], reads: [], writes: [] });
  expect(second?.omitted).toBeUndefined();
  expect(omitted_calls).toBe("0");
});

it("leaves out values of other types than the parameters: a stored closure may be older than its function", async () => {
  const { calls } = await traceOf(({ linker, session }, trace) => {
    const { module } = linker.functionIn(linker.module(`${"0".repeat(60)}cafe`, "m"), "f", []);
    trace.enter(linker.functionIn(module, "g", []), [5n, 5n], session);
    trace.leave(session);
  });
  expect(calls[1]?.arguments).toEqual([
    { type: "u8", omitted: true },
    { type: "&u64", omitted: true },
  ]);
});
