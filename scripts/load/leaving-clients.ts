// Clients that pipeline streams, histories and reads on one connection, read a part of the answers, and leave.
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { MixRequest } from "./mix.ts";

const CLIENTS = 4;
const MAX_REQUESTS = 12;
/** Longest time that a client stays. */
const MAX_STAY_MS = 400;

export interface LeavingClients {
  /** Clients that came and left. */
  readonly left: number;
  stop(): Promise<void>;
}

function textOf({ method, path, headers, body = "" }: MixRequest, { pathname, host }: URL): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const length = body === "" ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  return `${[`${method} ${pathname}${path} HTTP/1.1`, `host: ${host}`, ...lines, ...length].join("\r\n")}\r\n\r\n${body}`;
}

/** A request of the mix, or one for a stream or a history of the same balance. HEAD moves a connection to node:http. */
function choose(one: MixRequest, random: () => number): MixRequest {
  const [path = ""] = one.path.split("?");
  if (!/\/balance\/[^/]+$/.test(path)) return one;
  const kinds: readonly Partial<MixRequest>[] = [
    one,
    { path: `${path}/stream?after=0` },
    { path: "/blocks/stream?after=0" },
    { path: `${path}/history`, headers: { accept: "text/csv" } },
    { path: `${path}/history`, headers: { accept: "application/x-ndjson" } },
    { headers: { ...one.headers, expect: "100-continue" } },
  ];
  return { ...one, ...kinds[Math.floor(random() * kinds.length)] };
}

/** One connection. The server may close it first: a stream is the last answer of its connection. */
function comeAndLeave(url: URL, requests: readonly string[], stayMs: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    socket.on("error", () => {}).on("close", () => resolve());
    socket.on("data", () => {});
    socket.write(requests.join(""));
    // Half of them do not read.
    if (stayMs % 2 === 0) socket.pause();
    setTimeout(() => (stayMs % 3 === 0 ? socket.resetAndDestroy() : socket.destroy()), stayMs);
  });
}

/** Starts clients that come and leave until they are stopped. */
export function startLeavingClients(
  urls: readonly URL[],
  next: () => MixRequest,
  random: () => number,
): LeavingClients {
  let left = 0;
  let isStopped = false;
  const work = async (): Promise<void> => {
    while (!isStopped) {
      const url = urls[Math.floor(random() * urls.length)]!;
      const count = 2 + Math.floor(random() * MAX_REQUESTS);
      const requests = Array.from({ length: count }, () => textOf(choose(next(), random), url));
      const head = random() < 0.5 ? [`HEAD ${url.pathname}/info HTTP/1.1\r\nhost: ${url.host}\r\n\r\n`] : [];
      await comeAndLeave(url, [...head, ...requests], Math.floor(random() * MAX_STAY_MS));
      left++;
      await sleep(20);
    }
  };
  const working = Promise.all(Array.from({ length: CLIENTS }, work));
  return {
    get left() {
      return left;
    },
    stop: async () => {
      isStopped = true;
      await working;
    },
  };
}
