// Bodies that are small by their nature: a large one would hold the event loop while it is parsed.
import { HttpError } from "../errors.ts";

/** Refuses a body above the limit of its operation. */
export function assertBodySize(bytes: Uint8Array, maxBytes: number): void {
  if (bytes.length <= maxBytes) return;
  throw new HttpError("body_too_large", `body: expected at most ${maxBytes} bytes, got ${bytes.length}`);
}
