import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as tlsConnect } from "node:tls";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/base/errors.ts";
import type { LogFields } from "../../src/base/log.ts";
import { createCertificate, hasOpenssl } from "../support/certificate.ts";
import { COIN } from "../support/http-ledger.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const BALANCE = `/v1/accounts/0xc1/balance/${COIN}`;
const CHECK_MS = 50;

interface Seen {
  readonly status: number;
  readonly body: string;
  readonly subject: string;
}

/** Asks over a new connection, trusting the given certificate only. */
function ask(server: TestServer, certFile: string): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ ca: readFileSync(certFile), keepAlive: false });
    const request = httpsRequest({ host: "127.0.0.1", port: server.port, path: BALANCE, agent });
    request.on("error", reject);
    request.on("response", (response) => {
      const subject = "getPeerCertificate" in response.socket ? commonName(response.socket) : "";
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body, subject }));
    });
    request.end();
  });
}

function commonName(socket: unknown): string {
  return (socket as { getPeerCertificate(): { subject: { CN: string } } }).getPeerCertificate().subject.CN;
}

describe.skipIf(!hasOpenssl)("TLS (needs openssl)", () => {
  it("serves the same answers, and loads a renewed certificate without dropping anybody", async () => {
    const files = createCertificate(temporaryFolder(), "first");
    const logged: string[] = [];
    const log = (_: LogFields, message: string): void => {
      logged.push(message);
    };
    const server = await startServer({
      tls: { ...files, checkMs: CHECK_MS },
      logger: { debug: log, info: log, warn: log, error: log },
    });
    expect(await ask(server, files.certFile)).toEqual({ status: 200, body: "200000000", subject: "first" });

    const kept = tlsConnect({ port: server.port, host: "127.0.0.1", ca: readFileSync(files.certFile) });
    await new Promise((resolve) => kept.once("secureConnect", resolve));
    // File times have a limited resolution on some systems.
    await sleep(20);
    createCertificate(files.certFile.slice(0, -"/cert.pem".length), "second");
    await until(() => logged.includes("certificate loaded again"));
    expect(await ask(server, files.certFile)).toMatchObject({ status: 200, subject: "second" });
    const answer = new Promise<string>((resolve) => kept.once("data", (chunk) => resolve(`${chunk}`)));
    kept.write(`GET ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(await answer).toContain("200 OK");
    kept.destroy();
  });

  it("keeps the old pair while the new one cannot be used", async () => {
    const files = createCertificate(temporaryFolder(), "good");
    const before = readFileSync(files.certFile, "utf8");
    const logged: string[] = [];
    const server = await startServer({
      tls: { ...files, checkMs: CHECK_MS },
      logger: { debug: () => {}, info: () => {}, warn: (_, text) => logged.push(text), error: () => {} },
    });
    const copy = `${files.certFile}.before`;
    writeFileSync(copy, before);
    await sleep(20);
    writeFileSync(files.certFile, "not a certificate");
    await until(() => logged.length > 0);
    expect(logged[0]).toContain("the old one stays");
    expect(await ask(server, copy)).toMatchObject({ status: 200, subject: "good" });
  });

  it("refuses to start with files that are missing or do not belong together", async () => {
    const [one, other] = [
      createCertificate(temporaryFolder(), "a"),
      createCertificate(temporaryFolder(), "b"),
    ];
    const mixed = { certFile: one.certFile, keyFile: other.keyFile };
    await expect(startServer({ tls: mixed })).rejects.toThrow(ConfigError);
    await expect(startServer({ tls: { ...one, keyFile: `${one.keyFile}.no` } })).rejects.toThrow(
      /cannot read/,
    );
  });

  it("a handshake that does not come, old protocols and plain HTTP get nowhere", async () => {
    const files = createCertificate(temporaryFolder(), "strict");
    const server = await startServer({ tls: files, headersTimeoutMs: 500 });
    // Waits for ever where it is not closed.
    const closed = (text: string | undefined): Promise<true> =>
      new Promise((resolve) => {
        const socket = connect(server.port, "127.0.0.1", () => {
          if (text !== undefined) socket.write(text);
        });
        socket.on("error", () => {});
        socket.resume();
        socket.on("close", () => resolve(true));
      });
    expect(await closed(undefined)).toBe(true);
    expect(await closed("GET / HTTP/1.1\r\nHost: x\r\n\r\n")).toBe(true);
    const old = tlsConnect({
      port: server.port,
      host: "127.0.0.1",
      rejectUnauthorized: false,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    await expect(
      new Promise((resolve, reject) => old.once("secureConnect", resolve).once("error", reject)),
    ).rejects.toThrow();
    expect((await ask(server, files.certFile)).status).toBe(200);
  });
});
