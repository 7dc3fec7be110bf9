// One connection with pipelined requests and responses in order, for tests with a hundred thousand requests.
import { connect, type Socket } from "node:net";

/** One response. */
export interface PipelinedAnswer {
  readonly status: number;
  /** Value of a header by its lowercase name. */
  readonly header: (name: string) => string | null;
  readonly body: Buffer;
}

interface Waiting {
  readonly resolve: (answer: PipelinedAnswer) => void;
  readonly reject: (error: Error) => void;
}

const HEAD_END = "\r\n\r\n";

/** A keep-alive connection to a server that sends Content-Length. */
export class Pipeline {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  #unread: Buffer = Buffer.alloc(0);

  constructor(url: URL) {
    this.#socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    this.#socket.on("data", (chunk) => this.#take(chunk));
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("close", () => this.#fail(new Error("the connection was closed")));
  }

  /** Sends one request, given as its text or bytes. */
  send(request: string | Uint8Array): Promise<PipelinedAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #take(chunk: Buffer): void {
    this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    for (;;) {
      const headEnd = this.#unread.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const head = `${this.#unread.toString("latin1", 0, headEnd).toLowerCase()}\r\n`;
      const header = (name: string): string | null => {
        const at = head.indexOf(`\r\n${name}: `);
        return at < 0 ? null : head.slice(at + name.length + 4, head.indexOf("\r\n", at + 2));
      };
      const length = header("content-length");
      if (length === null) {
        this.#fail(new Error(`an answer without a length: ${head}`));
        return;
      }
      const end = headEnd + HEAD_END.length + Number(length);
      if (this.#unread.length < end) return;
      const body = this.#unread.subarray(headEnd + HEAD_END.length, end);
      this.#unread = this.#unread.subarray(end);
      this.#waiting.shift()?.resolve({ status: Number(head.slice(9, 12)), header, body });
    }
  }
}
