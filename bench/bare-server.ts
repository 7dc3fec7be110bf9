// A bare node:http server in its own process: it reads the request's body, if any, and sends the bytes and headers
// it was given. The benchmark controls it over IPC; it reports its processor time.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** The response to every request. */
export interface BareResponse {
  /** Flat: name, value, name, value. */
  readonly headers: readonly string[];
  /** In base64. */
  readonly body: string;
}

/** Command of the benchmark. */
export type BareCommand = { readonly response: BareResponse } | "cpu";

/** Message of the server. */
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

// Without a benchmark nobody stops it.
process.once("disconnect", () => process.exit());
process.on("message", (command: BareCommand) => {
  if (command === "cpu") {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicros: user + system } satisfies BareReport);
    return;
  }
  headers = [...command.response.headers];
  const bytes = Buffer.from(command.response.body, "base64");
  // ASCII as a string, because node sends short strings fastest.
  body = bytes.every((byte) => byte < 0x80) ? bytes.toString("latin1") : bytes;
  process.send?.({} satisfies BareReport);
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  process.send?.({ port: address.port } satisfies BareReport);
});
