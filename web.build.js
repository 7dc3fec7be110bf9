// Prepares the files for browsers in dist/: copies the icons, packs every file of console and reference with gzip and
// brotli, and writes the list by which src/http/static-files.ts serves them. Runs last in the build.
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};
const DIST = "dist";
/** A coding that saves less is not worth another file. */
const WORTH = 0.9;

mkdirSync(join(DIST, "console"), { recursive: true });
copyFileSync("console/mark.svg", join(DIST, "console/mark.svg"));

const list = {};
for (const folder of ["console", "reference"]) {
  if (!existsSync(join(DIST, folder))) continue;
  for (const entry of readdirSync(join(DIST, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(DIST.length + 1).replaceAll("\\", "/");
    const type = TYPES[extname(name)];
    if (type === undefined) throw new Error(`${name}: no media type is known for it`);
    const bytes = readFileSync(path);
    const sizes = { identity: bytes.length };
    const packed = {
      br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
      gzip: gzipSync(bytes, { level: 9 }),
    };
    for (const [coding, compressed] of Object.entries(packed)) {
      if (compressed.length > bytes.length * WORTH) continue;
      sizes[coding] = compressed.length;
      writeFileSync(`${path}.${coding === "gzip" ? "gz" : coding}`, compressed);
    }
    list[name] = { type, hash: createHash("sha256").update(bytes).digest("hex").slice(0, 32), sizes };
  }
}
writeFileSync(join(DIST, "web-files.json"), JSON.stringify(list));
