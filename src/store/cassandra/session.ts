// One session with a cluster. Consistency, time limits and retries of every kind of request are chosen here and nowhere
// else; docs/appendix/cluster-design.md gives the reasons.

import { setMaxListeners } from "node:events";
import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import {
  auth,
  Client,
  type ClientOptions,
  ExecutionProfile,
  type Host,
  policies,
  type QueryOptions,
  types,
} from "cassandra-driver";
import { type AgreedOn, type Agreement, awaitAgreement, type NodeView } from "./agreement.ts";
import { isTransientFailure, toConnectError, toReadError, toStoreError } from "./failure.ts";
import { type DriverFigures, DriverMetrics } from "./figures.ts";
import type { CassandraSettings, CassandraTls } from "./options.ts";
import { groupByPartition, type Request, WriteWindow } from "./writes.ts";

/**
 * The timestamp of writes: a term, and a number that grows within it. The driver would take the time of day, and a removal
 * would leave the rows of a writer whose clock was ahead.
 */
export interface WriteStamp {
  readonly term: number;
  readonly number: number;
}

/** A row as the driver gives it: columns by name. */
export type Row = Readonly<Record<string, unknown>>;

/** A page of rows, and the state from which the next page continues. */
export interface Page {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

/** Makes the driver's client; tests give a cluster in memory, or one that counts. */
export type CreateClient = (options: ClientOptions) => Client;
const newClient: CreateClient = (options) => new Client(options);

const { consistencies } = types;
/** Time limit of a request to one node. */
const REQUEST_MS = 4000;
/** Time limit of a lightweight transaction or a serial read; nodes wait for each other as long. */
const CONDITIONAL_MS = 2500;
/** An idempotent request goes to a second node too if the first takes this long. */
const SPECULATE_MS = 400;
const CONNECT_MS = 3000;
/** Writers retry an idempotent write for this long; then the cluster counts as unreachable. */
const WRITE_RETRY_MS = 20_000;
/** Reads are retried for this long only, because a client waits. */
const READ_RETRY_MS = 2000;
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
  readonly #writeConcurrency: number;
  readonly #window: WriteWindow;

  private constructor(
    client: Client,
    metrics: DriverMetrics,
    dataCentre: string,
    { where, writeConcurrency }: { readonly where: string; readonly writeConcurrency: number },
  ) {
    this.#client = client;
    this.#dataCentre = dataCentre;
    this.#metrics = metrics;
    this.where = where;
    this.#writeConcurrency = writeConcurrency;
    this.#window = new WriteWindow(writeConcurrency);
    // Every request in flight may listen.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Connects; tries each host once. Throws StoreError `unreachable` if none responds. */
  static async connect(
    settings: CassandraSettings,
    createClient: CreateClient = newClient,
  ): Promise<Session> {
    const where = `${settings.hosts.join(",")}/${settings.keyspace}`;
    try {
      return await Session.#connectOnce(settings, where, createClient);
    } catch (error) {
      throw toConnectError(error, where);
    }
  }

  static async #connectOnce(
    settings: CassandraSettings,
    where: string,
    createClient: CreateClient,
  ): Promise<Session> {
    const dataCentre = settings.dataCentre ?? (await findDataCentre(settings));
    const metrics = new DriverMetrics();
    const client = createClient({
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
      await shutDown(client);
      throw error;
    });
    const { writeConcurrency } = settings;
    return new Session(client, metrics, dataCentre, { where, writeConcurrency });
  }

  get figures(): DriverFigures {
    return this.#metrics.read(this.#client);
  }

