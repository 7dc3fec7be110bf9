// Requests as they are filled in: URL, curl line, and sending with a bound on what is read.
import type { Operation, Parameter } from "./api-document.ts";
import { parseHex } from "./hex.ts";

/** What was filled in. */
export interface Draft {
  readonly values: Readonly<Record<string, string>>;
  /** Media type of the response. */
  readonly accept: string;
  /** Media type of the body; undefined for an operation without. */
  readonly bodyType: string | undefined;
  /** JSON text, or hex where the body is bytes. */
  readonly body: string;
}

/** The root of the API, also behind a prefix: the page is at `…/v1/spec`. */
export const API_ROOT: string = new URL(".", location.href).href.replace(/\/$/, "");

/** Most bytes of a response that are read; of a stream fewer, because each event shows all of them again. */
const MAX_BYTES = 1024 * 1024;
const MAX_STREAM_BYTES = 128 * 1024;

/** A value that the form must have, and has not. */
export class DraftError extends Error {
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** True for a media type whose body is text. */
export function isText(mediaType: string): boolean {
  return /json|yaml|^text\//.test(mediaType);
}

function textOf({ name }: Parameter, { values }: Draft): string {
  return (values[name] ?? "").trim();
}

/** The URL. Path parameters that are missing stay in braces. */
function urlOf(operation: Operation, draft: Draft): string {
  let { path } = operation;
  const query = new URLSearchParams();
  for (const parameter of operation.parameters ?? []) {
    const value = textOf(parameter, draft);
    if (value === "") continue;
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    if (parameter.in === "query") query.append(parameter.name, value);
  }
  const search = query.toString();
  return `${API_ROOT}${path}${search === "" ? "" : `?${search}`}`;
}

function headersOf(operation: Operation, draft: Draft): [name: string, value: string][] {
  const headers: [string, string][] = [["Accept", draft.accept]];
  if (draft.bodyType !== undefined) headers.push(["Content-Type", draft.bodyType]);
  for (const parameter of operation.parameters ?? []) {
    const value = textOf(parameter, draft);
    if (parameter.in === "header" && value !== "") headers.push([parameter.name, value]);
  }
  return headers;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A line for a shell. Bytes go through xxd; a response in bytes is shown by it. */
export function curlLine(operation: Operation, draft: Draft): string {
  const { method } = operation;
  const parts = [`curl ${method === "GET" ? "" : `-X ${method} `}${quote(urlOf(operation, draft))}`];
  for (const [name, value] of headersOf(operation, draft)) {
    if (name !== "Accept" || value !== "application/json") parts.push(`-H ${quote(`${name}: ${value}`)}`);
  }
  const { bodyType, body } = draft;
  const isBytes = bodyType !== undefined && !isText(bodyType);
  if (isBytes) parts.push("--data-binary @-");
  else if (bodyType !== undefined) parts.push(`-d ${quote(body)}`);
  const line = parts.join(" \\\n  ");
  const piped = isBytes ? `echo ${quote(body.replace(/\s/g, ""))} | xxd -r -p | ${line}` : line;
  return isText(draft.accept) ? piped : `${piped} | xxd`;
}

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly statusText: string;
  readonly milliseconds: number;
  readonly mediaType: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** More would have come than is read here. */
  readonly isCut: boolean;
  /** More may come: a stream that is open. */
  readonly isOpen: boolean;
}

function bodyOf({ bodyType, body }: Draft): BodyInit | null {
  if (bodyType === undefined) return null;
  if (isText(bodyType)) return body;
  try {
    return parseHex(body);
  } catch (error) {
    throw new DraftError("body", error instanceof Error ? error.message : `${error}`);
  }
}

/** Sends a request; `onReply` gets the reply as it grows. Throws DraftError before anything is sent. */
export async function send(
  operation: Operation,
  draft: Draft,
  signal: AbortSignal,
  onReply: (reply: Reply) => void,
): Promise<void> {
  for (const parameter of operation.parameters ?? []) {
    if (parameter.required && textOf(parameter, draft) === "") {
      throw new DraftError(parameter.name, `${parameter.name} is needed`);
    }
  }
  const body = bodyOf(draft);
  const started = performance.now();
  const response = await fetch(urlOf(operation, draft), {
    method: operation.method,
    headers: headersOf(operation, draft),
    body,
    signal,
    cache: "no-store",
  });
  const milliseconds = performance.now() - started;
  const { status, statusText, headers } = response;
  const mediaType = (headers.get("content-type") ?? "").split(";")[0] ?? "";
  let bytes = new Uint8Array(0);
  const tell = (isOpen: boolean, isCut: boolean): void =>
    onReply({ status, statusText, milliseconds, mediaType, headers: [...headers], bytes, isCut, isOpen });
  const isStream = mediaType === "text/event-stream";
  const maxBytes = isStream ? MAX_STREAM_BYTES : MAX_BYTES;
  if (isStream) tell(true, false);
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    const grown = new Uint8Array(bytes.length + piece.value.length);
    grown.set(bytes);
    grown.set(piece.value, bytes.length);
    bytes = grown;
    if (bytes.length > maxBytes) {
      await reader?.cancel();
      bytes = bytes.slice(0, maxBytes);
      tell(false, true);
      return;
    }
    if (isStream) tell(true, false);
  }
  tell(false, false);
}
