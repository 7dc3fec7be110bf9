// A cluster in memory behind the driver's client: the statements of the engine, with Cassandra's rules for timestamps,
// removals, conditions and pages. It counts requests and the removals that a read meets, and each client has a clock of its
// own, so that tests need no cluster to show what a process asks for and what differing clocks do.
import { type Client, errors, types } from "cassandra-driver";
import type { CassandraStoreOptions } from "../../src/store/cassandra/options.ts";
import { type CassandraStore, openCassandraStore } from "../../src/store/cassandra/store.ts";

type Value = bigint | number | string | Buffer | null;

interface Cell {
  readonly at: bigint;
  readonly value: Value;
}

interface StoredRow {
  readonly key: readonly Value[];
  readonly cells: Map<string, Cell>;
  /** When an INSERT made the row; a row is there without other columns too. */
  markedAt: bigint;
  removedAt: bigint;
}

interface Bound {
  readonly key: readonly Value[];
  readonly isOpen: boolean;
}

interface Removal {
  readonly from: Bound | undefined;
  readonly to: Bound | undefined;
  readonly at: bigint;
}

interface Partition {
  readonly key: readonly Value[];
  removedAt: bigint;
  removals: Removal[];
  readonly rows: StoredRow[];
}

interface Table {
  readonly partitionKey: readonly string[];
  readonly clustering: readonly string[];
  readonly isDescending: boolean;
  readonly partitions: Map<string, Partition>;
}

interface Condition {
  readonly columns: readonly string[];
  readonly operator: string;
  readonly values: readonly Value[];
}

const NEVER = -(2n ** 63n);

/** One request of a client. */
export interface SentRequest {
  readonly query: string;
  readonly params: readonly unknown[];
  readonly timestamp: bigint;
}

/** A cluster in memory. */
export class FakeCassandra {
  #tables = new Map<string, Table>();
  /** Requests since the last `takeCount`; a batch is one. */
  #count = 0;
  /** Everything sent, when switched on. */
  sent: SentRequest[] | undefined;
  /** Cassandra's limit of removals in one read. */
  maxRemovals = 100_000;
  /** Most removals that one read met since it was reset. */
  mostRemovals = 0;
  /** Called before each request; may throw or wait. */
  before: (query: string) => void | Promise<void> = () => {};