  /** Reads at QUORUM. Throws LedgerError `unavailable` if too few nodes respond. */
  async read(query: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return (await this.#ask("read", query, values, toReadError)).rows;
  }

  /** Reads one page at QUORUM. Throws like `read`. */
  async readPage(query: string, values: readonly unknown[], size: number, from?: string): Promise<Page> {
    const page = { fetchSize: size, ...(from === undefined ? {} : { pageState: from }) };
    const { rows, pageState } = await this.#ask("read", query, values, toReadError, page);
    return { rows, next: pageState ?? undefined };
  }

  /** Serial read: completes lightweight transactions in flight and reads their result. Throws StoreError. */
  async readSerial(query: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return (await this.#ask("serial", query, values, toStoreError)).rows;
  }

  /** Sends one idempotent read. */
  async #ask(
    executionProfile: "read" | "serial" | "define",
    query: string,
    values: readonly unknown[],
    toError: (error: unknown, where: string) => unknown,
    options: QueryOptions = {},
  ): Promise<types.ResultSet> {
    const all = { prepare: true, executionProfile, isIdempotent: true, ...options };
    try {
      return await this.#retry(READ_RETRY_MS, () => this.#client.execute(query, [...values], all));
    } catch (error) {
      throw toError(error, this.where);
    }
  }

  /** Sends idempotent writes at QUORUM, those of one partition together. Throws StoreError if one fails. */
  async writeAll(requests: readonly Request[], stamp: WriteStamp): Promise<void> {
    const timestamp = types.Long.fromBits(stamp.number, stamp.term);
    const groups = groupByPartition(requests);
    let next = 0;
    let failed = false;
    const work = async (): Promise<void> => {
      for (let group = groups[next++]; group !== undefined && !failed; group = groups[next++]) {
        const requests = group;
        await this.#window.run(() => this.#write(requests, timestamp));
      }
    };
    const workers = Array.from({ length: Math.min(this.#writeConcurrency, groups.length) }, () =>
      work().catch((error: unknown) => {
        failed = true;
        throw error;
      }),
    );
    // Waits for all workers, so that a failed call has nothing in flight when it returns.
    const ends = await Promise.allSettled(workers);
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  /** Sends idempotent writes of one partition. */
  async #write(requests: readonly Request[], timestamp: types.Long): Promise<void> {
    const [first] = requests;
    if (first === undefined) return;
    try {
      await this.#retry(
        WRITE_RETRY_MS,
        () => {
          // An idempotent request goes to a second node if the first is slow. All nodes of a busy cluster are slow.
          const options = {
            prepare: true,
            executionProfile: "write",
            isIdempotent: !this.#window.isReduced,
            timestamp,
          };
          return requests.length === 1
            ? this.#client.execute(first.query, [...first.values], options)
            : this.#client.batch(
                requests.map(({ query, values }) => ({ query, params: [...values] })),
                { ...options, logged: false },
              );
        },
        () => this.#window.shrink(),
      );
    } catch (error) {
      throw toStoreError(error, this.where);
    }
  }

  /**
   * Sends one lightweight transaction once. Returns true if it was applied, and undefined if it was not or if the
   * outcome is unknown: then only a serial read can tell. Throws StoreError for a refusal.
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
      if (isTransientFailure(error)) return undefined;
      throw toStoreError(error, this.where);
    }
  }

  /** Runs a schema statement. Throws StoreError. */
  async changeSchema(query: string): Promise<void> {
    try {
      await this.#retry(WRITE_RETRY_MS, () =>
        this.#client.execute(query, [], { prepare: false, executionProfile: "define", isIdempotent: true }),
      );
    } catch (error) {
      throw toStoreError(error, this.where);
    }
  }

