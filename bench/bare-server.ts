// A bare node:http server in a process of its own: answers every request with the bytes and headers it was told,
// after reading the request's body where there is one, as any server that answers a question must. Talks to the
// benchmark over IPC and counts its own processor time.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** What the server repeats. */
export interface BareAnswer {
  /** Flat: name, value, name, value. */
  readonly headers: readonly string[];
  /** In base64. */
  readonly body: string;
}

/** What the benchmark asks the server. */
export type BareCommand = { readonly answer: BareAnswer } | "cpu";

/** What the server says. */
export interface BareReport {
  readonly port?: number;
  readonly cpuMicros?: number;
}

let headers: string[] = [];
let body: string | Buffer = "";

function respond(response: ServerResponse): void {
  response.writeHead(200, headers);
  response.end(body);
}

const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  if (request.method === "GET") {
    respond(response);
    return;
  }
  request.on("data", () => {});
  request.on("end", () => respond(response));
});

process.on("message", (command: BareCommand) => {
  if (command === "cpu") {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicros: user + system } satisfies BareReport);
    return;
  }
  headers = [...command.answer.headers];
  const bytes = Buffer.from(command.answer.body, "base64");
  // Texts as texts, which is how node sends short ones fastest.
  body = bytes.every((byte) => byte < 0x80) ? bytes.toString("latin1") : bytes;
  process.send?.({} satisfies BareReport);
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("listening on no port");
  process.send?.({ port: address.port } satisfies BareReport);
});
