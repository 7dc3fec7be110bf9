// Streams of server-sent events. A stream first catches up with the history, at the pace of its reader; then the feed of
// changes tells it what is new. From there on a reader that falls too far behind is cut off: it comes back with the id of
// its last event and catches up again. One that chooses among many events, whose blocks are larger than what a stream may
// have unsent, is sent back to catching up instead.
import type { Duplex } from "node:stream";
import type { Logger } from "../../base/log.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { DAY_MS, type NumberSettings, type Numbers } from "../../base/settings.ts";
import { pause } from "../../base/wait.ts";
import { compareTrust, formatTrust, type TrustLevel } from "../../ledger/trust.ts";
import type { Ledger, LedgerPosition } from "../../ledger/view.ts";
import { formatPoint, pointOf, type ResumePoint } from "../../ledger/watch/event-id.ts";
import { HeadWatch } from "../../ledger/watch/head-watch.ts";
import { isUndone, missedAfter } from "../../ledger/watch/watch-changes.ts";
import { heldTo, type Subscriber, type WatchEvent, type Watched } from "../../ledger/watch/watched.ts";
import { ClientShares } from "../admission/client-shares.ts";
import type { EventAnswer } from "../operation.ts";
import type { EventWire } from "../schemas/event-stream.ts";
import { cutOff } from "../transport/cut-off.ts";
import type { BodySink } from "../transport/exchange.ts";
import { untilTaken } from "./write-pieces.ts";

export const STREAM_NUMBERS = {
  /** Open streams; more are turned away. */
  maxStreams: { fallback: 1000, min: 0, max: 1_000_000 },
  /** Bytes that a stream may have unsent before its reader is cut off. */
  streamBufferBytes: { fallback: 64 * 1024, min: 1024, max: 2 ** 30 },
  /** Between two signs of life on a stream without events. */
  streamHeartbeatMs: { fallback: 15_000, min: 32, max: DAY_MS },
} as const satisfies NumberSettings;

/** What a stream sends, and where it begins: the opening with the state, if it is told. */
export interface StreamSource
  extends Pick<EventAnswer<WatchEvent>, "watched" | "opening" | "after" | "least"> {
  /** A heartbeat has an id from this version on: the reader knows a part of it. */
  readonly beatsFrom: bigint;
  readonly wire: EventWire;
  /** The text of an event; the same for all streams of one wire. A promise for a long one. */
  readonly format: (event: WatchEvent) => MaybePromise<string | Uint8Array>;
}

export interface EventStreamsOptions {
  readonly ledger: Ledger;
  readonly headWatch: HeadWatch;
  /** The node's own least level. */
  readonly minTrust: TrustLevel | undefined;
  readonly settings: Numbers<typeof STREAM_NUMBERS>;
  /** A connection took everything written to it. */
  readonly onTaken: (socket: Duplex) => void;
  readonly logger: Logger;
}

/** Before the ledger is read again for a commit that it does not show yet. */
const RETRY_MS = 20;
/** Ticks between two heartbeats of a stream. Streams that began in different ticks beat in different ones, so that none is long. */
const TICKS = 32;

/** One client. */
class EventStream implements Subscriber<WatchEvent> {
  after: bigint;
  readonly source: StreamSource;
  readonly choice: Watched<WatchEvent>["choice"];
  readonly watch: HeadWatch;
  /** Everything up to here is written; undefined until the stream sent something. */
  point: ResumePoint | undefined;
  readonly sink: BodySink;
  readonly leavePlaces: () => void;
  readonly #owner: EventStreams;
  /** The feed tells it what is new. */
  isLive = false;
  /** An event of the feed is written in slices. A heartbeat that overflowed meanwhile would make it be told twice. */
  isTaking = false;
  /** Tick of the next heartbeat. */
  nextBeat: number;

  constructor(
    owner: EventStreams,
    source: StreamSource,
    { watch, sink, leavePlaces, nextBeat }: Pick<EventStream, "watch" | "sink" | "leavePlaces" | "nextBeat">,
  ) {
    this.watch = watch;
    this.choice = source.watched.choice;
    this.nextBeat = nextBeat;
    this.leavePlaces = leavePlaces;
    this.#owner = owner;
    this.source = source;
    this.sink = sink;
    this.after = source.after.version;
    // Readers do not half-close: a client that sends no more has left.
    sink.socket.on("close", this.leave).on("end", this.leave);
  }

