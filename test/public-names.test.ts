// What the package offers: a name that goes, or comes by accident, is noticed here.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as sextant from "../src/index.ts";
import * as verify from "../src/verify.ts";

it("offers these names and no others", () => {
  expect(Object.keys(sextant).sort()).toEqual(["CodedError", "ConfigError", "createNode", "verifyGenesis"]);
  expect(Object.keys(verify).sort()).toEqual([
    "ProofError",
    "VerifiedFetchError",
    "statementOf",
    "verifiedFetch",
    "verifyProof",
  ]);
});

it("offers them under the name that the README imports", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    name: string;
    exports: Record<string, { default: string }>;
  };
  expect(manifest.name).toBe("sextant");
  expect(manifest.exports["."]?.default).toBe("./dist/index.js");
});
