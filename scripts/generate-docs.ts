// Generates pages under docs/ and the types of the tests' client from the operations. With --check it writes
// nothing and fails if a file is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTypescript from "openapi-typescript";
import { loadCommands } from "../src/cli/commands.ts";
import { manPage } from "../src/cli/man-page.ts";
import { referencePage } from "../src/cli/reference-page.ts";
import { errorsPage } from "../src/http/errors-page.ts";
import { createOpenApi } from "../src/http/openapi.ts";
import { OPERATIONS } from "../src/http/operation-list.ts";
import { HTTP_DEFAULTS } from "../src/http/server.ts";
import { SOFTWARE_VERSION } from "../src/node.ts";

const commands = await loadCommands();

const HEADER = `// Types of a client, generated from docs/openapi.json by openapi-typescript. Not for editing.
// biome-ignore-all lint: generated
// biome-ignore-all format: generated
`;

const spec = JSON.stringify(createOpenApi(OPERATIONS, HTTP_DEFAULTS.headerBrands), null, 2);
const FILES: Readonly<Record<string, string>> = {
  "docs/cli.md": referencePage(commands),
  "docs/sextant.1": manPage(commands, SOFTWARE_VERSION),
  "docs/errors.md": errorsPage(OPERATIONS),
  "docs/openapi.json": `${spec}\n`,
  "test/support/generated-client.ts": await openapiTypescript(JSON.parse(spec), { commentHeader: HEADER }),
};

const check = process.argv.includes("--check");
let stale = 0;
for (const [name, text] of Object.entries(FILES)) {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
  if (!check) {
    writeFileSync(path, text);
    continue;
  }
  if (readFileSync(path, "utf8") === text) continue;
  stale++;
  console.error(`${name} is out of date: run npm run docs`);
}
process.exitCode = stale === 0 ? 0 : 1;
