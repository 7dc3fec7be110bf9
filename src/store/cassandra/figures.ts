// Statistics of the driver: requests, latencies, errors, retries and the state of the pool.
import type { Client } from "cassandra-driver";
import { metrics } from "cassandra-driver";

/** Upper bounds of the latency buckets, in milliseconds; one more bucket holds the rest. */
export const LATENCY_BOUNDS_MS: readonly number[] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

/** Counters since the store was opened, and the current state of the pool. */
export interface DriverFigures {
  /** Responses received. */
  readonly responses: number;
  /** Responses by latency bucket. */
  readonly latencyCounts: readonly number[];
  readonly latencySumMs: number;
  /** Failed requests by kind. */
  readonly errors: Readonly<Record<ErrorKind, number>>;
  /** Requests that the driver sent again. */
  readonly retries: number;
  /** Second requests sent because the first was slow. */
  readonly speculative: number;
  readonly hostsUp: number;
  readonly hostsKnown: number;
  readonly connections: number;
  readonly inFlight: number;
}

type ErrorKind =
  | "timeout"
  | "connection"
  | "unavailable"
  | "read_timeout"
  | "write_timeout"
  | "authentication"
  | "other";

/** Counts the events of the driver. */
export class DriverMetrics extends metrics.DefaultMetrics {
  readonly #counts: number[] = new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0);
  readonly #errors: Record<ErrorKind, number> = {
    timeout: 0,
    connection: 0,
    unavailable: 0,
    read_timeout: 0,
    write_timeout: 0,
    authentication: 0,
    other: 0,
  };
  #responses = 0;
  #sumMs = 0;
  #retries = 0;
  #speculative = 0;

  override onClientTimeoutError(): void {
    this.#errors.timeout++;
  }

  override onConnectionError(): void {
    this.#errors.connection++;
  }

  override onUnavailableError(): void {
    this.#errors.unavailable++;
  }

  override onReadTimeoutError(): void {
    this.#errors.read_timeout++;
  }

  override onWriteTimeoutError(): void {
    this.#errors.write_timeout++;
  }

  override onAuthenticationError(): void {
    this.#errors.authentication++;
  }

  override onOtherError(): void {
    this.#errors.other++;
  }

  override onClientTimeoutRetry(): void {
    this.#retries++;
  }

  override onOtherErrorRetry(): void {
    this.#retries++;
  }

  override onReadTimeoutRetry(): void {
    this.#retries++;
  }

  override onUnavailableRetry(): void {
    this.#retries++;
  }

  override onWriteTimeoutRetry(): void {
    this.#retries++;
  }

  override onSpeculativeExecution(): void {
    this.#speculative++;
  }

  /** `latency` is seconds and nanoseconds. */
  override onResponse(latency: number[]): void {
    const [seconds = 0, nanoseconds = 0] = latency;
    const ms = seconds * 1000 + nanoseconds / 1e6;
    this.#responses++;
    this.#sumMs += ms;
    const at = LATENCY_BOUNDS_MS.findIndex((bound) => ms <= bound);
    const index = at < 0 ? LATENCY_BOUNDS_MS.length : at;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  /** The current figures. */
  read(client: Client): DriverFigures {
    const state = client.getState();
    const hosts = client.hosts.values();
    let connections = 0;
    let inFlight = 0;
    for (const host of hosts) {
      connections += state.getOpenConnections(host);
      inFlight += state.getInFlightQueries(host);
    }
    return {
      responses: this.#responses,
      latencyCounts: [...this.#counts],
      latencySumMs: this.#sumMs,
      errors: { ...this.#errors },
      retries: this.#retries,
      speculative: this.#speculative,
      hostsUp: hosts.filter((host) => host.isUp()).length,
      hostsKnown: hosts.length,
      connections,
      inFlight,
    };
  }
}
