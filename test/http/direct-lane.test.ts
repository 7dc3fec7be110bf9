// Requests that are served straight from their sockets are answered as node:http would have them answered: the same
// bytes are sent to two servers, one with that lane and one without, and the answers compared.
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRequest } from "../../src/http/transport/request-head.ts";
import {
  anchoredUpTo,
  COIN,
  createHttpLedger,
  LARGE_KEY,
  LATEST,
  TABLE,
  TABLE_KEY,
} from "../support/http-ledger.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { until } from "../support/until.ts";

const ledger = await createHttpLedger(anchoredUpTo(LATEST));
/** Longer than any test: what ends a connection is what was sent, never the time. */
const PATIENT = { headersTimeoutMs: 120_000, requestTimeoutMs: 120_000, keepAliveTimeoutMs: 120_000 };
/** For requests that never become whole, which only the time ends. */
const HASTY = { headersTimeoutMs: 500, requestTimeoutMs: 1000, keepAliveTimeoutMs: 1500 };
type Pair = readonly [direct: TestServer, plain: TestServer];

async function startPair(timeouts: typeof PATIENT): Promise<Pair> {
  return [
    await startServer({ ledger, ...timeouts }),
    await startServer({ ledger, ...timeouts, isDirect: false }),
  ];
}

const patient = await startPair(PATIENT);
const hasty = await startPair(HASTY);

const BALANCE = `/v1/accounts/0xc1/balance/${COIN}`;
const LAST = "GET /v1/-/healthy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

function get(path: string, headers = ""): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
}

function post(body: string, headers = ""): string {
  const length = Buffer.byteLength(body);
  return `POST /v1/tables/${TABLE}/raw_item HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${headers}\r\n${body}`;
}

/**
 * Answers one after the other, each with its headers in alphabetical order and without the time. Whether garbage
 * behind a whole request is answered or just ends the connection depends on when node's parser gets to it.
 */
function normalize(text: string): string[] {
  const answers = text.split(/(?=HTTP\/1\.1 \d{3} )/).map((answer) => {
    const headEnd = answer.indexOf("\r\n\r\n");
    const [status = "", ...headers] = answer.slice(0, headEnd).split("\r\n");
    const kept = headers.filter((line) => !/^(date|x-request-id):/i.test(line)).sort();
    return [status, ...kept, answer.slice(headEnd)].join("\n");
  });
  if (answers.length > 1 && answers.at(-1)?.includes("this is not valid HTTP/1.1") === true) answers.pop();
  return answers;
}

/** Sends the same pieces to both servers of a pair, and compares the answers. */
async function expectSame(pair: Pair, pieces: readonly string[], pauseMs = 0): Promise<void> {
  const bytes = pieces.map((piece) => Buffer.from(piece, "latin1"));
  const options = { waitMs: PATIENT.requestTimeoutMs, pauseMs };
  const [ours, theirs] = await Promise.all(pair.map((server) => sendRaw(server, bytes, options)));
  if (ours === undefined || theirs === undefined) throw new Error("no pair of servers");
  expect(normalize(ours.text)).toEqual(normalize(theirs.text));
  expect(theirs.statuses.length).toBeGreaterThan(0);
}

const ORDINARY: readonly string[] = [
  get(BALANCE),
  get(`${BALANCE}?ledger_version=20`),
  get(BALANCE, "Accept: application/x-bcs\r\n"),
  get(BALANCE, "Origin: https://example.org\r\nX-Request-Id: abc\r\n"),
  get("/v1/info", "Accept-Encoding: gzip\r\nConnection: Keep-Alive\r\n"),
  get("/v1/nothing"),
  get("/v1/spec.json", "Accept-Encoding: identity\r\n"),
  get(`${BALANCE}?ledger_version=99`),
  get(`${BALANCE}/history`, "Accept: text/csv\r\n"),
  get(`${BALANCE}/history`, "Accept: application/x-ndjson\r\nOrigin: https://example.org\r\n"),
  post(JSON.stringify({ key: TABLE_KEY })),
  post(JSON.stringify({ key: LARGE_KEY }), "Accept: application/x-bcs\r\n"),
  post("{"),
  post(""),
];

const UNUSUAL: readonly string[] = [
  `HEAD ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET ${BALANCE} HTTP/1.0\r\n\r\n`,
  `GET http://x${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET ${BALANCE} HTTP/1.1\r\n\r\n`,
  `GET ${BALANCE} HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n`,
  get(BALANCE, "Accept: text/html\r\nAccept: application/x-bcs\r\n"),
  get(BALANCE, "Accept : application/x-bcs\r\n"),
  get(BALANCE, "Accept: application/x-bcs\r\n folded\r\n"),
  get(BALANCE, "Content-Length: 0\r\n"),
  `${get(BALANCE, "Content-Length: 3\r\n")}abc`,
  get(BALANCE, "Transfer-Encoding: chunked\r\n"),
  get(BALANCE, "Connection: close\r\n"),
  get(BALANCE, "X: a\x00b\r\n"),
  get(BALANCE, "X: caf\xe9\r\n"),
  get(BALANCE, "X\xe9: a\r\n"),
  get(BALANCE, ": a\r\n"),
  get(`${BALANCE}\xe9`),
  get(`${BALANCE}#a`),
  `GET ${BALANCE} HTTP/1.1\nHost: x\n\n`,
  `\r\nGET ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `OPTIONS ${BALANCE} HTTP/1.1\r\nHost: x\r\nOrigin: https://a.b\r\nAccess-Control-Request-Method: GET\r\n\r\n`,
  post("{}", "Expect: 100-continue\r\n"),
  post("{}", "Content-Encoding: gzip\r\n"),
  post("{}", "Content-Length: 2\r\n"),
  `POST /v1/tables/${TABLE}/raw_item HTTP/1.1\r\nHost: x\r\n\r\n`,
  `POST /v1/tables/${TABLE}/raw_item HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\n{}`,
  post(" ".repeat(70_000)),
  "BREW / HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET\r\n\r\n",
  "\r\n\r\n",
];

