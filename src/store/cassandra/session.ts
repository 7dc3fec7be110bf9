// One connection to a cluster: which consistency, time limits and retries each kind of request has. This is the
// only place where they are chosen; docs/appendix/cluster-design.md gives the reasons.
import { setMaxListeners } from "node:events";
import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import { auth, Client, type ClientOptions, ExecutionProfile, policies, types } from "cassandra-driver";
import { errorText } from "../../base/errors.ts";
import { isPassingFailure, isSlowHost, toConnectError, toReadError, toStoreError } from "./failure.ts";
import { type DriverFigures, DriverMetrics } from "./figures.ts";
import type { CassandraSettings, CassandraTls } from "./options.ts";

/** A statement with its values. */
export interface Request {
  readonly query: string;
  readonly values: readonly unknown[];
}

/** A row as the driver gives it: columns by name. */
export type Row = Readonly<Record<string, unknown>>;

/** A page of rows, and where the next one begins. */
export interface Page {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

const { consistencies } = types;
/** A request that a node has not answered by then is given up on that node. */
const REQUEST_MS = 4000;
/** As long as nodes wait for each other in one: a change of the head row, or a read that settles one. */
const CONDITIONAL_MS = 2500;
/** A request that may be repeated is sent to a second node as well when the first is this slow. */
const SPECULATE_MS = 400;
const CONNECT_MS = 3000;
/** How long one who wants to write tries to connect to hosts that take their time; one who reads is told at once, and waits. */
const CONNECT_PATIENCE_MS = 20_000;
/** How long a repeatable write is tried before the cluster counts as out of reach. */
const WRITE_PATIENCE_MS = 20_000;
/** How long a read is tried: someone waits for it. */
const READ_PATIENCE_MS = 2000;
const SHUTDOWN_MS = 3000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

/** A session with one cluster. */
export class Session {
  /** The hosts and the keyspace, for messages. */
  readonly where: string;
  readonly #client: Client;
  readonly #metrics: DriverMetrics;
  readonly #dataCentre: string;
  readonly #closing = new AbortController();

  private constructor(client: Client, metrics: DriverMetrics, dataCentre: string, where: string) {
    this.#client = client;
    this.#dataCentre = dataCentre;
    this.#metrics = metrics;
    this.where = where;
    // As many wait as requests may be in flight.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Connects; for writing, with some patience. Throws StoreError `unreachable` when no host answers. */
  static async connect(settings: CassandraSettings): Promise<Session> {
    const where = `${settings.hosts.join(",")}/${settings.keyspace}`;
    const deadline = performance.now() + (settings.readOnly ? 0 : CONNECT_PATIENCE_MS);
    for (;;) {
      try {
        return await Session.#connectOnce(settings, where);
      } catch (error) {
        // A host that refuses is believed at once; one that is busy may answer yet.
        if (!isSlowHost(error) || performance.now() > deadline) throw toConnectError(error, where);
        settings.logger.warn(
          { store: where, err: errorText(error) },
          "the cluster is slow: connecting again",
        );
      }
      await sleep(MAX_PAUSE_MS);
    }
  }

  static async #connectOnce(settings: CassandraSettings, where: string): Promise<Session> {
    const dataCentre = settings.dataCentre ?? (await findDataCentre(settings));
    const metrics = new DriverMetrics();
    const client = new Client({
      ...connectionOptions(settings),
      localDataCenter: dataCentre,
      metrics,
      policies: {
        ...translation(settings),
        loadBalancing: new policies.loadBalancing.DefaultLoadBalancingPolicy({ localDc: dataCentre }),
        reconnection: new policies.reconnection.ExponentialReconnectionPolicy(200, 5000),
        speculativeExecution: new policies.speculativeExecution.ConstantSpeculativeExecutionPolicy(
          SPECULATE_MS,
          1,
        ),
      },
      profiles: profilesFor(dataCentre),
    });
    await client.connect().catch(async (error: unknown) => {
      await client.shutdown().catch(() => {});
      throw error;
    });
    return new Session(client, metrics, dataCentre, where);
  }

  get figures(): DriverFigures {
    return this.#metrics.read(this.#client);
  }

