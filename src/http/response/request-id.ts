// Request ids: the response repeats the client's id. A failed request without one gets a new id, in the response and
// in the log.
import { randomBytes } from "node:crypto";
import type { RequestHeaders } from "../transport/body.ts";

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

/** The client's id; undefined if absent or not visible ASCII. */
export function givenRequestId(headers: RequestHeaders): string | undefined {
  const id = headers["x-request-id"];
  return typeof id === "string" && isRequestId(id) ? id : undefined;
}

/** A new id, unique in this process and very likely everywhere. */
export function createRequestId(): string {
  made++;
  return `${PROCESS_PART}-${made.toString(36)}`;
}
