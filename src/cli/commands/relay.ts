// `sextant relay`: hands the events of a node's stream on to a receiver, one signed request for each, in order, again until
// the receiver takes it. The cursor on disk names what the receiver took, so a process that was killed repeats at most one
// event.
import { createHmac, randomUUID } from "node:crypto";
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError, errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { integerOption, textOption } from "../../base/option.ts";
import { type BackoffOptions, backoffMs, pause } from "../../base/wait.ts";
import { EVENT_STREAM_PATH } from "../../interface/route.ts";
import { parseOperand } from "../../node.ts";
import { command } from "../command.ts";
import { interruptible, RESUMES } from "../interrupt.ts";
import { createLogger } from "../log.ts";
import { writeWhole } from "../proofs/whole-file.ts";
import { causeOf, NodeClient, type NodeEvent } from "../source/node-client.ts";
import { DEFAULT_URL, filterOptions, filterQuery, parseHttpUrl, parseNodeUrl } from "../source/options.ts";

/** Where a relay goes on. */
interface RelayCursor {
  /** The `--from` that it began with. */
  readonly from: string | undefined;
  /** The filter, as the stream takes it. */
  readonly filter: string;
  /** Id of the last event that the receiver took, or that told how far the stream was. */
  readonly id: string;
}

interface RelayOptions {
  /** Holds the cursor and what the receiver did not take. */
  readonly state: string;
  readonly from: string | undefined;
  readonly filter: string;
  readonly secret: Uint8Array;
  /** Attempts before an event goes to the dead letters. */
  readonly attempts: number;
  /** Sends a request. Resolves to the status; rejects if there is no response. */
  readonly post: (headers: Readonly<Record<string, string>>, body: string) => Promise<number>;
  readonly pause: (ms: number) => Promise<void>;
  readonly logger: Logger;
}

const BACKOFF: BackoffOptions = { baseMs: 250, maxMs: 60_000 };
const CURSOR = "cursor.json";
/** Names the relay that began last: the one before ends. */
const OWNER = "owner";
export const DEAD_LETTERS = "dead-letters.ndjson";

/** The HMAC-SHA256 of the timestamp, a dot and the body, in hex. */
export function signatureOf(secret: Uint8Array, timestamp: string, body: string): string {
  return createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
}

