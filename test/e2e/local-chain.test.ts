// The program out of the box: a running ledger that serves reads, prunes, stops and restarts.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/command.ts";
import { freePort } from "../support/free-port.ts";
import { type Running, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();

interface Ledger {
  readonly ledger_version: string;
  readonly oldest_ledger_version: string;
}

async function ledger(node: Running): Promise<{ latest: bigint; oldest: bigint }> {
  const body = (await (await fetch(node.url)).json()) as Ledger;
  return { latest: BigInt(body.ledger_version), oldest: BigInt(body.oldest_ledger_version) };
}

/** The balance that the start screen names first. */
async function shownBalance(node: Running): Promise<{ path: string }> {
  const [, account = "", symbol = ""] = / balance (\w+) (\w+)/.exec(node.stdout()) ?? [];
  const info = (await (await fetch(`${node.url}/info`)).json()) as {
    demo_accounts?: Record<string, { address: string }>;
    demo_assets?: Record<string, string>;
  };
  const [address, asset] = [info.demo_accounts?.[account]?.address, info.demo_assets?.[symbol]];
  return { path: `/accounts/${address}/balance/${asset}` };
}

describe("plain start", () => {
  it("serves history, prunes it by the window, and continues after a restart", async () => {
    const data = join(folder, "data");
    const args = ["--data", data, "--block-time", "50ms", "--prune-window", "4s", "--log-level", "warn"];
    const node = await startProgram(args);
    const { path } = await shownBalance(node);
    const balanceAt = async (from: Running, version: bigint) => {
      const response = await fetch(`${from.url}${path}?ledger_version=${version}`);
      return { status: response.status, body: await response.text(), headers: response.headers };
    };

    const latest = await until(async () => {
      const now = (await ledger(node)).latest;
      return now > 60n ? now : undefined;
    });
    const seen = new Map<bigint, string>();
    for (let i = 0n; i < 10n; i++) {
      const version = latest - i;
      const { status, body } = await balanceAt(node, version);
      expect(status).toBe(200);
      expect(body).toMatch(/^\d+$/);
      seen.set(version, body);
    }

    const pruned = await until(async () => {
      const { oldest } = await ledger(node);
      return oldest > 3n ? oldest : undefined;
    });
    const gone = await balanceAt(node, 1n);
    expect(gone.status).toBe(410);
    expect(JSON.parse(gone.body)).toMatchObject({ error_code: "version_pruned" });
    expect(BigInt(gone.headers.get("x-node-ledger-oldest-version") ?? "0")).toBeGreaterThanOrEqual(pruned);

    const before = await ledger(node);
    const kept = new Map<bigint, string>();
    for (let version = before.latest - 5n; version <= before.latest; version++) {
      kept.set(version, (await balanceAt(node, version)).body);
    }
    const stopped = await node.stop();
    expect(stopped.code).toBe(0);

    // Without new blocks first, so that the same versions are kept however long the restart took.
    const still = await startProgram([...args, "--blocks", "0"]);
    const { latest: last } = await ledger(still);
    expect(last).toBeGreaterThanOrEqual(before.latest);
    expect(stopped.stdout.endsWith(`\nsextant stopped at version ${last}\n`)).toBe(true);
    let compared = 0;
    for (const [version, body] of [...seen, ...kept]) {
      const answer = await balanceAt(still, version);
      if (answer.status === 410) continue;
      expect(answer.body).toBe(body);
      compared++;
    }
    expect(compared).toBeGreaterThan(5);
    expect((await still.stop()).code).toBe(0);

    const again = await startProgram(args);
    const grown = await until(async () =>
      (await ledger(again)).latest > before.latest + 20n ? true : undefined,
    );
    expect(grown).toBe(true);
    expect((await again.stop("SIGINT")).code).toBe(0);
  });

  it("prints lines that work as printed", async () => {
    const node = await startProgram([
      "--data",
      join(folder, "printed"),
      "--block-time",
      "100ms",
      "--log-level",
      "warn",
    ]);
    const lines = node.stdout().split("\n");
    const shown = lines.flatMap((line) => /^ {2}(?:npx )?sextant (.*)$/.exec(line)?.[1] ?? []);
    expect(shown.length).toBe(3);
    for (const line of shown) {
      const more = line.startsWith("watch") ? ["--count", "1"] : [];
      const { code, stdout, stderr } = await runCommand([...line.split(" "), ...more]);
      expect({ code, stderr }, line).toEqual({ code: 0, stderr: "" });
      expect(stdout, line).not.toBe("");
    }
    await node.stop();
  });

  it("serves the reading commands by URL and from its directory", async () => {
    const data = join(folder, "commands");
    const node = await startProgram([
      "--data",
      data,
      "--block-time",
      "0",
      "--blocks",
      "20",
      "--log-level",
      "warn",
    ]);
    const base = node.url.replace(/\/v1$/, "");
    await until(async () => ((await ledger(node)).latest > 60n ? true : undefined));
    const { path } = await shownBalance(node);
    const [, , address, , asset] = path.split("/").map(decodeURIComponent);
    const ask = ["balance", address ?? "", asset ?? "", "--ledger-version", "50"];
    const byUrl = await runCommand([...ask, "--url", base]);
    expect(byUrl).toMatchObject({ code: 0, stderr: "" });
    // A second process, this one, reads the directory while the first one writes to it.
    const byData = await runCommand([...ask, "--data", data]);
    expect(byData).toMatchObject({ code: 0, stdout: byUrl.stdout });

    const status = await runCommand(["status", "--url", base, "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({ chain_id: 4, sync_mode: "local" });
    expect((await runCommand(["info", "--url", base])).stdout).toContain("sextant_version");
    const absent = await runCommand(["raw-item", "0x1234", "0x00", "--url", base]);
    expect(absent.code).toBe(1);
    expect(absent.stderr).toContain("table_item_not_found");
    expect((await runCommand(["balance", "0x1", "--url", base])).code).toBe(2);
    const nobody = await runCommand(["info", "--url", `http://127.0.0.1:${await freePort()}`]);
    expect(nobody.code).toBe(75);
    expect(nobody.stderr).toContain("cannot reach");
    expect(nobody.stderr).toContain("sextant start starts one");
    await node.stop();
  });

  it("explains what another command encoded, by URL and from its directory", async () => {
    const data = join(folder, "explained");
    const args = ["--data", data, "--block-time", "0", "--blocks", "3", "--log-level", "warn"];
    const node = await startProgram(args);
    const base = node.url.replace(/\/v1$/, "");
    // What is explained depends on the sender's next number.
    await until(async () => (await fetch(`${base}/v1/blocks/by_height/3`)).ok);
    const sender = (await shownBalance(node)).path.split("/")[2];
    const request = JSON.stringify({
      sender,
      sequence_number: "0",
      max_gas_amount: "2000",
      gas_unit_price: "100",
      expiration_timestamp_secs: "32425224034",
      fee_payer: "0x0",
      payload: {
        type: "entry_function_payload",
        function: "0x1::vesting::set_management_role",
        type_arguments: [],
        arguments: ["0x1234", "role \u202e\u009b\u{e0001}", "0x5"],
      },
    });
    const { stdout: message } = await runCommand(["encode", "-", "--url", base], {}, request);
    const byUrl = await runCommand(["explain", "-", "--url", base], {}, message);
    expect(byUrl).toMatchObject({ code: 0, stderr: "" });
    const lines = byUrl.stdout.split("\n").map((line) => line.split(/ {2,}/));
    expect(lines).toEqual(
      expect.arrayContaining([
        ["kind", "fee_payer"],
        ["sender", sender],
        ["fee_payer", "0x0"],
        ["function", "0x1::vesting::set_management_role"],
        ["argument 0", '"0x1234" (address)'],
        // No terminal control or bidirectional characters come through.
        ["argument 1", '"role \\u202e\\u009b\\udb40\\udc01" (0x1::string::String)'],
        ["max_fee", "200000 (2000 gas at 100)"],
        ["expiration", "2997-07-06T22:40:34Z"],
        ["matches", "the fields encode to exactly these bytes"],
      ]),
    );
    expect(byUrl.stdout).toMatch(/^warning \d +fee_payer_open: /m);
    for (const input of [request, JSON.stringify({ message: message.trim() }), `"${message.trim()}"`]) {
      expect((await runCommand(["explain", "-", "--data", data], {}, input)).stdout).toBe(byUrl.stdout);
    }
    const json = await runCommand(["explain", "-", "--json", "--url", base], {}, message);
    expect(JSON.parse(json.stdout)).toMatchObject({ kind: "fee_payer", matches: true });
    const cut = await runCommand(["explain", "-", "--url", base], {}, message.trim().slice(0, -2));
    expect(cut.code).toBe(1);
    expect(cut.stderr).toContain("message: feePayer: needs 32 bytes, 31 left");
    expect((await runCommand(["explain", join(folder, "absent"), "--url", base])).code).toBe(2);
    await node.stop();
  });
});
