// A verifier in another language, written from docs/appendix/bundles.md alone, accepts every kind of bundle, reads the same
// in it, and refuses what was changed.
import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { createNode } from "../../src/node.ts";
import { type VerifiedProof, verifyProof } from "../../src/verify.ts";
import { temporaryFolder } from "../support/temporary.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCRIPT = join(ROOT, "scripts/independent/verify_bundle.py");
const APT = "0x1::aptos_coin::AptosCoin";
const MUTANTS = 10_000;
const run = promisify(execFile);

/** A Python with a library for BLS signatures, from the package index; undefined where there is none. */
function pythonWithBls(): string | undefined {
  const folder = join(ROOT, ".cache/independent");
  const python = join(folder, "bin/python");
  const hasLibrary = (): boolean => spawnSync(python, ["-c", "import blspy"]).status === 0;
  if (existsSync(python) && hasLibrary()) return python;
  if (spawnSync("python3", ["-m", "venv", folder]).status !== 0) return undefined;
  spawnSync(python, ["-m", "pip", "install", "-q", "blspy==2.0.3"]);
  return hasLibrary() ? python : undefined;
}

const python = pythonWithBls();

describe.skipIf(python === undefined)("an independent verifier (needs Python and blspy)", () => {
  const bundles = new Map<string, { readonly file: string; readonly proof: VerifiedProof }>();
  let waypoint = "";

  beforeAll(async () => {
    const node = await createNode({
      localChain: { seed: "independent", epochTimeMs: 3000 },
      proofWindow: "1h",
    });
    try {
      await node.mine(8);
      waypoint = (await node.info()).genesis_waypoint as string;
      const [anna, basil] = node.guide()?.accounts ?? [];
      const [table] = node.guide()?.tables ?? [];
      if (anna === undefined || basil === undefined || table === undefined)
        throw new Error("no demo accounts");
      const { version } = await node.fund(anna.address, 5n);
      await node.mine(2);
      const from = { fromWaypoint: waypoint };
      const queries = [anna, basil, { address: "0xdead" }].map(({ address }) => ({ address, asset: APT }));
      const proofs: Readonly<Record<string, Uint8Array>> = {
        balance: await node.proveBalance(anna.address, APT, from),
        balances: await node.proveBalances(queries, from),
        item: await node.proveRawItem(table.handle, table.keys[0]?.key ?? "", from),
        "no item": await node.proveRawItem("0x123", "0x00", from),
        resource: await node.proveResource("0x1", "0x1::chain_id::ChainId", from),
        "no resource": await node.proveResource("0xdead", "0x1::account::Account", from),
        module: await node.proveModule("0x1", "coin", from),
        transaction: await node.proveTransaction(version, from),
        event: await node.proveEvent(version, 0n, from),
      };
      const folder = temporaryFolder();
      for (const [kind, bytes] of Object.entries(proofs)) {
        const file = join(folder, kind);
        await writeFile(file, bytes);
        bundles.set(kind, { file, proof: verifyProof(bytes, waypoint) });
      }
    } finally {
      await node.close();
    }
  });

  it("accepts every kind of bundle and reads the same in it", async () => {
    const files = [...bundles.values()].map(({ file }) => file);
    const { stdout } = await run(python ?? "", [SCRIPT, waypoint, ...files]);
    const read = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const [i, { proof }] of [...bundles.values()].entries()) {
      const { claim, ledgerVersion, signedVersion, timestampUsec } = proof;
      expect(read[i]).toMatchObject({
        kind: claim.kind,
        version: Number(ledgerVersion),
        signed: Number(signedVersion),
        time: Number(timestampUsec),
      });
      if ("value" in claim)
        expect(read[i]?.value).toBe(
          claim.value === undefined ? null : Buffer.from(claim.value).toString("hex"),
        );
      if (claim.kind === "balances")
        expect(read[i]?.totals).toEqual(
          Object.fromEntries([...claim.totals].map(([asset, total]) => [asset, `${total}`])),
        );
    }
  });

  it("refuses every bundle from another waypoint", async () => {
    for (const { file } of bundles.values())
      await expect(run(python ?? "", [SCRIPT, `0:${"00".repeat(32)}`, file])).rejects.toThrow(
        /exit code 1|failed/i,
      );
  });

  it.each([
    "balance",
    "balances",
    "item",
    "no item",
    "resource",
    "no resource",
    "module",
    "transaction",
    "event",
  ])(`refuses ${MUTANTS} changes of a proof of: %s`, async (kind) => {
    const { file = "" } = bundles.get(kind) ?? {};
    const { stdout } = await run(python ?? "", [SCRIPT, "--mutants", `${MUTANTS}`, waypoint, file]);
    expect(stdout).toContain(`${MUTANTS} mutants of ${file} are refused`);
  });
});
