// One request on its way: resolve → admit → open a view → run → send. What the steps find is kept here, for the response,
// the log and the counters, also where a step fails.
import type { TrustLevel } from "../ledger/trust.ts";
import type { LedgerView } from "../ledger/view.ts";
import type { ResumePoint } from "../ledger/watch/event-id.ts";
import type { MinVersion } from "../ledger/watch/head-watch.ts";
import type { AnswerSlices } from "./admission/long-answers.ts";
import type { ParsedArgs } from "./field.ts";
import type { Operation } from "./operation.ts";
import type { PositionHeaders } from "./response/headers.ts";
import type { Form } from "./response/negotiation.ts";
import { Abandoned, type BodyHold } from "./transport/body.ts";
import type { Exchange } from "./transport/exchange.ts";

/** What is counted and logged. */
export type CountedOperation = Pick<Operation, "id" | "method" | "path" | "isDocument" | "maxInFlight">;

/** Some clients send their request, close their side and read the answer. */
const MAX_SLICES_SINCE_END = 4;

export class ServedRequest {
  readonly exchange: Exchange;
  /** Undefined until the request is resolved. */
  operation: CountedOperation | undefined = undefined;
  /** True for a GET that names its version. */
  isPinned = false;
  /** Headers of the ledger; undefined without one. */
  headers: PositionHeaders | undefined = undefined;
  /** Trust level of the answer: of the latest version until the handler has answered, and undefined without a ledger. */
  trust: TrustLevel | undefined = undefined;
  view: LedgerView | undefined = undefined;
  /** Bytes of the body, against the budget of all bodies. */
  hold: BodyHold | undefined = undefined;
  /** Gives back the places of its client's share of streams that it has, unless its stream took them. */
  leavePlaces: (() => void) | undefined = undefined;
  slices: AnswerSlices | undefined = undefined;
  /** The client whose share of those in flight it has; undefined while it is none of them. */
  countedFor: string | undefined = undefined;

  /** Slices of work since the client closed its side. */
  #slicesSinceEnd = 0;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  /** Throws for a client that left: nothing more is read or encoded for it. */
  assertClient(): void {
    if (this.exchange.isGone) throw new Abandoned("the client went away");
  }

  /** As `assertClient`, between slices of long work: a client that closed its side, as one does that leaves, gets a few. */
  assertStays(): void {
    this.assertClient();
    if (this.exchange.socket.readableEnded && ++this.#slicesSinceEnd > MAX_SLICES_SINCE_END)
      throw new Abandoned("the client closed its side");
  }

  /** Work that outlives the view must not hold it. */
  releaseView(): void {
    this.view?.release();
    this.view = undefined;
  }

  /** The places are a stream's from now on. */
  takePlaces(): () => void {
    const { leavePlaces = () => {} } = this;
    this.leavePlaces = undefined;
    return leavePlaces;
  }

  release(): void {
    this.slices?.end();
    this.releaseView();
    this.leavePlaces?.();
    this.hold?.release();
  }
}

/** A request whose operation, arguments and form are known. The body is added to the arguments when it is read. */
export interface ResolvedRequest {
  readonly request: ServedRequest;
  readonly operation: Operation;
  readonly args: ParsedArgs;
  readonly form: Form;
  /** Tells clients apart. */
  readonly client: string;
  /** What the view of the answer must have reached. */
  readonly minVersion: MinVersion | undefined;
  /** Where a stream resumes. */
  readonly lastEventId: ResumePoint | undefined;
}
