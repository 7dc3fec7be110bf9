// Clients that close their side after their last request, as `nc -N` and many scripts do, get every answer they asked
// for, and then the end of the connection.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as tlsConnect } from "node:tls";
import { describe, expect, it } from "vitest";
import { createCertificate, hasOpenssl } from "../support/certificate.ts";
import { COIN, TABLE, TABLE_KEY } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const BALANCE = `/v1/accounts/0xc1/balance/${COIN}`;
const KEY = JSON.stringify({ key: TABLE_KEY });

function get(path: string, headers = ""): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
}

const INFO = get("/v1/info");
const ITEM = `POST /v1/tables/${TABLE}/raw_item HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${KEY.length}\r\n\r\n${KEY}`;

/** An answer that is made long after the client closed its side. */
async function lateInfo(): Promise<Record<string, string>> {
  await sleep(100);
  return { chain_id: "44" };
}

describe.each([true, false])("a client that closes its side after asking (direct: %s)", (isDirect) => {
  it.each([
    ["one whose answer takes time", INFO, [200]],
    ["one that is compressed", get("/v1/spec.json", "Accept-Encoding: gzip\r\n"), [200]],
    ["several, in order", INFO + get(BALANCE) + INFO + ITEM + get("/v1/nothing"), [200, 200, 200, 200, 404]],
    ["unusual ones among them", INFO + INFO.replace("GET", "HEAD") + INFO, [200, 200, 200]],
    ["many", INFO.repeat(20), Array.from({ length: 20 }, () => 200)],
    ["one and the beginning of another", INFO + INFO.slice(0, 30), [200, 400]],
    ["one and the beginning of a body", INFO + ITEM.slice(0, -3), [200, 400]],
  ])("%s: gets all answers and then the end", async (_, text, expected) => {
    const server = await startServer({ isDirect, nodeInfo: lateInfo });
    const { statuses } = await sendRaw(server, [text], { end: true });
    // Node's own reader just ends a connection whose last request breaks off behind others.
    const whole = isDirect ? expected : expected.filter((status) => status !== 400);
    expect(statuses).toEqual(whole);
    await until(() => server.figures().connections === 0);
  });
});

describe.skipIf(!hasOpenssl)("over TLS (needs openssl)", () => {
  it.each([true, false])(
    "a client that closes its side gets its answer too (direct: %s)",
    async (isDirect) => {
      const files = createCertificate(temporaryFolder(), "half");
      const server = await startServer({ isDirect, nodeInfo: lateInfo, tls: files });
      const socket = tlsConnect({ port: server.port, host: "127.0.0.1", ca: readFileSync(files.certFile) });
      let text = "";
      socket.setEncoding("latin1").on("data", (chunk: string) => {
        text += chunk;
      });
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.once("secureConnect", () => socket.end(INFO));
      await closed;
      expect(text).toContain("HTTP/1.1 200 OK");
    },
  );
});
