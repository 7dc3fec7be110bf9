// The documents: the OpenAPI document in three forms, and the page at the root. The pages load no script, no font and
// nothing from another host.
import { loadPackage } from "../../base/load-package.ts";
import type { Slices } from "../../base/wait.ts";
import { operation } from "../operation.ts";
import { specPage as renderSpecPage, startPage as renderStartPage } from "../pages/plain-pages.ts";
import { named } from "../schemas/named.ts";
import type { Services } from "../services.ts";

const DOCUMENT = { method: "GET", ledger: "none", switchable: false, isDocument: true } as const;

const OPEN_API_SCHEMA = named("OpenApiDocument", { type: "object", additionalProperties: true });

type OpenApi = ReturnType<Services["openapi"]>;

function openApi(_: unknown, { services }: { readonly services: Services }) {
  return { data: services.openapi(), version: undefined };
}

/** Parts of the document that are written member by member: as one they would hold the event loop for 0.2 s. */
const LONG_PARTS = new Set(["", "paths", "components", "components/schemas"]);

/** The lines of a value in YAML, below the names of what it is in. */
function* yamlOf(value: unknown, names: readonly string[] = []): Generator<string> {
  const members = LONG_PARTS.has(names.join("/")) ? Object.entries(value as object) : [];
  if (members.length > 0) {
    if (names.length > 0) yield `${"  ".repeat(names.length - 1)}${names.at(-1)}:\n`;
    for (const [name, member] of members) yield* yamlOf(member, [...names, name]);
    return;
  }
  const { stringify } = loadPackage("yaml") as typeof import("yaml");
  const nested = names.reduceRight((inner, name) => ({ [name]: inner }), value);
  const lines = stringify(nested, { aliasDuplicateObjects: false }).split("\n");
  yield lines.slice(names.length - 1).join("\n");
}

/** `GET /v1/spec.json` */
export const specJson = operation({
  ...DOCUMENT,
  id: "spec_json",
  path: "/v1/spec.json",
  summary: "OpenAPI document, JSON",
  description: "This document.",
  answer: {
    json: {
      schema: OPEN_API_SCHEMA,
      description: "An OpenAPI 3.0 document.",
      encode: (document: OpenApi) => JSON.stringify(document),
    },
  },
  handle: openApi,
});

/** `GET /v1/spec.yaml` */
export const specYaml = operation({
  ...DOCUMENT,
  id: "spec_yaml",
  path: "/v1/spec.yaml",
  summary: "OpenAPI document, YAML",
  description: "This document as YAML.",
  answer: {
    yaml: {
      schema: OPEN_API_SCHEMA,
      description: "An OpenAPI 3.0 document.",
      encode: async (document: OpenApi, slices: Slices) => {
        let text = "";
        for (const lines of yamlOf(document)) {
          text += lines;
          await slices.pause();
        }
        return text;
      },
    },
  },
  handle: openApi,
});

/** `GET /v1/spec` */
export const specPage = operation({
  ...DOCUMENT,
  id: "spec_page",
  path: "/v1/spec",
  summary: "Reference page",
  description:
    "The reference of all operations, as a page that works offline; with `--pages plain`, a page that names the OpenAPI documents.",
  answer: { html: { schema: { type: "string" }, description: "An HTML page.", encode: renderSpecPage } },
  handle: () => ({ data: undefined, version: undefined }),
});

/** `GET /` */
export const startPage = operation({
  ...DOCUMENT,
  id: "start_page",
  path: "/",
  summary: "Start page",
  description: "Points to the ledger info and the reference.",
  answer: { html: { schema: { type: "string" }, description: "An HTML page.", encode: renderStartPage } },
  handle: () => ({ data: undefined, version: undefined }),
});
