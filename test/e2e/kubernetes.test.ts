// contrib/kubernetes: valid for the schemas of a Kubernetes release, and true to the program.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runCommand } from "../support/command.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { hasTool, TOOLS } from "../support/tools.ts";

const FOLDER = "contrib/kubernetes";
const SWAGGER = join(TOOLS, "kubernetes.json");
const { resources } = parse(readFileSync(join(FOLDER, "kustomization.yaml"), "utf8")) as {
  resources: string[];
};

interface Schema {
  $ref?: string;
  format?: string;
  type?: string;
  additionalProperties?: unknown;
  properties?: Record<string, Schema>;
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
}

/** A definition as a strict JSON schema: fields that Kubernetes does not know are refused. */
function strict(name: string, schema: Schema): object {
  if (schema.format === "int-or-string") return { anyOf: [{ type: "string" }, { type: "integer" }] };
  if (name.endsWith(".Quantity")) return { anyOf: [{ type: "string" }, { type: "number" }] };
  if (schema.properties === undefined || schema.additionalProperties !== undefined) return schema;
  return { ...schema, additionalProperties: false };
}

/** Writes the schemas of the kinds in use, each with the definitions that it needs. */
function writeSchemas(folder: string): void {
  const { definitions } = JSON.parse(readFileSync(SWAGGER, "utf8")) as {
    definitions: Record<string, Schema>;
  };
  for (const file of resources) {
    const { apiVersion, kind } = parse(readFileSync(join(FOLDER, file), "utf8")) as Record<string, string>;
    const [version = "", group = ""] = (apiVersion ?? "").split("/").reverse();
    const isSought = (one: Schema): boolean =>
      one["x-kubernetes-group-version-kind"]?.some(
        (known) => known.group === group && known.version === version && known.kind === kind,
      ) ?? false;
    const root = Object.keys(definitions).find((name) => isSought(definitions[name] ?? {}));
    if (root === undefined) throw new Error(`${file}: there is no ${kind} in ${apiVersion}`);
    const needed = new Map<string, object>();
    const add = (name: string): void => {
      if (needed.has(name)) return;
      const schema = strict(name, definitions[name] ?? {});
      needed.set(name, schema);
      for (const [, other = ""] of JSON.stringify(schema).matchAll(/#\/definitions\/([^"]+)/g)) add(other);
    };
    add(root);
    const suffix = [group.split(".")[0], version].filter((part) => part !== "").join("-");
    const schema = { $ref: `#/definitions/${root}`, definitions: Object.fromEntries(needed) };
    writeFileSync(join(folder, `${kind?.toLowerCase()}-${suffix}.json`), JSON.stringify(schema));
  }
}

describe("the Kubernetes manifests", () => {
  it.skipIf(!hasTool("kubeconform", "-v") || !existsSync(SWAGGER))("are valid, by kubeconform", () => {
    const folder = temporaryFolder();
    writeSchemas(folder);
    const location = join(folder, "{{ .ResourceKind }}{{ .KindSuffix }}.json");
    const check = (files: readonly string[]): string =>
      execFileSync("kubeconform", ["-strict", "-summary", "-schema-location", location, ...files], {
        encoding: "utf8",
      });
    const files = resources.map((file) => join(FOLDER, file));
    expect(check(files)).toContain(`Valid: ${files.length}, Invalid: 0, Errors: 0, Skipped: 0`);
    const wrong = join(folder, "wrong.yaml");
    const text = readFileSync(join(FOLDER, "statefulset.yaml"), "utf8");
    writeFileSync(wrong, text.replace("readinessProbe", "readynessProbe"));
    expect(() => check([wrong])).toThrow();
  });

  it("probe paths that the node serves, set options that it has, and keep Service links out", async () => {
    const { template } = (
      parse(readFileSync(join(FOLDER, "statefulset.yaml"), "utf8")) as {
        spec: { template: { spec: { enableServiceLinks: boolean; containers: Record<string, unknown>[] } } };
      }
    ).spec;
    expect(template.spec.enableServiceLinks).toBe(false);
    const [container = {}] = template.spec.containers;
    const pathOf = (probe: string): string =>
      (container[probe] as { httpGet: { path: string } }).httpGet.path;
    const openapi = JSON.parse(readFileSync("docs/openapi.json", "utf8")) as {
      paths: Record<string, unknown>;
    };
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
      const path = pathOf(probe);
      const served = [path, path.replace(/^\/v1/, "")].some((one) => one in openapi.paths);
      expect(served, path).toBe(true);
    }
    const { data } = parse(readFileSync(join(FOLDER, "configmap.yaml"), "utf8")) as {
      data: Record<string, string>;
    };
    const { stdout } = await runCommand(["start", "--help-all"]);
    for (const name of Object.keys(data)) {
      expect(stdout).toContain(`--${name.slice("SEXTANT_".length).toLowerCase().replaceAll("_", "-")}`);
    }
  });
});
