// What the driver does, in plain numbers: requests, their times, errors, retries and the state of the pool.
import type { Client } from "cassandra-driver";
import { metrics } from "cassandra-driver";

/** Upper bounds of the latency classes, in milliseconds; one more class holds the rest. */
export const LATENCY_BOUNDS_MS: readonly number[] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

/** Numbers since the store was opened, except those of the pool, which are of the moment. */
export interface DriverFigures {
  /** Answers that came. */
  readonly responses: number;
  /** Answers by the class of time they took, in the order of the bounds. */
  readonly latencyCounts: readonly number[];
  readonly latencySumMs: number;
  /** Requests that failed, by kind. */
  readonly errors: Readonly<Record<ErrorKind, number>>;
  /** Requests that were sent again by the driver. */
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

/** Counts what the driver tells. */
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

  /** The driver gives times as seconds and nanoseconds. */
  override onResponse(latency: number[]): void {
    const [seconds = 0, nanoseconds = 0] = latency;
    const ms = seconds * 1000 + nanoseconds / 1e6;
    this.#responses++;
    this.#sumMs += ms;
    const at = LATENCY_BOUNDS_MS.findIndex((bound) => ms <= bound);
    const index = at < 0 ? LATENCY_BOUNDS_MS.length : at;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  /** The numbers now. */
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
