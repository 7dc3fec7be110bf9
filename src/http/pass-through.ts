// Passes requests that this node does not serve to another node, and streams the responses back unchanged. The target
// is fixed by configuration; nothing in a request can change it. This node frames each body itself, from what its own
// parser found, so no request can change where the next one on the same upstream connection begins.
import { randomBytes } from "node:crypto";
import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps, Agent as SecureAgent } from "node:https";
import { Abandoned } from "./body.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import { HttpError, quoteInput } from "./errors.ts";
import { CLIENT_GONE, type NodeRequest, type PassedRequest } from "./exchange.ts";

/** Hop-by-hop headers, which are not passed on. */
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

/** Methods whose requests may have a body. */
const BODY_METHODS: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
/** Methods of ordinary requests. */
const POOLED_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST"]);
/** Connection options that name no header. */
const PLAIN_OPTIONS: ReadonlySet<string> = new Set(["", "close", "keep-alive"]);

const ROOT = "/v1/";
const DEFAULT_TIMEOUT_MS = 30_000;

/** Target and bounds. */
export interface PassThroughOptions {
  /** Base URL of the other node, with `/v1`. */
  readonly target: URL;
  /** Why nothing may be passed on just now; undefined when it may. */
  readonly refusal?: (() => string | undefined) | undefined;
  /** Largest request body. */
  readonly bodyLimitBytes: number;
  /** Headers, flat, that tell what a response of the target rests on. */
  readonly trust: readonly string[];
  /** Longest silence of the target. */
  readonly timeoutMs?: number;
}

/** Passes requests to the target. */
export class PassThrough {
  readonly #options: PassThroughOptions;
  readonly #agent: Agent;
  /** Identifies this process in Via, to detect nodes that pass requests to each other. */
  readonly #mark = `sextant-${randomBytes(8).toString("hex")}`;

  constructor(options: PassThroughOptions) {
    this.#options = options;
    const agent = { keepAlive: true, maxSockets: 128, maxFreeSockets: 32 };
    this.#agent = options.target.protocol === "https:" ? new SecureAgent(agent) : new Agent(agent);
  }

