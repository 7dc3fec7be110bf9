// An upstream over records in memory, for replaying recorded pages and for tests of followers.
import { BcsWriter } from "../../src/bcs/writer.ts";
import { BeyondHead, UpstreamError } from "../../src/sync/upstream/errors.ts";
import type {
  RecordsPage,
  StateValueAnswer,
  Upstream,
  UpstreamHead,
} from "../../src/sync/upstream/upstream.ts";

/** Data of a recorded upstream. */
export interface Recording {
  readonly name: string;
  readonly chainId: number;
  /** Bytes of record v at index v - first. */
  readonly records: readonly Uint8Array[];
  readonly first?: bigint;
}

/** An upstream that serves recorded records; its head is the last record at the time of the request. */
export function createRecordedUpstream(recording: Recording): Upstream {
  return new RecordedUpstream(recording);
}

class RecordedUpstream implements Upstream {
  readonly name: string;
  receivedBytes = 0;
  readonly #recording: Recording;
  readonly #first: bigint;

  constructor(recording: Recording) {
    this.name = recording.name;
    this.#recording = recording;
    this.#first = recording.first ?? 0n;
  }

  async getHead(): Promise<UpstreamHead> {
    const { chainId, records } = this.#recording;
    return {
      chainId,
      version: this.#first + BigInt(records.length) - 1n,
      oldestVersion: this.#first,
      timestampUsec: 0n,
      epoch: 0n,
      blockHeight: 0n,
    };
  }

  async getRecords(start: bigint, limit: number): Promise<RecordsPage> {
    const head = await this.getHead();
    if (start > head.version) throw new BeyondHead(start, head);
    if (start < this.#first) throw new UpstreamError("pruned", `the oldest is ${this.#first}`);
    const at = Number(start - this.#first);
    const bytes = encodePage(this.#recording.records.slice(at, at + limit));
    this.receivedBytes += bytes.length;
    return { head, bytes };
  }

  async getStateValue(): Promise<StateValueAnswer> {
    throw new UpstreamError("refused", "a recording holds no state values");
  }

  close(): void {}
}

/** A page of records: their count and their bytes. */
export function encodePage(records: readonly Uint8Array[]): Uint8Array {
  const count = new BcsWriter(8);
  count.uleb(records.length);
  return Buffer.concat([count.take(), ...records]);
}
