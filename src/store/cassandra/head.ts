// The head row of a ledger: the watermark that readers never pass, and the lease of the writer. Only lightweight
// transactions change it, each under the writer's term. When the outcome of one is unclear, the writer reads it.
import { randomBytes } from "node:crypto";
import { encodeWith } from "../../bcs/codec.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { decodePosition, type Position, positionCodec } from "../../ledger/position.ts";
import type { StoreIdentity } from "../contract.ts";
import { StoreError } from "../errors.ts";
import { requireLedger } from "../read-check.ts";
import type { Row, Session } from "./session.ts";
import { decodeTerms, encodeTerms, NO_MARK, Terms } from "./terms.ts";
import type { Request } from "./writes.ts";

/** A head row. */
export interface Head {
  /** Current term; also the writer's fencing token. */
  readonly term: number;
  /** The mark of the term. */
  readonly mark: number;
  /** Holder of the lease; undefined if it was released. */
  readonly owner: string | undefined;
  /** Heartbeat counter of the owner. */
  readonly beat: number;
  /** Number of the last write; grows with every move. */
  readonly seq: bigint;
  /** Undefined while nothing is committed. */
  readonly position: Position | undefined;
  readonly identity: StoreIdentity | undefined;
  /** The rows of versions below it are removed. */
  readonly pruned: bigint;
}

/** New values of the head row. */
export interface HeadMove {
  readonly seq: bigint;
  readonly position: Position | undefined;
  readonly identity: StoreIdentity | undefined;
  readonly pruned: bigint;
}

const NO_VERSION = -1n;
const BIRTH_BYTES = 8;
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 1000;
/** How long a writer tries to read the outcome of its move. */
const OUTCOME_RETRY_MS = 15_000;

/**
 * The head row of one ledger in a cluster. It is bound to the first row that it reads: a row that is missing later, or of
 * another birth, is refused.
 */
export class HeadRow {
  readonly #session: Session;
  readonly #ledger: string;
  readonly #statements: ReturnType<typeof statementsFor>;
  #birth: string | undefined;

  constructor(session: Session, keyspace: string, ledger: string) {
    this.#session = session;
    this.#ledger = ledger;
    this.#statements = statementsFor(keyspace);
  }

  /** The ledger's name in all other tables. Throws LedgerError `no_ledger` before the row was read. */
  get ledgerKey(): string {
    return `${this.#ledger} ${requireLedger(this.#birth)}`;
  }

  /** The row, read at QUORUM; undefined if there is none. Throws LedgerError `replaced`. */
  async load(): Promise<Head | undefined> {
    const [row] = await this.#session.read(this.#statements.load, [this.#ledger]);
    return this.#bind(row);
  }

  /** The row after all lightweight transactions in flight. */
  async loadSerial(): Promise<Head | undefined> {
    const [row] = await this.#session.readSerial(this.#statements.load, [this.#ledger]);
    return this.#bind(row);
  }