describe("requests in flight", () => {
  it("keep their own bytes while other connections send", async () => {
    const answers: (() => void)[] = [];
    const server = await startServer({
      ledger,
      encoder: (body) => new Promise((resolve) => answers.push(() => resolve(body))),
    });
    const path =
      "POST /v1/transactions/encode_submission HTTP/1.1\r\nHost: x\r\nContent-Type: application/json";
    const bodies = Array.from({ length: 8 }, (_, i) => `{"sender":"${`${i}`.repeat(40)}"}`);
    const received = await Promise.all(
      bodies.map(async (body) => {
        const socket = connect(server.port, server.host);
        // Nothing behind it, so that it comes in one piece.
        socket.write(`${path}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
        await until(() => answers.length === bodies.length);
        for (const answer of answers) answer();
        socket.write(LAST);
        return text(socket);
      }),
    );
    for (const [i, body] of bodies.entries()) {
      expect(received[i]).toContain(`"0x${Buffer.from(body).toString("hex")}"`);
    }
  });
});

describe("the same bytes, by both ways", () => {
  it.each([...ORDINARY, ...UNUSUAL].map((text) => [text.slice(0, 60), text]))("%j", async (_, text) => {
    await expectSame(patient, [text + LAST]);
  });

  it("one after the other on one connection, ordinary and not", async () => {
    await expectSame(patient, [
      [...ORDINARY, `HEAD ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`, ...ORDINARY].join(""),
      LAST,
    ]);
  });

  it("in pieces", async () => {
    const text = ORDINARY.join("") + LAST;
    const cuts = [1, 3, 4, 60, 100, 101, 500, 900, text.length];
    const pieces = cuts.map((cut, i) => text.slice(cuts[i - 1] ?? 0, cut));
    await expectSame(patient, pieces, 30);
  });

  it("a request that never becomes whole is given up by both", async () => {
    const partial = ["", "GE", get(BALANCE).slice(0, -1), post("{}").slice(0, -1)];
    const cases = partial.flatMap((text) => [[get(BALANCE) + text], [text]]);
    await Promise.all(cases.map((pieces) => expectSame(hasty, pieces)));
  });

  it("what follows an upgrade that is not taken is not read, by both", async () => {
    await expectSame(hasty, [get(BALANCE, "Upgrade: websocket\r\nConnection: upgrade\r\n") + LAST]);
  });

  it("broken off by the client", async () => {
    const options = { end: true, waitMs: PATIENT.requestTimeoutMs };
    for (const text of ["GE", get(BALANCE).slice(0, -1), post("{}").slice(0, -1)]) {
      const [ours, theirs] = await Promise.all(patient.map((server) => sendRaw(server, [text], options)));
      expect(ours?.statuses).toEqual(theirs?.statuses);
    }
  });

  it("with any bytes changed, left out or put in", async () => {
    const byte = fc.oneof(
      fc.constantFrom(..."\r\n\t :,\x00\x7f\x80/G0"),
      fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    );
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat({ max: 3 }),
      put: byte,
    });
    const text = fc
      .tuple(fc.constantFrom(...ORDINARY), fc.array(edit, { minLength: 1, maxLength: 3 }))
      .map(([base, edits]) => {
        let edited = base;
        for (const { at, cut, put } of edits) {
          const place = Math.floor(at * edited.length);
          edited = edited.slice(0, place) + put + edited.slice(place + cut);
        }
        return edited;
      });
    const cases = fc.sample(text, { numRuns: 300, seed: 1 });
    for (let i = 0; i < cases.length; i += 50) {
      await Promise.all(cases.slice(i, i + 50).map((one) => expectSame(patient, [one, LAST])));
    }
  });
});

describe("reading a request", () => {
  it("never reads past the bytes it has, wherever they end", () => {
    const whole = Buffer.from(post(JSON.stringify({ key: TABLE_KEY })), "latin1");
    for (let end = 0; end < whole.length; end++) {
      expect(readRequest(whole.subarray(0, end), undefined)).toBe("partial");
    }
    expect(readRequest(whole, undefined)).toMatchObject({ method: "POST", end: whole.length });
  });

  it("takes known header lines only when they are the same to the byte", () => {
    const first = readRequest(Buffer.from(get("/a", "Accept: application/x-bcs\r\n")), undefined);
    if (typeof first === "string") throw new Error(first);
    const same = readRequest(Buffer.from(get("/b", "Accept: application/x-bcs\r\n")), first.block);
    const other = readRequest(Buffer.from(get("/b", "Accept: application/json\r\n")), first.block);
    expect(same).toMatchObject({ target: "/b", block: first.block });
    expect(other).toMatchObject({ block: { headers: { accept: "application/json" } } });
  });

  it("leaves to node what is too long", () => {
    const long = get(`/${"a".repeat(20_000)}`);
    expect(readRequest(Buffer.from(long), undefined)).toBe("other");
    expect(readRequest(Buffer.from(long.slice(0, 17_000)), undefined)).toBe("other");
    expect(readRequest(Buffer.from(post(" ".repeat(16_385))), undefined)).toBe("other");
  });
});
