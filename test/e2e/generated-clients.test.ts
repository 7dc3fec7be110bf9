// The client in TypeScript calls every operation that the document has. `npm run clients` does the same in Go and Python,
// whose tools it installs.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("call every operation of a node", () => {
  const script = fileURLToPath(new URL("../../scripts/clients.ts", import.meta.url));
  const args = ["--import", "tsx", script, "typescript"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect([status, stderr, stdout]).toEqual([
    0,
    "",
    expect.stringMatching(/^typescript: all \d+ operations\n$/),
  ]);
});
