import { describe, expect, it } from "vitest";
import { compareRunning } from "../../bench/running-nodes.ts";

const nodes = { node: "http://mine", fullNode: "https://theirs/v1", account: "0xa" };
const path = "/v1/accounts/0xa/balance/0x1::aptos_coin::AptosCoin";

describe("the comparison of two running nodes", () => {
  it("sends 21 requests to each, at a pace, and follows no redirect", async () => {
    const asked: [unknown, RequestInit | undefined][] = [];
    const pauses: number[] = [];
    const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
      asked.push([url, init]);
      return new Response(asked.length === 3 ? "8" : "7");
    };
    const pause = async (ms: number): Promise<void> => void pauses.push(ms);
    const row = await compareRunning(nodes, { fetch, pause });
    const urls = [`http://mine${path}`, `https://theirs${path}`];
    expect(asked.map(([url]) => url)).toEqual(Array.from({ length: 42 }, (_, i) => urls[i % 2]));
    expect(asked.every(([, init]) => init?.redirect === "error" && init.signal != null)).toBe(true);
    expect(pauses).toHaveLength(20);
    expect(Math.min(...pauses)).toBeGreaterThan(0);
    expect(row).toMatchObject({ rounds: 20, basis: "clock", note: "the same balance in 19 of 20 rounds" });
  });

  it("ends at the first response that is not a balance", async () => {
    let count = 0;
    const fetch = async (): Promise<Response> => new Response("busy", { status: ++count < 4 ? 200 : 429 });
    await expect(compareRunning(nodes, { fetch, pause: async () => {} })).rejects.toThrow(/theirs.*429 busy/);
    expect(count).toBe(4);
  });
});