/** The cursor in a state directory; undefined if there is none. Throws ConfigError. */
export async function loadCursor(state: string): Promise<RelayCursor | undefined> {
  try {
    return JSON.parse(await readFile(join(state, CURSOR), "utf8")) as RelayCursor;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConfigError(`--state: cannot read ${join(state, CURSOR)}: ${errorText(error)}`, error);
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
      await this.#deliver(`gap:${id}`, { event: "gap", id, data: gap });
      this.#gap = undefined;
    }
    if (name === "event") {
      await this.#deliver(`${value.version}:${value.index}`, { event: name, id, data: value });
    }
    if (id !== undefined && id !== this.#lastId) await this.#save(id);
  }

  /** `key` is the same whenever the event is sent. */
  async #deliver(key: string, event: object): Promise<void> {
    const { attempts, post, pause, secret, logger } = this.#options;
    const body = JSON.stringify(event);
    let fault = "";
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const timestamp = `${Math.floor(Date.now() / 1000)}`;
      const headers = {
        "content-type": "application/json",
        "idempotency-key": key,
        "sextant-timestamp": timestamp,
        "sextant-signature": `v1=${signatureOf(secret, timestamp, body)}`,
      };
      try {
        const status = await post(headers, body);
        if (status >= 200 && status < 300) return;
        fault = `the receiver answered ${status}`;
      } catch (error) {
        fault = errorText(causeOf(error));
      }
      if (attempt === 1) logger.warn({ key, fault }, "the receiver did not take an event");
      // Behind the last attempt too: it tells a relay that ends, whose event waits for the next run.
      await pause(attempt < attempts ? backoffMs(attempt, BACKOFF, Math.random) : 0);
    }
    await this.#bury({ key, fault, body: event });
    logger.error({ key, fault }, "an event is in the dead letters");
  }

  /** Adds a line to the dead letters, for good. */
  async #bury(letter: object): Promise<void> {
    const file = await open(join(this.#options.state, DEAD_LETTERS), "a");
    try {
      await file.writeFile(`${JSON.stringify(letter)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async #save(id: string): Promise<void> {
    const { state, from, filter } = this.#options;
    await writeWhole("--state", join(state, CURSOR), async (put) => {
      await put(`${JSON.stringify({ from, filter, id } satisfies RelayCursor)}\n`);
      return true;
    });
    this.#lastId = id;
  }
}

/** A receiver that takes longer is asked again. */
const RECEIVER_TIMEOUT_MS = 30_000;
const MIN_SECRET_BYTES = 16;
const RECEIVER = "https://shop.example/hooks";

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new ConfigError(`${name}: expected a value, got none`);
  return value;
}

/** Where a relay begins, by the last event that its receiver took. */
function beginningText(after: string | undefined, from: string | undefined): string {
  // An id is the version and the number of an event, and a mark of the history.
  if (after !== undefined) return `from where it was: after ${after.split("-")[0]}`;
  return from === undefined ? "from the latest version on" : `from version ${from} on`;
}

function versionOf({ data = "{}" }: NodeEvent): unknown {
  return (JSON.parse(data) as Readonly<Record<string, unknown>>).version;
}

async function readSecret(path: string): Promise<Uint8Array> {
  const secret = await readFile(path).catch((error: unknown) => {
    throw new ConfigError(`--secret-file: cannot read ${path}: ${errorText(error)}`, error);
  });
  // An editor ends a file with a line feed.
  const bare = secret.at(-1) === 0x0a ? secret.subarray(0, -1) : secret;
  if (bare.length >= MIN_SECRET_BYTES) return bare;
  throw new ConfigError(
    `--secret-file: expected at least ${MIN_SECRET_BYTES} bytes in ${path}, got ${bare.length}`,
  );
}

export const relayCommand = command({
  name: "relay",
  operands: "",
  options: {
    node: textOption(`Node whose events are sent (default ${DEFAULT_URL})`, "URL"),
    to: textOption("Receiver: gets a POST request for each event", "URL"),
    "secret-file": textOption("File with the secret that signs the requests, at least 16 bytes", "FILE"),
    state: textOption("Directory of the cursor and of the dead letters; created if missing", "DIR"),
    from: textOption(
      "First version to send; without it, what comes after the latest. Another one than that of the run before begins there",
      "VERSION",
    ),
    attempts: integerOption("Attempts before an event goes to the dead letters", "COUNT", {
      fallback: 30,
      min: 1,
      max: 1_000_000,
    }),
    ...filterOptions,
  },
  examples: [
    `sextant relay --to ${RECEIVER} --secret-file secret --state relay --account 0xcafe --min-trust proven`,
  ],
  run: async (values, _, context) => {
    const [to, state] = [
      parseHttpUrl(required("--to", values.to), "--to", RECEIVER),
      required("--state", values.state),
    ];
    const secret = await readSecret(required("--secret-file", values["secret-file"]));
    const from = values.from === undefined ? undefined : `${parseOperand("version", "--from", values.from)}`;
    await mkdir(state, { recursive: true });
    const query = filterQuery(values);
    const filter = `${query}`;
    if (from !== undefined) query.append("start", from);
    const cursor = await loadCursor(state);
    if (cursor !== undefined && cursor.filter !== filter) {
      const was = cursor.filter === "" ? "none" : cursor.filter;
      throw new ConfigError(
        `--state: ${state} belongs to a relay with another filter (${was}); name another directory`,
      );
    }
    const [owner, ownerFile] = [randomUUID(), join(state, OWNER)];
    await writeFile(ownerFile, owner);
    const assertOwner = async (): Promise<void> => {
      if ((await readFile(ownerFile, "utf8")) !== owner)
        throw new ConfigError(`--state: another relay began with ${state}, so this one ends`);
    };
    const root = parseNodeUrl(values.node ?? DEFAULT_URL, "--node");
    const url = `${root}${EVENT_STREAM_PATH}?${query}`;
    const logger = createLogger("info", "text");
    return interruptible(async (signal) => {
      const relay = new Relay({
        state,
        from,
        filter,
        secret,
        attempts: values.attempts,
        post: async (headers, body) => {
          const ends = AbortSignal.any([signal, AbortSignal.timeout(RECEIVER_TIMEOUT_MS)]);
          const request = { method: "POST", headers, body, signal: ends, redirect: "manual" } as const;
          const response = await fetch(to, request);
          await response.body?.cancel();
          return response.status;
        },
        pause: async (ms) => {
          await pause(ms, signal);
          signal.throwIfAborted();
          await assertOwner();
        },
        logger,
      });
      const client = new NodeClient(root, 0, "--node");
      const after = cursor?.from === from ? cursor?.id : undefined;
      const note = (text: string): void => context.err(`sextant: ${text}`);
      // The path of a receiver may be a secret.
      note(`sends events of ${root} to ${to.origin}, ${beginningText(after, from)}`);
      for await (const event of client.events(url, after, note, signal)) {
        if (event.name === "start") note(`the stream goes on after version ${versionOf(event)}`);
        await assertOwner();
        await relay.take(event);
      }
      throw signal.reason;
    }, RESUMES);
  },
});
