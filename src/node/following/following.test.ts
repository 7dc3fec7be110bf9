import { describe, expect, it } from "vitest";
import { planFollowing } from "./following.ts";

const key = { value: "k" };

describe("API keys of upstreams", () => {
  it("belong to one upstream each, in their order", () => {
    const upstreams = ["https://a.example", "https://b.example"];
    expect(planFollowing({ upstreams, apiKeys: [undefined, key] }, []).apiKeys).toEqual([undefined, key]);
    expect(planFollowing({ upstreams }, []).apiKeys).toEqual([undefined, undefined]);
    expect(planFollowing({ upstreams: ["https://a.example"], apiKey: key }, []).apiKeys).toEqual([key]);
    expect(() => planFollowing({ upstreams, apiKey: key }, [])).toThrow(
      "apiKey: expected one upstream, got 2",
    );
    expect(() => planFollowing({ upstreams, apiKeys: [key, key, key] }, [])).toThrow("expected at most 2");
  });

  it("are refused over plain http, except to this machine", () => {
    const plan = (url: string) => planFollowing({ upstreams: [url], apiKeys: [key] }, []);
    for (const url of ["http://127.0.0.1:1", "http://127.1.2.3", "http://localhost:8080", "http://[::1]:1"])
      expect(plan(url).apiKeys).toEqual([key]);
    for (const url of ["http://a.example", "http://10.0.0.1", "http://127.0.0.1.example", "http://[::2]"])
      expect(() => plan(url), url).toThrow("not sent over plain http");
    // Without a key, http is as good as before.
    expect(planFollowing({ upstreams: ["http://a.example"] }, []).apiKeys).toEqual([undefined]);
  });
});

describe("agreement", () => {
  it("is refused between an upstream and itself", () => {
    const upstreams = ["https://a.example", "https://a.example/v1/"];
    expect(() => planFollowing({ upstreams, agree: "2/2" }, [])).toThrow("different URLs");
    expect(planFollowing({ upstreams }, []).urls).toHaveLength(2);
  });
});

describe("a backup folder as an upstream", () => {
  const folder = "file:///srv/archive";
  const waypoint = { version: 0n, hash: new Uint8Array(32) };

  it("needs proofs, and gives the whole state", () => {
    expect(() => planFollowing({ upstreams: [folder] }, [])).toThrow("expected --proofs");
    const start = { startVersion: "latest", upstreams: [folder], proofs: [folder] };
    expect(() => planFollowing(start, [waypoint])).toThrow("expected a node's backup service");
    const { urls } = planFollowing({ ...start, state: "whole" }, [waypoint]);
    expect(urls.map(({ href }) => href)).toEqual([folder]);
  });

  it.each(["backup+ftp://a.example", "file://host/archive", "backup+https://u:p@a.example/e1"])(
    "is refused by a wrong URL: %s",
    (url) => {
      expect(() => planFollowing({ upstreams: [url], proofs: [folder] }, [waypoint])).toThrow(
        "upstream: expected",
      );
    },
  );
});
