// A bundle that `sextant prove` wrote is checked without a node: by the program, by `sextant/verify` in Node and in a
// real browser, under a policy that allows the page its own scripts and nothing else.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createNode, type Node } from "../../src/node.ts";
import { hasChromium, openVisit } from "../support/chromium.ts";
import { ROOT } from "../support/documentation.ts";
import { runProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const VERIFY = join(ROOT, "dist/verify.js");
const MAX_COMPRESSED_BYTES = 60_000;

type Verify = typeof import("../../src/verify.ts");

let node: Node;
let waypoint: string;
let files: Readonly<Record<"json" | "bcs", Uint8Array>>;
let module: Verify;

/** Each file, and copies of it with one bit changed. */
let proofs: readonly Uint8Array[];
let inNode: readonly string[];

/** Answers of a checker: what is proven, or why not. */
function ask(check: () => ReturnType<Verify["verifyProof"]>): string {
  try {
    const { claim, ledgerVersion } = check();
    if (claim.kind !== "balances") return "another claim";
    return `${claim.accounts[0]?.balances[0]?.balance} at ${ledgerVersion}`;
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

/** A copy with one bit changed. */
function changed(bytes: Uint8Array, at: number): Uint8Array {
  const copy = new Uint8Array(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

/** Some places all over a file. */
function places(bytes: Uint8Array, count: number): number[] {
  return Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * bytes.length) / count));
}

beforeAll(async () => {
  const folder = temporaryFolder();
  node = await createNode({ localChain: { seed: "sextant", epochTimeMs: 5000 }, http: { port: 0 } });
  for (let block = 0; block < 12; block++) await node.produceBlock();
  const { url = "" } = node;
  const info = (await (await fetch(`${url}/info`)).json()) as Record<string, string>;
  waypoint = info.genesis_waypoint ?? "";
  const prove = async (name: string, ...more: string[]): Promise<Uint8Array> => {
    const out = join(folder, name);
    const asked = ["prove", "anna", "APT", "--url", url, "--from-waypoint", waypoint, "--out", out];
    const run = await runProgram([...asked, ...more]);
    expect(run.stderr).toMatch(/^(note: [^\n]*\n)*$/);
    expect(run.code).toBe(0);
    const checked = await runProgram(["verify-proof", out, "--waypoint", waypoint]);
    expect(checked.stdout).toMatch(/^verdict +proven\n/);
    expect(checked.code).toBe(0);
    return readFileSync(out);
  };
  files = { json: await prove("proof.json"), bcs: await prove("proof.bcs", "--bcs") };
  module = (await import(VERIFY)) as Verify;
  proofs = Object.values(files).flatMap((bytes) => [
    bytes,
    ...places(bytes, 7).map((at) => changed(bytes, at)),
  ]);
  inNode = proofs.map((bytes) => ask(() => module.verifyProof(bytes, waypoint)));
});

afterAll(() => node.close());

it("the export for browsers is small, whole, and free of Node", () => {
  const code = readFileSync(VERIFY);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(MAX_COMPRESSED_BYTES);
  const text = code.toString();
  expect(text).not.toMatch(
    /\bfrom\s*["']|\bimport\s*\(|\brequire\(|node:|WebAssembly|\bnew Function\b|\beval\(/,
  );
});

it("sextant/verify checks both forms in Node, and refuses any changed byte with a reason", () => {
  const isChanged = (i: number): boolean => i % (proofs.length / 2) > 0;
  for (const [i, answer] of inNode.entries())
    expect(answer).toMatch(isChanged(i) ? /^refused: \S.{10,}/ : /^\d+ at \d+$/);
  expect(ask(() => module.verifyProof(files.json, `0:${"0".repeat(64)}`))).toMatch(
    /^refused: the proof begins at 0:[0-9a-f]{64}, not at the waypoint 0:0{64}$/,
  );
  const parsed = JSON.parse(Buffer.from(files.json).toString()) as Uint8Array;
  expect(ask(() => module.verifyProof(parsed, waypoint))).toMatch(/^refused: .* its text or its bytes$/);
});

it("the program refuses a changed byte with one line and exit code 1", async () => {
  const path = join(temporaryFolder(), "changed.json");
  const { writeFileSync } = await import("node:fs");
  const text = Buffer.from(files.json).toString();
  writeFileSync(
    path,
    text.replace(/"balance":"(\d)/, (_, digit) => `"balance":"${(Number(digit) % 9) + 1}`),
  );
  const run = await runProgram(["verify-proof", path, "--waypoint", waypoint]);
  expect(run.code).toBe(1);
  expect(run.stdout).toBe("");
  expect(run.stderr).toMatch(/proves nothing: the balance of 0x\w+ in \S+ is proven to be \d+, not \d+\n$/);
  const unnamed = await runProgram(["verify-proof", path]);
  expect(unnamed.code).toBe(2);
});

describe.skipIf(!hasChromium)("in a browser", () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    const pages: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
      "/": [
        "text/html",
        '<!doctype html><title>proofs</title><script type="module" src="/main.js"></script>',
      ],
      "/main.js": [
        "text/javascript",
        'import { verifyProof } from "/verify.js"; globalThis.verifyProof = verifyProof;',
      ],
      "/verify.js": ["text/javascript", readFileSync(VERIFY)],
    };
    server = createServer((request, response) => {
      const [type, body] = pages[request.url ?? ""] ?? ["text/plain", ""];
      response.writeHead(200, {
        "content-type": type,
        "content-security-policy": "default-src 'none'; script-src 'self'",
      });
      response.end(body);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => server.close());

  it("it checks both forms and refuses changed bytes as it does in Node", async () => {
    const { page, faults, close } = await openVisit(url);
    await page.goto("/");
    await page.waitForFunction("globalThis.verifyProof !== undefined");
    const given = { proofs: proofs.map((bytes) => [...bytes]), waypoint };
    const answers = await page.evaluate(({ proofs: lists, waypoint: start }) => {
      const { verifyProof } = globalThis as unknown as Verify;
      return lists.map((list) => {
        try {
          const { claim, ledgerVersion } = verifyProof(new Uint8Array(list), start);
          if (claim.kind !== "balances") return "another claim";
          return `${claim.accounts[0]?.balances[0]?.balance} at ${ledgerVersion}`;
        } catch (error) {
          return `refused: ${(error as Error).message}`;
        }
      });
    }, given);
    expect(answers).toEqual(inNode);
    expect(faults).toEqual([]);
    await close();
  });

  it("the example page shows a balance that it checked, and the reason against a lie", async () => {
    let isLying = false;
    const example = createServer(async (request, response) => {
      if (request.url === "/") response.end(readFileSync(join(ROOT, "examples/verified-balance.html")));
      else if (request.url === "/verify.js") {
        response.writeHead(200, { "content-type": "text/javascript" }).end(readFileSync(VERIFY));
      } else {
        const { accept = "" } = request.headers;
        const answer = await fetch(`${new URL(node.url ?? "").origin}${request.url}`, {
          headers: { accept },
        });
        const body = new Uint8Array(await answer.arrayBuffer());
        response.writeHead(answer.status).end(isLying ? changed(body, body.length >> 1) : body);
      }
    });
    example.listen(0, "127.0.0.1");
    await once(example, "listening");
    onTestFinished(() => void example.close());
    const origin = `http://127.0.0.1:${(example.address() as AddressInfo).port}`;
    const { page, close } = await openVisit(`${origin}/`);
    onTestFinished(close);
    await page.goto("/");
    const { address = "" } = node.guide()?.accounts[0] ?? {};
    await page.fill("[name=node]", `${origin}/v1`);
    await page.fill("[name=waypoint]", waypoint);
    await page.fill("[name=address]", address);
    // The chain of this test stands at its first minutes.
    await page.evaluate(
      (now) => {
        Date.now = () => now;
      },
      Number((await node.ledgerInfo()).ledger_timestamp / 1000n),
    );
    await page.click("button");
    const balance = await node.balance(address, "0x1::aptos_coin::AptosCoin");
    await page.getByText(`${balance}, proven at version `).waitFor();
    isLying = true;
    await page.click("button");
    await page.getByText(`Refused: GET ${origin}/v1/accounts/`).waitFor();
  });
});
