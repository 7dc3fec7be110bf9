import { describe, expect, it } from "vitest";
import { levelOfRule, parseAgreement } from "./agreement.ts";

describe("agreement rules", () => {
  it("parse NEEDED/OF and nothing else", () => {
    expect(parseAgreement("2/3")).toEqual({ needed: 2, of: 3 });
    expect(parseAgreement("1/1")).toEqual({ needed: 1, of: 1 });
    for (const text of ["", "2", "3/2", "0/3", "2/3/4", "a/b", "-1/2", "2/ 3", "1000/1000"]) {
      expect(parseAgreement(text), text).toBeUndefined();
    }
  });

  it("earn a level only if they need more than one upstream's word", () => {
    expect(levelOfRule({ needed: 2, of: 3 })).toEqual({ kind: "agreed", needed: 2, of: 3 });
    expect(levelOfRule({ needed: 1, of: 3 })).toBeUndefined();
    expect(levelOfRule(undefined)).toBeUndefined();
  });
});
