// One GET request on a connection of its own. The built-in fetch connects again and again, until its time is up, to
// a program that closes every connection.
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { errorText } from "./errors.ts";
import { USER_AGENT } from "./software-version.ts";

export interface AskOptions {
  /** Ends the request. */
  readonly signal: AbortSignal;
  /** Largest body that is read. */
  readonly maxBytes: number;
  /** False accepts any certificate: one on the loopback names the host that clients know. */
  readonly checksCertificate: boolean;
}

export interface Asked {
  readonly status: number;
  readonly body: string;
  /** The Date header. */
  readonly date: string | undefined;
}

/** A name with several addresses fails with an error for each, and without a message of its own. */
function told(error: Error): Error {
  return error instanceof AggregateError ? new Error(error.errors.map(errorText).join("; ")) : error;
}

/** Throws if there is no response, or one that is too long. */
export function askOnce(url: string, options: AskOptions): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const settings = {
      signal: options.signal,
      agent: false,
      rejectUnauthorized: options.checksCertificate,
      headers: { accept: "application/json", "user-agent": USER_AGENT },
    } as const;
    const request = url.startsWith("https:") ? httpsRequest(url, settings) : httpRequest(url, settings);
    request.once("error", (error) => reject(told(error)));
    // Also after a response that has no end, or that switches to another protocol.
    request.once("close", () => reject(new Error("the connection was closed without a response")));
    request.once("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > options.maxBytes)
          response.destroy(new Error(`the response has more than ${options.maxBytes} bytes`));
      });
      response.once("error", reject);
      response.once("end", () => {
        const body = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, body, date: response.headers.date });
      });
    });
    request.end();
  });
}
