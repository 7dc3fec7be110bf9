import { expect, it } from "vitest";
import { frameworkModules } from "../chain/genesis.ts";
import { readModule } from "../move/bytecode/reader.ts";
import { groupOf } from "./group-of.ts";

it("finds the groups that the whole reader finds", () => {
  const groups = frameworkModules().flatMap(({ bytes }) =>
    readModule(bytes).structs.map(({ name, groupMemberOf }) => {
      expect(groupOf(bytes, name)).toBe(groupMemberOf);
      return groupMemberOf;
    }),
  );
  expect(groups).toContain("0x1::object::ObjectGroup");
  expect(groups).toContain(undefined);
});
