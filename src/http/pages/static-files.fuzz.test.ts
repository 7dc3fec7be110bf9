// Hostile paths reach no file but the listed ones, and no page repeats a path as markup.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter, RUNS } from "../../../test/support/property.ts";
import { temporaryFolder } from "../../../test/support/temporary.ts";
import { notFoundPage } from "./plain-pages.ts";
import { StaticFiles } from "./static-files.ts";

const LISTED = "listed";
const folder = temporaryFolder();
mkdirSync(join(folder, "console/deep"), { recursive: true });
const list: Record<string, unknown> = {};
for (const name of ["console/a-12345678.js", "console/deep/b.css", "console/index.html"]) {
  writeFileSync(join(folder, name), LISTED);
  list[name] = { type: "text/plain", hash: "00", sizes: { identity: LISTED.length } };
}
writeFileSync(join(folder, "console/secret.js"), "hidden");
writeFileSync(join(folder, "web-files.json"), JSON.stringify(list));
const files = new StaticFiles({ folder: pathToFileURL(`${folder}/`) });

/** Pieces of paths, from which a path that means another file could be made. */
const piece = fc.constantFrom(
  ...[
    "/",
    "//",
    "\\",
    "%2f",
    "%5c",
    "%2e%2e",
    "..",
    ".",
    "%00",
    "\0",
    "?",
    "#",
    ";",
    "%",
    "~",
    ":",
    "\u202e",
  ],
  ...["console", "reference", "CONSOLE", "a-12345678.js", "deep", "b.css", "index.html", "secret.js"],
  ...[
    "web-files.json",
    "v1",
    "spec",
    "__proto__",
    "constructor",
    "toString",
    "favicon.ico",
    "file:",
    "etc/passwd",
  ],
);
const made = fc
  .array(fc.oneof({ weight: 4, arbitrary: piece }, fc.string({ maxLength: 3 })), { maxLength: 8 })
  .map((pieces) => `/${pieces.join("")}`);
const REACHABLE = ["/", "/console/a-12345678.js", "/console/deep/b.css"];
/** A reachable path written in another way, at one place. */
const changed = fc
  .tuple(
    fc.constantFrom(...REACHABLE, "/console/secret.js"),
    fc.nat(),
    fc.constantFrom("%", "//", "/./", "/x/../", "^", ""),
  )
  .map(([known, at, how]) => {
    const place = at % known.length;
    const character = known[place] ?? "";
    const escaped = `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
    const other = how === "%" ? escaped : how === "^" ? character.toUpperCase() : character + how;
    return known.slice(0, place) + other + known.slice(place + 1);
  });
const path = fc.oneof(made, changed);

describe("hostile paths", () => {
  it("reach a listed file by its exact name, and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(path, async (asked) => {
        const file = await files.find(asked, {});
        expect([asked, file !== undefined]).toEqual([asked, REACHABLE.includes(asked)]);
        if (file !== undefined) expect(`${await file.read()}`).toBe(LISTED);
      }),
      { numRuns: RUNS * 4, examples: REACHABLE.map((asked) => [asked]) },
    );
  });

  it("stand in the page of a path where nothing is as text only", () => {
    const tags = notFoundPage("/").split("<").length;
    const hostile = fc.oneof(
      fc.array(anyCharacter, { maxLength: 300 }).map((characters) => characters.join("")),
      fc.constantFrom("</code><script>", '"><img src=x onerror=alert(1)>', "<!--", "&lt;", "\u202e<b>"),
    );
    fc.assert(
      fc.property(hostile, (target) => {
        const page = notFoundPage(target);
        expect(page.split("<").length).toBe(tags);
        expect(page.length).toBeLessThan(10_000);
      }),
      { numRuns: RUNS },
    );
  });
});
