// `sextant relay`: whichever of node, relay and receiver is killed, the receiver gets every event that fits, in order, and
// by its key exactly once. SEXTANT_KILLS sets how many are killed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { endWithTest } from "../support/children.ts";
import { runCommand } from "../support/command.ts";
import { freePort } from "../support/free-port.ts";
import { launchProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { AS_BUILT } from "../support/typescript.ts";
import { until } from "../support/until.ts";

const KILLS = Number(process.env.SEXTANT_KILLS ?? "6");
const SECRET = "a secret of the relay's test";
const RECEIVER = fileURLToPath(new URL("../support/webhook-receiver.ts", import.meta.url));
const TYPES = ["0x1::block::NewBlockEvent", "0x1::fungible_asset::Deposit", "0x1::fungible_asset::Withdraw"];

const folder = temporaryFolder();
const path = (name: string): string => join(folder, name);
writeFileSync(path("secret"), `${SECRET}\n`);

interface Taken {
  readonly key: string;
  readonly body: {
    readonly event: string;
    readonly id: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

const all: Taken[] = [];
let readTo = 0;

/** What the receiver took so far; only what is new is read. */
function taken(): readonly Taken[] {
  const bytes = existsSync(path("taken")) ? readFileSync(path("taken")).subarray(readTo) : Buffer.of();
  const lines = bytes.subarray(0, bytes.lastIndexOf("\n") + 1);
  readTo += lines.length;
  for (const line of `${lines}`.split("\n").slice(0, -1)) all.push(JSON.parse(line) as Taken);
  return all;
}

it(
  `loses, reorders and doubles nothing in ${KILLS} kills`,
  async () => {
    const [nodePort, receiverPort] = [`${await freePort()}`, `${await freePort()}`];
    const url = `http://127.0.0.1:${nodePort}/v1`;
    const start = {
      node: async () => {
        const args = ["--data", path("data"), "--port", nodePort, "--block-time", "100ms"];
        return (await startProgram([...args, "--prune-window", "off", "--log-level", "warn"])).child;
      },
      receiver: async () => {
        const args = [...AS_BUILT, RECEIVER, receiverPort, path("taken"), SECRET];
        const child = endWithTest(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }));
        await once(child.stdout, "data");
        return child;
      },
      relay: async () =>
        launchProgram([
          "relay",
          ...["--node", url, "--to", `http://127.0.0.1:${receiverPort}/hook`, "--from", "1"],
          ...["--secret-file", path("secret"), "--state", path("relay")],
          ...TYPES.flatMap((type) => ["--event-type", type]),
        ]).child,
    };
    const running: Record<keyof typeof start, ChildProcess> = {
      node: await start.node(),
      receiver: await start.receiver(),
      relay: await start.relay(),
    };
    const killed = { node: 0, receiver: 0, relay: 0 };
    const names = ["relay", "receiver", "node"] as const;
    for (let i = 0; i < KILLS; i++) {
      const before = taken().length;
      // Amid the work, at another moment of it each time.
      await until(() => taken().length > before + (i % 5));
      const name = names[i % names.length] ?? "relay";
      const child = running[name];
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      expect([name, child.signalCode]).toEqual([name, "SIGKILL"]);
      killed[name]++;
      running[name] = await start[name]();
    }
    const { ledger_version: head } = (await (await fetch(url)).json()) as { ledger_version: string };
    // However far behind it is, as long as it goes on.
    while (Number(taken().at(-1)?.body.data.version ?? 0) <= Number(head)) {
      const before = taken().length;
      await until(() => taken().length > before);
    }
    // The one that began last goes on; one with another filter does not begin.
    const [former, next] = [running.relay, await start.relay()];
    await once(former, "exit");
    expect(former.exitCode).toBe(2);
    const args = ["--node", url, "--to", "http://127.0.0.1:1", "--secret-file", path("secret")];
    const other = await runCommand(["relay", ...args, "--state", path("relay"), "--sender", "0x1"]);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("with another filter")]);
    const before = taken().length;
    await until(() => taken().length > before + 3);
    next.kill("SIGTERM");
    await once(next, "exit");

    const expected: string[] = [];
    for (let next = 1; next <= Number(head); next += 100) {
      const limit = Math.min(100, Number(head) - next + 1);
      const page = (await (await fetch(`${url}/transactions?start=${next}&limit=${limit}`)).json()) as {
        readonly version: string;
        readonly events?: readonly { readonly type: string }[];
      }[];
      for (const { version, events = [] } of page) {
        for (const [i, { type }] of events.entries())
          if (TYPES.includes(type)) expected.push(`${version}:${i}`);
      }
    }
    const bodies = new Map<string, string>();
    for (const { key, body } of taken()) {
      const text = JSON.stringify(body);
      // What comes again is the same.
      expect(bodies.get(key) ?? text).toBe(text);
      bodies.set(key, text);
      expect(key).toBe(`${body.data.version}:${body.data.index}`);
    }
    const firstTaken = [...bodies.keys()].filter((key) => Number(key.split(":")[0]) <= Number(head));
    expect(firstTaken).toEqual(expected);
    expect(existsSync(path("relay/dead-letters.ndjson"))).toBe(false);
    console.log(
      `killed ${JSON.stringify(killed)}; ${expected.length} events up to version ${head}, ${all.length - bodies.size} came again`,
    );
  },
  600_000 + KILLS * 20_000,
);

it.each([
  [["--to", "ftp://shop.example"], /--to: expected an http or https URL/],
  [["--to", "https://u:p@shop.example"], /--to: expected a URL without a user and password/],
  [["--to", "https://shop.example"], /--state: expected a value/],
  [["--to", "https://shop.example", "--state", path("other")], /--secret-file: expected a value/],
])("refuses %j", async (args, message) => {
  const { code, stderr } = await runCommand(["relay", ...args]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

it("says what it does, and names its own option where no node listens", async () => {
  const node = `http://127.0.0.1:${await freePort()}`;
  const args = ["--to", "https://user.example/hook/secret-path", "--secret-file", path("secret")];
  const relay = launchProgram([
    ...["relay", "--node", node, "--from", "7"],
    ...[...args, "--state", path("lonely")],
  ]);
  await until(() => relay.stderr().includes("--node names another"));
  relay.child.kill("SIGTERM");
  await relay.finished;
  expect(relay.stderr()).toContain(
    `sextant: sends events of ${node} to https://user.example, from version 7 on\n`,
  );
  expect(relay.stderr()).not.toMatch(/--url|secret-path/);
});
