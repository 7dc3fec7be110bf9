// An exchange publishes its reserves, and an auditor checks them with a file and a waypoint.
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../support/command.ts";
import { type Running, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const COIN = "0x1::aptos_coin::AptosCoin";
const folder = temporaryFolder();
const path = (name: string): string => join(folder, name);
let node: Running;
let waypoint: string;
/** Demo accounts and their keys. */
let demo: Readonly<Record<string, { readonly address: string; readonly private_key: string }>>;

beforeAll(async () => {
  node = await startProgram(["--data", path("data"), "--block-time", "100ms", "--log-level", "warn"]);
  const { stdout } = await runCommand(["info", "--json", "--url", node.url]);
  const info = JSON.parse(stdout) as { genesis_waypoint: string; demo_accounts: typeof demo };
  [waypoint, demo] = [info.genesis_waypoint, info.demo_accounts];
});
afterAll(() => node.stop());

const someAddress = (i: number): string => `0x${createHash("sha256").update(`${i}`).digest("hex")}`;

const prove = (...args: string[]) =>
  runCommand(["prove", ...args, "--url", node.url, "--from-waypoint", waypoint]);
const verify = (...args: string[]) => runCommand(["verify-proof", ...args, "--waypoint", waypoint]);

/** An Ed25519 key of 32 bytes, with the prefix of PKCS 8. */
function keyOf(text: string) {
  const raw = Buffer.from(text.replace(/^.*0x/, ""), "hex");
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), raw]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