  #bind(row: Row | undefined): Head | undefined {
    const birth = row?.birth;
    if (this.#birth !== undefined && birth !== this.#birth) {
      throw replaced(row === undefined ? "it is gone" : "another one has its name");
    }
    if (row === undefined) return undefined;
    if (typeof birth !== "string") throw new StoreError("corrupt", "a head row lacks columns");
    const head = toHead(row);
    this.#birth = birth;
    return head;
  }

  /** The current term, and the terms up to it. */
  async loadTerms(): Promise<{ readonly term: number; readonly terms: Terms }> {
    const [row] = await this.#session.read(this.#statements.loadTerms, [this.#ledger]);
    const bytes = row?.terms;
    const term = typeof row?.term === "number" ? row.term : 0;
    return { term, terms: Buffer.isBuffer(bytes) ? decodeTerms(bytes) : new Terms([]) };
  }

  /** Creates the row if it is missing, and returns it. */
  async create(): Promise<Head> {
    for (;;) {
      const known = await this.loadSerial();
      if (known !== undefined) return known;
      await this.#session.tryConditional({
        query: this.#statements.create,
        values: [this.#ledger, NO_VERSION, 0n, 0n, randomBytes(BIRTH_BYTES).toString("hex")],
      });
    }
  }

  /** Takes the lease if the head is still `from`; returns the new head, or undefined if it changed. */
  async claim(from: Head, terms: Terms, owner: string): Promise<Head | undefined> {
    const term = from.term + 1;
    const request = {
      query: this.#statements.claim,
      values: [term, terms.mark, owner, encodeTerms(terms), this.#ledger, from.term, from.beat, from.seq],
    };
    const isDone = await this.#change(request, {
      isDone: (head) => head.term === term && head.owner === owner,
      isPossible: (head) => head.term === from.term && head.beat === from.beat && head.seq === from.seq,
      readOutcome: () => this.#loadKnown(),
    });
    return isDone ? { ...from, term, mark: terms.mark, owner, beat: 0 } : undefined;
  }

  /** Renews the lease; false if another process took over. Throws StoreError `unreachable`. */
  async heartbeat(term: number, beat: number): Promise<boolean> {
    return this.#change(
      { query: this.#statements.beat, values: [beat, this.#ledger, term] },
      {
        isDone: (head) => head.term === term && head.beat === beat,
        isPossible: (head) => head.term === term,
        readOutcome: () => this.#loadKnown(),
      },
    );
  }

  /** Releases the lease, if this term still holds it. Throws StoreError `unreachable`. */
  async release(term: number): Promise<void> {
    await this.#change(
      { query: this.#statements.release, values: [this.#ledger, term] },
      {
        isDone: (head) => head.term !== term || head.owner === undefined,
        isPossible: (head) => head.term === term,
        readOutcome: () => this.#loadKnown(),
      },
    );
  }

  /**
   * Moves the head under a term; returns the new head, or undefined if another process took over. Throws StoreError
   * `unreachable` if the outcome cannot be read in time; it is then unknown.
   */
  async move(from: Head, move: HeadMove): Promise<Head | undefined> {
    const { identity, pruned } = move;
    const rest = [identity === undefined ? null : encodeIdentity(identity), pruned];
    const isDone = await this.#moveTo(from, move, from.term, (place) => ({
      query: this.#statements.move,
      values: [...place, ...rest],
    }));
    return isDone ? { ...from, ...move } : undefined;
  }

  /**
   * Moves the head back and begins a new term of the same owner, whose list ends the earlier terms at the new head.
   * Returns like `move`.
   */
  async rewind(from: Head, move: HeadMove, terms: Terms): Promise<Head | undefined> {
    const term = from.term + 1;
    const isDone = await this.#moveTo(from, move, term, (place) => ({
      query: this.#statements.rewind,
      values: [term, terms.mark, encodeTerms(terms), ...place],
    }));
    return isDone ? { ...from, ...move, term, mark: terms.mark } : undefined;
  }

  /** `toRequest` gets the new values of version, write and position; the row and the condition follow its own. */
  #moveTo(
    from: Head,
    { position, seq }: HeadMove,
    term: number,
    toRequest: (place: readonly unknown[]) => Request,
  ): Promise<boolean> {
    const bytes = position === undefined ? null : Buffer.from(encodeWith(positionCodec, position));
    const { query, values } = toRequest([position?.version ?? NO_VERSION, seq, bytes]);
    const condition = [this.#ledger, from.term, from.position?.version ?? NO_VERSION, from.seq];
    return this.#change(
      { query, values: [...values, ...condition] },
      {
        isDone: (head) => head.seq === seq && head.term === term,
        isPossible: (head) => head.seq === from.seq && head.term === from.term,
        readOutcome: () => this.#readOutcome(),
      },
    );
  }

  /**
   * Sends a conditional change until it is known to be applied (true) or can no longer apply (false). A serial read
   * completes changes in flight: a change that it does not show will never apply.
   */
  async #change(request: Request, rules: ChangeRules): Promise<boolean> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      if (await this.#session.tryConditional(request)) return true;
      const head = await rules.readOutcome();
      if (rules.isDone(head)) return true;
      if (!rules.isPossible(head)) return false;
      await this.#session.pause(pause);
    }
  }

  async #loadKnown(): Promise<Head> {
    const head = await this.loadSerial();
    if (head === undefined)
      throw new StoreError("corrupt", `the head row of ledger ${this.#ledger} is missing`);
    return head;
  }

  /** Reads the row, with retries while the cluster is unreachable. */
  async #readOutcome(): Promise<Head> {
    const deadline = performance.now() + OUTCOME_RETRY_MS;
    for (;;) {
      try {
        return await this.#loadKnown();
      } catch (error) {
        const isTransient = error instanceof StoreError && error.code === "unreachable";
        if (!isTransient || this.#session.isClosed || performance.now() > deadline) throw error;
      }
      await this.#session.pause(MAX_PAUSE_MS);
    }
  }
}