  /**
   * Passes one request on, with its raw path and query. Resolves when the response is sent or broken off, with the
   * status to count. Throws HttpError before anything was sent, and Abandoned if the request stayed incomplete.
   */
  serve(node: NodeRequest, url: string): Promise<number> {
    const { request } = node;
    if ((request.headers.via ?? "").includes(this.#mark)) {
      throw new HttpError("unavailable", "this node passes requests to itself");
    }
    const refusal = this.#options.refusal?.();
    if (refusal !== undefined) throw new HttpError("unavailable", refusal);
    const framing = framingOf(request);
    if (Number(request.headers["content-length"] ?? 0) > this.#options.bodyLimitBytes) throw this.#tooLarge();
    const onward = this.#open(request, url, framing);
    node.goOn();
    return this.#pass(node, onward);
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(incoming: PassedRequest, url: string, framing: readonly string[]): ClientRequest {
    const { target, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const headers = [...keptHeaders(incoming, ["content-length"]), ...framing];
    headers.push("Via", `1.1 ${this.#mark}`, "Host", target.host);
    if (!isOrdinary(incoming)) headers.push("Connection", "close");
    return (target.protocol === "https:" ? requestHttps : requestHttp)({
      // Host and path are separate options, so no path can change the host.
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

  #pass({ request, response, added }: NodeRequest, onward: ClientRequest): Promise<number> {
    return new Promise((resolve, reject) => {
      let sent = 0;
      let hasAnswer = false;
      const fail = (error: HttpError): void => {
        request.unpipe(onward);
        onward.destroy();
        if (response.headersSent) {
          // The client sees a cut-off response; the counted status says why.
          resolve(ERROR_CATALOGUE[error.code].status);
          response.destroy();
        } else reject(error);
      };
      const failUpstream = (cause?: unknown): void =>
        fail(new HttpError("unavailable", "the upstream is out of reach", { cause }));
      onward.on("timeout", () => fail(new HttpError("unavailable", "the upstream does not answer")));
      // The upstream closes without an error if it switches protocols.
      onward.on("error", failUpstream).on("close", () => {
        if (!hasAnswer) failUpstream();
      });
      onward.on("response", (answer) => {
        hasAnswer = true;
        const status = answer.statusCode ?? 0;
        // With chunked encoding, Content-Length does not describe the body.
        const dropped = [
          ...namesOf(added),
          ...namesOf(this.#options.trust),
          ...(answer.headers["transfer-encoding"] ? ["content-length"] : []),
        ];
        try {
          response.writeHead(status, [...keptHeaders(answer, dropped), ...this.#options.trust, ...added]);
        } catch (cause) {
          failUpstream(cause);
          return;
        }
        answer.on("error", failUpstream);
        answer.pipe(response);
        response.on("finish", () => resolve(status));
      });
      response.on("close", () => {
        onward.destroy();
        if (request.complete) resolve(CLIENT_GONE);
        else reject(new Abandoned("the client went away"));
      });
      request.on("data", (chunk: Buffer) => {
        sent += chunk.length;
        if (sent > this.#options.bodyLimitBytes) fail(this.#tooLarge());
      });
      request.pipe(onward);
    });
  }

  #tooLarge(): HttpError {
    return new HttpError(
      "body_too_large",
      `body: expected at most ${this.#options.bodyLimitBytes} bytes, got more`,
    );
  }
}

/** True if a path stays below `/v1/` under any reading: no dot segments or backslashes, escaped or not. */
export function isPassable(url: string): boolean {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  if (!path.startsWith(ROOT) || path.includes("\\") || path.includes("//")) return false;
  const plain = path.toLowerCase().replaceAll("%2e", ".").replaceAll("%2f", "/").replaceAll("%5c", "/");
  return !plain.split("/").some((segment) => segment === "." || segment === "..");
}

/** The framing headers of the body, flat. Throws for a body that must not be passed on. */
function framingOf({ method = "GET", headers }: PassedRequest): readonly string[] {
  const { "content-length": length = "0", "transfer-encoding": coding } = headers;
  if (!BODY_METHODS.has(method)) {
    if (coding === undefined && Number(length) === 0) return [];
    // A server that ignores such a body would parse it as the next request.
    throw new HttpError("malformed_request", `body: expected none with ${method}, got one`);
  }
  if (coding === undefined) return ["Content-Length", length];
  if (coding.toLowerCase() === "chunked") return ["Transfer-Encoding", "chunked"];
  throw new HttpError(
    "malformed_request",
    `Transfer-Encoding: expected chunked or none, got ${quoteInput(coding)}`,
  );
}

/** True if the upstream connection may be reused after this request. */
function isOrdinary({ method = "GET", headers }: PassedRequest): boolean {
  return (
    POOLED_METHODS.has(method) &&
    headers["transfer-encoding"] === undefined &&
    connectionOptions(headers).every((option) => PLAIN_OPTIONS.has(option))
  );
}

function connectionOptions({ connection = "" }: IncomingMessage["headers"]): string[] {
  return connection.split(",").map((option) => option.trim().toLowerCase());
}

function namesOf(headers: readonly string[]): string[] {
  return headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
}

/** The headers of a message to pass on, unchanged and flat, without those in `dropped`. */
function keptHeaders(
  { headers, rawHeaders }: Pick<IncomingMessage, "headers" | "rawHeaders">,
  dropped: readonly string[],
): string[] {
  const named = new Set(connectionOptions(headers));
  // Connection options never remove framing headers.
  named.delete("content-length");
  const kept: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name, value] = [rawHeaders[i] ?? "", rawHeaders[i + 1] ?? ""];
    const lower = name.toLowerCase();
    if (!HOP_BY_HOP.has(lower) && !named.has(lower) && !dropped.includes(lower)) kept.push(name, value);
  }
  return kept;
}
