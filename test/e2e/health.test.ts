// `sextant health`: it asks the node that `sextant start` would run with the same options, environment and file.
import { writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCertificate, hasOpenssl } from "../support/certificate.ts";
import { runCommand } from "../support/command.ts";
import { type Running, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder();
const OK = { code: 0, stdout: "sextant:ok\n", stderr: "" };

/** Asks with patience for a busy machine. */
const health = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand(["health", "--timeout", "60s", ...args], environment);

function portOf(url: string): string {
  return new URL(url).port;
}

describe("sextant health", () => {
  let node: Running;
  beforeAll(async () => {
    node = await startProgram(["--store", "memory", "--host", "0.0.0.0", "--max-lag", "500h"]);
  });
  afterAll(() => node.stop());

  it("finds the node by flag, environment and configuration file", async () => {
    const port = portOf(node.url);
    expect(await health(["--port", port])).toMatchObject(OK);
    expect(await health([], { SEXTANT_PORT: port, SEXTANT_HOST: "0.0.0.0" })).toMatchObject(OK);
    const file = join(folder, "node.yaml");
    writeFileSync(file, `port: ${port}\nprune-window: 30d\nheader-brand: [NODE, APTOS]\n`);
    expect(await health(["--config", file])).toMatchObject(OK);
    expect(await health([], { SEXTANT_CONFIG: file })).toMatchObject(OK);
  });

  it("asks for readiness with --ready", async () => {
    const asked = await health(["--ready", "--port", portOf(node.url)]);
    expect(asked).toMatchObject({ code: 0, stdout: "sextant:ready\n" });
  });

  it("refuses a key that neither it nor start has, and port 0", async () => {
    const file = join(folder, "typo.yaml");
    writeFileSync(file, "prune-windw: 30d\n");
    const typo = await health(["--config", file]);
    expect(typo).toMatchObject({ code: 2, stdout: "" });
    expect(typo.stderr).toContain("prune-window");
    expect(await health(["--port", "0"])).toMatchObject({ code: 2, stdout: "" });
  });

  it.skipIf(!hasOpenssl)("asks a node with a certificate over TLS", async () => {
    const { certFile, keyFile } = createCertificate(folder, "health");
    const secure = await startProgram(["--store", "memory", "--tls-cert", certFile, "--tls-key", keyFile]);
    const port = portOf(secure.url);
    const environment = { SEXTANT_TLS_CERT: certFile, SEXTANT_TLS_KEY: keyFile, SEXTANT_PORT: port };
    expect(await health([], environment)).toMatchObject(OK);
    expect(await health(["--port", port])).toMatchObject({ code: 1, stdout: "" });
    await secure.stop();
    expect(await health([], environment)).toMatchObject({ code: 1, stdout: "" });
  });

  it.each<[name: string, listener: RequestListener, expected: RegExp]>([
    [
      "a node that is not healthy",
      (_, response) => response.writeHead(503).end('{"message":"the ledger is too old"}'),
      /responded with 503: the ledger is too old/,
    ],
    ["another server", (_, response) => response.end("hello"), /200: not a response of Sextant/],
    ["a node that does not respond", () => {}, /no response within 100 ms/],
    [
      "a response without an end",
      (_, response) => response.writeHead(200).write("x".repeat(70_000)),
      /the response has more than 65536 bytes/,
    ],
  ])("ends with 1 for %s", async (_, listener, expected) => {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const timeout = expected.source.includes("100 ms") ? "100ms" : "60s";
    const asked = await runCommand(["health", "--port", `${port}`, "--timeout", timeout]);
    expect(asked).toMatchObject({ code: 1, stdout: "" });
    expect(asked.stderr).toMatch(expected);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
