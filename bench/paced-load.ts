// A load at a fixed pace, in a process of its own: requests are due at random moments with a given mean rate,
// whatever became of those before, and wait for a free connection where all are in use. Latency is from the moment
// a request was due to the end of its answer.
import { connect, type Socket } from "node:net";
import { quantile } from "./harness.ts";
import type { Question } from "./questions.ts";

/** What to send. */
export interface PacedLoad {
  readonly url: string;
  readonly questions: readonly Question[];
  readonly connections: number;
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
}

/** What came of it; latencies in microseconds. */
export interface PacedResult {
  readonly p50: number;
  readonly p99: number;
  readonly rate: number;
  readonly failures: number;
}

const HEAD_END = "\r\n\r\n";

class Client {
  readonly #socket: Socket;
  readonly #onDone: (client: Client, isGood: boolean) => void;
  #received = "";
  dueMs = 0;

  constructor(url: URL, onDone: (client: Client, isGood: boolean) => void) {
    this.#onDone = onDone;
    this.#socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (text: string) => this.#take(text));
    this.#socket.on("error", () => onDone(this, false));
  }

  send(request: string, dueMs: number): void {
    this.dueMs = dueMs;
    this.#socket.write(request, "latin1");
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#received += text;
    const head = this.#received.indexOf(HEAD_END);
    if (head < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#received.slice(0, head))?.[1] ?? 0);
    if (this.#received.length < head + HEAD_END.length + length) return;
    const isGood = this.#received.startsWith("HTTP/1.1 200 ");
    this.#received = "";
    this.#onDone(this, isGood);
  }
}

function run({ url, questions, connections, rate, seconds }: PacedLoad): Promise<PacedResult> {
  const target = new URL(url);
  const requests = questions.map(({ path }) => `GET ${path} HTTP/1.1\r\nHost: ${target.host}${HEAD_END}`);
  const latencies: number[] = [];
  const waiting: number[] = [];
  const free: Client[] = [];
  const clients: Client[] = [];
  let failures = 0;
  let sent = 0;
  const dispatch = (client: Client, dueMs: number): void => {
    client.send(requests[sent++ % requests.length] ?? "", dueMs);
  };
  const onDone = (client: Client, isGood: boolean): void => {
    latencies.push(1000 * (performance.now() - client.dueMs));
    if (!isGood) failures++;
    const next = waiting.shift();
    if (next === undefined) free.push(client);
    else dispatch(client, next);
  };
  for (let i = 0; i < connections; i++) {
    const client = new Client(target, onDone);
    clients.push(client);
    free.push(client);
  }
  const startedMs = performance.now();
  const endMs = startedMs + 1000 * seconds;
  let dueMs = startedMs;
  return new Promise((resolve) => {
    const turn = (): void => {
      const now = performance.now();
      while (dueMs <= now && dueMs < endMs) {
        const client = free.pop();
        if (client === undefined) waiting.push(dueMs);
        else dispatch(client, dueMs);
        // Random moments, as independent clients have.
        dueMs += (-1000 * Math.log(1 - Math.random())) / rate;
      }
      if (now < endMs || free.length < clients.length) {
        setImmediate(turn);
        return;
      }
      for (const client of clients) client.close();
      resolve({
        p50: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
        rate: latencies.length / seconds,
        failures,
      });
    };
    turn();
  });
}

process.once("message", async (load: PacedLoad) => {
  process.send?.(await run(load));
  process.disconnect();
});
