// Runs the README's lines as written against the program as `npm start` runs it.
import { exec } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const run = promisify(exec);

it("shows the four operations as lines that work as written", async () => {
  const block = [...readme.matchAll(/```sh\n([^`]*)```/g)]
    .map((match) => match[1] ?? "")
    .find((text) => text.includes("curl '"));
  const commands = (block ?? "").split("\n\n").map((text) => text.trim());
  expect(commands).toHaveLength(4);
  const node = await startProgram(["--data", join(temporaryFolder(), "data"), "--log-level", "warn"]);
  const origin = new URL(node.url).host;
  const answers = [];
  for (const command of commands) {
    const here = command.replaceAll("127.0.0.1:8080", origin).replace("curl ", "curl -sS --fail-with-body ");
    answers.push((await run(here, { shell: "/bin/bash" })).stdout);
  }
  expect(answers[0]).toMatch(/^[1-9]\d+$/);
  expect(answers[1]).toMatch(/^"0x[0-9a-f]{16}"$/);
  expect(answers[2]).toMatch(
    /^"0xb5e97db07fa0bd0e5598aa3643a9bc6f6693bddc1a9fec9e674a461eaa00b193[0-9a-f]+"$/,
  );
  expect(JSON.parse(answers[3] ?? "")).toMatchObject({ software: "sextant", storage_engine: "lmdb" });
  await node.stop();
});

it("runs the example of in-process use", async () => {
  const example = new URL("../../examples/in-process.ts", import.meta.url).pathname;
  const { stdout } = await run(`npx tsx ${example}`);
  expect(stdout).toMatch(/ada has \d+ \(at version 1: \d+\)\nto sign: 0xb5e97db0/);
});
