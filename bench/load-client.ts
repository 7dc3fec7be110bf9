// A connection of the load generators. It reads into one buffer and looks at the head of a response alone, so that the
// generator takes little processor time from the server and creates no garbage.
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import type { BenchRequest } from "./requests.ts";

const HEAD_END = "\r\n\r\n";
const GOOD = "HTTP/1.1 200 ";
const READ_BYTES = 65_536;

/** The bytes of a request. */
export function requestBytes({ method, path, headers, body }: BenchRequest, host: string): Buffer {
  const all = {
    Host: host,
    ...headers,
    ...(body === undefined ? {} : { "Content-Length": `${Buffer.byteLength(body)}` }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}${HEAD_END}${body ?? ""}`, "utf8");
}

/** One connection with at most one request in flight. */
export class LoadClient {
  readonly #socket: Socket;
  readonly #buffer = Buffer.alloc(READ_BYTES);
  readonly #onDone: (client: LoadClient, isGood: boolean) => void;
  #expected = 0;
  #received = 0;
  #isGood = false;
  /** When the request in flight was due, for the owner's use. */
  dueMs = 0;

  constructor(url: URL, onDone: (client: LoadClient, isGood: boolean) => void) {
    this.#onDone = onDone;
    this.#socket = createConnection({
      host: url.hostname,
      port: Number(url.port),
      noDelay: true,
      onread: { buffer: this.#buffer, callback: (bytes) => this.#onBytes(bytes) },
    });
    this.#socket.on("end", () => {
      throw new Error("the server ended a connection");
    });
  }

  async connected(): Promise<this> {
    await once(this.#socket, "connect");
    return this;
  }

  send(request: Buffer, dueMs = 0): void {
    this.dueMs = dueMs;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #onBytes(bytes: number): boolean {
    if (this.#received === 0) {
      const head = this.#buffer.indexOf(HEAD_END);
      const isWhole = head >= 0 && head + HEAD_END.length <= bytes;
      if (!isWhole) throw new Error("the head of a response came in parts");
      const text = this.#buffer.toString("latin1", 0, head);
      this.#isGood = text.startsWith(GOOD);
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      if (length === undefined) throw new Error("a response does not tell its length");
      this.#expected = head + HEAD_END.length + Number(length);
    }
    this.#received += bytes;
    if (this.#received < this.#expected) return true;
    this.#received = 0;
    this.#onDone(this, this.#isGood);
    return true;
  }
}