  /** Reads at QUORUM. Throws LedgerError `unavailable` when too few nodes answer. */
  async read(query: string, values: readonly unknown[]): Promise<readonly Row[]> {
    try {
      const result = await this.#patiently(READ_PATIENCE_MS, () =>
        this.#client.execute(query, [...values], {
          prepare: true,
          executionProfile: "read",
          isIdempotent: true,
        }),
      );
      return result.rows;
    } catch (error) {
      throw toReadError(error, this.where);
    }
  }

  /** Reads one page at QUORUM. Throws as `read`. */
  async readPage(query: string, values: readonly unknown[], size: number, from?: string): Promise<Page> {
    try {
      const options = {
        prepare: true,
        executionProfile: "read",
        isIdempotent: true,
        fetchSize: size,
        ...(from === undefined ? {} : { pageState: from }),
      };
      const result = await this.#patiently(READ_PATIENCE_MS, () =>
        this.#client.execute(query, [...values], options),
      );
      return { rows: result.rows, next: result.pageState ?? undefined };
    } catch (error) {
      throw toReadError(error, this.where);
    }
  }

  /** Reads what the last lightweight transaction left, finishing one that is under way. Throws StoreError. */
  async readSerial(query: string, values: readonly unknown[]): Promise<readonly Row[]> {
    try {
      const result = await this.#patiently(READ_PATIENCE_MS, () =>
        this.#client.execute(query, [...values], {
          prepare: true,
          executionProfile: "serial",
          isIdempotent: true,
        }),
      );
      return result.rows;
    } catch (error) {
      throw toStoreError(error, this.where);
    }
  }

  /** Writes rows that may be written twice, at QUORUM, so many at once. Throws StoreError when one cannot be. */
  async writeAll(requests: readonly Request[], concurrency: number): Promise<void> {
    let next = 0;
    let failed = false;
    const work = async (): Promise<void> => {
      for (let request = requests[next++]; request !== undefined && !failed; request = requests[next++]) {
        await this.write(request);
      }
    };
    const workers = Array.from({ length: Math.min(concurrency, requests.length) }, () =>
      work().catch((error: unknown) => {
        failed = true;
        throw error;
      }),
    );
    // All of them end before this does: nothing of a failed call is still being sent afterwards.
    const ends = await Promise.allSettled(workers);
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  /** Writes one row that may be written twice, at QUORUM. Throws StoreError. */
  async write({ query, values }: Request): Promise<void> {
    try {
      await this.#patiently(WRITE_PATIENCE_MS, () =>
        this.#client.execute(query, [...values], {
          prepare: true,
          executionProfile: "write",
          isIdempotent: true,
        }),
      );
    } catch (error) {
      throw toStoreError(error, this.where);
    }
  }

  /**
   * One lightweight transaction, sent once. True when it was applied, false when it was not, and undefined when
   * the answer did not come or does not say: then only a serial read can tell. Throws StoreError for a refusal.
   */
  async tryConditional({ query, values }: Request): Promise<boolean | undefined> {
    try {
      const result = await this.#client.execute(query, [...values], {
        prepare: true,
        executionProfile: "conditional",
        isIdempotent: false,
      });
      return result.wasApplied() ? true : undefined;
    } catch (error) {
      if (isPassingFailure(error)) return undefined;
      throw toStoreError(error, this.where);
    }
  }

  /** Runs a statement that changes the schema. Throws StoreError. */
  async define(query: string): Promise<void> {
    try {
      await this.#patiently(WRITE_PATIENCE_MS, () =>
        this.#client.execute(query, [], { prepare: false, executionProfile: "define", isIdempotent: true }),
      );
    } catch (error) {
      throw toStoreError(error, this.where);
    }
  }

  /** Runs a query of the schema's own tables, unprepared. Throws StoreError. */
  async ask(query: string): Promise<readonly Row[]> {
    try {
      const result = await this.#patiently(READ_PATIENCE_MS, () =>
        this.#client.execute(query, [], { prepare: false, executionProfile: "define", isIdempotent: true }),
      );
      return result.rows;
    } catch (error) {
      throw toStoreError(error, this.where);
    }
  }

  /** Nodes of the data centre that is asked, and its name. */
  get dataCentre(): { readonly name: string; readonly nodes: number } {
    const name = this.#dataCentre;
    const hosts = this.#client.hosts.values().filter((host) => host.datacenter === name);
    return { name, nodes: hosts.length };
  }

  /** Waits, or ends early when the session is closed. */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal, ref: true }).catch(() => {});
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    // A driver that is just trying to connect may never say that it ended.
    const ended = new AbortController();
    const late = sleep(SHUTDOWN_MS, undefined, { signal: ended.signal }).catch(() => {});
    await Promise.race([this.#client.shutdown(), late]);
    ended.abort();
  }

  /** Tries again what may pass, with growing pauses. */
  async #patiently<T>(patienceMs: number, action: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + patienceMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      try {
        return await action();
      } catch (error) {
        if (!isPassingFailure(error) || this.isClosed || performance.now() + pause > deadline) throw error;
      }
      await this.pause(pause);
    }
  }
}

