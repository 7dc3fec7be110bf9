// Hands the events of a node's stream on to a receiver: one signed request for each, in order, again until the receiver
// takes it. The cursor on disk names what the receiver took, so a process that was killed repeats at most one event.
import { createHmac } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { type BackoffOptions, backoffMs } from "../base/wait.ts";
import { writeWhole } from "./proofs/whole-file.ts";
import type { NodeEvent } from "./source/event-stream.ts";

/** What a receiver gets. */
interface Delivery {
  /** `version:index` of an event; the same whenever it is sent. */
  readonly key: string;
  readonly body: string;
}

/** Where a relay goes on. */
export interface RelayCursor {
  /** The `--from` that it began with. */
  readonly from: string | undefined;
  /** Id of the last event that the receiver took, or that told how far the stream was. */
  readonly id: string;
}

export interface RelayOptions {
  /** Holds the cursor and what the receiver did not take. */
  readonly state: string;
  readonly from: string | undefined;
  readonly secret: Uint8Array;
  /** Attempts before an event goes to the dead letters. */
  readonly attempts: number;
  /** Sends a request. Resolves to the status; rejects if there is no response. */
  readonly post: (headers: Readonly<Record<string, string>>, body: string) => Promise<number>;
  readonly nowMs: () => number;
  readonly pause: (ms: number) => Promise<void>;
  readonly random: () => number;
  readonly logger: Logger;
}

const BACKOFF: BackoffOptions = { baseMs: 250, maxMs: 60_000 };
const CURSOR = "cursor.json";
export const DEAD_LETTERS = "dead-letters.ndjson";

/** The HMAC-SHA256 of the timestamp, a dot and the body, in hex. */
export function signatureOf(secret: Uint8Array, timestamp: string, body: string): string {
  return createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
}

/** The cursor in a state directory; undefined if there is none. */
export async function loadCursor(state: string): Promise<RelayCursor | undefined> {
  try {
    return JSON.parse(await readFile(join(state, CURSOR), "utf8")) as RelayCursor;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export class Relay {
  readonly #options: RelayOptions;
  /** A gap that was told, until the stream says where it goes on. */
  #gap: object | undefined;
  #lastId: string | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Hands one event on. Resolves when the receiver took it, or it is a dead letter, and the cursor is behind it. */
  async take({ name, id, data }: NodeEvent): Promise<void> {
    const value = data === undefined ? {} : (JSON.parse(data) as Readonly<Record<string, unknown>>);
    if (name === "gap") {
      this.#gap = value;
      return;
    }
    if (name === "start" && this.#gap !== undefined) {
      const gap = { ...this.#gap, resumes_after: value.version };
      await this.#deliver({ key: `gap:${id}`, body: JSON.stringify({ event: "gap", id, data: gap }) });
      this.#gap = undefined;
    }
    if (name === "event") {
      const key = `${value.version}:${value.index}`;
      await this.#deliver({ key, body: JSON.stringify({ event: name, id, data: value }) });
    }
    if (id !== undefined && id !== this.#lastId) await this.#save(id);
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { attempts, post, nowMs, pause, random, secret, logger } = this.#options;
    let fault = "";
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const timestamp = `${Math.floor(nowMs() / 1000)}`;
      const headers = {
        "content-type": "application/json",
        "idempotency-key": delivery.key,
        "sextant-timestamp": timestamp,
        "sextant-signature": `v1=${signatureOf(secret, timestamp, delivery.body)}`,
      };
      try {
        const status = await post(headers, delivery.body);
        if (status >= 200 && status < 300) return;
        fault = `the receiver answered ${status}`;
      } catch (error) {
        fault = errorText(error);
      }
      if (attempt === 1) logger.warn({ key: delivery.key, fault }, "the receiver did not take an event");
      if (attempt < attempts) await pause(backoffMs(attempt, BACKOFF, random));
    }
    await this.#bury(delivery, fault);
    logger.error({ key: delivery.key, fault }, "an event is in the dead letters");
  }

  /** Adds a line to the dead letters, for good. */
  async #bury({ key, body }: Delivery, fault: string): Promise<void> {
    const file = await open(join(this.#options.state, DEAD_LETTERS), "a");
    try {
      await file.writeFile(`${JSON.stringify({ key, fault, body: JSON.parse(body) as object })}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async #save(id: string): Promise<void> {
    const { state, from } = this.#options;
    await writeWhole("--state", join(state, CURSOR), async (put) => {
      await put(`${JSON.stringify({ from, id } satisfies RelayCursor)}\n`);
      return true;
    });
    this.#lastId = id;
  }
}
