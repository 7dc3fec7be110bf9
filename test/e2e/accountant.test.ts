// The first ten minutes of an accountant, through commands alone: a statement of the period, a proof of its closing
// balance, and the check that an auditor makes of it without a node.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runCommand } from "../support/command.ts";
import { type Running, startProgram } from "../support/program.ts";
import { startProxy } from "../support/proxy.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
let node: Running;
beforeAll(async () => {
  const args = ["--data", join(folder, "data"), "--block-time", "100ms", "--log-level", "warn"];
  node = await startProgram(args);
});
afterAll(() => node.stop());

/** Runs a command on the node, which must succeed. */
async function ask(
  ...args: readonly string[]
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { code, stdout, stderr } = await runCommand([...args, "--url", node.url]);
  expect([args[0], code, stderr.replaceAll(/^note: .*\n/gm, "")]).toEqual([args[0], 0, ""]);
  return { stdout, stderr };
}

type Cells = Readonly<Record<string, string>>;

/** The rows of a CSV text without quotes, by the names of its columns. */
function rowsOf(text: string): Cells[] {
  const [names = "", ...lines] = text.trim().split("\n");
  return lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.split(",").map((name, i) => [name, cells[i] ?? ""]));
  });
}

/** Digits of the smallest unit of APT. */
const digits = (amount = ""): bigint => BigInt(amount.replace(".", "") || 0);

