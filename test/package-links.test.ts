// The pages of the package link to nothing that the package lacks.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { deadLinks } from "../scripts/package/links.ts";
import { ROOT } from "./support/documentation.ts";

/** Every file at or below a path of the repository. */
function filesAt(path: string): string[] {
  if (statSync(join(ROOT, path)).isFile()) return [path];
  return readdirSync(join(ROOT, path)).flatMap((name) => filesAt(join(path, name)));
}

it("finds links to files that are not there", () => {
  const pages: Record<string, string> = {
    "README.md": "[a](docs/a.md#part) [b](docs) [c](https://example.org/x) [d](#here) [e](Dockerfile)",
    "docs/a.md": "[up](../README.md) [out](../src/a.ts)\n```sh\n[no link](x)\n```\n",
  };
  expect(deadLinks(Object.keys(pages), (name) => pages[name] ?? "")).toEqual([
    "README.md: Dockerfile",
    "docs/a.md: ../src/a.ts",
  ]);
});

it("has no such link in the package", () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { files: string[] };
  const shipped = ["README.md", "LICENSE", ...files.filter((name) => name !== "dist")].flatMap(filesAt);
  expect(shipped.length).toBeGreaterThan(30);
  expect(deadLinks(shipped, (name) => readFileSync(join(ROOT, name), "utf8"))).toEqual([]);
});
