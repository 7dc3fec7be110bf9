// Requests to one node over HTTP: their deadlines and bounds, and the errors in which they end. Streams of events connect
// again behind the last event when the connection is lost.
import { errorText, TryAgainError } from "../../base/errors.ts";
import { pause } from "../../base/wait.ts";
import { CURSOR, TRUST } from "../../interface/ledger-headers.ts";
import { BCS_TYPE, CSV_TYPE, EVENTS_TYPE, JSON_TYPE, NDJSON_TYPE } from "../../interface/media-types.ts";
import type { RangeQuestion } from "../../node.ts";
import { toObject } from "./answer-shapes.ts";
import { type AnswerText, SourceError } from "./source.ts";

/** An event, or a heartbeat, which has no data. */
export interface NodeEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: string | undefined;
}

const DEFAULT_RETRY_MS = 2000;
const MAX_RETRY_MS = 60_000;
/** From this status on, a refusal is transient. */
const SERVER_ERROR = 500;

/** Fields of one event, until its empty line. */
interface Fields {
  id?: string;
  event?: string;
  data?: string;
  retry?: string;
}

/** Blocks of fields, with or without data. */
async function* blocksOf(lines: AsyncIterable<string>): AsyncGenerator<Fields> {
  let fields: Fields = {};
  for await (const line of lines) {
    const match = /^(id|event|data|retry): ?(.*)$/.exec(line);
    if (line === "") {
      yield fields;
      fields = {};
    } else if (match !== null) fields[match[1] as keyof Fields] = match[2] ?? "";
  }
}

const RESPONSE_TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 64 << 20;
/** Of a foreign text that an error repeats. */
const MAX_SHOWN_CHARS = 100;

