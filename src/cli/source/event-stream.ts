// Reads server-sent events from a node, and connects again behind the last one when the connection is lost.
import { errorText } from "../../base/errors.ts";
import { pause } from "../../base/wait.ts";

/** An event, or a heartbeat, which has no data. */
export interface NodeEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: string | undefined;
}

export interface EventConnection {
  /** Asks for the events behind an id. Rejects if the node is out of reach. */
  readonly connect: (lastEventId: string | undefined) => Promise<Response>;
  /** Throws if the node refused. */
  readonly assertStream: (response: Response) => Promise<void>;
  readonly linesOf: (response: Response) => AsyncIterable<string>;
  /** The connection is lost; the next attempt follows. */
  readonly onLost: (reason: string) => void;
  /** Goes on until it is aborted, however long the node is out of reach. Without one, the first connection must succeed. */
  readonly signal: AbortSignal | undefined;
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

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** All events, across connections. Throws if the node refuses the request. */
export async function* followEvents(
  { connect, assertStream, linesOf, onLost, signal }: EventConnection,
  after: string | undefined,
): AsyncGenerator<NodeEvent> {
  let lastId = after;
  let retryMs = DEFAULT_RETRY_MS;
  for (let isFirst = signal === undefined; !isAborted(signal); isFirst = false) {
    let response: Response | undefined;
    let reason = "the node ended the stream";
    try {
      response = await connect(lastId);
    } catch (error) {
      if (isFirst) throw error;
      reason = errorText(error);
    }
    if (response !== undefined && (isFirst || response.status < SERVER_ERROR)) {
      await assertStream(response);
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
    if (!isAborted(signal)) onLost(reason);
    await pause(retryMs, signal);
  }
}