/** The error of a process whose ledger is no longer the one that it opened. */
export function replaced(why: string): LedgerError {
  return new LedgerError(
    "replaced",
    `the storage no longer holds the ledger that this node opened: ${why}; restart the node to read what is there`,
  );
}

/** The error of a process whose lease another one holds; `head` is the row as it was read. */
export function takenOver(where: string, head: Head | undefined): StoreError {
  const [host, pid] = head?.owner?.split(":") ?? [];
  const who = host === undefined || pid === undefined ? "" : ` (process ${pid} on ${host})`;
  return new StoreError("locked", `another process${who} took over writing ${where}`);
}

/** How to read the outcome of a change and judge it. */
interface ChangeRules {
  readonly isDone: (head: Head) => boolean;
  readonly isPossible: (head: Head) => boolean;
  readonly readOutcome: () => Promise<Head>;
}

function statementsFor(keyspace: string) {
  const heads = `${keyspace}.heads`;
  return {
    load: `SELECT term, mark, owner, beat, version, seq, position, identity, pruned, birth FROM ${heads} WHERE ledger = ?`,
    loadTerms: `SELECT term, terms FROM ${heads} WHERE ledger = ?`,
    create: `INSERT INTO ${heads} (ledger, term, mark, beat, version, seq, pruned, birth) VALUES (?, 0, ${NO_MARK}, 0, ?, ?, ?, ?) IF NOT EXISTS`,
    claim: `UPDATE ${heads} SET term = ?, mark = ?, owner = ?, beat = 0, terms = ? WHERE ledger = ? IF term = ? AND beat = ? AND seq = ?`,
    beat: `UPDATE ${heads} SET beat = ? WHERE ledger = ? IF term = ?`,
    release: `UPDATE ${heads} SET owner = null WHERE ledger = ? IF term = ?`,
    rewind: `UPDATE ${heads} SET term = ?, mark = ?, terms = ?, version = ?, seq = ?, position = ? WHERE ledger = ? IF term = ? AND version = ? AND seq = ?`,
    move: `UPDATE ${heads} SET version = ?, seq = ?, position = ?, identity = ?, pruned = ? WHERE ledger = ? IF term = ? AND version = ? AND seq = ?`,
  };
}

function toHead(row: Row): Head {
  const { term, mark, owner, beat, seq, position, identity, pruned } = row;
  if (
    typeof term !== "number" ||
    typeof mark !== "number" ||
    typeof beat !== "number" ||
    typeof seq !== "bigint" ||
    typeof pruned !== "bigint"
  ) {
    throw new StoreError("corrupt", "a head row lacks columns");
  }
  return {
    term,
    mark,
    owner: typeof owner === "string" ? owner : undefined,
    beat,
    seq,
    position: Buffer.isBuffer(position) ? decodePosition(new Uint8Array(position)) : undefined,
    identity: Buffer.isBuffer(identity) ? decodeIdentity(identity) : undefined,
    pruned,
  };
}

function encodeIdentity({ chainId, genesisHash }: StoreIdentity): Buffer {
  return Buffer.concat([Buffer.from([chainId]), genesisHash]);
}

function decodeIdentity(bytes: Buffer): StoreIdentity {
  const chainId = bytes[0];
  if (chainId === undefined || bytes.length !== 33) {
    throw new StoreError("corrupt", `the identity has ${bytes.length} bytes, expected 33`);
  }
  return { chainId, genesisHash: new Uint8Array(bytes.subarray(1)) };
}
