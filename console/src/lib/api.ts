// The node's public HTTP API. URLs are relative to the page, so that the console also works behind a prefix.
import type { operations } from "../../../.cache/api-types.ts";
import { parseExactJson } from "./exact-json.ts";

/** JSON response of an operation, as the OpenAPI document describes it. */
export type Answer<Id extends keyof operations> = operations[Id] extends {
  responses: { 200: { content: { "application/json": infer T } } };
}
  ? T
  : never;

/** The node answered with an error. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
  }

  /** The node does not serve this, now or at all. */
  get isNotServed(): boolean {
    return this.code === "api_disabled";
  }
}

/** The node did not answer. */
export class NodeGone extends Error {
  constructor(cause: unknown) {
    super("the node does not answer", { cause });
    this.name = "NodeGone";
  }
}

/** Client errors that pass: a request that took too long, and one of too many. */
const PASSING_STATUSES = [408, 425, 429];

/** The node knows that it has no answer. Any other failure may pass. */
export function isDefinite(error: Error): boolean {
  return (
    error instanceof ApiError &&
    error.status >= 400 &&
    error.status < 500 &&
    !PASSING_STATUSES.includes(error.status)
  );
}

/** What the ledger headers of a response say. */
export interface LedgerHeaders {
  readonly version: string | undefined;
  readonly oldestVersion: string | undefined;
  readonly timestampUsec: string | undefined;
  readonly readVersion: string | undefined;
  readonly readTimestampUsec: string | undefined;
  readonly trust: string | undefined;
  readonly cursor: string | undefined;
}

export interface Reply<T> {
  readonly data: T;
  readonly ledger: LedgerHeaders;
}

/** Query parameters; those without a value are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

export interface Request {
  readonly query?: Query;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  readonly accept?: string;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;

type Listener = (isThere: boolean) => void;
const listeners = new Set<Listener>();

/** Tells with every response, or lack of one, whether the node is there. */
export function onReach(listener: Listener): void {
  listeners.add(listener);
}

/** A path below /v1 with its parameters escaped: `path("accounts", address)`. */
export function path(...segments: readonly string[]): string {
  return segments.map(encodeURIComponent).join("/");
}

/** The URL of a path, absolute, as the reader may paste it elsewhere. */
export function urlOf(relative: string, query: Query = {}): string {
  const url = new URL(
    relative === "metrics" ? relative : `v1/${relative}`.replace(/\/$/, ""),
    document.baseURI,
  );
  url.hash = "";
  url.search = "";
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") url.searchParams.set(name, `${value}`);
  }
  return url.href;
}

function ledgerHeaders(headers: Headers): LedgerHeaders {
  // Operators choose the middle part of the names.
  const found = new Map<string, string>();
  headers.forEach((value, name) => {
    const match = /^x-[a-z0-9-]+?-((?:ledger|read|oldest|block|trust|cursor|chain|epoch).*)$/.exec(name);
    if (match?.[1] !== undefined) found.set(match[1], value);
  });
  return {
    version: found.get("ledger-version"),
    oldestVersion: found.get("ledger-oldest-version"),
    timestampUsec: found.get("ledger-timestampusec"),
    readVersion: found.get("read-version"),
    readTimestampUsec: found.get("read-timestampusec"),
    trust: found.get("trust"),
    cursor: found.get("cursor"),
  };
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { message, error_code: code } = JSON.parse(text) as { message?: string; error_code?: string };
    return new ApiError(response.status, code ?? "", message ?? `status ${response.status}`);
  } catch {
    return new ApiError(response.status, "", `status ${response.status} ${response.statusText}`.trim());
  }
}

async function send(relative: string, request: Request): Promise<Response> {
  const { body, signal, accept = "application/json", contentType = "application/json" } = request;
  const timeout = AbortSignal.timeout(request.timeoutMs ?? TIMEOUT_MS);
  let response: Response;
  try {
    response = await fetch(urlOf(relative, request.query), {
      method: body === undefined ? "GET" : "POST",
      headers: { Accept: accept, ...(body === undefined ? {} : { "Content-Type": contentType }) },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  } catch (error) {
    // Who changes the view cancels: that says nothing of the node.
    if (signal?.aborted === true) throw error;
    for (const listener of listeners) listener(false);
    throw new NodeGone(error);
  }
  for (const listener of listeners) listener(true);
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Asks for JSON. Throws ApiError or NodeGone. */
export async function ask<T>(relative: string, request: Request = {}): Promise<Reply<T>> {
  const response = await send(relative, request);
  return { data: parseExactJson(await response.text()) as T, ledger: ledgerHeaders(response.headers) };
}

/** Asks for text, such as CSV or metrics. */
export async function askText(relative: string, request: Request): Promise<Reply<string>> {
  const response = await send(relative, request);
  return { data: await response.text(), ledger: ledgerHeaders(response.headers) };
}
