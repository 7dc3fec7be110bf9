// Generates clients from docs/openapi.json in three languages, compiles them, and calls every operation of a local chain
// through each. Fails if one of them does not compile, a call fails, or an operation is not called. Go and Python tools
// are installed into .cache on the first run; a language whose tools cannot be had is named, and the exit code is 2.
//
// What the generated code leaves to its caller:
// - Server-sent events: OpenAPI 3.0 has no word for them, so the generated readers take a response as one text, and a
//   stream has no end. The callers build the request with the generated function, read the lines themselves, and parse the
//   data of an event as the generated type (BalanceEvent, BlockEvent), which `x-event-data` of the document names.
// - Signing: this script signs what the clients submit.
//   npx tsx scripts/clients.ts [typescript] [python] [go]
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startProgram } from "../test/support/program.ts";
import { signTransfers } from "./clients/signed.ts";
import { CACHE, goTool, MissingTool, pythonTool, ROOT, run } from "./clients/tools.ts";

const OPENAPI_PYTHON_CLIENT = "openapi-python-client==0.29.1";
const OAPI_CODEGEN = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.1";
const DOCUMENT = join(ROOT, "docs", "openapi.json");
const CALLERS = join(ROOT, "scripts", "clients");

/** Each generates its client and returns the ids of the operations that it called. */
const LANGUAGES: Readonly<Record<string, (url: string, signed: string) => string>> = {
  // `npm run docs` generates the types, and `npm run types` compiles the calls.
  typescript: (url, signed) =>
    run(process.execPath, ["--import", "tsx", join(CALLERS, "typescript.ts"), url, signed]),
  python: (url, signed) => {
    const bin = pythonTool(OPENAPI_PYTHON_CLIENT);
    const folder = join(CACHE, "python");
    mkdirSync(folder, { recursive: true });
    const config = join(CALLERS, "python", "config.yaml");
    const output = ["--meta", "none", "--output-path", join(folder, "client"), "--overwrite"];
    run(join(bin, "openapi-python-client"), ["generate", "--path", DOCUMENT, "--config", config, ...output]);
    run(join(bin, "python"), ["-m", "compileall", "-q", join(folder, "client")]);
    return run(join(bin, "python"), [join(CALLERS, "python", "call.py"), url, signed], {
      env: { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" },
    });
  },
  go: (url, signed) => {
    const generator = goTool(OAPI_CODEGEN);
    const cwd = join(CACHE, "go");
    cpSync(join(CALLERS, "go"), cwd, { recursive: true });
    mkdirSync(join(cwd, "api"), { recursive: true });
    run(generator, ["-config", "oapi-codegen.yaml", DOCUMENT], { cwd });
    run("go", ["vet", "./..."], { cwd });
    return run("go", ["run", ".", url, signed], { cwd });
  },
};

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

const { paths } = JSON.parse(readFileSync(DOCUMENT, "utf8")) as Document;
const operations = Object.values(paths).flatMap((methods) =>
  Object.values(methods).map(({ operationId }) => operationId),
);
const asked = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(LANGUAGES);

/** Waits until some balances have changed. */
async function untilVersion(url: string, version: number): Promise<void> {
  for (;;) {
    const { ledger_version } = (await (await fetch(url)).json()) as { ledger_version: string };
    if (Number(ledger_version) >= version) return;
    await sleep(50);
  }
}

const data = mkdtempSync(join(tmpdir(), "sextant-clients-"));
const node = await startProgram(["--data", data, "--block-time", "100ms", "--log-level", "warn"]);
try {
  await untilVersion(node.url, 50);
  for (const language of asked) {
    const generate = LANGUAGES[language];
    if (generate === undefined) throw new Error(`${language}: expected ${Object.keys(LANGUAGES).join(", ")}`);
    try {
      const called = [
        ...new Set(
          generate(node.url, await signTransfers(node.url))
            .trim()
            .split("\n"),
        ),
      ];
      const missing = operations.filter((id) => !called.includes(id));
      if (missing.length > 0) {
        throw new Error(`${language}: not called: ${missing.join(", ")}; add them in scripts/clients`);
      }
      console.log(`${language}: all ${called.length} operations`);
    } catch (error) {
      console.error(`${language}: ${error instanceof Error ? error.message : error}`);
      process.exitCode = error instanceof MissingTool && process.exitCode !== 1 ? 2 : 1;
    }
  }
} finally {
  await node.stop();
  rmSync(data, { recursive: true, force: true });
}
