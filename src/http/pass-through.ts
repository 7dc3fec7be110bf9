// Hands requests that are not served here to another node and its answers back, streamed and untouched. Where
// to is fixed by the configuration: nothing in a request can lead elsewhere.
import { randomBytes } from "node:crypto";
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from "node:http";
import { request as requestHttps, Agent as SecureAgent } from "node:https";
import { HttpError } from "./errors.ts";

/** Headers that belong to one connection and go no further. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "expect",
]);

const ROOT = "/v1/";
const DEFAULT_TIMEOUT_MS = 30_000;

/** Where to and within which bounds. */
export interface PassThroughOptions {
  /** Base URL of the other node, with `/v1`. */
  readonly target: URL;
  /** Largest request body. */
  readonly bodyLimitBytes: number;
  /** Longest silence of the other node. */
  readonly timeoutMs?: number;
}

/** Passes requests on. */
export class PassThrough {
  readonly #options: PassThroughOptions;
  readonly #agent: Agent;
  /** Marks what went through this process, so that nodes that pass to each other are found out. */
  readonly #mark = `sextant-${randomBytes(8).toString("hex")}`;

  constructor(options: PassThroughOptions) {
    this.#options = options;
    const agent = { keepAlive: true, maxSockets: 128, maxFreeSockets: 32 };
    this.#agent = options.target.protocol === "https:" ? new SecureAgent(agent) : new Agent(agent);
  }

  /**
   * Passes one request on, given its path and query as they came. Resolves with the status of the answer once
   * it is through. Throws HttpError before anything was answered.
   */
  serve(incoming: IncomingMessage, response: ServerResponse, url: string): Promise<number> {
    assertPath(url);
    if ((incoming.headers.via ?? "").includes(this.#mark)) {
      throw new HttpError("unavailable", "this node passes requests to itself");
    }
    const declared = incoming.headers["content-length"];
    if (declared !== undefined && Number(declared) > this.#options.bodyLimitBytes) throw this.#tooLarge();
    return this.#pass(incoming, response, this.#open(incoming, url));
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(incoming: IncomingMessage, url: string): ClientRequest {
    const { target, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const headers = keptHeaders(incoming);
    headers.push("Via", `1.1 ${this.#mark}`, "Host", target.host);
    // A body of unknown length is cut into pieces anew.
    if (incoming.headers["transfer-encoding"] !== undefined) headers.push("Transfer-Encoding", "chunked");
    return (target.protocol === "https:" ? requestHttps : requestHttp)({
      // Host and path are given apart, so no path can change the host.
      hostname: target.hostname.replace(/^\[|\]$/g, ""),
      ...(target.port === "" ? {} : { port: Number.parseInt(target.port, 10) }),
      method: incoming.method ?? "GET",
      path: target.pathname.slice(0, -ROOT.length + 1) + url,
      headers,
      setHost: false,
      agent: this.#agent,
      timeout: timeoutMs,
    });
  }

  #pass(incoming: IncomingMessage, response: ServerResponse, onward: ClientRequest): Promise<number> {
    return new Promise((resolve, reject) => {
      let sent = 0;
      const refuse = (error: HttpError): void => {
        onward.destroy();
        if (response.headersSent) response.destroy();
        reject(error);
      };
      onward.on("timeout", () => refuse(new HttpError("unavailable", "the upstream does not answer")));
      onward.on("error", (cause) =>
        refuse(new HttpError("unavailable", "the upstream is out of reach", { cause })),
      );
      onward.on("response", (answer) => {
        const status = answer.statusCode ?? 502;
        response.writeHead(status, keptHeaders(answer));
        answer.on("error", () => response.destroy());
        answer.pipe(response);
        response.on("finish", () => resolve(status));
      });
      response.on("close", () => {
        onward.destroy();
        resolve(response.statusCode);
      });
      incoming.on("data", (chunk: Buffer) => {
        sent += chunk.length;
        if (sent > this.#options.bodyLimitBytes) refuse(this.#tooLarge());
      });
      incoming.pipe(onward);
    });
  }

  #tooLarge(): HttpError {
    return new HttpError(
      "body_too_large",
      `body: expected at most ${this.#options.bodyLimitBytes} bytes, got more`,
    );
  }
}

/** The headers of a message that go further, as they came: name, value, name, value. */
function keptHeaders(message: IncomingMessage): string[] {
  const named = new Set(
    (message.headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()),
  );
  const kept: string[] = [];
  const { rawHeaders } = message;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name, value] = [rawHeaders[i] ?? "", rawHeaders[i + 1] ?? ""];
    const lower = name.toLowerCase();
    if (!HOP_BY_HOP.has(lower) && !named.has(lower)) kept.push(name, value);
  }
  return kept;
}

/** Only what stays below `/v1/` however it is read: no dot segments, no back slashes, escaped or not. */
function assertPath(url: string): void {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const isPlain = path.startsWith(ROOT) && !path.includes("\\") && !path.includes("//");
  const plain = path.toLowerCase().replaceAll("%2e", ".").replaceAll("%2f", "/").replaceAll("%5c", "/");
  const hasDots = plain.split("/").some((segment) => segment === "." || segment === "..");
  if (!isPlain || hasDots) throw new HttpError("unknown_path", "nothing is served at this path");
}
