// An open-loop load in its own process: requests are due at random times with a given mean rate, independent of earlier
// responses, and wait for a free connection if all are in use. Latency counts from the due time to the end of the
// response. The process sleeps in between, so that it takes little processor time from the server.
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { quantile } from "./harness.ts";
import { sharedNow, startPacer } from "./pacer.ts";
import type { BenchRequest } from "./requests.ts";

/** What to send. */
export interface PacedLoad {
  readonly url: string;
  readonly requests: readonly BenchRequest[];
  readonly connections: number;
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
}

/** Result of a load; times in microseconds. */
export interface PacedResult {
  readonly p50: number;
  readonly p99: number;
  readonly rate: number;
  readonly failures: number;
  /** How late requests were sent although a connection was free: the generator's share of the latency. */
  readonly late50: number;
  readonly late99: number;
  /** Average number of processors that this process used. */
  readonly processors: number;
}

const HEAD_END = "\r\n\r\n";
const GOOD = "HTTP/1.1 200 ";
const READ_BYTES = 8192;
/** Time before the first request, for the pacer to start. */
const LEAD_MS = 300;

/** One connection with at most one request in flight. Reads into one buffer, to create no garbage. */
class Client {
  readonly #socket: Socket;
  readonly #buffer = Buffer.alloc(READ_BYTES);
  readonly #onDone: (client: Client, isGood: boolean) => void;
  #expected = 0;
  #received = 0;
  #isGood = false;
  dueMs = 0;

  constructor(url: URL, onDone: (client: Client, isGood: boolean) => void) {
    this.#onDone = onDone;
    this.#socket = createConnection({
      host: url.hostname,
      port: Number(url.port),
      noDelay: true,
      onread: { buffer: this.#buffer, callback: (bytes) => this.#onBytes(bytes) },
    });
    this.#socket.on("end", () => {
      throw new Error("the server ended a connection");
    });
  }

  async connected(): Promise<this> {
    await once(this.#socket, "connect");
    return this;
  }

  send(request: Buffer, dueMs: number): void {
    this.dueMs = dueMs;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #onBytes(bytes: number): boolean {
    if (this.#received === 0) {
      const head = this.#buffer.indexOf(HEAD_END);
      const isWhole = head >= 0 && head + HEAD_END.length <= bytes;
      if (!isWhole) throw new Error("the head of a response came in parts");
      const text = this.#buffer.toString("latin1", 0, head);
      this.#isGood = text.startsWith(GOOD);
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      this.#expected = head + HEAD_END.length + length;
    }
    this.#received += bytes;
    if (this.#received < this.#expected) return true;
    this.#received = 0;
    this.#onDone(this, this.#isGood);
    return true;
  }
}

/** Random due times with the given mean rate, as of independent clients. */
function randomDueTimes(startMs: number, { rate, seconds }: PacedLoad): Float64Array {
  const dueTimes: number[] = [];
  const endMs = startMs + 1000 * seconds;
  for (let at = startMs; at < endMs; at += (1000 / rate) * -Math.log(1 - Math.random())) dueTimes.push(at);
  return Float64Array.from(dueTimes);
}

async function run(load: PacedLoad): Promise<PacedResult> {
  const target = new URL(load.url);
  const requests = load.requests.map(({ path }) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${target.host}${HEAD_END}`, "latin1"),
  );
  const free: Client[] = [];
  let failures = 0;
  let sent = 0;
  let done = 0;
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const sendDue = (isFirst: boolean): void => {
    const now = sharedNow();
    for (let dueMs = due[sent] ?? Infinity; dueMs <= now; dueMs = due[sent] ?? Infinity) {
      const client = free.pop();
      const request = requests[sent % requests.length];
      if (client === undefined || request === undefined) return;
      late[sent++] = isFirst ? 1000 * (now - dueMs) : 0;
      client.send(request, dueMs);
    }
  };
  const onDone = (client: Client, isGood: boolean): void => {
    latencies[done++] = 1000 * (sharedNow() - client.dueMs);
    if (!isGood) failures++;
    const wasFull = free.length === 0;
    free.push(client);
    sendDue(!wasFull);
    if (done === due.length) finish();
  };
  const connecting = Array.from({ length: load.connections }, () => new Client(target, onDone).connected());
  free.push(...(await Promise.all(connecting)));
  const clients = [...free];
  const due = randomDueTimes(sharedNow() + LEAD_MS, load);
  const latencies = new Float64Array(due.length);
  const late = new Float64Array(due.length);
  const pacer = startPacer(due, () => sendDue(true));
  const before = process.cpuUsage();
  await finished;
  const { user, system } = process.cpuUsage(before);
  for (const client of clients) client.close();
  await pacer.stop();
  const all = [...latencies];
  return {
    p50: quantile(all, 0.5),
    p99: quantile(all, 0.99),
    rate: done / load.seconds,
    failures,
    late50: quantile([...late], 0.5),
    late99: quantile([...late], 0.99),
    processors: (user + system) / 1e6 / load.seconds,
  };
}

process.once("message", async (load: PacedLoad) => {
  process.send?.(await run(load));
  process.disconnect();
});
