// What passes leaves a node serving and trying again; a doubt about correctness ends it. Neither names a path.
import { describe, expect, it } from "vitest";
import { type LogFields, silentLogger } from "../base/log.ts";
import { LedgerError } from "../ledger/errors.ts";
import { StoreError, type StoreErrorCode } from "../store/errors.ts";
import { Faults } from "./faults.ts";

const PATH = "/var/lib/somewhere";

function storeError(code: StoreErrorCode): StoreError {
  return new StoreError(code, `${code} at ${PATH}`, { details: { path: PATH } });
}

describe("faults", () => {
  it.each<StoreErrorCode>(["full", "unwritable", "unreachable"])("%s passes: tried again", (code) => {
    const lines: [LogFields, string][] = [];
    const log = (...line: [LogFields, string]) => void lines.push(line);
    const faults = new Faults({ ...silentLogger, info: log, error: log });
    for (let tries = 0; tries < 5; tries++) expect(faults.report("blocks", storeError(code))).toBe(true);
    expect(faults.final).toBeUndefined();
    expect(faults.reason).toBe(`the store cannot be written just now (${code})`);
    faults.clear("blocks");
    expect(faults.reason).toBeUndefined();
    // One line when it starts and one when it ends.
    expect(lines.map(([, message]) => message)).toEqual([
      "the ledger does not move, will be tried again",
      "the ledger moves again",
    ]);
  });

  it("says what passes where the store is well", () => {
    const faults = new Faults(silentLogger);
    expect(faults.report("blocks", new LedgerError("unavailable", "the network is away"))).toBe(true);
    expect(faults.reason).toBe("the network is away");
  });

  it.each([
    storeError("corrupt"),
    storeError("order"),
    storeError("identity"),
    storeError("locked"),
    storeError("given_up"),
    new LedgerError("mismatch", "a hash does not match"),
    new LedgerError("corrupt", "bytes do not decode"),
    new Error("unforeseen"),
  ])("$message: stops the node for good", async (error) => {
    const faults = new Faults(silentLogger);
    expect(faults.report("blocks", error)).toBe(false);
    expect(await faults.stopped).toBe(error);
    faults.clear("blocks");
    expect(faults.final).toBe(error);
    expect(faults.reason).not.toContain(PATH);
    // What comes after it changes nothing, not even what would pass.
    expect(faults.report("pruning", storeError("full"))).toBe(false);
    expect(faults.final).toBe(error);
  });
});