  /** Opens a store; `clockMs` is the clock of its process. */
  open(
    options: Partial<CassandraStoreOptions> = {},
    clockMs: () => number = () => Date.now(),
  ): Promise<CassandraStore> {
    const settings = { hosts: ["fake"], keyspace: "fake", dataCentre: "dc", replication: 1, ...options };
    return openCassandraStore(settings, () => this.#client(clockMs));
  }

  /** Opens a store and takes its lease. */
  async openWriter(
    options: Partial<CassandraStoreOptions> = {},
    clockMs?: () => number,
  ): Promise<CassandraStore> {
    const store = await this.open(options, clockMs);
    if ((await store.lease.acquire()) === undefined) throw new Error("another process writes");
    return store;
  }

  /** Drops all tables. */
  drop(): void {
    this.#tables = new Map();
  }

  /** Everything that the cluster holds, to bring back later. */
  snapshot(): () => void {
    const kept = structuredClone(this.#tables);
    return () => {
      this.#tables = asBuffers(structuredClone(kept));
    };
  }

  takeCount(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }

  #client(clockMs: () => number): Client {
    let isClosed = false;
    const send = async <T>(query: string, action: () => T): Promise<T> => {
      await this.before(query);
      if (isClosed) throw new Error("the client is closed");
      this.#count++;
      return action();
    };
    const timestampOf = (options: types.Long | number | undefined): bigint =>
      options === undefined ? BigInt(clockMs()) * 1000n : BigInt(options.toString());
    const client = {
      connect: async () => {},
      shutdown: async () => {
        isClosed = true;
      },
      hosts: { values: () => [{ isUp: () => true, datacenter: "dc" }] },
      getState: () => ({ getOpenConnections: () => 1, getInFlightQueries: () => 0 }),
      execute: (
        query: string,
        params: unknown[] = [],
        { timestamp, fetchSize = 5000, pageState }: Options = {},
      ) =>
        send(query, () => {
          const at = timestampOf(timestamp);
          this.sent?.push({ query, params, timestamp: at });
          const rows = this.#run(query, params, at);
          const from = Number(pageState ?? 0);
          const next = from + fetchSize < rows.length ? String(from + fetchSize) : null;
          return {
            rows: rows.slice(from, from + fetchSize),
            pageState: next,
            wasApplied: () => rows[0]?.["[applied]"] !== false,
          };
        }),
      batch: (requests: { query: string; params: unknown[] }[], { timestamp }: Options = {}) =>
        send("batch", () => {
          const at = timestampOf(timestamp);
          for (const { query, params } of requests) {
            this.sent?.push({ query, params, timestamp: at });
            this.#run(query, params, at);
          }
        }),
    };
    return client as unknown as Client;
  }

  #run(template: string, params: readonly unknown[], at: bigint): Record<string, unknown>[] {
    let marks = 0;
    const query = template.replaceAll("?", () => `?${marks++}`).replaceAll(/\s+/g, " ");
    const value = (text: string): Value | undefined => {
      // The driver copies what it sends.
      if (text.startsWith("?")) {
        const given = params[Number(text.slice(1))];
        return Buffer.isBuffer(given) ? Buffer.from(given) : (given as Value | undefined);
      }
      if (text === "null") return null;
      return text.startsWith("'") ? text.slice(1, -1) : Number(text);
    };
    const [verb] = query.split(" ");
    switch (verb) {
      case "CREATE":
        this.#create(query);
        return [];
      case "SELECT":
        return this.#select(query, value);
      case "INSERT":
        return this.#insert(query, value, at);
      case "UPDATE":
        return this.#update(query, value, at);
      case "DELETE":
        this.#delete(query, value, at);
        return [];
      default:
        throw new Error(`no such statement: ${query}`);
    }
  }

