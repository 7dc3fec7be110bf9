// A verifier in another language, written from docs/appendix/bundles.md alone, accepts every kind of bundle, list and
// statement, reads the same in it, and refuses what was changed.
import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { createNode } from "../../src/node.ts";
import { type VerifiedProof, verifyProof } from "../../src/verify.ts";
import { runCommand } from "../support/command.ts";
import { RUNS } from "../support/property.ts";
import { temporaryFolder } from "../support/temporary.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCRIPT = join(ROOT, "scripts/independent/verify_bundle.py");
const APT = "0x1::aptos_coin::AptosCoin";
const ABOVE = '"ledger":{"type":"above"}}';
/** Of each kind: 40; SEXTANT_RUNS=10000 makes 10,000. */
const MUTANTS = RUNS;
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
  const folder = temporaryFolder();
  const path = (name: string): string => join(folder, name);
  let waypoint = "";

  type Read = Readonly<Record<string, unknown>>;
  const read = async (...files: readonly string[]): Promise<readonly Read[]> => {
    const { stdout } = await run(python ?? "", [SCRIPT, waypoint, ...files], { maxBuffer: 1 << 26 });
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Read);
  };
  const expectRefused = async (name: string, content: string | Uint8Array): Promise<void> => {
    await writeFile(path("refused"), content);
    const refused = await run(python ?? "", [SCRIPT, waypoint, path("refused")]).catch((error) => error);
    expect([name, refused]).toEqual([
      name,
      expect.objectContaining({ code: 1, stdout: expect.stringMatching(/^proves nothing: /), stderr: "" }),
    ]);
  };
  const expectMutantsRefused = async (file: string): Promise<void> => {
    const { stdout } = await run(python ?? "", [SCRIPT, "--mutants", `${MUTANTS}`, waypoint, file]);
    expect(stdout).toContain(`${MUTANTS} mutants of ${file} are refused`);
  };
  const shown = async (file: string): Promise<Read> => {
    const { code, stdout } = await runCommand(["verify-proof", file, "--waypoint", waypoint, "--json"]);
    expect([file, code]).toEqual([file, 0]);
    return JSON.parse(stdout) as Read;
  };

  beforeAll(async () => {
    const node = await createNode({
      localChain: { seed: "independent", epochTimeMs: 3000 },
      pruneWindow: "off",
      proofWindow: "1h",
      http: { port: 0 },
    });
    try {
      await node.mine(8);
      waypoint = (await node.info()).genesis_waypoint as string;
      const [anna, basil] = node.guide()?.accounts ?? [];
      const [table] = node.guide()?.tables ?? [];
      if (anna === undefined || basil === undefined || table === undefined)
        throw new Error("no demo accounts");
      const usec = async (): Promise<bigint> => BigInt((await node.ledgerInfo()).ledger_timestamp);
      const times = [await usec()];
      await node.mine(6);
      times.push(await usec());
      const { version } = await node.fund(anna.address, 5n);
      await node.mine(6);
      const from = { fromWaypoint: waypoint };
      const queries = [anna, basil, { address: "0xdead" }].map(({ address }) => ({ address, asset: APT }));
      const [key = ""] = table.keys.map((one) => one.key);
      const proofs: Readonly<Record<string, Uint8Array>> = {
        balance: await node.proveBalance(anna.address, APT, from),
        balances: await node.proveBalances(queries, from),
        item: await node.proveRawItem(table.handle, key, from),
        "no item": await node.proveRawItem("0x123", "0x00", from),
        resource: await node.proveResource("0x1", "0x1::chain_id::ChainId", from),
        "no resource": await node.proveResource("0xdead", "0x1::account::Account", from),
        module: await node.proveModule("0x1", "coin", from),
        transaction: await node.proveTransaction(version, from),
        event: await node.proveEvent(version, 0n, from),
      };
      for (const [kind, bytes] of Object.entries(proofs)) {
        await writeFile(path(kind), bytes);
        bundles.set(kind, { file: path(kind), proof: verifyProof(bytes, waypoint) });
      }

      const write = async (command: string, args: readonly string[], option: string, file: string) => {
        const asked = [...args, option, path(file), "--from-waypoint", waypoint, "--url", node.url ?? ""];
        const { code, stderr } = await runCommand([command, ...asked]);
        expect([file, code, stderr]).toEqual([file, 0, expect.any(String)]);
      };
      for (const [kind, args] of [
        ["balance", ["anna", "APT"]],
        ["item", ["item", "--table", table.handle, "--key", key]],
        ["no item", ["item", "--table", "0x123", "--key", "0x00"]],
        ["resource", ["resource", "0x1", "0x1::chain_id::ChainId"]],
        ["no resource", ["resource", "0xdead", "0x1::account::Account"]],
        ["module", ["module", "0x1", "coin"]],
        ["transaction", ["transaction", `${version}`]],
        ["event", ["event", `${version}`, "0"]],
      ] as const)
        await write("prove", args, "--out", `${kind}.json`);

      const others = Array.from({ length: 1200 }, (_, i) => `0x${(7919 * (i + 9)).toString(16)}`);
      const lists = { list: ["anna", "basil", "clio", ...others], low: ["0x1", "0x123"], high: ["basil"] };
      for (const [name, accounts] of Object.entries(lists)) {
        await writeFile(path(`${name}.txt`), `${accounts.join("\n")}\n`);
        const args = ["--accounts", path(`${name}.txt`), "--asset", "APT"];
        await write("prove", args, "--out", `${name}.json`);
        if (name === "list") await write("prove", args, "--out", "list.json.gz");
      }
      // A list of 1,000 accounts makes slow mutants: this one has two short lines.
      const high = await readFile(path("high.json"), "utf8");
      await writeFile(
        path("short-list.json"),
        (await readFile(path("low.json"), "utf8")) + high.replace(/"ledger":\{.*\}\}/, ABOVE),
      );

      const [begin = "", middle = ""] = times.map((time) => new Date(Number(time / 1000n) + 1).toISOString());
      for (const [file, account, assets, start, end] of [
        ["anna", "anna", [], begin, "now"],
        ["basil", "basil", [], begin, "now"],
        ["clio", "clio", [], begin, "now"],
        ["first-part", "basil", ["--asset", "APT"], begin, middle],
        ["second-part", "basil", ["--asset", "APT"], middle, "now"],
        ["one-statement", "basil", ["--asset", "APT"], begin, "now"],
      ] as const)
        await write(
          "statement",
          [account, ...assets, "--from", start, "--to", end],
          "--proofs",
          `${file}.json`,
        );
    } finally {
      await node.close();
    }
  });

  it("accepts every kind of bundle and reads the same in it", async () => {
    const says = await read(...[...bundles.values()].map(({ file }) => file));
    for (const [i, { proof }] of [...bundles.values()].entries()) {
      const { claim, ledgerVersion, signedVersion, timestampUsec } = proof;
      expect(says[i]).toMatchObject({
        kind: claim.kind,
        version: Number(ledgerVersion),
        signed: Number(signedVersion),
        time: Number(timestampUsec),
      });
      if ("value" in claim)
        expect(says[i]?.value).toBe(
          claim.value === undefined ? null : Buffer.from(claim.value).toString("hex"),
        );
      if (claim.kind === "balances")
        expect(says[i]?.totals).toEqual(
          Object.fromEntries([...claim.totals].map(([asset, total]) => [asset, `${total}`])),
        );
    }
  });

  it("reads the same in JSON as in BCS, in one spelling only", async () => {
    // The command proves the keys of a list too.
    const kinds = [...bundles.keys()].filter((kind) => kind !== "balances");
    expect(await read(...kinds.map((kind) => path(`${kind}.json`)))).toEqual(await read(...kinds.map(path)));
    const text = await readFile(path("event.json"), "utf8");
    for (const [name, before, after] of [
      ["white space", '"claim":', '"claim": '],
      ["two newlines", /\s*$/, "\n\n"],
      ["another order", /("version":"\d+"),("index":"\d+")/, "$2,$1"],
      ["a member twice", /"version":"\d+",/, "$&$&"],
      ["a member left out", /"store":[^,]*,/, ""],
      ["a member more", /\}\s*$/, ',"more":null}'],
      ["capitals", /"0x[0-9a-f]*[a-f][0-9a-f]*"/, (hex: string) => hex.toUpperCase().replace("X", "x")],
      ["a leading zero", /"version":"/, "$&0"],
      ["a number without quotes", /"version":"(\d+)"/, '"version":$1'],
      ["an escape", '"event"', '"\\u0065vent"'],
      ["half a byte", /(0x[0-9a-f]+)"/, '$10"'],
      ["a byte more behind a part without a length", /("start":"\w+)"/, '$100"'],
      ["the ledger above", /"ledger":\{.*\}\}/, ABOVE],
    ] as const) {
      const changed = text.replace(before, after as string);
      expect([name, changed === text]).toEqual([name, false]);
      await expectRefused(name, changed);
    }
  });

  it("refuses every bundle from another waypoint", async () => {
    for (const { file } of bundles.values())
      await expect(run(python ?? "", [SCRIPT, `0:${"00".repeat(32)}`, file])).rejects.toThrow(
        /exit code 1|failed/i,
      );
  });

  it("reads the same balances and totals in a list of several bundles, also compressed", async () => {
    const lines = (await readFile(path("list.json"), "utf8")).split(/(?<=\n)/);
    expect(lines.length).toBeGreaterThan(1);
    await writeFile(path("members.gz"), Buffer.concat(lines.map((line) => gzipSync(line))));
    const files = ["list.json", "list.json.gz", "members.gz", "short-list.json"].map(path);
    for (const [i, says] of (await read(...files)).entries()) {
      const expected = await shown(files[i] ?? "");
      expect(says.totals).toEqual({ [APT]: expected[`total ${APT}`] });
      expect([`${says.version}`, `${says.signed}`]).toEqual([
        expected.ledger_version,
        expected.signed_version,
      ]);
      const rows = expected.balances as readonly {
        readonly address: string;
        readonly authentication_key: string;
        readonly balances: Readonly<Record<string, string>>;
      }[];
      expect(says.balances).toEqual(
        rows.map((row) => [row.address, APT, row.balances[APT], row.authentication_key.slice(2)]),
      );
    }
    await expectRefused("half a file in gzip", (await readFile(path("list.json.gz"))).subarray(0, -9));
    await expectRefused("bundles of other claims", `${lines[0]}${await readFile(path("item.json"), "utf8")}`);
    await expectRefused(
      "balances without keys",
      `${lines[0]}${await readFile(path("balance.json"), "utf8")}`,
    );
  });

  it("reads the same sums in statements, and refuses two that overlap", async () => {
    const text = (name: string): Promise<string> => readFile(path(`${name}.json`), "utf8");
    const [first, second, both] = [
      await text("first-part"),
      await text("second-part"),
      await text("one-statement"),
    ];
    await writeFile(path("parts.json"), second + first);
    const names = ["anna", "basil", "clio", "one-statement", "parts"];
    const counts = [];
    for (const name of names) {
      const [says] = await read(path(`${name}.json`));
      const { statement, statements = [statement] } = await shown(path(`${name}.json`));
      const sentences = statements as readonly string[];
      const own = says?.statements as readonly Readonly<Record<string, string>>[];
      counts.push(own.length);
      expect(own).toHaveLength(sentences.length);
      for (const [i, one] of own.entries()) {
        const time = (usec: string | undefined): string =>
          new Date(Number(usec) / 1000).toISOString().slice(0, -1);
        expect(sentences[i]?.replace("Account 0x", "").replace(/^0*/, "")).toMatch(
          new RegExp(
            `^${one.account?.replace(/^0x0*/, "")}, ${one.asset?.replaceAll(/[<>]/g, ".")}, from ${time(one.from)}...Z to before ${time(one.to)}...Z: ` +
              `opened with ${one.opening} .*, \\d+ deposits? of ${one.deposits}, \\d+ withdrawals? of ${one.withdrawals}, \\d+ fees? of ${one.fees}, closed with ${one.closing} `,
          ),
        );
      }
    }
    expect(counts.slice(-2)).toEqual([1, 2]);
    await expectRefused("overlapping statements", first + both);
    await expectRefused("a statement twice", both + both);
    await expectRefused("a heading alone", `${both.split("\n")[0]}\n`);
    await expectRefused("a list behind", both + (await text("high")));
    await expectRefused("a list before", (await text("high")) + both);
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
    "short-list.json",
    "one-statement.json",
  ])(`refuses ${MUTANTS} changes of a proof of: %s`, (kind) => expectMutantsRefused(path(kind)));
});
