// An answer that a shared cache may keep and give to others says nothing of the client that it was made for.
import { describe, expect, it } from "vitest";
import { anchoredUpTo, COIN, createHttpLedger } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";

const BALANCE = `/v1/accounts/0xc1/balance/${COIN}`;
const OWN = ["x-request-id", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];

function ownHeaders(response: Response): string[] {
  return OWN.filter((name) => response.headers.has(name));
}

describe.each([
  ["direct lane", true],
  ["node:http", false],
])("headers of one client (%s)", (_, isDirect) => {
  it("are in no answer that may be cached for good, and in every other", async () => {
    const server = await startServer({
      isDirect,
      ledger: await createHttpLedger(anchoredUpTo(20n)),
      rateLimit: 1000,
    });
    const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(server.url + path, { headers: { "x-request-id": "mine", ...headers } });

    const kept = await ask(`${BALANCE}?ledger_version=20`);
    expect(kept.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(ownHeaders(kept)).toEqual([]);

    // A cache takes the headers of a 304 over into what it keeps (RFC 9111, 4.3.4).
    const etag = kept.headers.get("etag") ?? "";
    const same = await ask(`${BALANCE}?ledger_version=20`, { "if-none-match": etag });
    expect([same.status, ownHeaders(same)]).toEqual([304, []]);

    for (const path of [BALANCE, `${BALANCE}?ledger_version=21`, "/v1/spec.json", "/v1/info"]) {
      const fresh = await ask(path);
      expect([fresh.status, fresh.headers.get("cache-control")]).toEqual([200, "no-cache"]);
      expect(ownHeaders(fresh)).toEqual(OWN);
      expect(fresh.headers.get("etag")).toBeNull();
    }
    const failed = await ask(`${BALANCE}?ledger_version=2`);
    expect([failed.status, failed.headers.get("cache-control")]).toEqual([410, "no-store"]);
    expect(ownHeaders(failed)).toEqual(OWN);
  });
});
