// Proofs as an operator runs them: a local chain with validators, followers with --proofs, real processes and sockets.
import { describe, expect, it, onTestFinished } from "vitest";
import { createNode } from "../../src/node.ts";
import { runCommand } from "../support/command.ts";
import { type Running, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const QUIET = ["--log-level", "warn", "--port", "0"];

interface Info {
  readonly trust_level: string;
  readonly genesis_waypoint: string;
  readonly proven_version?: string;
  readonly proof_sources: readonly { readonly state: string }[];
}

const infoOf = async (node: Pick<Running, "url">): Promise<Info> =>
  (await (await fetch(`${node.url}/info`)).json()) as Info;

const proofsOf = (node: Running): string => /^Proofs: (\S+)/m.exec(node.stdout())?.[1] ?? "";

const untilProven = (node: Running) =>
  until(async () => {
    const info = await infoOf(node).catch(() => undefined);
    return info?.proven_version === undefined ? undefined : info;
  });

describe("followers with --proofs", () => {
  it("prove what they serve, through kill -9, and one of them proves it to the next", async () => {
    const folder = temporaryFolder();
    const origin = await createNode({
      data: `${folder}/origin`,
      pruneWindow: "off",
      localChain: { seed: "sextant", blockTimeMs: 100, epochTimeMs: 1000 },
      http: { port: 0, proofPort: 0 },
    });
    onTestFinished(() => origin.close());
    const [originUrl, originProofs] = [origin.url ?? "", origin.proofUrl ?? ""];
    const { genesis_waypoint: waypoint } = await infoOf({ url: originUrl });
    const follow = (name: string, upstream: string, proofs: string, ...more: string[]): Promise<Running> =>
      startProgram([
        ...QUIET,
        ...["--data", `${folder}/${name}`, "--prune-window", "off", "--upstream", upstream],
        ...["--upstream-rate", "0"],
        ...["--waypoint", waypoint, "--proofs", proofs, "--proof-port", "0", ...more],
      ]);
    const first = await follow("first", originUrl, originProofs);
    const { proven_version: before } = await untilProven(first);
    await first.stop("SIGKILL");

    const again = await follow("first", originUrl, originProofs);
    const after = await untilProven(again);
    expect(BigInt(after.proven_version ?? 0)).toBeGreaterThanOrEqual(BigInt(before ?? 0));

    const second = await follow("second", again.url, proofsOf(again), "--min-trust", "proven");
    await untilProven(second);
    const balance = `${second.url}/accounts/0x1/balance/0x1::aptos_coin::AptosCoin`;
    const response = await until(async () => {
      const one = await fetch(balance);
      return one.status === 200 ? one : undefined;
    });
    expect(response.headers.get("x-node-trust")).toBe("proven");

    // A source may rest for a moment, after an answer that did not come in time.
    await until(async () => {
      const { stdout } = await runCommand(["status", "--url", second.url]);
      return /^proof_source_1 +http:\/\/\S+ \(service\) ok$/m.test(stdout);
    });
    const doctor = await runCommand(["doctor", "--data", `${folder}/none`, "--proofs", originProofs]);
    expect(doctor.stdout).toMatch(/^ok {4}proofs http:\S+: a backup service, epochs up to \d+/m);
    const absent = await runCommand([
      "doctor",
      "--data",
      `${folder}/none`,
      "--proofs",
      `file://${folder}/none`,
    ]);
    expect(absent.stdout).toMatch(/^bad {3}proofs file:\S+: metadata of the folder cannot be read: ENOENT/m);
  });

  it.each([
    [["--proofs", "http://127.0.0.1:1"], /--proofs needs --upstream/],
    [["--upstream", "http://127.0.0.1:1", "--proofs", "http://127.0.0.1:1"], /--proofs needs --waypoint/],
    [
      ["--upstream", "http://127.0.0.1:1", "--waypoint", `0:${"00".repeat(32)}`, "--proofs", "ftp://host/"],
      /proofs: expected a file, http or https URL/,
    ],
    [
      [
        "--upstream",
        "http://127.0.0.1:1",
        "--waypoint",
        `0:${"00".repeat(32)}`,
        "--proofs",
        "http://a:b@host/",
      ],
      /proofs: expected a URL without a user and password/,
    ],
  ])("refuse options that make no sense: %s", async (options, reason) => {
    const { code, stderr } = await runCommand(["start", "--data", `${temporaryFolder()}/none`, ...options]);
    expect(stderr).toMatch(reason);
    expect(code).toBe(2);
  });
});
