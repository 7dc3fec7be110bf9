// Files for browsers: headers, codings, caching, which paths reach them, and that nothing is read before it is asked for.
import { mkdirSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { StaticFiles } from "../../src/http/pages/static-files.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

const PAGE = "<!doctype html><title>console</title>";
const SCRIPT = "globalThis.answer = 42;".repeat(100);
const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const SECRET = "not in the list";

function makeFolder(): URL {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "console"));
  mkdirSync(join(folder, "reference"));
  const packed = brotliCompressSync(SCRIPT);
  writeFileSync(join(folder, "console/index.html"), PAGE);
  writeFileSync(join(folder, "reference/index.html"), PAGE);
  writeFileSync(join(folder, "console/app-AbCd1234.js"), SCRIPT);
  writeFileSync(join(folder, "console/app-AbCd1234.js.br"), packed);
  writeFileSync(join(folder, "console/short.js"), "1");
  writeFileSync(join(folder, "console/secret.js"), SECRET);
  const page = { type: "text/html; charset=utf-8", hash: "aa", sizes: { identity: PAGE.length } };
  const list = {
    "console/index.html": page,
    "reference/index.html": page,
    "console/app-AbCd1234.js": {
      type: "text/javascript; charset=utf-8",
      hash: "bb",
      sizes: { identity: SCRIPT.length, br: packed.length },
    },
    "console/short.js": { type: "text/javascript; charset=utf-8", hash: "cc", sizes: { identity: 2 } },
  };
  writeFileSync(join(folder, "web-files.json"), JSON.stringify(list));
  return pathToFileURL(`${folder}/`);
}

async function startWithFiles(
  options: Parameters<typeof startServer>[0] & { hasConsole?: boolean } = {},
): Promise<TestServer & { files: StaticFiles }> {
  const { hasConsole = true, ...rest } = options;
  const files = new StaticFiles({ folder: makeFolder(), hasConsole });
  return { ...(await startServer({ console: true, files, ...rest })), files };
}

/** Asks without changing the path and without inflating the answer, as fetch would. */
async function ask(
  { port }: TestServer,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<IncomingMessage & { body: Buffer }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, path, headers, method }, resolve).on("error", reject);
  });
  const body = Buffer.concat(await response.toArray());
  return Object.assign(response, { body });
}

describe.each([
  ["direct lane", true],
  ["node:http", false],
])("a file (%s)", (_, isDirect) => {
  it("comes with its type, a strict policy and a tag by which it is not sent again", async () => {
    const server = await startWithFiles({ isDirect });
    const page = await ask(server, "/");
    expect([page.statusCode, `${page.body}`]).toEqual([200, PAGE]);
    expect(page.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
    });
    const policy = page.headers["content-security-policy"] ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe-");
    const again = await ask(server, "/", { "if-none-match": page.headers.etag ?? "" });
    expect([again.statusCode, again.body.length]).toEqual([304, 0]);
    const head = await ask(server, "/", {}, "HEAD");
    expect([head.statusCode, head.headers["content-length"], head.body.length]).toEqual([
      200,
      `${PAGE.length}`,
      0,
    ]);
  });

  it("with a hash in its name is kept for ever, and comes packed to clients that take that", async () => {
    const server = await startWithFiles({ isDirect });
    const path = "/console/app-AbCd1234.js";
    const plain = await ask(server, path);
    expect([`${plain.body}`, plain.headers["content-encoding"]]).toEqual([SCRIPT, undefined]);
    expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const packed = await ask(server, path, { "accept-encoding": "gzip, br" });
    expect(packed.headers["content-encoding"]).toBe("br");
    expect(`${brotliDecompressSync(packed.body)}`).toBe(SCRIPT);
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
    const gzip = await ask(server, path, { "accept-encoding": "gzip" });
    expect([`${gzip.body}`, gzip.headers["content-encoding"]]).toEqual([SCRIPT, undefined]);
  });

  it("is read by GET and HEAD only", async () => {
    const server = await startWithFiles({ isDirect });
    for (const path of ["/", "/v1/spec", "/console/app-AbCd1234.js"]) {
      const posted = await ask(server, path, {}, "POST");
      expect([posted.statusCode, posted.headers.allow]).toEqual([405, "GET, HEAD"]);
    }
  });
});

