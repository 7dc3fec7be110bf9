// Measures how long a request holds the event loop of this thread. It counts processor time, not time on the clock: on a
// busy machine a thread waits for its processor, and that says nothing about the request.
import { existsSync, openSync, readSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** Processor time of this thread in nanoseconds, then its time in the queue of a processor, and how often it ran. */
const SCHEDULER_FILE = "/proc/thread-self/schedstat";
const buffer = Buffer.alloc(128);
let file: number | undefined;

/** Processor time of this thread in milliseconds; of all threads where the system has no figure for one. */
export function threadCpuMs(): number {
  // This call also brings the kernel's figure up to date, which is otherwise as old as the last tick.
  const { user, system } = process.cpuUsage();
  if (!existsSync(SCHEDULER_FILE)) return (user + system) / 1000;
  file ??= openSync(SCHEDULER_FILE, "r");
  const length = readSync(file, buffer, 0, buffer.length, 0);
  return Number.parseInt(buffer.toString("latin1", 0, length), 10) / 1e6;
}

/** What `slowness` parses, and the processor time that it took where limits were set. */
const BARE_TEXT = JSON.stringify({
  sender: `0x${"88fb".repeat(16)}`,
  sequence_number: "32425224034",
  max_gas_amount: "2000",
  gas_unit_price: "100",
  expiration_timestamp_secs: "1700000000",
  payload: {
    type: "entry_function_payload",
    function: "0x1::aptos_account::transfer",
    type_arguments: [],
    arguments: [`0x${"88fb".repeat(16)}`, "500"],
  },
});
const BARE_MICROS = 2;
const BARE_COUNT = 20_000;

/**
 * How much slower the machine is now than where limits of processor time were set, by a bare JSON.parse; at least 1. The
 * same machine is half as fast for hours.
 */
export function slowness(): number {
  const bytes = Buffer.from(BARE_TEXT);
  const parse = (): number => Object.keys(JSON.parse(bytes.toString("utf8")) as object).length;
  for (let i = 0; i < BARE_COUNT; i++) parse();
  const before = threadCpuMs();
  for (let i = 0; i < BARE_COUNT; i++) parse();
  return Math.max(1, (1000 * (threadCpuMs() - before)) / BARE_COUNT / BARE_MICROS);
}

/** Runs the work and returns the processor time of each turn of the event loop meanwhile, in milliseconds. */
export async function turnsMs(work: () => Promise<unknown>): Promise<number[]> {
  const turns: number[] = [];
  let isOver = false;
  let last = threadCpuMs();
  const turn = (): void => {
    const now = threadCpuMs();
    turns.push(now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
    // The turn that ended the work counts too.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  } finally {
    isOver = true;
  }
  return turns;
}

/** Runs the work and returns the processor time of the longest turn of the event loop meanwhile, in milliseconds. */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  return (await turnsMs(work)).reduce((longest, one) => Math.max(longest, one), 0);
}

/** A request as bytes and headers. */
export interface MeterRequest {
  readonly method: "GET" | "POST";
  /** Below `/v1`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Made when it is sent: large ones would not fit into memory together. */
  readonly body?: (() => string | Uint8Array) | undefined;
}

/** What came back: the body by its length and SHA-256. */
export interface MeterResponse {
  readonly status: number;
  readonly bytes: number;
  readonly hash: string;
  /** The first characters. */
  readonly start: string;
}

/** Code of the client's thread, as text because a thread has no loader for TypeScript. */
const CLIENT = `
const { parentPort } = require("node:worker_threads");
const { request } = require("node:http");
const { createHash } = require("node:crypto");
let prepared;
function send({ url, method, headers, body, mayEnd }) {
  const hasher = createHash("sha256");
  let [status, bytes, start, isDone] = [0, 0, "", false];
  const done = () => {
    if (isDone) return;
    isDone = true;
    sent.destroy();
    parentPort.postMessage({ status, bytes, start, hash: hasher.digest("hex") });
  };
  const sent = request(url, { method, headers, agent: false }, (response) => {
    status = response.statusCode;
    response.on("data", (chunk) => {
      hasher.update(chunk);
      bytes += chunk.length;
      if (start.length < 300) start += chunk.toString("latin1", 0, 300);
      if (mayEnd) done();
    });
    response.on("end", done);
  });
  sent.on("error", done);
  sent.end(body);
}
parentPort.on("message", (message) => {
  if (message === "send") return send(prepared);
  prepared = message;
  parentPort.postMessage("prepared");
});
`;

/** A client in a thread of its own, so that its work is not counted. */
export class MeterClient {
  readonly #worker = new Worker(CLIENT, { eval: true, execArgv: [] });
  readonly #url: string;

  /** `url` ends with `/v1`. */
  constructor(url: string) {
    this.#url = url;
  }

  /** Hands a request to the thread: its bytes are copied. */
  async prepare({ method, path, headers = {}, body }: MeterRequest): Promise<void> {
    const bytes = body === undefined ? undefined : Buffer.from(body());
    const length = bytes === undefined ? {} : { "content-length": `${bytes.length}` };
    await this.#tell({
      url: `${this.#url}${path}`,
      method,
      headers: { ...headers, ...length },
      body: bytes,
      // A range ends by itself.
      mayEnd: /\/stream($|\?(?!.*\bend=))/.test(path),
    });
  }

  /** Sends the prepared request. */
  async send(): Promise<MeterResponse> {
    return (await this.#tell("send")) as MeterResponse;
  }

  #tell(message: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#worker.once("error", reject).once("message", (reply) => {
        this.#worker.off("error", reject);
        resolve(reply);
      });
      this.#worker.postMessage(message);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