/** Foreign text on one line. */
export function oneLine(text: string): string {
  return text
    .slice(0, 1000)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error(`the response has over ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

export function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

/** The value of one of the node's own headers, whatever its brand. */
function brandedValue({ headers }: Response, header: string): string | undefined {
  for (const [name, value] of headers) {
    if (name.startsWith("x-") && name.endsWith(`-${header.toLowerCase()}`)) return value;
  }
  return undefined;
}

/** The lines of a response as they arrive. */
async function* linesOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_RESPONSE_BYTES) throw new Error(`a line has over ${MAX_RESPONSE_BYTES} bytes`);
    yield* lines;
  }
  if (rest !== "") throw new Error("the last line has no end");
}

/** The node's own words for a refusal, with its code. */
function refusal(status: number, text: string): string {
  const { message, error_code: code } = toObject(text) ?? {};
  if (typeof message === "string") return `${oneLine(message)} (${oneLine(String(code))})`;
  return `the node answered ${status}: ${oneLine(text).slice(0, 200)}`;
}

/** A request for an answer of a type, posted if it has a body; a stream or a range goes on behind an id. */
function requestFor(
  accept: string,
  { after, body }: Partial<Pick<RangeQuestion, "after" | "body">>,
): RequestInit {
  const headers = { accept, ...(after !== undefined && { "last-event-id": after }) };
  if (body === undefined) return { headers };
  return { method: "POST", headers: { ...headers, "content-type": JSON_TYPE }, body: Buffer.from(body) };
}

/** Asks one node. Throws TryAgainError for a node out of reach, SourceError for a refusal or an unusable response. */
export class NodeClient {
  readonly #root: string;
  readonly #timeoutMs: number;
  readonly #option: string;

  /** `waitMs` is how long the node may wait before it responds; `option` is the one that names the node. */
  constructor(root: string, waitMs: number, option = "--url") {
    this.#root = root;
    this.#option = option;
    this.#timeoutMs = RESPONSE_TIMEOUT_MS + waitMs;
  }

  /**
   * The events of a stream, across connections; `note` gets what happens to the connection. With a signal it goes on until
   * that is aborted, however long the node is out of reach; without one, the first connection must succeed. Throws if the
   * node refuses the request.
   */
  async *events(
    url: string,
    after: string | undefined,
    note: (text: string) => void,
    signal?: AbortSignal,
  ): AsyncGenerator<NodeEvent> {
    const isOver = (): boolean => signal?.aborted === true;
    let [lastId, retryMs] = [after, DEFAULT_RETRY_MS];
    for (let isFirst = signal === undefined; !isOver(); isFirst = false) {
      let response: Response | undefined;
      let reason = "the node ended the stream";
      try {
        const request = requestFor(EVENTS_TYPE, { after: lastId });
        response = await this.#fetch(url, { ...request, signal: signal ?? null });
      } catch (error) {
        if (isFirst) throw error;
        reason = errorText(error);
      }
      if (response !== undefined && (isFirst || response.status < SERVER_ERROR)) {
        await this.#assertType(response, EVENTS_TYPE);
        const blocks = blocksOf(linesOf(response));
        for (;;) {
          const next = await blocks.next().catch((error: unknown) => {
            reason = errorText(error);
          });
          if (next === undefined || next.done === true) break;
          const { id, event = "message", data, retry } = next.value;
          lastId = id ?? lastId;
          if (retry !== undefined && /^\d{1,9}$/.test(retry)) retryMs = Math.min(Number(retry), MAX_RETRY_MS);
          if (data !== undefined || id !== undefined) yield { name: event, id, data };
        }
      } else if (response !== undefined) {
        reason = `the node answered ${response.status}`;
        await response.body?.cancel();
      }
      // Also while the last connection was read.
      if (!isOver()) note(`lost the connection, connecting again: ${reason}`);
      await pause(retryMs, signal);
    }
  }

  async *range({ path, search, form, after, body }: RangeQuestion): AsyncGenerator<Uint8Array> {
    const type = { ndjson: NDJSON_TYPE, csv: CSV_TYPE, bcs: BCS_TYPE }[form];
    const response = await this.#fetch(`${this.#root}${path}?${search}`, requestFor(type, { after, body }));
    await this.#assertType(response, type);
    try {
      for await (const chunk of response.body ?? []) yield chunk;
    } catch (error) {
      throw new TryAgainError(`the range broke off: ${errorText(causeOf(error))}`, error);
    }
  }

  /** The error for a response that no node gives. */
  #unlikeNode(got: string, field = ""): SourceError {
    const shown = JSON.stringify(oneLine(got).slice(0, MAX_SHOWN_CHARS));
    const fault = field === "" ? "" : `${oneLine(field)} is missing or of another kind; `;
    return new SourceError(`${this.#root} does not respond as a node does: ${fault}got ${shown}`);
  }

  /** Throws SourceError for an answer with a fault: the path of a field, empty for the whole. */
  assertFits(answer: string, fault: string | undefined): void {
    if (fault !== undefined) throw this.#unlikeNode(answer, fault);
  }

  async ask(
    url: string,
    faultOf: (answer: string) => string | undefined,
    body?: Uint8Array,
  ): Promise<AnswerText> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        ...requestFor(JSON_TYPE, { body }),
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      text = (await readText(response)).trim();
    } catch (error) {
      throw this.#unreachable(error);
    }
    await this.#assertType(response, JSON_TYPE, text);
    this.assertFits(text, faultOf(text));
    return { text, trust: brandedValue(response, TRUST), cursor: brandedValue(response, CURSOR) };
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init);
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  #unreachable(error: unknown): TryAgainError {
    const cause = causeOf(error);
    const isRefused = (cause as { readonly code?: unknown } | undefined)?.code === "ECONNREFUSED";
    const hint = isRefused
      ? `; no node listens there: sextant start starts one, ${this.#option} names another`
      : "";
    return new TryAgainError(`cannot reach ${this.#root}: ${errorText(cause)}${hint}`, error);
  }

  /** Throws if the response is a refusal or of another type. `text` is the body, if it was read. */
  async #assertType(response: Response, type: string, text?: string): Promise<void> {
    if (!response.ok) throw new SourceError(refusal(response.status, text ?? (await readText(response))));
    const got = response.headers.get("content-type") ?? "no content type";
    if (got.split(";")[0]?.trim().toLowerCase() !== type) throw this.#unlikeNode(got);
  }
}