  #create(query: string): void {
    const match = /^CREATE TABLE IF NOT EXISTS \w+\.(\w+) \((.*?)\)(?: WITH .*)?$/.exec(query);
    if (match === null) return;
    const [, name = "", columns = ""] = match;
    if (this.#tables.has(name)) return;
    const composite = /PRIMARY KEY \(\(([^)]*)\)(?:, ([^)]*))?/.exec(`${columns})`);
    const inline = /(\w+) \w+ PRIMARY KEY/.exec(columns);
    this.#tables.set(name, {
      partitionKey: composite?.[1]?.split(", ") ?? [inline?.[1] ?? ""],
      clustering: composite?.[2]?.split(", ") ?? [],
      isDescending: query.includes(" DESC"),
      partitions: new Map(),
    });
  }

  #table(name: string): Table {
    const table = this.#tables.get(name);
    if (table !== undefined) return table;
    throw new errors.ResponseError(types.responseErrorCodes.invalid, `unconfigured table ${name}`);
  }

  #select(query: string, value: Resolve): Record<string, unknown>[] {
    const match =
      /^SELECT (DISTINCT )?(.*?) FROM (\w+)\.(\w+)(?: WHERE (.*?))?(?: ORDER BY \w+ (ASC|DESC).*?)?(?: LIMIT (\S+))?$/.exec(
        query,
      );
    if (match === null) throw new Error(`cannot read: ${query}`);
    const [, distinct, columns = "", keyspace, name = "", where = "", order, limit] = match;
    if (keyspace === "system") {
      return name === "local" ? [{ host_id: "1", data_center: "dc", schema_version: "1" }] : [];
    }
    if (keyspace === "system_schema") {
      const wanted = /table_name = '(\w+)'/.exec(where)?.[1] ?? "";
      return this.#tables.has(wanted) ? [{ table_name: wanted }] : [];
    }
    const table = this.#table(name);
    const names = columns.split(", ");
    const most = limit === undefined ? Number.POSITIVE_INFINITY : Number(value(limit));
    const found: Record<string, unknown>[] = [];
    const conditions = conditionsOf(where, value);
    const only = where === "" ? undefined : table.partitions.get(partitionName(table, conditions));
    const partitions = where === "" ? [...table.partitions.values()] : only === undefined ? [] : [only];
    for (const partition of partitions) {
      const isReversed = order !== undefined && (order === "DESC") !== table.isDescending;
      const rows = isReversed ? partition.rows.toReversed() : partition.rows;
      let dead = 0;
      const before = found.length;
      for (const row of rows) {
        if (found.length >= most) break;
        if (!conditions.every((condition) => holds(table, row, condition))) continue;
        const live = liveCells(partition, row);
        if (live === undefined) {
          if (row.removedAt > coveredAt(partition, row)) dead++;
          continue;
        }
        found.push(
          Object.fromEntries(names.map((column) => [column, columnOf(table, partition, row, live, column)])),
        );
        if (distinct !== undefined) break;
      }
      const met = dead + Math.min(partition.removals.length, found.length - before + 1);
      this.mostRemovals = Math.max(this.mostRemovals, met);
      if (met > this.maxRemovals) {
        throw new errors.ResponseError(
          types.responseErrorCodes.readFailure,
          "Server failure during read query",
        );
      }
    }
    return found;
  }

  #insert(query: string, value: Resolve, at: bigint): Record<string, unknown>[] {
    const match =
      /^INSERT INTO \w+\.(\w+) \((.*?)\) VALUES \((.*?)\)( IF NOT EXISTS)?(?: USING TIMESTAMP (\S+))?$/.exec(
        query,
      );
    if (match === null) throw new Error(`cannot write: ${query}`);
    const [, name = "", columns = "", values = "", isConditional, using] = match;
    const table = this.#table(name);
    const given = new Map<string, Value>();
    const texts = values.split(", ");
    for (const [i, column] of columns.split(", ").entries()) {
      const one = value(texts[i] ?? "");
      if (one !== undefined) given.set(column, one);
    }
    const stamp = using === undefined ? at : BigInt(value(using) as bigint);
    const { partition, row } = this.#rowOf(table, given);
    if (isConditional !== undefined && liveCells(partition, row) !== undefined)
      return [{ "[applied]": false }];
    row.markedAt = later(row.markedAt, stamp);
    for (const [column, one] of given) setCell(row, column, { at: stamp, value: one });
    return isConditional === undefined ? [] : [{ "[applied]": true }];
  }

  #update(query: string, value: Resolve, at: bigint): Record<string, unknown>[] {
    const match = /^UPDATE \w+\.(\w+) SET (.*?) WHERE (.*?)(?: IF (.*))?$/.exec(query);
    if (match === null) throw new Error(`cannot write: ${query}`);
    const [, name = "", sets = "", where = "", condition = ""] = match;
    const table = this.#table(name);
    const key = new Map(
      conditionsOf(where, value).map(({ columns, values }) => [columns[0] ?? "", values[0] ?? null]),
    );
    const { partition, row } = this.#rowOf(table, key);
    const live = liveCells(partition, row);
    const isMet = conditionsOf(condition, value).every(
      ({ columns, values }) =>
        live !== undefined && compare(live.get(columns[0] ?? "")?.value ?? null, values[0] ?? null) === 0,
    );
    if (!isMet) return [{ "[applied]": false }];
    for (const set of sets.split(", ")) {
      const [column = "", text = ""] = set.split(" = ");
      const one = value(text);
      // Ballots rise from one change to the next, whatever the clocks say.
      const last = row.cells.get(column)?.at ?? NEVER;
      if (one !== undefined) setCell(row, column, { at: last >= at ? last + 1n : at, value: one });
    }
    return [{ "[applied]": true }];
  }

  #delete(query: string, value: Resolve, at: bigint): void {
    const match = /^DELETE FROM \w+\.(\w+)(?: USING TIMESTAMP (\S+))? WHERE (.*)$/.exec(query);
    if (match === null) throw new Error(`cannot remove: ${query}`);
    const [, name = "", using, where = ""] = match;
    const table = this.#table(name);
    const stamp = using === undefined ? at : BigInt(value(using) as bigint);
    const conditions = conditionsOf(where, value);
    const partition = this.#partitionOf(table, conditions);
    const ofRows = conditions.filter(({ columns }) => table.clustering.includes(columns[0] ?? ""));
    if (ofRows.length === 0) {
      partition.removedAt = later(partition.removedAt, stamp);
      return;
    }
    if (ofRows.length === table.clustering.length && ofRows.every(({ operator }) => operator === "=")) {
      const given = new Map(conditions.map(({ columns, values }) => [columns[0] ?? "", values[0] ?? null]));
      const { row } = this.#rowOf(table, given);
      row.removedAt = later(row.removedAt, stamp);
      return;
    }
    const equal = ofRows.filter(({ operator }) => operator === "=").flatMap(({ values }) => values);
    const boundOf = (signs: string): Bound | undefined => {
      const one = ofRows.find(({ operator }) => operator.startsWith(signs));
      if (one !== undefined) return { key: [...equal, ...one.values], isOpen: !one.operator.endsWith("=") };
      return equal.length === 0 ? undefined : { key: equal, isOpen: false };
    };
    const removal = { from: boundOf(">"), to: boundOf("<"), at: stamp };
    partition.removals = partition.removals.filter((other) => other.at > stamp || !isInside(other, removal));
    partition.removals.push(removal);
  }

  #partitionOf(table: Table, conditions: readonly Condition[]): Partition {
    const name = partitionName(table, conditions);
    const known = table.partitions.get(name);
    if (known !== undefined) return known;
    const key = table.partitionKey.map(
      (column) => conditions.find(({ columns }) => columns[0] === column)?.values[0] ?? null,
    );
    const partition: Partition = { key, removedAt: NEVER, removals: [], rows: [] };
    table.partitions.set(name, partition);
    return partition;
  }

  #rowOf(table: Table, given: ReadonlyMap<string, Value>): { partition: Partition; row: StoredRow } {
    const conditions = [...given].map(([column, one]) => ({
      columns: [column],
      operator: "=",
      values: [one],
    }));
    const partition = this.#partitionOf(table, conditions);
    const key = table.clustering.map((column) => given.get(column) ?? null);
    let low = 0;
    let high = partition.rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compareKeys(partition.rows[middle]?.key ?? [], key);
      if ((table.isDescending ? -order : order) < 0) low = middle + 1;
      else high = middle;
    }
    const known = partition.rows[low];
    if (known !== undefined && compareKeys(known.key, key) === 0) return { partition, row: known };
    const row: StoredRow = { key, cells: new Map(), markedAt: NEVER, removedAt: NEVER };
    partition.rows.splice(low, 0, row);
    return { partition, row };
  }
}

