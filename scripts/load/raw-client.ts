// One connection that sends requests one at a time and reads only the necessary part of a response, so that the
// client is cheaper than the server it floods.
import { connect, type Socket } from "node:net";
import type { MixRequest } from "./mix.ts";

/** Called with the status, or with an error message. */
type Done = (outcome: number | string, ms: number, hasRetryAfter: boolean) => void;

const CONCURRENT_CONNECTS = 50;

/** A connection that reconnects when the server closes it. */
export class RawClient {
  /** Called whenever the connection is free again. */
  onFree: () => void = () => {};
  readonly #url: URL;
  #socket: Socket | undefined;
  #done: Done | undefined;
  #sentMs = 0;
  #text = "";
  #closed = false;

  private constructor(url: URL) {
    this.#url = url;
  }

  /** Opens connections, a few at a time. */
  static async open(url: URL, count: number): Promise<RawClient[]> {
    const clients = Array.from({ length: count }, () => new RawClient(url));
    const queue = clients.values();
    const work = async (): Promise<void> => {
      for (const client of queue) await client.#connect();
    };
    await Promise.all(Array.from({ length: CONCURRENT_CONNECTS }, work));
    return clients;
  }

  get isFree(): boolean {
    return this.#done === undefined;
  }

  send(request: MixRequest, done: Done): void {
    this.#done = done;
    this.#sentMs = performance.now();
    this.#text = "";
    const { method, path, headers, body } = request;
    const length = body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`];
    const lines = [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), ...length];
    const head = [`${method} ${this.#url.pathname}${path} HTTP/1.1`, `host: ${this.#url.host}`, ...lines];
    const text = `${head.join("\r\n")}\r\n\r\n${body ?? ""}`;
    if (this.#socket === undefined) this.#connect().then(() => this.#socket?.write(text));
    else this.#socket.write(text);
  }

  close(): void {
    this.#closed = true;
    this.#socket?.destroy();
  }

  #connect(): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true });
      let reason = "connection closed";
      socket.once("connect", () => {
        this.#socket = socket;
        resolve();
      });
      socket.on("data", (chunk) => this.#read(chunk));
      socket.on("error", (error) => {
        reason = error.message;
      });
      socket.on("close", () => {
        this.#socket = undefined;
        resolve();
        if (!this.#closed) this.#settle(reason, false);
      });
    });
  }

  #read(chunk: Buffer): void {
    this.#text += chunk.toString("latin1");
    const end = this.#text.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = this.#text.slice(0, end + 2);
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head);
    if (this.#text.length < end + 4 + Number(length?.[1] ?? 0)) return;
    this.#settle(Number(head.slice(9, 12)), /\r\nretry-after: /i.test(head));
  }

  #settle(outcome: number | string, hasRetryAfter: boolean): void {
    const done = this.#done;
    if (done === undefined) return;
    this.#done = undefined;
    done(outcome, performance.now() - this.#sentMs, hasRetryAfter);
    this.onFree();
  }
}