describe("which paths have files", () => {
  it("the console is at the root, the reference at /v1/spec, whatever the query", async () => {
    const server = await startWithFiles();
    for (const path of ["/", "/?theme=dark", "/v1/spec", "/v1/spec?x"]) {
      const page = await ask(server, path);
      expect([page.statusCode, `${page.body}`]).toEqual([200, PAGE]);
    }
  });

  it("a browser gets a page where nothing is, which repeats nothing as markup; others get JSON", async () => {
    const server = await startWithFiles();
    const path = "/accounts/%3Cscript%3E/<script>alert(1)</script>";
    const page = await ask(server, path, HTML);
    expect([page.statusCode, page.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
    expect(page.headers["cache-control"]).toBe("no-store");
    expect(`${page.body}`).toContain("&lt;script&gt;");
    expect(`${page.body}`).not.toContain("<script");
    expect(page.headers["content-security-policy"]).not.toContain("unsafe-");
    const json = await ask(server, path);
    expect([json.statusCode, json.headers["content-type"]]).toEqual([404, "application/json"]);
    // Errors of the API are data, for browsers too.
    const wrong = await ask(server, "/v1/accounts/zz/balance/zz", HTML);
    expect([wrong.statusCode, wrong.headers["content-type"]]).toEqual([400, "application/json"]);
  });

  it("no path reaches a file that is not in the list", async () => {
    const server = await startWithFiles();
    const paths = [
      "/console/secret.js",
      "/console/index.html",
      "/reference/index.html",
      "/console/",
      "/console",
      "/console/../web-files.json",
      "/console/..%2fweb-files.json",
      "/console/%2e%2e/web-files.json",
      "/console/app-AbCd1234.js.br",
      "/console/app-AbCd1234.js%00",
      "/console/app-AbCd1234.js/",
      "/console//app-AbCd1234.js",
      "//console/app-AbCd1234.js",
      "/console\\app-AbCd1234.js",
      "/CONSOLE/app-AbCd1234.js",
      "/console/__proto__",
      "/console/constructor",
      "/web-files.json",
      "/reference/../../package.json",
    ];
    for (const path of paths) {
      const answer = await ask(server, path);
      expect([path, answer.statusCode]).toEqual([path, 404]);
      expect(`${answer.body}`).not.toContain(SECRET);
    }
    expect(server.files.loaded).toBe(0);
  });

  it("a file whose size is not the one in the list is a fault, and is not sent", async () => {
    const answer = await ask(await startWithFiles(), "/console/short.js");
    expect(answer.statusCode).toBe(500);
  });
});

describe("what is switched off", () => {
  it("without the console the plain pages are served, and none of its files", async () => {
    const server = await startWithFiles({ console: false });
    for (const path of ["/", "/v1/spec"]) {
      const page = await ask(server, path, HTML);
      expect([page.statusCode, `${page.body}`.includes("<script")]).toEqual([200, false]);
      expect(page.headers["content-security-policy"]).not.toContain("unsafe-");
    }
    for (const path of ["/console/index.html", "/console/app-AbCd1234.js"]) {
      expect((await ask(server, path, HTML)).statusCode).toBe(404);
    }
    expect(server.files.loaded).toBe(0);
  });

  it("without the start page there is no console, but a reference", async () => {
    const server = await startWithFiles({ startPage: false, hasConsole: false });
    expect((await ask(server, "/", HTML)).statusCode).toBe(404);
    expect(`${(await ask(server, "/v1/spec", HTML)).body}`).toBe(PAGE);
  });

  it("where nothing was built, the plain pages are served", async () => {
    const files = new StaticFiles({ folder: pathToFileURL(`${temporaryFolder()}/`) });
    const server = await startServer({ console: true, files });
    const page = await ask(server, "/", HTML);
    expect([page.statusCode, `${page.body}`.includes("/v1/spec.json")]).toEqual([200, true]);
  });
});

it("files are counted under a name of their own", async () => {
  const counted: string[] = [];
  const server = await startWithFiles({
    onRequest: (operation, status) => counted.push(`${operation} ${status}`),
  });
  for (const path of ["/", "/console/app-AbCd1234.js", "/console/nothing.js"]) await ask(server, path);
  expect(counted).toEqual(["static_file 200", "static_file 200", "none 404"]);
});

it("files are in memory only once somebody asked for them, each once", async () => {
  const server = await startWithFiles();
  await ask(server, "/v1");
  await ask(server, "/v1/spec.json");
  await ask(server, "/nowhere", HTML);
  expect(server.files.loaded).toBe(0);
  await Promise.all(Array.from({ length: 5 }, () => ask(server, "/?x", HTML)));
  await ask(server, "/");
  expect(server.files.loaded).toBe(1);
});