function connectionOptions(settings: CassandraSettings): ClientOptions {
  const { hosts, user, password, tls } = settings;
  return {
    contactPoints: [...hosts],
    // The newest that the driver speaks. Left to find it out, it begins with one that only a kin of Cassandra has, and
    // over TLS it never recovers from being refused.
    protocolOptions: { maxVersion: types.protocolVersion.v4 },
    ...(user === undefined ? {} : { authProvider: new auth.PlainTextAuthProvider(user, password ?? "") }),
    ...(tls === undefined || tls === false ? {} : { sslOptions: tlsOptions(hosts, tls === true ? {} : tls) }),
    encoding: { useBigIntAsLong: true, useUndefinedAsUnset: true },
    socketOptions: { connectTimeout: CONNECT_MS, readTimeout: REQUEST_MS, tcpNoDelay: true },
    pooling: { heartBeatInterval: 2000, warmup: true },
    // Only the token map is needed; the tables are this code's own.
    isMetadataSyncEnabled: true,
    queryOptions: { captureStackTrace: false },
  };
}

/** The driver alone would take any certificate, and it knows nodes by their addresses only. */
function tlsOptions(hosts: readonly string[], tls: CassandraTls): ConnectionOptions {
  const names = hosts.map((host) => host.replace(/:[0-9]{1,5}$/, "")).filter((name) => isIP(name) === 0);
  return {
    rejectUnauthorized: true,
    ...tls,
    checkServerIdentity: (address, certificate) => {
      const fault = checkServerIdentity(address, certificate);
      const isNamed = (name: string): boolean => checkServerIdentity(name, certificate) === undefined;
      return fault !== undefined && names.some(isNamed) ? undefined : fault;
    },
  };
}

function translation({ translateAddress }: CassandraSettings) {
  if (translateAddress === undefined) return {};
  const addressResolution = policies.defaultAddressTranslator();
  addressResolution.translate = (address, port, callback) => callback(`${translateAddress(address)}:${port}`);
  return { addressResolution };
}

function profilesFor(localDc: string): ExecutionProfile[] {
  const loadBalancing = new policies.loadBalancing.DefaultLoadBalancingPolicy({ localDc });
  const { quorum, serial } = consistencies;
  return [
    new ExecutionProfile("default", { consistency: quorum, loadBalancing }),
    new ExecutionProfile("read", { consistency: quorum, readTimeout: REQUEST_MS, loadBalancing }),
    new ExecutionProfile("write", { consistency: quorum, readTimeout: REQUEST_MS, loadBalancing }),
    new ExecutionProfile("serial", { consistency: serial, readTimeout: CONDITIONAL_MS, loadBalancing }),
    new ExecutionProfile("conditional", {
      consistency: quorum,
      serialConsistency: serial,
      readTimeout: CONDITIONAL_MS,
      loadBalancing,
      // A repeated condition fails on its own first success; whether it was applied is read, not guessed.
      retry: new policies.retry.FallthroughRetryPolicy(),
    }),
    new ExecutionProfile("define", { consistency: quorum, readTimeout: 20_000, loadBalancing }),
  ];
}

/** The data centre of a host that answers. */
async function findDataCentre(settings: CassandraSettings): Promise<string> {
  const client = new Client({
    ...connectionOptions(settings),
    pooling: { warmup: false },
    policies: { ...translation(settings), loadBalancing: new policies.loadBalancing.RoundRobinPolicy() },
  });
  try {
    await client.connect();
    const rows = (await client.execute("SELECT data_center FROM system.local")).rows;
    return String(rows[0]?.data_center);
  } finally {
    await client.shutdown();
  }
}
