import { describe, expect, it } from "vitest";
import { getAccountBalance } from "../http/operations/get-balance.ts";
import { pathTo, urlTo } from "./route.ts";
import { balanceRoute, encodeRoute, ledgerInfoRoute } from "./routes.ts";

describe("a route", () => {
  it("puts escaped values into path and query, and leaves out undefined ones", () => {
    const values = { address: "0x1", asset_type: "0x1::a::B<u8, vector<u8>>" };
    const path = "/v1/accounts/0x1/balance/0x1::a::B%3Cu8%2C%20vector%3Cu8%3E%3E";
    expect(pathTo(balanceRoute, values)).toBe(path);
    expect(pathTo(balanceRoute, { ...values, ledger_version: undefined, quoted: true })).toBe(
      `${path}?quoted=true`,
    );
    expect(pathTo(balanceRoute, { ...values, ledger_version: 2n ** 64n - 1n })).toBe(
      `${path}?ledger_version=18446744073709551615`,
    );
  });

  it("never lets a value change the path around it", () => {
    const path = pathTo(balanceRoute, { address: "{asset_type}$&/?#", asset_type: "x" });
    expect(path).toBe("/v1/accounts/%7Basset_type%7D%24%26%2F%3F%23/balance/x");
  });

  it("gives a URL below a base", () => {
    expect(urlTo("http://a.example/x/v1", encodeRoute)).toBe(
      "http://a.example/x/v1/transactions/encode_submission",
    );
    expect(urlTo("http://a.example/v1", ledgerInfoRoute)).toBe("http://a.example/v1");
    expect(() => urlTo("http://a.example/v1", { method: "GET", path: "/metrics", queryNames: [] })).toThrow(
      "/metrics",
    );
  });

  it("is typed by its path and query, and so are operations", () => {
    const values = { address: "0x1", asset_type: "0xa" };
    expect(pathTo(getAccountBalance, values)).toBe(pathTo(balanceRoute, values));
    // @ts-expect-error asset_type is missing
    pathTo(getAccountBalance, { address: "0x1" });
    // @ts-expect-error there is no such parameter
    pathTo(getAccountBalance, { ...values, version: 1 });
    // @ts-expect-error values are missing
    pathTo(balanceRoute);
  });
});
