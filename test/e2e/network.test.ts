// A network by name or file, as an operator starts and examines it. The networks themselves are out of reach of a test: a
// file of the same form names a node of this machine.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/command.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder();
const QUIET = ["--log-level", "error", "--prune-window", "off"];
const ARCHIVE = "https://archive.example/v1";

function networkFile(name: string, network: object): string {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ asOf: "2026-11-01", ...network }));
  return file;
}

const statusOf = async (url: string): Promise<string> =>
  (await runCommand(["status", "--url", url])).stdout.replaceAll(/ +/g, " ");

describe("sextant start --network", () => {
  it("follows the network of a file, says before what it asks, and holds it to its waypoint and its chain", async () => {
    const chain = ["--block-time", "0", "--blocks", "5", "--seed", "named"];
    const origin = await startProgram([...QUIET, "--data", join(folder, "origin"), ...chain]);
    const { stdout } = await runCommand(["info", "--url", origin.url]);
    const waypoint = /^genesis_waypoint +(\S+)$/m.exec(stdout)?.[1] ?? "";
    const upstreams = [origin.url];
    const waypoints = [{ waypoint, published: "2026-10-01" }];
    const own = networkFile("own", {
      chainId: 4,
      upstreams,
      waypoints,
      upstreamRate: 500,
      archiveUrl: ARCHIVE,
    });
    // The archive has the first versions, so it would be asked too: only of nodes that can be reached.
    const given = ["--upstream", origin.url];
    const follower = await startProgram([...QUIET, "--store", "memory", "--network", own, ...given]);
    const [first, second, ...others] = follower.stdout().split("\n");
    expect(first).toBe(`network ${own}, chain 4: the node will ask`);
    expect(second).toBe(`  upstream  ${origin.url}, at most 500 requests per second`);
    expect(others.slice(0, 2)).toEqual([
      `  and expects waypoint ${waypoint}`,
      `  and names ${ARCHIVE} to clients for pruned versions`,
    ]);
    expect(await statusOf(follower.url)).toContain("trust_level chained\n");
    await follower.stop();

    const late = networkFile("late", { chainId: 4, upstreams, waypoints, startVersion: "latest" });
    const light = await startProgram([...QUIET, "--store", "memory", "--network", late]);
    expect(light.stdout()).not.toContain("expects waypoint");
    expect(light.stdout()).toContain("  and takes their word: ");
    expect(await statusOf(light.url)).toContain("trust_level trusted\n");
    await light.stop();

    const other = networkFile("other", { chainId: 1, upstreams, startVersion: "latest" });
    const impatient = ["--give-up-time", "0", "--store", "memory", "--port", "0"];
    const refused = await runProgram(["start", "--network", other, ...impatient]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("expected chain 1, the upstream serves chain 4");
  });

  it("refuses a file of another form before it asks anything", async () => {
    const upstreams = ["http://127.0.0.1:9"];
    const cases: [string, object, string][] = [
      ["typo", { upstreams, chainID: 4 }, "did you mean network.chainId?"],
      ["chain", { upstreams, chainId: 0 }, "network.chainId: expected a whole number from 1 to 255"],
      ["nobody", { upstreams: [] }, "network.upstreams: expected at least one"],
      ["day", { upstreams, asOf: "lately" }, "network.asOf: expected a day such as"],
      ["anchor", { upstreams, waypoints: ["0:00"] }, "network.waypoints: expected a list of"],
      ["secret", { upstreams: ["https://me:pass@node.example"] }, "without a user and password"],
    ];
    for (const [name, network, message] of cases) {
      const { code, stderr, stdout } = await runCommand(["start", "--network", networkFile(name, network)]);
      expect(stderr).toContain(message);
      expect([code, stdout]).toEqual([2, ""]);
    }
    const none = await runCommand(["start", "--network", "mainet"]);
    expect(none.stderr).toContain("--network mainet: expected mainnet, testnet, devnet or a JSON file");
    const both = await runCommand(["start", "--network", "mainnet", "--local-chain"]);
    expect(both.stderr).toContain("--local-chain: a node that follows (--network) makes no blocks");
  });
});

describe("sextant doctor --network", () => {
  const findings = async (
    file: string,
  ): Promise<readonly { check: string; level: string; text: string }[]> => {
    const args = ["doctor", "--store", "memory", "--json", "--timeout", "300s"];
    const { stdout } = await runCommand([...args, "--network", file]);
    return (JSON.parse(stdout) as { findings: [] }).findings;
  };
  const day = (daysAgo: number): string =>
    new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);

  it("says how old the anchors are, and asks the upstreams", async () => {
    const upstreams = ["http://127.0.0.1:9"];
    const hash = "0".repeat(64);
    const anchored = (daysAgo: number): readonly object[] => [
      { waypoint: `0:${hash}`, published: "2022-10-12" },
      { waypoint: `17:${hash}`, published: day(daysAgo) },
    ];
    const fresh = await findings(networkFile("fresh", { upstreams, chainId: 7, waypoints: anchored(30) }));
    expect(fresh.find(({ check }) => check.startsWith("network"))).toMatchObject({
      level: "ok",
      text: expect.stringMatching(/^chain 7, addresses as of .* newest anchor version 17, .* 30 days ago$/),
    });
    expect(fresh.find(({ check }) => check === "upstream http://127.0.0.1:9/v1")?.level).toBe("bad");
    const old = await findings(networkFile("old", { upstreams, waypoints: anchored(800) }));
    expect(old.find(({ check }) => check.startsWith("network"))).toMatchObject({ level: "warn" });
    const none = await findings(networkFile("none", { upstreams }));
    expect(none.find(({ check }) => check.startsWith("network"))?.text).toContain("no anchor");
  });
});