  /** Runs an unprepared query, for the schema tables. Throws StoreError. */
  async querySchema(query: string): Promise<readonly Row[]> {
    return (await this.#ask("define", query, [], toStoreError, { prepare: false })).rows;
  }

  /** Name of the local data centre. */
  get dataCentre(): string {
    return this.#dataCentre;
  }

  /**
   * Waits until the nodes agree on their members and the schema, or the schema alone, unchanged for `steadyMs`. Throws
   * StoreError `unreachable` if they do not in time.
   */
  agree(steadyMs: number, on?: AgreedOn): Promise<Agreement> {
    return awaitAgreement(
      {
        where: this.where,
        look: () => this.#viewsOfNodes(),
        now: () => performance.now(),
        pause: (ms) => this.pause(ms),
        isClosed: () => this.isClosed,
      },
      steadyMs,
      on,
    );
  }

  /** The views of the nodes of the local data centre that are up; undefined if one of them does not respond. */
  async #viewsOfNodes(): Promise<readonly NodeView[] | undefined> {
    const hosts = this.#client.hosts.values().filter((host) => host.isUp());
    try {
      return await Promise.all(
        hosts.filter((host) => host.datacenter === this.#dataCentre).map((host) => this.#viewOf(host)),
      );
    } catch (error) {
      if (isTransientFailure(error)) return undefined;
      throw toStoreError(error, this.where);
    }
  }

  async #viewOf(host: Host): Promise<NodeView> {
    const ask = async (table: string): Promise<readonly Row[]> => {
      const query = `SELECT host_id, data_center, schema_version FROM system.${table}`;
      const options = { prepare: false, executionProfile: "read", isIdempotent: true, host };
      return (await this.#client.execute(query, [], options)).rows;
    };
    const [own, peers] = await Promise.all([ask("local"), ask("peers")]);
    // A peer without an id is one that the node is about to learn about, or to forget.
    const known = [...own, ...peers].filter(({ host_id: id }) => id !== null);
    const idsOf = (rows: readonly Row[]): string[] => rows.map(({ host_id: id }) => String(id));
    return {
      members: idsOf(known),
      local: idsOf(known.filter(({ data_center: name }) => name === this.#dataCentre)),
      schema: String(own[0]?.schema_version),
    };
  }

  /** Waits; returns early when the session closes. */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal, ref: true }).catch(() => {});
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await shutDown(this.#client);
  }

  /** Retries transient failures with growing pauses. */
  async #retry<T>(
    retryForMs: number,
    action: () => Promise<T>,
    onTransient: () => void = () => {},
  ): Promise<T> {
    const deadline = performance.now() + retryForMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      try {
        return await action();
      } catch (error) {
        if (!isTransientFailure(error)) throw error;
        onTransient();
        if (this.isClosed || performance.now() + pause > deadline) throw error;
      }
      await this.pause(pause);
    }
  }
}

function connectionOptions(settings: CassandraSettings): ClientOptions {
  const { hosts, user, password, tls } = settings;
  return {
    contactPoints: [...hosts],
    // The newest protocol version of the driver. Without this it first tries a version that only DSE has, and over
    // TLS it does not recover from the refusal.
    protocolOptions: { maxVersion: types.protocolVersion.v4 },
    ...(user === undefined ? {} : { authProvider: new auth.PlainTextAuthProvider(user, password ?? "") }),
    ...(tls === undefined || tls === false ? {} : { sslOptions: tlsOptions(hosts, tls === true ? {} : tls) }),
    encoding: { useBigIntAsLong: true, useUndefinedAsUnset: true },
    socketOptions: { connectTimeout: CONNECT_MS, readTimeout: REQUEST_MS, tcpNoDelay: true },
    pooling: { heartBeatInterval: 2000, warmup: true },
    // For the token map.
    isMetadataSyncEnabled: true,
    queryOptions: { captureStackTrace: false },
  };
}

/** By default the driver accepts any certificate, and it checks names against IP addresses only. */
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
      // Never retried: a repeated condition would fail on its own success. A serial read gives the outcome.
      retry: new policies.retry.FallthroughRetryPolicy(),
    }),
    new ExecutionProfile("define", { consistency: quorum, readTimeout: 20_000, loadBalancing }),
  ];
}

/** The data centre of the first host that responds. */
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
    await shutDown(client);
  }
}

/** Waits no longer than SHUTDOWN_MS: the shutdown of a driver that is connecting may never finish. */
async function shutDown(client: Client): Promise<void> {
  const ended = new AbortController();
  const timeout = sleep(SHUTDOWN_MS, undefined, { signal: ended.signal }).catch(() => {});
  await Promise.race([client.shutdown().catch(() => {}), timeout]);
  ended.abort();
}
