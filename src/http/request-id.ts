// Request ids: a client's own comes back with its answer; one that failed inside gets one where the client gave
// none, the same in the answer and in the log.
import { randomBytes } from "node:crypto";
import type { RequestHeaders } from "./exchange.ts";

const MAX_LENGTH = 128;
const PROCESS_PART = randomBytes(6).toString("hex");
let made = 0;

function isRequestId(id: string): boolean {
  if (id.length === 0 || id.length > MAX_LENGTH) return false;
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    if (code < 0x21 || code > 0x7e) return false;
  }
  return true;
}

/** The id that the client gave; undefined for none and for one that is not fit to be repeated. */
export function givenRequestId(headers: RequestHeaders): string | undefined {
  const id = headers["x-request-id"];
  return typeof id === "string" && isRequestId(id) ? id : undefined;
}

/** A new id: unlike any other of this process, and in all likelihood of any other. */
export function createRequestId(): string {
  made++;
  return `${PROCESS_PART}-${made.toString(36)}`;
}
