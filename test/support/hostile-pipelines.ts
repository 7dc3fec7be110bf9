// Pipelines of clients that leave: several requests at once on one connection, which ends before, between or after their
// answers.
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import fc from "fast-check";
import { COIN, TABLE, TABLE_KEY } from "./http-ledger.ts";

interface PipelinedRequest {
  readonly method: string;
  readonly target: string;
  readonly lines: readonly string[];
  readonly body: string;
}

function request(method: string, target: string, lines: readonly string[] = [], body = ""): PipelinedRequest {
  return { method, target, lines, body };
}

const BALANCE = `/v1/accounts/0xc1/balance/${COIN}`;
const KEY = JSON.stringify({ key: TABLE_KEY });
const JSON_BODY = "Content-Type: application/json";

const WATCH = JSON.stringify({ accounts: ["0xc1"], assets: [COIN] });

/** Those that last come more often: streams, histories, waits. */
const one = fc.constantFrom(
  request("GET", "/v1/blocks/stream"),
  request("GET", "/v1/blocks/stream?after=0"),
  request("GET", "/v1/transactions/stream?start=0"),
  request("GET", "/v1/events/stream?start=0&success=true"),
  request("GET", "/v1/transactions/stream?start=0&end=1", ["Accept: text/csv"]),
  request("POST", "/v1/watch?start=0", [JSON_BODY], WATCH),
  request("GET", `${BALANCE}/stream?after=0`),
  request("GET", `${BALANCE}/history`, ["Accept: text/csv"]),
  request("GET", `${BALANCE}/history`, ["Accept: application/x-ndjson"]),
  request("GET", `${BALANCE}?min_ledger_version=1000000&wait_ms=200`),
  request("GET", BALANCE),
  request("GET", `${BALANCE}?min_ledger_version=1`, ["Accept: application/x-bcs"]),
  request("GET", "/v1/info"),
  request("GET", "/v1/spec.json"),
  request("HEAD", "/v1/info"),
  request("HEAD", `${BALANCE}/history`, ["Accept: text/csv"]),
  request("GET", "/v1/nothing"),
  request("POST", `/v1/tables/${TABLE}/raw_item`, [JSON_BODY], KEY),
  request(
    "POST",
    `/v1/tables/${TABLE}/raw_item`,
    [JSON_BODY, "Accept: application/x-bcs", "Expect: 100-continue"],
    KEY,
  ),
  request("POST", "/v1/transactions/encode_submission", [JSON_BODY, "Expect: 100-continue"], "{}"),
  request("GET", "/v1/info", ["Connection: close"]),
  request("GET", "/v1/info", ["Upgrade: websocket", "Connection: upgrade"]),
  request("CONNECT", "x:1"),
);

/** When the client leaves. */
const LEAVINGS = ["once sent", "at the first byte", "by a reset", "half", "when all is read"] as const;

export const hostilePipeline = fc.record({
  requests: fc.array(one, { minLength: 2, maxLength: 12 }),
  leaving: fc.constantFrom(...LEAVINGS),
});
export type HostilePipeline = typeof hostilePipeline extends fc.Arbitrary<infer T> ? T : never;

export interface PipelineTarget {
  readonly host: string;
  readonly port: number;
  readonly isSecure?: boolean;
}

function textOf({ method, target, lines, body }: PipelinedRequest): string {
  const length = body === "" ? [] : [`Content-Length: ${body.length}`];
  return `${[`${method} ${target} HTTP/1.1`, "Host: x", ...lines, ...length].join("\r\n")}\r\n\r\n${body}`;
}

/** A stream, and whatever comes behind it, has no end. */
function isEndless({ method, target }: PipelinedRequest): boolean {
  return method === "GET" && target.includes("/stream");
}

/** Sends a pipeline and resolves when its connection is closed. Rejects if answers are not where they belong. */
export function sendPipeline(target: PipelineTarget, { requests, leaving }: HostilePipeline): Promise<void> {
  return new Promise((resolve, reject) => {
    const { host, port, isSecure } = target;
    const socket: Socket =
      isSecure === true ? connectTls({ host, port, rejectUnauthorized: false }) : connect(port, host);
    const chunks: Buffer[] = [];
    const waitsForAll = leaving === "when all is read" && !requests.some(isEndless);
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (leaving === "at the first byte") socket.destroy();
      if (leaving === "when all is read" && !waitsForAll) socket.destroy();
    });
    socket.on("close", () => {
      try {
        assertInOrder(Buffer.concat(chunks).toString("latin1"), requests, waitsForAll);
        resolve();
      } catch (error) {
        reject(error);
      }
    });
    const last = textOf(request("GET", "/v1/info", ["Connection: close"]));
    socket.write(requests.map(textOf).join("") + last, () => {
      if (leaving === "once sent") socket.destroy();
      if (leaving === "half") socket.end();
      if (leaving === "by a reset") isSecure === true ? socket.destroy() : socket.resetAndDestroy();
    });
  });
}

/** Throws unless the bytes are answers, one behind the other, to the requests; the last may be cut unless `isWhole`. */
function assertInOrder(text: string, requests: readonly PipelinedRequest[], isWhole: boolean): void {
  let at = 0;
  for (let i = 0; at < text.length; ) {
    const end = text.indexOf("\r\n\r\n", at);
    if (end < 0 && !isWhole) return;
    const head = text.slice(at, end + 2);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    const asked = requests[i];
    const about = `${requests.map(({ method, target }) => `${method} ${target}`).join(", ")}: answer ${i}`;
    if (end < 0 || Number.isNaN(status)) throw new Error(`${about} begins with ${text.slice(at, at + 40)}`);
    at = end + 4;
    if (status === 100) continue;
    if (status >= 500 && status !== 503) throw new Error(`${about} is ${status}`);
    i++;
    if (asked?.method === "HEAD") continue;
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
    if (length !== undefined) at += Number(length);
    else if (/\r\ntransfer-encoding: chunked\r\n/i.test(head)) {
      const last = text.indexOf("\r\n0\r\n\r\n", at - 2);
      at = last < 0 ? text.length : last + 7;
      if (last < 0 && isWhole) throw new Error(`${about} has no end`);
    } else return;
    if (at > text.length && isWhole) throw new Error(`${about} is too short`);
  }
}
