import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../../test/support/property.ts";
import { pathTo } from "../../interface/route.ts";
import * as routes from "../../interface/routes.ts";
import type { Operation } from "../operation.ts";
import { OPERATIONS } from "../operation-list.ts";
import { Router } from "./operation-choice.ts";
import { decodeTwice, findQuery, readQuery } from "./url.ts";

describe("decodeTwice", () => {
  it.each([
    ["abc", "abc"],
    ["%3C", "<"],
    ["%253C", "<"],
    ["%25253C", "%3C"],
    ["a+b", "a+b"],
    ["%", "%"],
    ["%zz", "%zz"],
    ["%4", "%4"],
    ["%e2%82%ac", "€"],
    ["%00", "\u0000"],
    ["%ff", undefined],
    ["%c3", undefined],
  ])("%s", (text, decoded) => expect(decodeTwice(text)).toBe(decoded));

  it("gives back what was escaped once or twice", () => {
    const text = fc.string({ unit: "binary" }).filter((one) => one.isWellFormed() && !one.includes("%"));
    fc.assert(
      fc.property(text, (one) => {
        expect(decodeTwice(encodeURIComponent(one))).toBe(one);
        expect(decodeTwice(encodeURIComponent(encodeURIComponent(one)))).toBe(one);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("findQuery", () => {
  it.each([
    ["a=1", { text: "1" }],
    ["a=1&a=2", "repeated"],
    ["b=2&a=1", { text: "1" }],
    ["%61=1", { text: "1" }],
    ["a", { text: "" }],
    ["a=", { text: "" }],
    ["a=b=c", { text: "b=c" }],
    ["a=x+y", { text: "x y" }],
    ["&&a=1&", { text: "1" }],
    ["aa=1", "absent"],
    ["", "absent"],
    ["b=a=1", "absent"],
    ["a=%ff", "invalid"],
  ] as const)("%s", (search, value) => expect(findQuery(readQuery(search), "a")).toEqual(value));
});

describe("routes", () => {
  const router = new Router(OPERATIONS);
  const exampleOf = ({ params, query }: Operation): Record<string, string> =>
    Object.fromEntries(
      [...Object.entries(params), ...Object.entries(query)].map(([name, { example }]) => [name, example]),
    );

  it.each(OPERATIONS)(
    "$id is found under the path that its route gives, with the same values",
    (operation) => {
      const path = pathTo(operation, exampleOf(operation));
      const [raw = "", search = ""] = path.split("?");
      const found = router.find(operation.method, raw);
      if (found === undefined || !("operation" in found)) throw new Error(`nothing is served at ${path}`);
      expect(found.operation).toBe(operation);
      const args = Object.entries({ ...operation.params, ...operation.query }).map(([name, field]) => [
        name,
        field.parse(field.example),
      ]);
      expect(operation.parseArgs(found.segments, search)).toEqual(Object.fromEntries(args));
    },
  );

  const { CALLS: _calls, READ_COMMANDS: _commands, ...shared } = routes;

  it.each(Object.entries(shared))("%s is that of an operation", (_name, route) => {
    const [operation] = OPERATIONS.filter(
      ({ path, method }) => path === route.path && method === route.method,
    );
    expect([...route.queryNames].sort()).toEqual([...(operation?.queryNames ?? ["none"])].sort());
  });
});

describe("Router", () => {
  const router = new Router(OPERATIONS);
  const idOf = (method: string, path: string): unknown => {
    const found = router.find(method, path);
    return found !== undefined && "operation" in found ? [found.operation.id, ...found.segments] : found;
  };

  it.each([
    ["GET", "/v1/accounts/0x1/balance/0xa", ["get_account_balance", "0x1", "0xa"]],
    ["HEAD", "/v1/accounts/0x1/balance/0xa", ["get_account_balance", "0x1", "0xa"]],
    ["GET", "/v1/accounts//balance/", ["get_account_balance", "", ""]],
    ["GET", "/v1/accounts/balance/balance/balance", ["get_account_balance", "balance", "balance"]],
    ["POST", "/v1/tables/%2F/raw_item", ["get_raw_table_item", "%2F"]],
    ["PUT", "/v1/accounts/0x1/balance/0xa", ["GET", "HEAD"]],
    ["GET", "/v1/transactions/encode_submission", ["POST"]],
    ["GET", "/v1/accounts/0x1/balance/0xa/", undefined],
    ["GET", "/v1/accounts/0x1/balances/0xa", undefined],
    ["GET", "/v1/accounts/0x1/balance", undefined],
    ["GET", "/v1/tables/0x1/raw_items", undefined],
    ["GET", "//", undefined],
    ["GET", "", undefined],
  ])("%s %s", (method, path, found) => expect(idOf(method, path)).toEqual(found));

  it("gives up a branch with the parameters that it found there", () => {
    const [any] = OPERATIONS;
    if (any === undefined) throw new Error("there is no operation");
    const like = (path: string, method: "GET" | "POST" = "GET"): Operation => ({
      ...any,
      aliases: [],
      path,
      method,
    });
    const served = [like("/a/{x}/b"), like("/a/c/{y}/d"), like("/a/{z}"), like("/a/{w}", "POST")];
    const small = new Router(served);
    expect(small.find("GET", "/a/c/b")).toEqual({ operation: served[0], segments: ["c"] });
    expect(small.find("GET", "/a/c/1/d")).toEqual({ operation: served[1], segments: ["1"] });
    expect(small.find("GET", "/a/c")).toEqual({ operation: served[2], segments: ["c"] });
    expect(small.find("POST", "/a/c")).toEqual({ operation: served[3], segments: ["c"] });
    expect(small.find("GET", "/a/c/1/e")).toBeUndefined();
  });

  it("finds each operation under its own path", () => {
    for (const operation of OPERATIONS) {
      const path = operation.path.replace(/\{[^}]*\}/g, "x");
      expect(idOf(operation.method, path)).toEqual([
        operation.id,
        ...Object.keys(operation.params).map(() => "x"),
      ]);
    }
  });
});