  take(event: WatchEvent): MaybePromise<void> {
    return this.#owner.push(this, event);
  }

  end(): void {
    this.#owner.end(this);
  }

  readonly leave = (): void => this.#owner.end(this);
}

export class EventStreams {
  readonly #options: EventStreamsOptions;
  /** The one whose heartbeat is due first comes first. */
  readonly #streams = new Set<EventStream>();
  readonly #shares: ClientShares;
  /** One for each stream and range, also while it is asked for. */
  readonly #held = new Set<object>();
  /** Watches of levels that streams ask for. */
  readonly #heldWatches = new Map<string, HeadWatch>();
  #timer: NodeJS.Timeout | undefined;
  #tick = 0;
  #cutOff = 0;
  /** All streams of a change send the same bytes. */
  #lastEvent:
    | { readonly event: WatchEvent; readonly wire: EventWire; readonly bytes: Uint8Array }
    | undefined;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    this.#shares = new ClientShares(options.settings.maxStreams, "streams are open");
  }

  /** Open streams, and ranges that are sent. */
  get count(): number {
    return this.#held.size;
  }

  /** Readers that were too slow. */
  get cutOff(): number {
    return this.#cutOff;
  }

  /** The last version that a stream may send. Throws LedgerError. */
  readonly streamHead = (position: LedgerPosition, asked?: TrustLevel): bigint =>
    this.#options.headWatch.headOf(position, this.#leastOf(asked));

  /** Takes places of a client for a stream or a range, and returns what gives them back. Throws if there is no room. */
  hold(client: string, places = 1): () => void {
    this.#shares.enter(client, places);
    const held = {};
    this.#held.add(held);
    return () => {
      if (this.#held.delete(held)) this.#shares.leave(client, places);
    };
  }

  /** Begins a stream, whose headers are sent; when it ends it gives its places back. */
  open(asked: StreamSource, sink: BodySink, leavePlaces: () => void): void {
    const watch = this.#watchOf(asked.least);
    const source = { ...asked, watched: heldTo(asked.watched, watch.least) };
    const stream = new EventStream(this, source, { watch, sink, leavePlaces, nextBeat: this.#tick + TICKS });
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.#beat(), this.#options.settings.streamHeartbeatMs / TICKS);
    sink.write(Buffer.from(source.wire.opening + source.opening));
    if (sink.socket.destroyed || sink.socket.readableEnded) this.end(stream);
    this.#run(stream, source.after);
  }

  /** Sends an event to a stream that keeps up, and cuts off one that does not. */
  push(stream: EventStream, event: WatchEvent): MaybePromise<void> {
    const encoding = this.#encode(stream, event);
    stream.isTaking = true;
    return andThen(encoding, (bytes) => {
      stream.isTaking = false;
      // It may have left meanwhile.
      if (!this.#streams.has(stream)) return;
      stream.point = pointOf(event.id, event.version);
      this.#write(stream, bytes);
    });
  }

  /** Ends a stream; a second call does nothing. */
  end(stream: EventStream): void {
    if (!this.#streams.delete(stream)) return;
    const { sink, source, leavePlaces, watch, leave } = stream;
    leavePlaces();
    watch.feed.leave(source.watched, stream);
    if (!watch.feed.isWatched && watch.least !== undefined)
      this.#heldWatches.delete(formatTrust(watch.least));
    sink.socket.off("close", leave).off("end", leave);
    sink.end();
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Ends all streams. Their clients connect again, to another process. */
  close(): void {
    this.#shares.close();
    for (const stream of [...this.#streams]) this.end(stream);
  }

  #leastOf(asked: TrustLevel | undefined): TrustLevel | undefined {
    const { minTrust } = this.#options;
    return asked === undefined || (minTrust !== undefined && compareTrust(asked, minTrust) <= 0)
      ? minTrust
      : asked;
  }

  #watchOf(asked: TrustLevel | undefined): HeadWatch {
    const { headWatch, ledger } = this.#options;
    const least = this.#leastOf(asked);
    if (least === undefined) return headWatch;
    // Levels rise without a commit, so it looks at the store.
    const level = formatTrust(least);
    const watch = this.#heldWatches.get(level) ?? new HeadWatch({ ledger, isTold: () => false, least });
    this.#heldWatches.set(level, watch);
    return watch;
  }

  #run(stream: EventStream, after: ResumePoint): void {
    this.#start(stream, after).catch((error: unknown) => {
      if (!isUndone(error)) this.#options.logger.warn({ err: error }, "a stream of events broke off");
      this.end(stream);
    });
  }

  /** Tells what the reader missed, and joins the feed when nothing is missing. */
  async #start(stream: EventStream, after: ResumePoint): Promise<void> {
    const { watch: headWatch } = stream;
    const { watched } = stream.source;
    let point = after;
    while (this.#streams.has(stream)) {
      const joining = await headWatch.feed.join(watched, stream, point);
      if (joining === "joined") {
        stream.isLive = true;
        headWatch.look();
        // It may have left meanwhile.
        if (!this.#streams.has(stream)) headWatch.feed.leave(watched, stream);
        return;
      }
      // The reader knows what is undone: it comes back and is told so.
      if (joining === "undone") return this.end(stream);
      point = await this.#catchUp(stream, point);
    }
  }

  /** Sends the changes that the stream missed; returns the point that they lead to. */
  async #catchUp(stream: EventStream, after: ResumePoint): Promise<ResumePoint> {
    const { ledger } = this.#options;
    const { to, changes } = await missedAfter(ledger, stream.watch, stream.source.watched, after);
    // The feed knows a commit that the ledger does not show yet.
    if (to.version === after.version) await pause(RETRY_MS);
    for await (const events of changes) {
      for (const event of events) {
        if (!this.#streams.has(stream)) return to;
        const encoding = this.#encode(stream, event);
        const bytes = encoding instanceof Promise ? await encoding : encoding;
        if (!this.#streams.has(stream)) return to;
        if (bytes.length > 0) stream.sink.write(bytes);
        stream.point = pointOf(event.id, event.version);
        await this.#untilTaken(stream);
      }
    }
    stream.after = to.version;
    return to;
  }

  async #untilTaken({ sink }: EventStream): Promise<void> {
    if (!sink.socket.writableNeedDrain) return;
    await untilTaken(sink.socket);
    this.#options.onTaken(sink.socket);
  }

  #encode({ source, choice }: EventStream, event: WatchEvent): MaybePromise<Uint8Array> {
    const { wire, format } = source;
    const picked = choice?.pick(event) ?? event;
    const last = this.#lastEvent;
    if (last?.event === picked && last.wire === wire) return last.bytes;
    return andThen(format(picked), (text) => {
      const bytes = typeof text === "string" ? Buffer.from(text) : text;
      this.#lastEvent = { event: picked, wire, bytes };
      return bytes;
    });
  }

  #write(stream: EventStream, bytes: Uint8Array): void {
    const { sink, source, watch, point } = stream;
    // An empty chunk would end the body.
    if (bytes.length === 0) return;
    sink.write(bytes);
    if (sink.socket.writableLength <= this.#options.settings.streamBufferBytes) return;
    if (stream.choice !== undefined) {
      if (!stream.isLive || point === undefined) return;
      stream.isLive = false;
      watch.feed.leave(source.watched, stream);
      void this.#untilTaken(stream).then(() => this.#run(stream, point));
      return;
    }
    this.#cutOff++;
    cutOff(sink.socket);
    this.end(stream);
  }

  /** Sends heartbeats to the streams that are due. */
  #beat(): void {
    this.#tick++;
    for (const stream of this.#streams) {
      if (stream.nextBeat > this.#tick) return;
      stream.nextBeat = this.#tick + TICKS;
      this.#streams.delete(stream);
      this.#streams.add(stream);
      if (stream.isTaking) continue;
      // A sign of life does not wait behind what is unread.
      if (stream.choice === undefined || !stream.sink.socket.writableNeedDrain) {
        this.#write(stream, this.#beatOf(stream));
      }
    }
  }

  /** A heartbeat tells how far the stream is: a client that resumes there needs no history of the quiet time before. */
  #beatOf({ isLive, after, point, source, watch }: EventStream): Buffer {
    const { wire, beatsFrom } = source;
    const told = isLive ? watch.feed.told : undefined;
    // An event that came meanwhile has the newer id.
    const at = told === undefined || after > told.version ? point : told;
    return Buffer.from(wire.beat(at === undefined || at.version < beatsFrom ? undefined : formatPoint(at)));
  }
}
