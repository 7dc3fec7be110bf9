import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../../test/support/property.ts";
import { isJsonMediaType, negotiateCoding, negotiateForm } from "./negotiation.ts";

describe("negotiateForm", () => {
  it.each([
    [undefined, "json"],
    ["", "json"],
    ["*/*", "json"],
    ["application/*", "json"],
    ["text/html", "json"],
    ["garbage", "json"],
    ["application/json", "json"],
    ["application/x-bcs", "bcs"],
    ["APPLICATION/X-BCS", "bcs"],
    ["application/x-bcs, application/json", "bcs"],
    ["application/json, application/x-bcs", "json"],
    ["text/html, application/x-bcs, */*", "bcs"],
    ["*/*, application/x-bcs", "bcs"],
    ["application/x-bcs;q=0.9", "bcs"],
    ["application/x-bcs;", "bcs"],
    ["application/x-bcs; Q=0.9 , application/json ; q=0.8", "bcs"],
    ["application/json;q=0.9, application/x-bcs;q=0.1", "json"],
    ["application/json;q=0.1, application/x-bcs;q=0.9", "bcs"],
    ["application/json;charset=utf-8, application/x-bcs", "json"],
    ["application/json;q=0.5, */*", "bcs"],
    ["application/json;q=0, */*", "bcs"],
    ["application/json;q=0", "json"],
    ["application/x-bcs;q=0, */*;q=0.1", "json"],
    ["application/x-bcs;q=0", "json"],
    ["application/x-bcs;q=0.000, application/*", "json"],
    ["application/*;q=0.3, application/x-bcs;q=0.2", "json"],
    ["application/*;q=0.2, application/x-bcs;q=0.3", "bcs"],
    ["*/*;q=0.9, application/*;q=0.1, application/x-bcs;q=0.5", "bcs"],
    ['application/x-bcs;note="a, application/json;q=1";q=0.4, application/json;q=0.3', "bcs"],
    ["application/x-bcs;q=high", "bcs"],
    [",,,application/x-bcs,,", "bcs"],
  ])("%s gives %s", (accept, form) => expect(negotiateForm(accept, ["json", "bcs"])).toBe(form));

  it("has nothing to choose where there is one form", () => {
    expect(negotiateForm("application/x-bcs", ["json"])).toBe("json");
    expect(negotiateForm("application/json", ["html"])).toBe("html");
  });

  it("answers one of the forms to any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(["json", "bcs"]).toContain(negotiateForm(text, ["json", "bcs"]));
      }),
      { numRuns: RUNS },
    );
  });
});

describe("negotiateCoding", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    ["gzip", "gzip"],
    ["gzip, br", "br"],
    ["gzip;q=1, br;q=0.5", "gzip"],
    ["*", "br"],
    ["br;q=0, *", "gzip"],
    ["gzip;q=0", undefined],
    ["identity", undefined],
    ["identity, gzip;q=0.5", undefined],
    ["deflate", undefined],
    ["GZIP", "gzip"],
  ])("%s gives %s", (header, coding) => expect(negotiateCoding(header)).toBe(coding));
});

describe("isJsonMediaType", () => {
  it.each([
    ["application/json", true],
    ["Application/JSON; charset=utf-8", true],
    ["application/json ;charset=latin1", true],
    ["application/vnd.node+json", true],
    ["text/json", false],
    ["text/plain", false],
    ["application/x-bcs", false],
    ["application/jsonp", false],
    ["invalid", false],
    ["", false],
  ])("%s: %s", (type, is) => expect(isJsonMediaType(type)).toBe(is));
});
