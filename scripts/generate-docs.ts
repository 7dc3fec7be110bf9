// Generates pages under docs/ from the operations and commands. With --check it writes nothing and fails if a file is
// out of date; with --types it writes only the types of API clients, for tests and the console, into .cache.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTypescript from "openapi-typescript";
import { loadCommands } from "../src/cli/commands.ts";
import { OPERATIONS } from "../src/http/operation-list.ts";
import { createOpenApi } from "../src/http/pages/openapi.ts";
import { HTTP_DEFAULTS } from "../src/http/server.ts";
import { switchesDocument } from "../src/node/api/author-switches.ts";
import { SOFTWARE_VERSION } from "../src/node.ts";
import { errorsPage } from "./docs/errors-page.ts";
import { manPage } from "./docs/man-page.ts";
import { referencePage } from "./docs/reference-page.ts";

const commands = await loadCommands();

const spec = JSON.stringify(createOpenApi(OPERATIONS, HTTP_DEFAULTS.headerBrands), null, 2);
const PAGES: Readonly<Record<string, string>> = {
  "docs/cli.md": referencePage(commands),
  "docs/sextant.1": manPage(commands, SOFTWARE_VERSION),
  "docs/errors.md": errorsPage(OPERATIONS),
  "docs/openapi.json": `${spec}\n`,
  "docs/chain-openapi.json": `${JSON.stringify(switchesDocument(), null, 2)}\n`,
};
const TYPES_FILE = ".cache/api-types.ts";

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}

function write(name: string, text: string): void {
  mkdirSync(dirname(pathOf(name)), { recursive: true });
  writeFileSync(pathOf(name), text);
}

if (process.argv.includes("--check")) {
  for (const [name, text] of Object.entries(PAGES)) {
    if (readFileSync(pathOf(name), "utf8") === text) continue;
    process.exitCode = 1;
    console.error(`${name} is out of date: run npm run docs`);
  }
} else {
  if (!process.argv.includes("--types")) for (const [name, text] of Object.entries(PAGES)) write(name, text);
  write(TYPES_FILE, await openapiTypescript(JSON.parse(spec)));
}