interface Options {
  readonly timestamp?: types.Long | number;
  readonly fetchSize?: number;
  readonly pageState?: string;
}

type Resolve = (text: string) => Value | undefined;

function conditionsOf(text: string, value: Resolve): Condition[] {
  const conditions: Condition[] = [];
  const pattern = /\(([^)]*)\) (<=|>=|<|>) \(([^)]*)\)|(\w+) (<=|>=|<|>|=) (\S+)/g;
  for (const [, columns, operator, values, column, sign, one] of text.matchAll(pattern)) {
    const resolve = (word: string): Value => value(word) ?? null;
    conditions.push(
      columns === undefined
        ? { columns: [column ?? ""], operator: sign ?? "", values: [resolve(one ?? "")] }
        : {
            columns: columns.split(", "),
            operator: operator ?? "",
            values: (values ?? "").split(", ").map(resolve),
          },
    );
  }
  return conditions;
}

function later(a: bigint, b: bigint): bigint {
  return a < b ? b : a;
}

function partitionName(table: Table, conditions: readonly Condition[]): string {
  return table.partitionKey
    .map((column) => {
      const found = conditions.find(({ columns }) => columns[0] === column)?.values[0] ?? null;
      return Buffer.isBuffer(found) ? found.toString("hex") : String(found);
    })
    .join("/");
}