describe("an accountant", () => {
  it("states a period, proves its closing balance, and an auditor checks that", async () => {
    const read = async () => JSON.parse((await ask("info", "--json")).stdout) as Record<string, string>;
    const timeOf = (info: Record<string, string>): number => Number(info.ledger_timestamp) / 1000;
    // Genesis has no time, and a period may not begin after the latest block.
    const info = await until(async () => {
      const found = await read();
      return timeOf(found) > 0 && found;
    });
    const begin = timeOf(info) + 1;
    await until(async () => timeOf(await read()) > begin);
    const from = new Date(begin).toISOString();
    const apt = ["statement", "anna", "--asset", "APT", "--from", from, "--to", "now"];
    const rows = await until(async () => {
      const { stdout } = await ask(...apt);
      const found = rowsOf(stdout);
      const kinds = found.map(({ kind }) => kind);
      return ["paid", "received", "fee"].every((kind) => kinds.includes(kind)) ? found : undefined;
    });

    // The statement says whose it is in each row, and adds up.
    const anna = (JSON.parse((await ask("info", "--json")).stdout) as { demo_accounts: { anna: Cells } })
      .demo_accounts.anna;
    for (const row of rows) {
      expect(row).toMatchObject({
        account: anna.address,
        asset_type: "0x1::aptos_coin::AptosCoin",
        chain_id: "4",
      });
      expect(row).toMatchObject({ node: node.url, trust: "local", unit: "APT" });
      expect(row.made_at).toMatch(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
    }
    const [opening, closing] = [rows[0], rows.at(-1)];
    const changes = rows.filter(({ entry }) => entry === "change");
    const sum = changes.reduce((total, { change }) => total + digits(change), digits(opening?.after));
    expect(sum).toBe(digits(closing?.after));
    for (const { kind, counterparty, fee, change } of changes) {
      expect([kind, counterparty]).toEqual([
        kind,
        kind === "fee" ? "" : expect.stringMatching(/^0x[0-9a-f]{64}$/),
      ]);
      if (kind === "fee") expect(fee).toBe(change);
      if (kind === "paid") expect(digits(fee)).toBeLessThan(0n);
    }

    // The same period as a page, for a tax tool, and of all assets.
    const period = ["--from", from, "--to", closing?.period_to ?? ""];
    const page = (await ask("statement", "anna", ...period, "--format", "html")).stdout;
    const grouped = (closing?.after ?? "").replace(/\B(?=(\d{3})+\.)/g, ",");
    expect(page).toContain(`<dt>Closing balance</dt><dd>${grouped} APT, after version ${closing?.version}`);
    expect(page.match(/<h2>[^<]*/g)).toEqual(["<h2>Aptos Coin", "<h2>Demo Gold"]);
    expect(page).toMatch(/Made at<\/dt><dd><time [^>]*>\d{4}-\d{2}-\d{2} [\d:.]+ UTC<\/time>, .*version \d+/);
    const koinly = (await ask(...apt.slice(0, 4), ...period, "--format", "koinly")).stdout;
    expect(koinly.trim().split("\n")).toHaveLength(changes.length + 1);
    const month = new Date(Number(info.ledger_timestamp) / 1000).toISOString().slice(0, 7);
    const early = await runCommand(["statement", "anna", "--month", month, "--url", node.url]);
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("--to now")]);

    // The proof is of the closing balance, and tells how long it can be made.
    const [file, waypoint = ""] = [join(folder, "closing.json"), info.genesis_waypoint];
    const at = ["--ledger-version", closing?.version ?? "", "--from-waypoint", waypoint, "--out", file];
    const made = await ask("prove", "anna", "APT", ...at);
    expect(made.stdout).toMatch(
      new RegExp(
        `^After version ${closing?.version} \\(.*Z\\), account ${anna.address} has ${digits(closing?.after)} of 0x1::aptos_coin::AptosCoin\\.(?: It is the last version before .*Z\\.)?\nwrote ${file}\n`,
      ),
    );
    expect(made.stderr).toMatch(
      /can prove version \d+ again until \d{4}-\d{2}-\d{2}T[\d:.]+Z \(--prune-window 24h\)/,
    );

    // The auditor has the two files and a waypoint.
    const checked = await runCommand(["verify-proof", file, "--waypoint", waypoint, "--json"]);
    expect(JSON.parse(checked.stdout)).toMatchObject({
      verdict: "proven",
      address: anna.address,
      balance: `${digits(closing?.after)}`,
      ledger_version: closing?.version,
      signed_time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
    });
    const forged = join(folder, "forged.json");
    const forge = (_: string, digit: string): string => `"balance":"${(Number(digit) % 9) + 1}`;
    writeFileSync(forged, readFileSync(file, "utf8").replace(/"balance":"(\d)/, forge));
    const refused = await runCommand(["verify-proof", forged, "--waypoint", waypoint]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("proves nothing")]);
  });

  it("gets no file for a good proof of something else", async () => {
    const info = JSON.parse((await ask("info", "--json")).stdout) as {
      readonly demo_accounts: Readonly<Record<string, { readonly address: string }>>;
      readonly demo_tables: Readonly<Record<string, string>>;
    };
    const { anna, basil } = info.demo_accounts;
    const [a = "", b = ""] = [anna?.address, basil?.address];
    const prices = info.demo_tables.prices ?? "";
    const block = (await (await fetch(`${node.url}/blocks/by_height/3`)).json()) as { last_version: string };
    const later = (await (await fetch(`${node.url}/blocks/by_height/4`)).json()) as {
      readonly last_version: string;
      readonly block_timestamp: string;
    };
    const [early, late] = [block.last_version, later.last_version];
    const before = new Date(Number(later.block_timestamp) / 1000 - 1).toISOString();
    const [apt, key] = ["0x1::aptos_coin::AptosCoin", "0x03415054"];
    const item = ["--table", "prices", "--key", key];
    const cases: readonly (readonly [args: string[], from: string | RegExp, to: string, named: string[]])[] =
      [
        [[a, "APT"], a, b, [a, b]],
        [[a, "APT"], apt, "0xa", [apt, "0xa"]],
        [["anna", "APT", "--ledger-version", late], `version=${late}`, `version=${early}`, [late, early]],
        [
          ["anna", "APT", "--at", before],
          /at=[^&]+/,
          `ledger_version=${late}`,
          [before, later.block_timestamp.slice(-6)],
        ],
        [["anna", "APT", "--min-ledger-version", late], /$/, `&ledger_version=${early}`, [late, early]],
        [item, prices, a, [prices, a]],
        [item, key, "0x03455448", [key, "0x03455448"]],
      ];
    const proxy = await startProxy(node.url, true);
    onTestFinished(() => proxy.close());
    const file = join(folder, "other.json");
    for (const [args, from, to, named] of cases) {
      proxy.meddle = async (passing) => {
        const { method, path, sent } = passing;
        if (!path.includes("/proof")) return passing;
        const swapped = decodeURIComponent(path.includes("?") ? path : `${path}?`).replace(from, to);
        const body = method === "POST" ? `${sent}`.replace(from, to) : null;
        const headers = { "content-type": "application/json" };
        const other = await fetch(new URL(swapped, node.url), { method, body, headers });
        return { ...passing, status: other.status, body: Buffer.from(await other.arrayBuffer()) };
      };
      const { code, stdout, stderr } = await runCommand([
        "prove",
        ...args,
        "--url",
        proxy.url,
        "--out",
        file,
      ]);
      expect([args, code, stdout, existsSync(file)]).toEqual([args, 1, "", false]);
      expect(stderr).toMatch(/^asked for .*, but the node's proof shows .*$/m);
      for (const name of named) expect(stderr).toContain(name);
    }
    proxy.meddle = (passing) => passing;
    for (const [args] of cases) {
      const { code, stderr } = await runCommand(["prove", ...args, "--url", proxy.url, "--out", file]);
      expect([args, code, stderr.replaceAll(/^note: .*\n/gm, "")]).toEqual([args, 0, ""]);
    }
  });

  it("learns which option to set for proofs of older versions", async () => {
    const args = [
      "--data",
      join(folder, "short"),
      "--block-time",
      "50ms",
      "--proof-window",
      "1",
      "--log-level",
      "warn",
    ];
    const short = await startProgram(args);
    const prove = ["prove", "anna", "APT", "--ledger-version", "1", "--out", join(folder, "old.json")];
    const { stderr } = await until(async () => {
      const tried = await runCommand([...prove, "--url", short.url]);
      return tried.stderr.includes("outside of the window") ? tried : undefined;
    });
    expect(stderr).toContain("with a longer --proof-window, and a --prune-window at least as long");
    await short.stop();
  });
});