describe("reserves", () => {
  it("of 50 accounts at a time: one file, one changed digit is found, in the proof and in the list", async () => {
    const accounts = [
      ...Object.values(demo).map(({ address }) => address),
      ...Array.from({ length: 43 }, (_, i) => someAddress(i)),
    ];
    writeFileSync(path("wallets.txt"), `# our wallets\n${accounts.join("\n")}\n`);
    const { stdout } = await runCommand(["info", "--json", "--url", node.url]);
    const { ledger_timestamp } = JSON.parse(stdout) as { ledger_timestamp: string };
    const at = new Date(Number(ledger_timestamp) / 1000).toISOString();
    const asked = ["--accounts", path("wallets.txt"), "--asset", "APT", "--at", at, "--decimals", "8"];
    const out = ["--out", path("reserves.json"), "--csv", path("reserves.csv")];
    // The block after that time makes it provable.
    const made = await until(async () => {
      const tried = await prove(...asked, ...out);
      return tried.stderr.includes("the node's word") ? undefined : tried;
    });
    expect([made.code, made.stderr]).toEqual([0, ""]);
    expect(made.stdout).toContain(`${accounts.length} accounts have together`);
    expect(made.stdout).toContain("It is the last version before ");
    expect(existsSync(path("reserves.json.part"))).toBe(false);

    const checked = await verify(path("reserves.json"), "--list", path("reserves.csv"), "--decimals", "8");
    expect([checked.code, checked.stderr]).toEqual([
      0,
      expect.stringContaining(`${accounts.length} lines, 0 signed by their owners; all as proven`),
    ]);
    expect((await verify(path("reserves.json"), "--at", at)).code).toBe(0);
    const later = await verify(path("reserves.json"), "--at", "2100-01-01T00:00:00Z");
    expect([later.code, later.stderr]).toEqual([1, expect.stringContaining("the next block is of 20")]);
    for (const account of accounts) expect(checked.stdout).toContain(account);
    const published = readFileSync(path("reserves.csv"), "utf8").trimEnd().split("\n").slice(1);
    expect(published.map((line) => line.split(",").slice(1, 4)[2])).toEqual(accounts);
    expect(new Set(published.map((line) => line.split(",")[1]))).toEqual(new Set(["Aptos chain 4"]));
    const json = JSON.parse((await verify(path("reserves.json"), "--json")).stdout) as {
      readonly balances: readonly { readonly balances: Readonly<Record<string, string>> }[];
      readonly [total: string]: unknown;
    };
    const sum = json.balances.reduce((all, { balances }) => all + BigInt(balances[COIN] ?? 0), 0n);
    expect(json[`total ${COIN}`]).toBe(`${sum}`);
    expect(sum).toBeGreaterThan(0n);

    const proof = readFileSync(path("reserves.json"), "utf8");
    const forged = proof.replace(
      /"balance":"(\d)(\d{6,})"/,
      (_, digit, rest) => `"balance":"${(Number(digit) % 9) + 1}${rest}"`,
    );
    expect(forged).not.toBe(proof);
    writeFileSync(path("forged.json"), forged);
    const refused = await verify(path("forged.json"));
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toMatch(
      /proves nothing: the balance of 0x\w+ in \S+ is proven to be \d+, not \d+/,
    );

    const lines = readFileSync(path("reserves.csv"), "utf8").split("\n");
    lines[3] = (lines[3] ?? "").replace(
      /(\d)(\.\d{8},)/,
      (_, digit, rest) => `${(Number(digit) + 1) % 10}${rest}`,
    );
    writeFileSync(path("forged.csv"), lines.join("\n"));
    const differing = await verify(path("reserves.json"), "--list", path("forged.csv"), "--decimals", "8");
    expect(differing.code).toBe(1);
    expect(differing.stderr).toMatch(
      /forged\.csv, line 4: 0x\w+ is listed with [\d.]+, but proven to have [\d.]+ of /,
    );
    expect(differing.stderr).toContain("1 fault\n");
  });

  it("in the columns of exchanges: other coins are left out, and signatures of the owners are checked", async () => {
    const rows = Object.values(demo).map(({ address, private_key }, i) => {
      const key = keyOf(private_key);
      const message = `I, "we", own this: ${i}`;
      const signature = sign(null, Buffer.from(message), key).toString("hex");
      const publicKey = createPublicKey(key).export({ format: "jwk" }).x ?? "";
      const hex = Buffer.from(publicKey, "base64url").toString("hex");
      return `APT,Aptos,1,${address},1,"${message.replaceAll('"', '""')}",${signature},0x${hex}`;
    });
    const header = "coin,Network,Snapshot Height,address,amount,message,signature1,public key";
    const text = [header, ...rows, `BTC,Bitcoin,1,bc1q,5,,,`].join("\r\n");
    writeFileSync(path("published.csv"), text);
    const asset = ["--asset", `APT=${COIN}`];
    const files = ["--out", path("owned.json"), "--csv", path("owned.csv")];
    const made = await prove("--accounts", path("published.csv"), ...asset, ...files);
    expect([made.code, made.stderr]).toEqual([0, "note: left out 1 line about other coins or networks\n"]);
    const good = await verify(path("owned.json"), "--list", path("owned.csv"));
    expect([good.code, good.stderr]).toEqual([
      0,
      `note: ${path("owned.csv")} calls the network Aptos chain 4; no proof names it: it is that of your waypoint\n${path("owned.csv")}: ${rows.length} lines, ${rows.length} signed by their owners; all as proven\n`,
    ]);
    // The amounts of the published list are wrong, and one line has the signature of another.
    const lines = text.split("\r\n");
    const cells = (lines[2] ?? "").split(",");
    lines[2] = [...cells.slice(0, -2), (lines[1] ?? "").split(",").at(-2), cells.at(-1)].join(",");
    writeFileSync(path("swapped.csv"), lines.join("\r\n"));
    const bad = await verify(path("owned.json"), "--list", path("swapped.csv"), ...asset);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toContain("swapped.csv, line 3: the signature does not verify");
    expect(bad.stderr.match(/is listed with 1, but proven to have/g)?.length).toBe(rows.length);
    // A wrong signature is not published either.
    const forged = ["--out", path("forged-owner.json"), "--csv", path("forged-owner.csv")];
    const refused = await prove("--accounts", path("swapped.csv"), ...asset, ...forged);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain("swapped.csv, line 3: the signature does not verify");
    expect(refused.stderr).toContain("wrote nothing: 1 signatures in ");
    expect(forged.filter((name) => existsSync(name))).toEqual([]);
  });

  it("of a coin whose type has two arguments, on the standard output; what cannot be meant is refused", async () => {
    const gold = (
      JSON.parse((await runCommand(["info", "--json", "--url", node.url])).stdout) as {
        demo_assets: Readonly<Record<string, string>>;
      }
    ).demo_assets.GOLD as string;
    expect(gold).toContain(", ");
    writeFileSync(path("two.txt"), "anna\nbasil\nanna\n");
    const listed = ["--accounts", path("two.txt"), "--asset", `GOLD=${gold},APT`];
    const out = ["--out", path("gold.json"), "--csv", "-"];
    const made = await prove(...listed, ...out, "--decimals", "GOLD=2,APT=8");
    const [header, ...lines] = made.stdout.trimEnd().split("\n");
    expect([made.code, header, lines.length]).toEqual([0, expect.stringMatching(/^coin,Network,/), 4]);
    expect(made.stderr).toContain("wrote ");
    expect(made.stderr).toContain("note: 2 balances are in the list more than once");
    expect(lines.map((line) => /,\d+\.(\d+),/.exec(line)?.[1]?.length)).toEqual([2, 8, 2, 8]);
    writeFileSync(path("gold.csv"), made.stdout);
    const checks = ["--list", path("gold.csv"), "--decimals", "APT=8", "--decimals", "GOLD=2"];
    const checked = await verify(
      path("gold.json"),
      ...checks,
      "--asset",
      `GOLD=${gold}`,
      "--asset",
      `APT=${COIN}`,
    );
    expect([checked.code, checked.stderr]).toEqual([
      0,
      expect.stringContaining("4 lines, 0 signed by their owners; all as proven"),
    ]);
    writeFileSync(path("bad.txt"), "anna\n0xzz\n");
    writeFileSync(
      path("formatted.json"),
      JSON.stringify(JSON.parse(readFileSync(path("gold.json"), "utf8")), null, 2),
    );
    writeFileSync(path("cut.json"), readFileSync(path("gold.json"), "utf8").slice(0, 999));
    for (const [refused, code, reason] of [
      [
        prove(...listed, ...out, "--decimals", "8"),
        2,
        "--decimals: expected COIN=8 for each coin, because there are 2 assets",
      ],
      [prove("anna", "APT", "--csv", path("z.csv")), 2, "--csv needs --accounts"],
      [
        prove("--accounts", path("bad.txt"), "--asset", "APT"),
        2,
        "bad.txt, line 2: expected 1 to 64 hex digits",
      ],
      [
        prove("anna", "APT", "--ledger-version", "0"),
        1,
        "expected a version from 1 on, because no validator signed version 0",
      ],
      [
        verify(path("gold.json"), "--list", path("gold.csv"), "--asset", "APT"),
        2,
        "--asset: expected COIN=TYPE, such as APT=0x1::",
      ],
      [
        verify(path("gold.csv")),
        1,
        "expected JSON, which begins with {, or BCS, which begins with a zero byte",
      ],
      [
        verify(path("formatted.json")),
        1,
        "it is formatted over several lines; take the file as it was written",
      ],
      [verify(path("cut.json")), 1, "the text is cut: it ends after 999 characters, before the bundle does"],
    ] as const)
      expect(await refused).toMatchObject({ code, stderr: expect.stringContaining(reason) });
  });

  it("of an asset that does not exist are noted: a mistyped one is nobody's", async () => {
    writeFileSync(path("three.txt"), "anna\nbasil\n");
    for (const [asset, known] of [
      ["0x1::aptos_coin::AptosCoins", false],
      ["0xab", false],
      [COIN, true],
      ["0xa", true],
    ] as const) {
      for (const what of [
        ["anna", asset],
        ["--accounts", path("three.txt"), "--asset", asset],
      ]) {
        const made = await prove(...what, "--out", path("unknown.json"));
        expect([asset, made.code, made.stderr.includes(`there is no asset ${asset} here`)]).toEqual([
          asset,
          0,
          !known,
        ]);
      }
    }
  });

  it("the node's own waypoint proves what is at or before it, and a refusal says so", async () => {
    const { waypoint: latest } = JSON.parse(
      (await runCommand(["info", "--json", "--url", node.url])).stdout,
    ) as { waypoint: string };
    const [version = ""] = latest.split(":");
    const asked = [
      "prove",
      "anna",
      "APT",
      "--url",
      node.url,
      "--from-waypoint",
      latest,
      "--out",
      path("own.json"),
    ];
    expect((await runCommand([...asked, "--ledger-version", version])).code).toBe(0);
    expect((await runCommand(["verify-proof", path("own.json"), "--waypoint", latest])).code).toBe(0);
    const refused = await runCommand([...asked, "--min-ledger-version", `${BigInt(version) + 1n}`]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("any other waypoint proves only what is at or before its own version"),
    ]);
  });

  it("of more accounts than one bundle holds: a line each, which hold only together and in order", async () => {
    const accounts = [demo.anna?.address ?? "", ...Array.from({ length: 1100 }, (_, i) => someAddress(i))];
    writeFileSync(path("many.txt"), accounts.join("\n"));
    const made = await prove("--accounts", path("many.txt"), "--asset", "APT", "--out", path("many.json"));
    expect([made.code, made.stderr]).toEqual([0, ""]);
    const text = readFileSync(path("many.json"), "utf8");
    const [first = "", second = "", end] = text.split("\n");
    expect(end).toBe("");
    const checked = await verify(path("many.json"));
    expect([checked.code, checked.stderr]).toEqual([0, ""]);
    expect(checked.stdout).toContain("1101 accounts have together");
    expect(
      checked.stdout.split("\n").filter((line) => line.endsWith(COIN) && line.startsWith("0x")),
    ).toHaveLength(1101);
    for (const [name, lines, reason] of [
      ["the second alone", [second], "the bundle before, which has the ledger, is missing"],
      ["the first twice", [first, first], "line 2: the bundle does not continue the list"],
      ["an empty line", [first, "", second], "line 2: "],
    ] as const) {
      writeFileSync(path("cut.json"), `${lines.join("\n")}\n`);
      const refused = await verify(path("cut.json"));
      expect([name, refused.code, refused.stdout]).toEqual([name, 1, ""]);
      expect(refused.stderr).toContain(reason);
    }
    const packed = ["--out", path("many.json.gz"), "--csv", path("many.csv")];
    expect((await prove("--accounts", path("many.txt"), "--asset", "APT", ...packed)).code).toBe(0);
    const unpacked = await verify(path("many.json.gz"), "--list", path("many.csv"));
    expect([unpacked.code, unpacked.stderr]).toEqual([0, expect.stringContaining("; all as proven")]);
    const bytes = readFileSync(path("many.json.gz"));
    expect(bytes.length).toBeLessThan(text.length / 2);
    for (const [at, reason] of [
      [bytes.length - 9, "cannot read"],
      [bytes.length / 2, "cannot read"],
      [1, "cannot read"],
    ] as const) {
      writeFileSync(path("cut.json.gz"), bytes.subarray(0, at));
      expect(await verify(path("cut.json.gz"))).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining(reason),
      });
    }
    const tooMany = await prove(
      "--accounts",
      path("many.txt"),
      "--asset",
      "APT",
      "--out",
      path("many.bcs"),
      "--bcs",
    );
    expect([tooMany.code, tooMany.stderr]).toEqual([
      2,
      expect.stringContaining("--bcs: expected at most 1000"),
    ]);
  });

  it("a receipt for a payment says who got what from whom, by which transaction and when", async () => {
    const told: Record<string, string> = {};
    await until(async () => {
      const page = await (await fetch(`${node.url}/transactions?limit=100`)).json();
      for (const { version, hash, events = [], type } of page as readonly {
        readonly version: string;
        readonly hash: string;
        readonly type: string;
        readonly events?: readonly { readonly type: string }[];
      }[]) {
        for (const [index, event] of events.entries()) {
          const kind = ["0x1::fungible_asset::Deposit", "0x1::coin::DepositEvent"].find(
            (one) => one === event.type,
          );
          if (type !== "user_transaction" || kind === undefined || told[kind] !== undefined) continue;
          const asked = ["event", kind.includes("coin") ? hash : version, `${index}`];
          const made = await prove(...asked, "--out", path("receipt.json"));
          expect([made.code, made.stderr.replaceAll(/^note: .*\n/gm, "")]).toEqual([0, ""]);
          const { stdout } = await verify(path("receipt.json"));
          // A deposit into a store that is not the primary one of an account names none, a call of a contract no coin.
          if (stdout.includes(" received ") && !stdout.includes("neither")) told[kind] = stdout;
        }
      }
      return Object.keys(told).length === 2 ? told : undefined;
    });
    const rest = String.raw`by transaction 0x[0-9a-f]{64}, sent by 0x\w+, version \d+ \(\d{4}-.*Z\), event \d+\.`;
    expect(told["0x1::fungible_asset::Deposit"]).toMatch(
      new RegExp(String.raw`statement +Account 0x\w+ received \d+ of 0x\w+ ${rest}`),
    );
    expect(told["0x1::coin::DepositEvent"]).toMatch(
      new RegExp(String.raw`statement +Account 0x\w+ received \d+ of 0x\w+::\w+::.* ${rest}`),
    );
    const list = ["--list", path("wallets.txt")];
    for (const [args, reason] of [
      [["--at", "2026-01-01T00:00:00Z"], "--at: expected a proof of the state, but "],
      [list, "--list: expected a proof of balances, but "],
    ] as const) {
      const refused = await verify(path("receipt.json"), ...args);
      expect([refused.code, refused.stdout, refused.stderr]).toEqual([
        2,
        "",
        expect.stringContaining(reason),
      ]);
      expect(refused.stderr).toContain("receipt.json proves an event");
    }
  });
});