function holds(table: Table, row: StoredRow, { columns, operator, values }: Condition): boolean {
  if (table.partitionKey.includes(columns[0] ?? "")) return true;
  const own = columns.map((column) => row.key[table.clustering.indexOf(column)] ?? null);
  const order = compareKeys(own, values);
  if (operator === "=") return order === 0;
  if (operator.startsWith("<")) return order < 0 || (order === 0 && operator === "<=");
  return order > 0 || (order === 0 && operator === ">=");
}

function compareKeys(a: readonly Value[], b: readonly Value[]): number {
  for (const [i, one] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 0;
    const order = compare(one, other);
    if (order !== 0) return order;
  }
  return 0;
}

function compare(a: Value, b: Value): number {
  if (Buffer.isBuffer(a) && Buffer.isBuffer(b)) return Buffer.compare(a, b);
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function isCovered({ from, to }: Removal, key: readonly Value[]): boolean {
  const low = from === undefined ? 1 : compareKeys(key, from.key);
  const high = to === undefined ? -1 : compareKeys(key, to.key);
  return (
    (low > 0 || (low === 0 && from?.isOpen === false)) && (high < 0 || (high === 0 && to?.isOpen === false))
  );
}

/** True if a removal covers everything that an earlier one does. */
function isInside(inner: Removal, outer: Removal): boolean {
  const isFrom =
    outer.from === undefined ||
    (inner.from !== undefined && compareKeys(inner.from.key, outer.from.key) >= 0);
  const isTo =
    outer.to === undefined || (inner.to !== undefined && compareKeys(inner.to.key, outer.to.key) <= 0);
  return isFrom && isTo;
}

/** The newest removal of a range or of the partition that covers a row. */
function coveredAt(partition: Partition, row: StoredRow): bigint {
  let at = partition.removedAt;
  for (const removal of partition.removals)
    if (removal.at > at && isCovered(removal, row.key)) at = removal.at;
  return at;
}

/** The cells of a row that no removal covers; undefined if the row is gone. A removal covers what has its own timestamp. */
function liveCells(partition: Partition, row: StoredRow): Map<string, Cell> | undefined {
  const covered = coveredAt(partition, row);
  const removed = later(covered, row.removedAt);
  const live = new Map([...row.cells].filter(([, cell]) => cell.at > removed));
  const hasValue = [...live.values()].some(({ value }) => value !== null);
  return row.markedAt > removed || hasValue ? live : undefined;
}

function columnOf(
  table: Table,
  partition: Partition,
  row: StoredRow,
  live: ReadonlyMap<string, Cell>,
  column: string,
): Value {
  const inKey = table.partitionKey.indexOf(column);
  if (inKey >= 0) return partition.key[inKey] ?? null;
  const inOrder = table.clustering.indexOf(column);
  if (inOrder >= 0) return row.key[inOrder] ?? null;
  return live.get(column)?.value ?? null;
}

/** The newest cell counts; of two with one timestamp the larger. */
function setCell(row: StoredRow, column: string, cell: Cell): void {
  const known = row.cells.get(column);
  if (
    known !== undefined &&
    (known.at > cell.at || (known.at === cell.at && compare(known.value, cell.value) > 0))
  )
    return;
  row.cells.set(column, cell);
}

/** A structured clone turns Buffers into plain arrays of bytes. */
function asBuffers<T>(value: T): T {
  if (value instanceof Uint8Array) return Buffer.from(value) as T;
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, asBuffers(one)])) as T;
  if (Array.isArray(value)) return value.map(asBuffers) as T;
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asBuffers(one)])) as T;
  }
  return value;
}
