// The rooms of src and what each may import: an allow-list, which `test/architecture.test.ts` holds against the code.
import type { SourceFile } from "./imports.ts";

const PURE = ["base", "bcs", "move", "transaction", "ledger"];

/** Rooms that a room may import, beside itself. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  interface: [],
  bcs: ["base"],
  json: ["base"],
  move: ["base", "bcs", "json"],
  transaction: ["base", "bcs", "json", "move"],
  ledger: ["base", "bcs", "move", "transaction"],
  proof: PURE,
  store: PURE,
  sync: [...PURE, "interface", "json", "proof", "store"],
  vm: PURE,
  chain: [...PURE, "proof", "vm"],
  http: [...PURE, "interface", "json", "proof", "vm"],
  verify: [...PURE, "proof"],
  node: [...PURE, "interface", "json", "proof", "store", "sync", "vm", "chain", "http"],
  cli: ["base", "interface", "node.ts"],
};

/** The only folder that may import a package. */
const OWNER_OF_PACKAGE: Readonly<Record<string, string>> = {
  lmdb: "src/store/lmdb/",
  "cassandra-driver": "src/store/cassandra/",
};

/** The room of a file of src; `src/node.ts` and `src/index.ts` are doors of `node`, `src/verify.ts` one of `verify`. */
function roomOf(name: string): string {
  const [, first = "", ...rest] = name.split("/");
  if (rest.length > 0) return first;
  return first === "verify.ts" ? "verify" : "node";
}

/** Imports that no rule allows, a sentence each. */
export function findTrespasses(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ name, imports }) => {
    const room = roomOf(name);
    const allowed = MAY_IMPORT[room] ?? [];
    return imports
      .filter((target) => {
        const owner = OWNER_OF_PACKAGE[target];
        if (owner !== undefined) return !name.startsWith(owner);
        if (!target.startsWith("src/") || target === "src/software-version.ts") return false;
        const other = roomOf(target);
        return other !== room && !allowed.includes(other) && !allowed.includes(target.slice("src/".length));
      })
      .map(
        (target) => `${name} imports ${target}, but ${room} may import ${allowed.join(", ") || "no room"}`,
      );
  });
}
