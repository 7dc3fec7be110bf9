import { describe, expect, it } from "vitest";
import { defaultsOf } from "../../src/base/option.ts";
import { networkLines, nodeOptionsOf, startOptions } from "../../src/cli/start-options.ts";
import type { NodeOptions } from "../../src/node/options/node-options.ts";
import { NETWORK_NAMES, readNetwork } from "../../src/node/tools/networks.ts";
import { hasShared, sharedBytes } from "../support/shared.ts";

const optionsOf = (values: object): NodeOptions => nodeOptionsOf({ ...defaultsOf(startOptions), ...values });

describe("networks by name", () => {
  it.each(NETWORK_NAMES)("%s has the form of a network, and a node can be planned from it", (network) => {
    const { follow, http } = optionsOf({ network });
    expect(follow?.upstreams).toEqual(readNetwork(network).upstreams);
    expect(follow?.startVersion).toBe("latest");
    expect(networkLines(network, { follow, http })[1]).toContain(`https://api.${network}.`);
  });

  it.skipIf(!hasShared)("mainnet has the waypoint of the published genesis", () => {
    const published = new TextDecoder().decode(sharedBytes("networks/mainnet/waypoint.txt")).trim();
    expect(readNetwork("mainnet").waypoints?.[0]?.waypoint).toBe(published);
  });

  it("asks what a start in the middle can use, and archive and buckets only from genesis", () => {
    const middle = optionsOf({ network: "mainnet" });
    expect([middle.waypoint, middle.follow?.proofs, middle.follow?.chainId]).toEqual([[], [], 1]);
    const { archiveUrl = "", upstreams, buckets, waypoints = [] } = readNetwork("mainnet");
    const anchors = waypoints.map(({ waypoint }) => waypoint);
    const whole = optionsOf({ network: "mainnet", genesis: "genesis.blob" });
    expect(whole.follow).toMatchObject({ upstreams: [archiveUrl, ...upstreams], proofs: buckets });
    expect([whole.waypoint, whole.http?.archiveUrl]).toEqual([anchors, archiveUrl]);
    const proven = optionsOf({ network: "mainnet", proofs: ["https://mine.example"] });
    expect([proven.follow?.proofs, proven.waypoint]).toEqual([["https://mine.example"], anchors]);
  });

  it("gives way to what the operator gave", () => {
    const given = {
      upstream: ["https://mine.example"],
      "upstream-rate": 3,
      "archive-url": "https://old.example",
    };
    const { follow, http, waypoint } = optionsOf({ network: "mainnet", ...given, waypoint: ["5:00"] });
    expect(follow).toMatchObject({ upstreams: given.upstream, upstreamRate: 3 });
    expect([http?.archiveUrl, waypoint]).toEqual([given["archive-url"], ["5:00"]]);
  });
});
