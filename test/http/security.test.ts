import { describe, expect, it } from "vitest";
import type { LogFields } from "../../src/base/log.ts";
import { OPERATIONS } from "../../src/http/operation-list.ts";
import { parseJson } from "../../src/json/parse.ts";
import { findInside } from "../support/hostile-requests.ts";
import { COIN, CORRUPT_OWNERS, TABLE, TABLE_KEY } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";

const BALANCE = `/v1/accounts/0xc1/balance/${COIN}`;
const JSON_TYPE = { "content-type": "application/json" };

describe("prototype pollution", () => {
  const BODIES = [
    '{"__proto__":{"polluted":1,"key":"0x0102"}}',
    '{"constructor":{"prototype":{"polluted":1}},"key":"0x0102"}',
    '{"key":"0x0102","__proto__":{"polluted":1}}',
    '{"key":{"__proto__":{"polluted":1}}}',
    '[{"__proto__":{"polluted":1}}]',
    '{"toString":1,"hasOwnProperty":2,"valueOf":3}',
  ];
  const paths = [`/v1/tables/${TABLE}/raw_item`, "/v1/transactions/encode_submission"];

  it.each(BODIES)("%s changes nothing for anybody", async (body) => {
    const { url } = await startServer();
    const before = Object.getOwnPropertyNames(Object.prototype).sort();
    for (const path of paths) {
      const response = await fetch(url + path, { method: "POST", headers: JSON_TYPE, body });
      expect(response.status).toBeLessThan(500);
    }
    for (const name of [
      "__proto__",
      "constructor",
      "__proto__.polluted",
      "__proto__[polluted]",
      "toString",
    ]) {
      expect((await fetch(`${url}${BALANCE}?${encodeURIComponent(name)}=1`)).status).toBe(200);
    }
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
    expect((Object.create(Object.prototype) as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("a member must be the object's own", () => {
    const document = parseJson(Buffer.from('{"__proto__":{"key":"0x01"}}'));
    for (const name of ["key", "toString", "constructor", "hasOwnProperty"]) {
      expect(document.member(document.root, name)).toBe(-1);
    }
    expect(document.member(document.root, "__proto__")).toBeGreaterThanOrEqual(0);
  });
});

describe("what answers give away", () => {
  it("no stack, no path, on no operation and no error", async () => {
    const { url } = await startServer({ metricsPage: () => Promise.resolve("up 1\n") });
    const paths = [
      // A stream has no end.
      ...OPERATIONS.filter(({ forms }) => !forms.includes("events")).map(({ path }) =>
        path.replaceAll(/\{[^}]+\}/g, "0x1"),
      ),
      ...CORRUPT_OWNERS.map((owner) => `/v1/accounts/${owner}/balance/${COIN}`),
      "/etc/passwd",
      "/v1/../../etc/passwd",
      "/v1/%2e%2e/%2e%2e/etc/passwd",
      "/v1/spec.json/../package.json",
      "/v1/accounts/%00/balance/x",
    ];
    let [checked, failed] = [0, 0];
    for (const path of paths) {
      for (const init of [{}, { method: "POST", headers: JSON_TYPE, body: "{" }, { method: "PUT" }]) {
        const response = await fetch(url + path, init);
        const headers = [...response.headers].flat();
        expect(findInside(Buffer.from(await response.arrayBuffer()), headers)).toBeUndefined();
        expect(response.headers.get("x-content-type-options")).toBe("nosniff");
        expect(response.headers.get("server")).toBeNull();
        expect(response.headers.get("x-powered-by")).toBeNull();
        checked++;
        if (response.status >= 500) failed++;
      }
    }
    expect(checked).toBeGreaterThan(40);
    expect(failed).toBeGreaterThan(3);
  });

  it("pages cannot be framed, run no script and send no referrer", async () => {
    const { url } = await startServer();
    for (const path of ["/", "/v1/spec"]) {
      const { headers } = await fetch(url + path, { headers: { accept: "text/html" } });
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("content-security-policy")).not.toContain("script-src");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
  });

  it("a header cannot be smuggled into an answer", async () => {
    const { url } = await startServer();
    for (const id of ["a b", "x".repeat(129), "\u00ff"]) {
      const response = await fetch(url + BALANCE, { headers: { "x-request-id": id } });
      expect(response.headers.get("x-request-id")).toBeNull();
    }
    const fine = await fetch(url + BALANCE, { headers: { "x-request-id": "trace-1" } });
    expect(fine.headers.get("x-request-id")).toBe("trace-1");
  });
});

describe("what the log keeps", () => {
  it("no header, no body; a failed request under an id that its answer has too", async () => {
    const lines: string[] = [];
    const ids: unknown[] = [];
    const log = (fields: LogFields, message: string): void => {
      lines.push(
        message + JSON.stringify(fields, (_, value) => (value instanceof Error ? String(value) : value)),
      );
      ids.push(fields.requestId);
    };
    const { url } = await startServer({
      logRequests: true,
      ledger: { openView: () => Promise.reject(new Error("no disk")) },
      logger: { debug: log, info: log, warn: log, error: log },
    });
    const secret = "s3cr3t";
    const headers = { ...JSON_TYPE, authorization: `Bearer ${secret}`, cookie: `session=${secret}` };
    const body = JSON.stringify({ key: TABLE_KEY, note: secret });
    const first = await fetch(`${url}/v1/tables/${TABLE}/raw_item`, { method: "POST", headers, body });
    const second = await fetch(url + BALANCE);
    const named = await fetch(url + BALANCE, { headers: { "x-request-id": "mine" } });
    expect([first.status, second.status, named.status]).toEqual([503, 503, 503]);
    const made = second.headers.get("x-request-id");
    expect(made).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
    expect(named.headers.get("x-request-id")).toBe("mine");
    expect(ids).toContain(made);
    expect(ids).toContain("mine");
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(lines.join("\n")).not.toContain(secret);
  });
});
