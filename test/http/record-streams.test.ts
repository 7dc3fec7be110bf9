// Streams of transactions and events, against a model that rebuilds the feed from the JSON of the records.
import { get, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { encodeWith } from "../../src/bcs/codec.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { HttpError } from "../../src/http/errors.ts";
import { RecordsPrinter } from "../../src/http/printing/records-text.ts";
import { EventStreams } from "../../src/http/response/event-streams.ts";
import { parseAsset } from "../../src/ledger/balances/asset.ts";
import { contractEventCodec } from "../../src/ledger/formats/block-event.ts";
import { PROVEN } from "../../src/ledger/trust.ts";
import { HeadWatch } from "../../src/ledger/watch/head-watch.ts";
import { formatAddress } from "../../src/move/address.ts";
import { parseTypeTag } from "../../src/move/type-text.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { keepAccumulator } from "../../src/sync/maintenance/kept-accumulator.ts";
import { rewindLedger } from "../../src/sync/maintenance/rewind.ts";
import { ChainRun } from "../support/chain-run.ts";
import { EventReader, versionOf } from "../support/event-client.ts";
import { ForkedHistories } from "../support/forked-histories.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { CountingLedger } from "../support/long-history.ts";
import { longestTurnMs, slowness } from "../support/loop-meter.ts";
import { SmallLedger } from "../support/small-ledger.ts";
import { until } from "../support/until.ts";

type Json = Readonly<Record<string, unknown>>;

/** A transaction in JSON, as far as the model reads it. */
interface Transaction extends Json {
  readonly version: string;
  readonly success: boolean;
  readonly accumulator_root_hash: string;
  readonly sender?: string;
  readonly payload?: { readonly function?: string };
  readonly events?: readonly { readonly type: string }[];
  readonly changes: readonly {
    readonly address?: string;
    readonly data?: { readonly type?: string; readonly data?: Readonly<Record<string, never>> } | null;
  }[];
}

type Query = [name: string, value: string][];

const APT = "0x1::aptos_coin::AptosCoin";

/** What a query asks of the transaction, by its JSON. */
function accountsOf({ sender, changes }: Transaction): Set<string | undefined> {
  const owners = changes.flatMap(({ data }) =>
    data?.type === "0x1::object::ObjectCore" ? [(data.data as unknown as { owner: string }).owner] : [],
  );
  return new Set([sender, ...changes.map(({ address }) => address), ...owners]);
}

function assetsOf({ changes }: Transaction): Set<string> {
  return new Set(
    changes.flatMap(({ data }) => {
      const coin = /^0x1::coin::CoinStore<(.*)>$/.exec(data?.type ?? "")?.[1];
      if (coin !== undefined) return [coin];
      if (data?.type !== "0x1::fungible_asset::FungibleStore") return [];
      return [(data.data as unknown as { metadata: { inner: string } }).metadata.inner];
    }),
  );
}

/** A coin type stands for the fungible asset paired with it too. */
const pairedOf = (coin: string): string => formatAddress(parseAsset(coin).metadata);

const moduleOf = (path: string | undefined): string =>
  (path ?? "").split("<")[0]?.split("::").slice(0, 2).join("::") ?? "";

/** Indexes that a query asks for: of events, or 0 for the transaction. */
function matching(query: Query, kind: "transactions" | "events", transaction: Transaction): number[] {
  const wanted = (name: string): string[] => query.flatMap(([one, value]) => (one === name ? [value] : []));
  const isOne = (name: string, found: (value: string) => boolean): boolean =>
    wanted(name).length === 0 || wanted(name).some(found);
  const isType = (type: string) =>
    isOne("event_type", (value) => type === value || type.split("<")[0] === value);
  const called = transaction.payload?.function;
  const accounts = accountsOf(transaction);
  const assets = assetsOf(transaction);
  const events = transaction.events ?? [];
  const isAsked =
    isOne("sender", (value) => transaction.sender === value) &&
    isOne("function", (value) => called === value) &&
    isOne("account", (value) => accounts.has(value)) &&
    isOne(
      "asset_type",
      (value) => assets.has(value) || (value.includes(":") && assets.has(pairedOf(value))),
    ) &&
    isOne("success", (value) => value === `${transaction.success}`);
  if (!isAsked) return [];
  if (kind === "transactions") {
    const fits = isOne("module", (value) => moduleOf(called) === value && called !== undefined);
    return fits && (wanted("event_type").length === 0 || events.some(({ type }) => isType(type))) ? [0] : [];
  }
  return events.flatMap(({ type }, i) =>
    isType(type) && isOne("module", (value) => moduleOf(type) === value) ? [i] : [],
  );
}

/** Numbers that a seed gives. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What happened to ledgers, servers, and streams that had more unread than one may have. */
type Done = Record<"rewinds" | "prunes" | "restarts" | "unread", number>;

/** Bytes that a stream may have unsent. */
const BUFFER_BYTES = 1024;

/** The server's ends of streams, by the port of the client's. */
const serverEnds = new Map<number | undefined, Duplex>();
const { open } = EventStreams.prototype;
EventStreams.prototype.open = function (...args): void {
  const { socket } = args[1];
  serverEnds.set((socket as Socket).remotePort, socket);
  open.apply(this, args);
};
afterAll(() => {
  EventStreams.prototype.open = open;
});

/** A ledger that grows, goes back and is pruned under a server that is started again, and every history that it had. */
class World {
  readonly store = createMemoryStore();
  server!: TestServer;
  /** By id: all records that ever were. */
  readonly records = new Map<
    string,
    { readonly transaction: Transaction; readonly before: string | undefined }
  >();
  #run!: ChainRun;
  #headWatch!: HeadWatch;
  readonly #isTold: boolean;
  #late = 0n;
  /** Ids of the history now, by version. */
  #ids: string[] = [];
  /** Times that a stream may have lost what its client knew. */
  losses = 0;
  readonly #done: Done;
  oldest = 0;

  /** Its server hears of commits and rewinds, or only looks at the store. */
  constructor(isTold: boolean, done: Done) {
    this.#isTold = isTold;
    this.#done = done;
  }

  async start(): Promise<void> {
    this.#run = await new ChainRun(createLocalChain({ seed: "feed" }), this.store).start();
    this.server = await this.#serve(0);
    await this.grow(8);
  }

  get head(): number {
    return this.#ids.length - 1;
  }

  get headId(): string {
    return this.#ids[this.head] ?? "";
  }

  async grow(blocks: number): Promise<void> {
    for (let i = 0; i < blocks; i++) {
      const { version: previous } = await this.#run.position();
      await this.#run.step();
      const { version } = await this.#run.position();
      if (this.#isTold) this.#headWatch.committed({ previous, version, writes: undefined });
    }
    for (;;) {
      const start = this.#ids.length;
      const response = await fetch(`${this.server.url}/v1/transactions?start=${start}&limit=100`);
      if (response.status !== 200) break;
      for (const transaction of (await response.json()) as Transaction[]) {
        const id = `${transaction.version}-${transaction.accumulator_root_hash.slice(2, 18)}`;
        this.records.set(id, { transaction, before: this.#ids.at(-1) });
        this.#ids.push(id);
      }
    }
  }

  /** Goes back by some blocks, and makes others in their place. */
  async goBack(blocks: number): Promise<void> {
    const { blockHeight } = await this.#run.position();
    const view = await this.store.openView();
    const block = await view.getBlockByHeight(blockHeight - BigInt(blocks));
    view.release();
    if (block === undefined || Number(block.lastVersion) <= this.oldest) return;
    await rewindLedger({
      store: this.store,
      to: block.lastVersion,
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    if (this.#isTold) this.#headWatch.wentBack(block.lastVersion);
    this.#ids = this.#ids.slice(0, Number(block.lastVersion) + 1);
    this.losses++;
    this.#done.rewinds++;
    this.#run = new ChainRun(createLocalChain({ seed: "feed" }), this.store);
    this.#late += 1000n;
    this.#run.lateUsec = this.#late;
  }

  async prune(around: number): Promise<void> {
    const view = await this.store.openView();
    const block = await view.getBlockByVersion(BigInt(around));
    view.release();
    const below = block?.firstVersion ?? 0n;
    if (Number(below) <= this.oldest) return;
    await keepAccumulator(this.store, below, new AbortController().signal);
    for (let done = false; !done; ) ({ done } = await this.store.prune(below, 1000));
    this.oldest = Number(below);
    this.losses++;
    this.#done.prunes++;
  }

  async restart(): Promise<void> {
    const { port } = this.server;
    this.#done.restarts++;
    await this.server.close();
    this.server = await this.#serve(port);
  }

  #serve(port: number): Promise<TestServer> {
    this.#headWatch = new HeadWatch({ ledger: this.store, isTold: () => this.#isTold });
    const limits = { streamHeartbeatMs: 64, streamBufferBytes: BUFFER_BYTES };
    return startServer({ ledger: this.store, headWatch: this.#headWatch, port, ...limits });
  }

  /** The ids of what a query asks for after a version, up to the record with an id. */
  feed(query: Query, kind: "transactions" | "events", after: number, upTo: string): string[] {
    const ids: string[] = [];
    for (let id: string | undefined = upTo; id !== undefined; ) {
      const record = this.records.get(id);
      if (record === undefined) throw new Error(`no record ${id}`);
      if (Number(record.transaction.version) <= after) break;
      const indexes = matching(query, kind, record.transaction);
      const at: string = id;
      ids.unshift(...indexes.map((i) => (kind === "events" ? at.replace("-", `.${i}-`) : at)));
      id = record.before;
    }
    return ids;
  }
}

/** The id of the version that the id of an event is in. */
const versionId = (id: string): string => id.replace(/\.\d+-/, "-");

/** A client that connects again behind its last id, whatever ends its stream. */
class Client {
  readonly kind: "transactions" | "events";
  readonly query: Query;
  readonly isLines: boolean;
  readonly #world: World;
  /** Its history in parts: after which version each begins, and the ids that came. */
  readonly parts: { after: number | undefined; readonly ids: string[] }[] = [];
  lastId: string | undefined;
  gaps = 0;
  #serverEnd: Duplex | undefined;
  #response: IncomingMessage | undefined;
  #isClosed = false;
  readonly #ended: Promise<void>;

  constructor(world: World, random: (below: number) => number, start: number | undefined, query: Query) {
    this.#world = world;
    this.kind = random(2) === 0 ? "transactions" : "events";
    this.isLines = random(3) === 0;
    this.query = start === undefined ? query : [...query, ["start", `${start}`]];
    if (start !== undefined) this.parts.push({ after: start - 1, ids: [] });
    this.#ended = this.#follow();
  }

  cut(): void {
    this.#response?.destroy();
  }

  /** The network takes nothing of what the server sends, or everything again. Returns what is unread, in bytes. */
  slow(isSlow: boolean): number {
    const unread = this.#serverEnd?.writableLength ?? 0;
    if (isSlow && this.#serverEnd?.writableCorked === 0) this.#serverEnd.cork();
    if (!isSlow) this.#serverEnd?.uncork();
    return unread;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.cut();
    await this.#ended;
  }

  get start(): number {
    return Number(this.query.find(([name]) => name === "start")?.[1] ?? 0);
  }

  /** True if a sign of life said that everything up to an id was sent. */
  isAt(id: string): boolean {
    return this.lastId !== undefined && versionId(this.lastId) === id;
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#read();
      } catch (error) {
        if (error instanceof Error && error.message.startsWith("model:")) throw error;
        // Broken off, by this end or the other.
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async #read(): Promise<void> {
    const url = `${this.#world.server.url}/v1/${this.kind}/stream?${new URLSearchParams(this.query)}`;
    const headers = {
      ...(this.isLines ? { accept: "application/x-ndjson" } : {}),
      ...(this.lastId === undefined ? {} : { "last-event-id": this.lastId }),
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { headers, agent: false }, resolve).on("error", reject);
    });
    this.#response = response;
    this.#serverEnd = serverEnds.get(response.socket.localPort);
    if (response.statusCode === 410) {
      // Pruned before anything came: from the oldest version, as the message says.
      const part = this.parts.at(-1);
      if (this.lastId !== undefined || part === undefined) throw new Error("model: 410 on resuming");
      const { oldest } = this.#world;
      part.after = oldest - 1;
      this.query.splice(-1, 1, ["start", `${oldest}`]);
    }
    if (response.statusCode !== 200 || this.#isClosed) return void response.destroy();
    const end = this.isLines ? "\n" : "\n\n";
    let rest = "";
    for await (const chunk of response.setEncoding("utf8")) {
      const blocks = `${rest}${chunk}`.split(end);
      rest = blocks.pop() ?? "";
      for (const block of blocks) this.#take(this.isLines ? (JSON.parse(block) as Json) : parseBlock(block));
    }
  }

  #take({ event, id, data }: Json): void {
    if (event === "gap") {
      this.gaps++;
      this.parts.push({ after: undefined, ids: [] });
    } else if (event === "start") {
      const after = Number((data as { version: string }).version);
      if (this.parts.at(-1)?.after === undefined && this.parts.length > 0)
        (this.parts.at(-1) as { after?: number }).after = after;
      else this.parts.push({ after, ids: [] });
    } else if (event === "transaction" || event === "event") this.parts.at(-1)?.ids.push(`${id}`);
    if (typeof id === "string") this.lastId = id;
  }
}

function parseBlock(block: string): Json {
  const fields = Object.fromEntries(
    block
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { ...fields, ...(fields.data === undefined ? {} : { data: JSON.parse(fields.data) as Json }) };
}

/** Filters drawn from what the ledger has. */
function drawQuery(world: World, random: (below: number) => number): Query {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const all = [...world.records.values()].map(({ transaction }) => transaction);
  const users = all.filter(({ sender }) => sender !== undefined);
  const types = [...new Set(all.flatMap(({ events = [] }) => events.map(({ type }) => type)))];
  const functions = [...new Set(users.flatMap(({ payload }) => payload?.function ?? []))];
  const values: Readonly<Record<string, () => string>> = {
    sender: () => pick(users).sender ?? "",
    function: () => pick(functions),
    module: () => moduleOf(pick([...functions, ...types])),
    event_type: () => (random(2) === 0 ? pick(types) : (pick(types).split("<")[0] ?? "")),
    account: () => pick([...accountsOf(pick(users))].filter((one) => one !== undefined)),
    asset_type: () => pick([APT, ...users.flatMap((one) => [...assetsOf(one)])]),
  };
  const query: Query = random(4) === 0 ? [["success", `${random(4) > 0}`]] : [];
  for (let i = random(4); i > 0; i--) {
    const name = pick(Object.keys(values));
    query.push([name, values[name]?.() ?? ""]);
  }
  return query;
}

/** Clients of the model; more with SEXTANT_FEEDS: 2,000 take a few minutes. */
const CLIENTS = Number(process.env.SEXTANT_FEEDS ?? "80");
const AT_ONCE = 40;

describe.each(["writes", "looks"])("streams of transactions and events of a process that %s", (way) => {
  const done = { rewinds: 0, prunes: 0, restarts: 0, unread: 0 };
  const world = new World(way === "writes", done);
  beforeAll(() => world.start());
  afterAll(() => world.server.close());

  it(
    `send ${CLIENTS} clients what their filters ask for: nothing missed, doubled or out of order`,
    async () => {
      const random = randomOf(Number(process.env.TEST_SEED ?? "36"));
      let sent = 0;
      let gaps = 0;
      for (let count = 0; count < CLIENTS; count += AT_ONCE) {
        const losses = world.losses;
        const clients = Array.from({ length: Math.min(AT_ONCE, CLIENTS - count) }, () => {
          const kept = world.head - world.oldest + 2;
          const start = random(3) === 0 ? undefined : world.oldest + random(kept);
          return new Client(world, random, start, drawQuery(world, random));
        });
        for (let step = 0; step < 12; step++) {
          // Every group of clients sees each of them.
          const what = step % 3 === 2 ? (step - 2) / 3 : random(12);
          if (what === 0) await world.goBack(1 + random(2));
          else if (what === 1) await world.prune(Math.max(world.oldest, world.head - 10 - random(40)));
          else if (what === 2) await world.restart();
          else await world.grow(1 + random(2));
          for (const client of clients) {
            if (random(8) === 0) client.cut();
            if (client.slow(random(4) === 0) > BUFFER_BYTES) done.unread++;
          }
          await new Promise((resolve) => setTimeout(resolve, random(40)));
        }
        for (const client of clients) client.slow(false);
        // A client whose start was undone before it read anything waits for it.
        do await world.grow(2);
        while (clients.some((client) => client.start > world.head));
        await until(() => clients.every((client) => client.isAt(world.headId)));
        await Promise.all(clients.map((client) => client.close()));
        for (const { kind, query, parts, gaps: told } of clients) {
          const filter = query.filter(([name]) => name !== "start");
          for (const [i, { after, ids }] of parts.entries()) {
            const last = i === parts.length - 1 ? world.headId : versionId(ids.at(-1) ?? "");
            const expected = last === "" ? [] : world.feed(filter, kind, after ?? -1, last);
            // A part that a gap ended may end within a version.
            const whole = i === parts.length - 1 ? expected : expected.slice(0, ids.length);
            expect([kind, query, i, after, ids]).toEqual([kind, query, i, after, whole]);
            sent += ids.length;
          }
          gaps += told;
          expect(told).toBeLessThanOrEqual(world.losses - losses);
        }
      }
      // The model would also be right about streams that send nothing.
      expect(sent).toBeGreaterThan(CLIENTS * 5);
      expect(gaps).toBeGreaterThan(0);
      for (const times of Object.values(done)) expect(times).toBeGreaterThan(0);
      console.log(
        `${CLIENTS} clients of a process that ${way}: ${sent} items, ${gaps} gaps, ${JSON.stringify(done)}`,
      );
    },
    600_000 + CLIENTS * 600,
  );

  // How a process hears of commits matters to no range.
  if (way === "writes") return;
  it(
    `answer ${CLIENTS} ranges whole, and the rest of each behind any of its ids`,
    async () => {
      const random = randomOf(Number(process.env.TEST_SEED ?? "36"));
      await world.grow(20);
      let sent = 0;
      for (let count = 0; count < CLIENTS; count++) {
        const query = drawQuery(world, random);
        const kind = random(2) === 0 ? "transactions" : "events";
        const start = world.oldest + random(world.head - world.oldest + 1);
        const end = start + random(world.head - start + 1);
        const upTo = [...world.records.keys()].findLast((id) => id.startsWith(`${end}-`)) ?? "";
        const ask = async (lastId?: string): Promise<string[]> => {
          const range = new URLSearchParams([...query, ["end", `${end}`]]);
          if (lastId === undefined) range.append("start", `${start}`);
          const url = `${world.server.url}/v1/${kind}/stream?${range}`;
          const headers = { accept: "application/x-ndjson", ...(lastId && { "last-event-id": lastId }) };
          const lines = (await (await fetch(url, { headers })).text()).trimEnd().split("\n");
          const events = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Json);
          // Behind the last version of a range there is nothing, not even an end.
          if (events.length > 0) expect(events.at(-1)).toEqual({ event: "heartbeat", id: upTo });
          return events.filter(({ event }) => event !== "heartbeat").map(({ id }) => `${id}`);
        };
        const expected = world.feed(query, kind, start - 1, upTo);
        expect(await ask()).toEqual(expected);
        sent += expected.length;
        const cut = random(expected.length);
        if (expected.length > 0) expect(await ask(expected[cut])).toEqual(expected.slice(cut + 1));
      }
      expect(sent).toBeGreaterThan(CLIENTS * 5);
    },
    600_000 + CLIENTS * 600,
  );
});

async function read(url: string): Promise<EventReader> {
  const reader = await EventReader.open(url);
  onTestFinished(() => reader.close());
  return reader;
}

describe("a stream of transactions", () => {
  it("holds each back until it has the level that is asked for", async () => {
    const ledger = new SmallLedger();
    await ledger.commit([{ owner: "0x10", amount: 1n }]);
    await ledger.raise(0n, PROVEN);
    await ledger.commit([{ owner: "0x10", amount: 2n }]);
    const { url } = await startServer({ ledger: ledger.store });
    const free = await read(`${url}/v1/transactions/stream?start=0`);
    const held = await read(`${url}/v1/transactions/stream?start=0&min_trust=proven`);
    await until(() => free.data.length === 2 && held.data.length === 1);
    await ledger.raise(1n, PROVEN);
    await until(() => held.data.length === 2);
    expect(free.data.map(({ trust }) => trust)).toEqual(["proven", "trusted"]);
    expect(held.data.map(({ trust }) => trust)).toEqual(["proven", "proven"]);
  });

  it("is sent its part of a transaction with thousands of events beside others, in pieces", async () => {
    const ledger = new SmallLedger();
    await ledger.commit([{ owner: "0x10", amount: 1n }]);
    const headWatch = new HeadWatch({ ledger: ledger.store, isTold: () => false });
    const { url } = await startServer({ ledger: ledger.store, headWatch });
    const types = ["0x1::string::String", "0x1::option::Option<u8>"];
    const readers = await Promise.all(
      [0, 1, 2, 3].map((i) =>
        read(`${url}/v1/events/stream?event_type=${types[i % 2]}&event_type=0x${i}::m::E`),
      ),
    );
    await until(() => readers.every(({ data }) => data.length === 1));
    const kinds = types.map((text) =>
      encodeWith(contractEventCodec, { kind: "v2", type: parseTypeTag(text), data: Uint8Array.of(0) }),
    );
    const events = Array.from({ length: 4000 }, (_, i) => kinds[i % 2] as Uint8Array);
    await ledger.commit([{ owner: "0x10", amount: 2n, events }]);
    const heldMs = await longestTurnMs(() => until(() => readers.every(({ data }) => data.length === 2001)));
    for (const [i, { data }] of readers.entries()) {
      expect(data.slice(1).map(({ index }) => Number(index))).toEqual(
        Array.from({ length: 2000 }, (_, place) => 2 * place + (i % 2)),
      );
    }
    // It took seconds where each filter was asked once for every event.
    expect(heldMs).toBeLessThan(300 * slowness());
  });

  it("looks at the store for a level only while a stream asks for it", async () => {
    const ledger = new SmallLedger();
    await ledger.commit([{ owner: "0x10", amount: 1n }]);
    await ledger.raise(0n, PROVEN);
    const counting = new CountingLedger(ledger.store);
    const headWatch = new HeadWatch({ ledger: counting, isTold: () => true });
    const server = await startServer({ ledger: counting, headWatch });
    const held = await EventReader.open(`${server.url}/v1/events/stream?min_trust=proven`);
    const before = counting.views;
    await until(() => counting.views > before + 2);
    held.close();
    await until(() => server.figures().streams === 0);
    // Nothing opens a view any more, for longer than several looks would take.
    await until(async () => {
      const { views } = counting;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return views === counting.views;
    });
  });

  it("tells of a transaction that is too large to print", async () => {
    const ledger = new SmallLedger();
    await ledger.commit(Array.from({ length: 3 }, () => ({ owner: "0x10", amount: 1n })));
    const { url } = await startServer({ ledger: ledger.store });
    vi.spyOn(RecordsPrinter.prototype, "print").mockRejectedValueOnce(
      new HttpError("unprintable", "the transaction is too large to print"),
    );
    onTestFinished(() => void vi.restoreAllMocks());
    const reader = await read(`${url}/v1/transactions/stream?start=0`);
    await until(() => reader.data.length === 3);
    expect(reader.data.map(({ version }) => version)).toEqual(["0", "1", "2"]);
    expect(reader.data[0]).toMatchObject({ unprintable: "the transaction is too large to print" });
  });

  it("tells how far it is while it reads a long past in which nothing fits", async () => {
    const ledger = await new ForkedHistories().start();
    await ledger.grow(30);
    const { url } = await startServer({ ledger, streamHeartbeatMs: 32 });
    let goOn = (): void => {};
    const hold = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    // The request, the feed, the range and two pieces.
    ledger.injectAt(5, () => hold);
    const reader = await read(`${url}/v1/events/stream?start=0&sender=0x404`);
    const id = await until(() => reader.blocks.find((block) => block.id !== undefined)?.id);
    expect(Number(versionOf(id))).toBeGreaterThanOrEqual(63);
    goOn();
    await until(() => reader.blocks.at(-1)?.id === ledger.headId);
    expect(reader.data).toEqual([]);
  });

  it.each([
    "start=100",
    "min_trust=certain",
    "function=0x1::coin",
    "sender=0xzz",
    "success=true&success=false",
    "after=1",
    Array.from({ length: 101 }, () => "sender=0x1").join("&"),
  ])("refuses %s", async (query) => {
    const { url } = await startServer();
    expect((await fetch(`${url}/v1/transactions/stream?${query}`)).status).toBe(400);
  });
});
