// Runs schemathesis with all its checks against a local chain, from docs/openapi.json. Installs it into .cache on the
// first run; exits with 2 if that fails. scripts/schemathesis/ says what the document cannot.
//   npx tsx scripts/schemathesis.ts [--max-examples 100] [--seed N]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startProgram } from "../test/support/program.ts";
import { MissingTool, pythonTool, ROOT } from "./clients/tools.ts";

const SCHEMATHESIS = "schemathesis==4.32.5";
const { values } = parseArgs({
  options: { "max-examples": { type: "string", default: "100" }, seed: { type: "string" } },
});

function programs(): string {
  try {
    return pythonTool(SCHEMATHESIS);
  } catch (error) {
    if (!(error instanceof MissingTool)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

const bin = programs();
const rules = join(ROOT, "scripts", "schemathesis");
const data = mkdtempSync(join(tmpdir(), "sextant-schemathesis-"));
const node = await startProgram(["--data", data, "--log-level", "warn"]);
try {
  const child = spawn(
    join(bin, "schemathesis"),
    [
      "--config-file",
      join(rules, "schemathesis.toml"),
      "run",
      join(ROOT, "docs", "openapi.json"),
      ...["--url", node.url, "--checks", "all", "--max-examples", values["max-examples"]],
      // Longer than the longest wait for a version.
      ...["--request-timeout", "60"],
      ...(values.seed === undefined ? [] : ["--seed", values.seed]),
    ],
    {
      // It keeps examples in a folder where it runs.
      cwd: data,
      env: {
        ...process.env,
        SCHEMATHESIS_HOOKS: "hooks",
        PYTHONPATH: rules,
        PYTHONDONTWRITEBYTECODE: "1",
      },
      stdio: "inherit",
    },
  );
  const [code] = (await once(child, "exit")) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await node.stop();
  rmSync(data, { recursive: true, force: true });
}
